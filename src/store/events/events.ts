/** Reads the event log: pages of an account's events, and the ends of log and ledger of accounts. */
import type { Instant } from '../../base/time/instant.ts';
import { bodyOf, type StoredBody } from '../../events/body.ts';
import { type EventPosition, POSITION_TOKEN_LENGTH } from '../../events/cursor.ts';
import type { TransactionRow } from '../../templates/facts.ts';
import type { Statement, Tx } from '../connection/database.ts';
import { TRANSACTION_SELECT } from '../engine/transactions.ts';
import type { LedgerLineRow } from '../ledger/ledger.ts';

/** An event of the log. */
export interface EventRow extends EventPosition {
  readonly accountId: bigint;
  /** Number in the account's log, without gaps. */
  readonly seq: bigint;
  readonly name: string;
  readonly transactionId: bigint;
  /** Number in the transaction, from 1. */
  readonly sequence: number;
  readonly component: string;
  readonly state: string;
  readonly occurredAt: Instant;
  /** The published body, as JSON text. */
  readonly payload: string;
}

/** End of an account's log and ledger. */
export interface AccountMark extends EventPosition {
  readonly accountId: bigint;
  /** The newest event; 0 without one. */
  readonly seq: bigint;
  /** The oldest stored event. */
  readonly floor: bigint;
  /** Token of the preceding event, as positions contain it; null if it is no longer known. */
  readonly floorToken: string | null;
  readonly journalId: bigint;
  readonly lineId: bigint;
}

/** The columns of an event of table alias `e` for its body. */
export const STORED_BODY = `(select f.text from event_form f where f.id = e.form) as form, e.payload`;

/** The token of an event of table alias `e`, as positions contain it. */
const TOKEN = `left(e.token, ${POSITION_TOKEN_LENGTH})`;

const MARKS: Statement = {
  name: 'event_marks',
  text: `select h.account_id as "accountId", h.event_seq as seq, coalesce(f.seq, 1) as floor, h.journal_id as "journalId",
    h.line_id as "lineId", case when f.seq is null then '' else f.token end as "floorToken",
    coalesce((select ${TOKEN} from event e where e.account_id = h.account_id and e.seq = h.event_seq), f.token, '') as token from account_head h left join event_floor f using (account_id) where h.account_id = any ($1::bigint[])`,
};
// Numbers are assigned under the lock of the account and become visible in order, so a reader in ascending order misses
// none.
const PAGE: Statement = {
  name: 'event_page',
  text: `select seq, ${TOKEN} as token, name, transaction_id as "transactionId", sequence, component, state, occurred_at as "occurredAt", ${STORED_BODY}
    from event e where account_id = $1 and seq > $2 order by seq limit $3`,
};
const PAGE_BACK: Statement = {
  name: 'event_page_back',
  text: `select seq, ${TOKEN} as token, name, transaction_id as "transactionId", sequence, component, state, occurred_at as "occurredAt", ${STORED_BODY}
    from event e where account_id = $1 and seq < $2 order by seq desc limit $3`,
};
const AT: Statement = {
  name: 'event_at',
  text: `select seq, ${TOKEN} as token, name, transaction_id as "transactionId", sequence, component, state, occurred_at as "occurredAt", ${STORED_BODY}
    from event e where account_id = $1 and seq = any ($2::bigint[])`,
};
const STEPS: Statement = {
  name: 'event_steps',
  text: `select occurred_at as "occurredAt", component, state from event
    where account_id = $1 and transaction_id = $2 order by sequence`,
};
const TOKEN_AT: Statement = {
  name: 'event_token_at',
  isQuick: true,
  text: `select ${TOKEN} as token from event e where account_id = $1 and seq = $2`,
};
const PRESENT: Statement = {
  name: 'event_present',
  text: `select ${TRANSACTION_SELECT}, last.seq as "eventSeq", last.token as "eventToken" from transaction t
    left join lateral (select e.seq, ${TOKEN} as token from event e where e.account_id = t.account_id and e.transaction_id = t.id
      order by e.sequence desc limit 1) last on true where t.account_id = $1 and t.id = $2`,
};
// One index look-up for each ledger account: line ids rise within each, and no index covers all of them.
const LINES_AFTER: Statement = {
  name: 'event_lines_after',
  text: `select s.account_id as "accountId", s.ledger_account_id as "ledgerAccountId", s.id, s.journal_id as "journalId",
    s.transaction_id as "transactionId", s.posted_at as "postedAt", s.delta, s.balance_before as "balanceBefore",
    s.balance_after as "balanceAfter", a.code, a.name, a.currency, a.pretty_name as "prettyName", a.scale,
    a.sub_account as "subAccount"
    from ledger_account a cross join lateral (
      select * from ledger_line l where l.account_id = a.account_id and l.ledger_account_id = a.id and l.id > 0 and l.id > $2 order by l.id limit $3
    ) s where a.account_id = $1 and a.sub_account > 0 order by s.id limit $3`,
};

