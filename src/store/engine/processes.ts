/**
 * Reads and writes of a batch of transitions. They run in one database transaction that has locked the `account_head`
 * rows of its accounts, so the data cannot change meanwhile (docs/decisions/0011).
 */
import { createHash } from 'node:crypto';
import type { AccountMode } from '../../base/access/account-mode.ts';
import type { StoredBody } from '../../events/body.ts';
import type { Family } from '../../templates/define.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import type { Database, Statement, Tx } from '../connection/database.ts';
import { isLockTimeout } from '../connection/database-error.ts';
import { type AuditRow, auditRecords, type ChainEnd, insertAudit } from './audit.ts';
import { TRANSACTION_COLUMNS } from './transactions.ts';

/** The counters of a locked account. */
export interface Head extends ChainEnd {
  readonly transactionId: bigint;
  readonly eventSeq: bigint;
}

/** The newest position of a list. */
export interface ListHead {
  readonly accountId: bigint;
  readonly family: Family;
  readonly lastSeq: bigint;
  readonly lastCreatedAt: string;
}

/** A transaction to be added, at its place in its list. */
export interface AddedTransaction {
  readonly row: ProcessRow;
  readonly family: Family;
  readonly listSeq: bigint;
}

/** One change of (component, state), with its published body. */
export interface NewEvent {
  readonly accountId: bigint;
  readonly seq: bigint;
  readonly transactionId: bigint;
  readonly sequence: number;
  readonly name: string;
  readonly component: string;
  readonly state: string;
  readonly occurredAt: string;
  readonly body: StoredBody;
}

const PROCESS_COLUMNS: { readonly [Name in keyof ProcessRow]: string } = {
  ...TRANSACTION_COLUMNS,
  depositFrom: 'deposit_from',
  process: 'process',
};
/**
 * The charge's code has a column of its own: it is a third of the working facts, never changes, and was otherwise
 * logged with nearly each step. Older rows have it among the facts.
 */
const PROCESS = `case when t.br_code is null then nullif(t.process, '{}')
  else t.process || jsonb_build_object('brCode', t.br_code) end`;
/** The columns of a row of table alias `t` with its working facts, named as its properties. */
export const PROCESS_SELECT = Object.entries(PROCESS_COLUMNS)
  .map(([name, column]) => (name === 'process' ? `${PROCESS} as process` : `t.${column} as "${name}"`))
  .join(', ');
const COLUMNS = [...Object.values(PROCESS_COLUMNS), 'br_code'];
/** Columns that a transition may change. */
const CHANGED = COLUMNS.filter(
  (column) => !['account_id', 'id', 'end2end', 'template', 'created_at', 'as_published'].includes(column),
);

const LOCK: Statement = {
  name: 'process_lock',
  opens: true,
  text: `select h.account_id as "accountId", h.transaction_id as "transactionId", h.event_seq as "eventSeq",
      h.audit_seq as "auditSeq", h.audit_hash as "auditHash"
    from account_head h join account a on a.id = h.account_id and a.mode = $2
    where h.account_id = any ($1::bigint[]) order by h.account_id for update of h`,
};
const FREE: Statement = {
  name: 'process_free',
  text: `select account_id as "accountId" from account_head where account_id = any ($1::bigint[])
    for update skip locked`,
};
/** Total wait for locked accounts, after which they count as locked. Unit: ms. */
const PATIENCE_MS = 500;
/** Minimum wait for each of many accounts: longer than a batch of another process takes. Unit: ms. */
const PATIENCE_LEAST_MS = 50;
const WAIT_SHORTLY: Statement = {
  name: 'process_wait_shortly',
  opens: true,
  text: `select set_config('lock_timeout', $1, true)`,
};
const HAVE: Statement = {
  name: 'process_have',
  text: `select from account_head where account_id = $1 for update`,
};
const LIST_HEADS: Statement = {
  name: 'process_list_heads',
  text: `select account_id as "accountId", family, last_seq as "lastSeq", last_created_at as "lastCreatedAt"
    from list_head where account_id = any ($1::bigint[])`,
};
/**
 * Planned for these arrays: a cached plan may stem from a small table, and would read all transactions of the account.
 */
const READ: Statement = {
  name: 'process_read',
  text: `select ${PROCESS_SELECT} from unnest($1::bigint[], $2::bigint[]) u(account_id, id)
    join transaction t on t.account_id = u.account_id and t.id = u.id`,
};
const ADD: Statement = {
  name: 'process_add',
  text: `with given as (
      select r.*, g.family as list, g.list_seq as place from jsonb_to_recordset($1::jsonb) g(row jsonb, family text, list_seq bigint)
        cross join lateral jsonb_populate_record(null::transaction, g.row) r
    ), heads as (
      insert into list_head (account_id, family, last_seq, last_created_at)
        select account_id, list, max(place), max(created_at) from given group by 1, 2
      on conflict (account_id, family) do update set last_seq = excluded.last_seq, last_created_at = excluded.last_created_at
    ), days as (
      insert into list_day (account_id, family, day, first_seq)
        select account_id, list, (created_at at time zone 'UTC')::date, min(place) from given group by 1, 2, 3
      on conflict do nothing
    )
    insert into transaction (family, list_seq, ${COLUMNS.join(', ')})
      select list, place, ${COLUMNS.join(', ')} from given`,
};
const CHANGE: Statement = {
  name: 'process_change',
  text: `update transaction t set ${CHANGED.map((column) => `${column} = u.${column}`).join(', ')}
    from jsonb_populate_recordset(null::transaction, $1::jsonb) u where t.account_id = u.account_id and t.id = u.id`,
};
/**
 * Forms are never deleted, so an existing one stays. Missing forms are added in order of id, so that parallel database
 * transactions wait for each other in one direction only.
 */
const RECORD: Statement = {
  name: 'process_record',
  text: `with forms as (
      insert into event_form (id, text)
        select id, text from unnest($8::bigint[], $9::text[]) g(id, text)
         where not exists (select from event_form f where f.id = g.id) order by id
      on conflict (id) do nothing
    ), added as (
      insert into event (account_id, seq, transaction_id, sequence, name, component, state, occurred_at, form, payload)
        select account_id, seq, transaction_id, sequence, name, component, state, occurred_at, form, payload
          from jsonb_to_recordset($1::jsonb) e(account_id bigint, seq bigint, transaction_id bigint, sequence int, name text,
            component text, state text, occurred_at timestamptz, form bigint, payload text)
    ), entered as (${insertAudit('$7')})
    update account_head h set event_seq = u.event_seq, transaction_id = u.transaction_id, audit_seq = u.audit_seq, audit_hash = u.audit_hash
      from unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bytea[]) u(account_id, event_seq, transaction_id, audit_seq, audit_hash)
     where h.account_id = u.account_id`,
};
const ANYWHERE: Statement = {
  name: 'process_anywhere',
  text: `select ${PROCESS_SELECT} from account a join transaction t on t.account_id = a.id and t.end2end = $1 limit 1`,
};
const BY_END2END: Statement = {
  name: 'process_by_end2end',
  text: `select ${PROCESS_SELECT} from transaction t where t.account_id = $1 and t.end2end = $2`,
};
const BY_SESSION: Statement = {
  name: 'process_by_session',
  text: `select ${PROCESS_SELECT} from transaction t where t.session = $1`,
};
const AVAILABLE: Statement = {
  name: 'process_available',
  text: `select a.currency, b.balance::text from ledger_account a
    join ledger_balance b on b.account_id = a.account_id and b.ledger_account_id = a.id
    where a.account_id = $1 and a.sub_account = 1`,
};

/** Locks accounts, always in the same order. @returns the counters of the accounts that have the mode. */
export async function lockHeads(
  tx: Tx,
  accountIds: readonly bigint[],
  mode: AccountMode,
): Promise<Map<bigint, Head>> {
  const heads = await tx.query<Head>(LOCK, [accountIds, mode]);
  return new Map(heads.map((head) => [head.accountId, head]));
}

/** @returns the accounts that are locked now, however briefly. */
export async function readLockedHeads(
  database: Tx,
  accountIds: readonly bigint[],
): Promise<readonly bigint[]> {
  const free = await database.query<{ accountId: bigint }>(FREE, [accountIds]);
  const isFree = new Set(free.map(({ accountId }) => accountId));
  return accountIds.filter((each) => !isFree.has(each));
}

/**
 * A busy account is locked nearly always, for short times: an account counts as locked only if no waiter gets its lock.
 * @returns the accounts that are locked.
 */
export async function lockedHeads(
  database: Database,
  accountIds: readonly bigint[],
): Promise<readonly bigint[]> {
  const busy = await readLockedHeads(database, accountIds);
  const patienceMs = Math.max(PATIENCE_LEAST_MS, Math.ceil(PATIENCE_MS / busy.length));
  const locked: bigint[] = [];
  for (const each of busy) if (await isLocked(database, each, patienceMs)) locked.push(each);
  return locked;
}