/** @returns a row of `STORED_BODY`, replaced by its body. */
export function withBody<Row extends StoredBody>(row: Row): Omit<Row, 'form'> {
  const { form: _, ...rest } = row;
  return { ...rest, payload: bodyOf(row) };
}

/** @returns the end of log and ledger of these accounts, in no order; missing for unknown accounts. */
export function readMarks(database: Tx, accountIds: readonly bigint[]): Promise<AccountMark[]> {
  return database.query<AccountMark>(MARKS, [accountIds]);
}

/** @returns the account's events after a number, oldest first. */
export function readEvents(
  database: Tx,
  accountId: bigint,
  after: bigint,
  limit: number,
): Promise<EventRow[]> {
  return readRows(database, PAGE, accountId, after, limit);
}

/** @returns the account's events before a number, newest first. */
export function readEventsBefore(
  database: Tx,
  accountId: bigint,
  before: bigint,
  limit: number,
): Promise<EventRow[]> {
  return readRows(database, PAGE_BACK, accountId, before, limit);
}

/** @returns the account's stored events with these numbers, in no order. */
export function readEventsAt(database: Tx, accountId: bigint, seqs: readonly bigint[]): Promise<EventRow[]> {
  return readRows(database, AT, accountId, seqs);
}

async function readRows(
  database: Tx,
  page: Statement,
  accountId: bigint,
  ...rest: readonly unknown[]
): Promise<EventRow[]> {
  type Flat = Omit<EventRow, 'accountId'> & StoredBody;
  const rows = await database.query<Flat>(page, [accountId, ...rest]);
  return rows.map((row) => Object.assign(withBody(row), { accountId }));
}

/** @returns the token of the account's event with this number, as positions have it; undefined if it is not stored. */
export async function readTokenAt(database: Tx, accountId: bigint, seq: bigint): Promise<string | undefined> {
  const [row] = await database.query<{ token: string }>(TOKEN_AT, [accountId, seq]);
  return row?.token;
}

/** A step that a transaction has reached. */
export interface ReachedStep {
  readonly occurredAt: string;
  readonly component: string;
  readonly state: string;
}

/** @returns the steps of a transaction whose events are stored, oldest first. */
export function readSteps(database: Tx, accountId: bigint, transactionId: bigint): Promise<ReachedStep[]> {
  return database.query<ReachedStep>(STEPS, [accountId, transactionId]);
}

/** @returns a transaction and its newest event, both from one snapshot. */
export async function readPresent(
  database: Tx,
  accountId: bigint,
  transactionId: bigint,
): Promise<{ row: TransactionRow; event: EventPosition | null } | undefined> {
  type Found = TransactionRow & { eventSeq: bigint | null; eventToken: string | null };
  const [found] = await database.query<Found>(PRESENT, [accountId, transactionId]);
  if (!found) return undefined;
  const { eventSeq: seq, eventToken: token, ...row } = found;
  return { row, event: seq === null || token === null ? null : { seq, token } };
}

/** @returns the account's statement lines after a line, oldest first. */
export async function readLinesAfter(
  database: Tx,
  accountId: bigint,
  after: bigint,
  limit: number,
): Promise<LedgerLineRow[]> {
  type Flat = Omit<LedgerLineRow, 'ledgerAccount'> & Omit<LedgerLineRow['ledgerAccount'], 'accountId' | 'id'>;
  const rows = await database.query<Flat>(LINES_AFTER, [accountId, after, limit]);
  return rows.map(({ code, name, currency, prettyName, scale, subAccount, ...line }) => ({
    ...line,
    ledgerAccount: {
      accountId,
      id: line.ledgerAccountId,
      code,
      name,
      currency,
      prettyName,
      scale,
      subAccount,
    },
  }));
}