async function isLocked({ withTx }: Database, accountId: bigint, patienceMs: number): Promise<boolean> {
  try {
    await withTx((tx) =>
      Promise.all([tx.query(WAIT_SHORTLY, [`${patienceMs}ms`]), tx.query(HAVE, [accountId])]),
    );
    return false;
  } catch (error) {
    if (isLockTimeout(error)) return true;
    throw error;
  }
}

/** @returns the newest positions of all lists of the accounts. */
export function readListHeads(tx: Tx, accountIds: readonly bigint[]): Promise<ListHead[]> {
  return tx.query<ListHead>(LIST_HEADS, [accountIds]);
}

/** @returns the transactions of these ids, in no order. */
export function readProcesses(
  database: Tx,
  ids: readonly { readonly accountId: bigint; readonly transactionId: bigint }[],
): Promise<ProcessRow[]> {
  return database.query<ProcessRow>(READ, [
    ids.map(({ accountId }) => accountId),
    ids.map(({ transactionId }) => transactionId),
  ]);
}

/** @returns the account's transaction; undefined if it does not exist or belongs to another account. */
export async function findProcess(
  database: Tx,
  accountId: bigint,
  end2end: string,
): Promise<ProcessRow | undefined> {
  const [row] = await database.query<ProcessRow>(BY_END2END, [accountId, end2end]);
  return row;
}

/** @returns a transaction of any account, for the operator of a sandbox. */
export async function findAnywhere(database: Tx, end2end: string): Promise<ProcessRow | undefined> {
  const [row] = await database.query<ProcessRow>(ANYWHERE, [end2end]);
  return row;
}

/** @returns the transaction whose session has this token, or undefined. */
export async function findBySession(database: Tx, token: string): Promise<ProcessRow | undefined> {
  const [row] = await database.query<ProcessRow>(BY_SESSION, [token]);
  return row;
}

/** Adds transactions to their lists. */
export async function addTransactions(tx: Tx, added: readonly AddedTransaction[]): Promise<void> {
  const records = added.map(({ row, family, listSeq }) => ({
    row: columnsOf(row),
    family,
    list_seq: String(listSeq),
  }));
  await tx.query(ADD, [JSON.stringify(records)]);
}

/** Stores the changes of transitions. */
export async function changeTransactions(tx: Tx, rows: readonly ProcessRow[]): Promise<void> {
  await tx.query(CHANGE, [JSON.stringify(rows.map(columnsOf))]);
}

/**
 * Appends events and entries of the audit log, and moves the counters of their accounts; the last statement of a batch.
 */
export async function recordEvents(
  tx: Tx,
  events: readonly NewEvent[],
  heads: readonly Head[],
  audit: readonly AuditRow[] = [],
): Promise<void> {
  const forms = new Map<string, bigint>();
  for (const { body } of events)
    if (body.form !== null && !forms.has(body.form)) forms.set(body.form, formId(body.form));
  const records = events.map((event) => ({
    account_id: String(event.accountId),
    seq: String(event.seq),
    transaction_id: String(event.transactionId),
    sequence: event.sequence,
    name: event.name,
    component: event.component,
    state: event.state,
    occurred_at: event.occurredAt,
    form: event.body.form === null ? null : String(forms.get(event.body.form)),
    payload: event.body.payload,
  }));
  await tx.query(RECORD, [
    JSON.stringify(records),
    heads.map(({ accountId }) => accountId),
    heads.map(({ eventSeq }) => eventSeq),
    heads.map(({ transactionId }) => transactionId),
    heads.map(({ auditSeq }) => auditSeq),
    heads.map(({ auditHash }) => auditHash),
    auditRecords(audit),
    [...forms.values()],
    [...forms.keys()],
  ]);
}

/** @returns the id of a form, the same in every process. */
function formId(form: string): bigint {
  return createHash('sha256').update(form).digest().readBigInt64BE();
}

/** @returns the available balance of the account, minor units by currency code. */
export async function readAvailable(database: Tx, accountId: bigint): Promise<Map<string, bigint>> {
  const rows = await database.query<{ currency: string; balance: string }>(AVAILABLE, [accountId]);
  return new Map(rows.map(({ currency, balance }) => [currency, BigInt(balance)]));
}

function columnsOf(row: ProcessRow): Record<string, unknown> {
  const { brCode, ...process } = row.process ?? {};
  const columns = Object.entries(PROCESS_COLUMNS).map(([name, column]) => {
    const value = row[name as keyof ProcessRow];
    return [column, typeof value === 'bigint' ? String(value) : value];
  });
  return { ...Object.fromEntries(columns), process, br_code: brCode };
}
