/** Waiting work that no other list of the store has: over one account, or over all of a mode; oldest first. */
import type { AccountMode } from '../../base/access/account-mode.ts';
import type { Instant } from '../../base/time/instant.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import type { Statement, Tx } from '../connection/database.ts';
import { OWES_RETURN } from './merged-lists.ts';
import { PROCESS_SELECT } from './processes.ts';
import type { SuspenseReason } from './suspense.ts';

/** Owner of the records: an account; null for all accounts of the mode. */
export interface ReviewScope {
  readonly mode: AccountMode;
  readonly accountId: bigint | null;
  readonly limit: number;
}

/** Money out that waits for approval. */
export interface HeldOutflow extends ProcessRow {
  /** Worth in BRL, and the start of its wait. */
  readonly heldBrl: string;
  readonly heldAt: Instant;
}

/** Money in suspense that waits for a person's decision. */
export interface OpenSuspense {
  readonly id: bigint;
  readonly accountId: bigint;
  readonly currency: string;
  readonly amountMinor: string;
  readonly reason: SuspenseReason;
  readonly openedAt: Instant;
}

/** A webhook endpoint that fails, or was disabled because of failures. */
export interface FailingEndpoint {
  readonly id: string;
  readonly accountId: bigint;
  readonly url: string;
  readonly since: Instant;
  readonly failures: number;
}

const IN_SCOPE = `a.mode = $1 and ($2::bigint is null or a.id = $2)`;
/** Open disputes are few among open transactions, which are found by their outcome; this limits their number. */
const OPEN_MAX = 50_000;

const OUTFLOWS: Statement = {
  name: 'review_outflows',
  text: `select ${PROCESS_SELECT}, m.brl as "heldBrl", m.at as "heldAt"
    from account a join money_out m on m.account_id = a.id join transaction t on t.account_id = m.account_id and t.id = m.transaction_id
    where ${IN_SCOPE} and m.state = 'held' and m.at > $4 order by m.at, t.id limit $3`,
};
const AT_STEPS: Statement = {
  name: 'review_at_steps',
  text: `select ${PROCESS_SELECT} from (select o.account_id, o.family, o.list_seq from account a
        join list_outcome o on o.account_id = a.id and o.outcome = 'OPEN' where ${IN_SCOPE} limit ${OPEN_MAX}) o
      join transaction t on t.account_id = o.account_id and t.family = o.family and t.list_seq = o.list_seq
    where (t.component || '/' || t.state) = any ($4::text[]) order by t.updated_at, t.id limit $3`,
};
const FAILED_REFUNDS: Statement = {
  name: 'review_failed_refunds',
  text: `select ${PROCESS_SELECT} from transaction t join account a on a.id = t.account_id
    where ${IN_SCOPE} and ${OWES_RETURN} order by t.updated_at, t.account_id, t.id limit $3`,
};
const SUSPENSE: Statement = {
  name: 'review_suspense',
  text: `select e.id, e.account_id as "accountId", e.currency, e.amount_minor as "amountMinor", e.reason, e.opened_at as "openedAt"
    from suspense_entry e join account a on a.id = e.account_id
    where ${IN_SCOPE} and e.state in ('open', 'returning') and (e.state = 'open' or e.due_at = 'infinity') order by e.id limit $3`,
};
const ENDPOINTS: Statement = {
  name: 'review_endpoints',
  text: `select w.id, w.account_id as "accountId", w.url, coalesce(w.disabled_at, w.failing_since, w.created_at) as since,
      w.consecutive_failures as failures
    from webhook_endpoint w join account a on a.id = w.account_id
    where ${IN_SCOPE} and w.kind <> 'transaction' and w.removed_at is null and (w.state = 'disabled' or w.failing_since is not null)
    order by since, w.id limit $3`,
};
const DEADLINES: Statement = {
  name: 'review_deadlines',
  text: `select j.account_id as "accountId", j.transaction_id as "transactionId", min(j.due_at) as "dueAt"
    from unnest($1::bigint[], $2::bigint[]) k(account_id, transaction_id)
    join job j on j.account_id = k.account_id and j.transaction_id = k.transaction_id and j.kind = $3
    group by j.account_id, j.transaction_id`,
};
const NAMES: Statement = {
  name: 'review_account_names',
  text: `select id, name from account where id = any ($1::bigint[])`,
};

function valuesOf({ mode, accountId, limit }: ReviewScope): readonly unknown[] {
  return [mode, accountId, limit];
}

/** @param since - older requests no longer wait. @returns money out that waits for approval. */
export function readHeldOutflows(tx: Tx, scope: ReviewScope, since: Date): Promise<HeldOutflow[]> {
  return tx.query<HeldOutflow>(OUTFLOWS, [...valuesOf(scope), since]);
}

/** @param steps - as `component/state`: steps from which a transaction can continue. */
export function readOpenAtSteps(tx: Tx, scope: ReviewScope, steps: readonly string[]): Promise<ProcessRow[]> {
  return tx.query<ProcessRow>(AT_STEPS, [...valuesOf(scope), steps]);
}

/** @returns transactions with a failed refund that is still open. */
export function readFailedRefunds(tx: Tx, scope: ReviewScope): Promise<ProcessRow[]> {
  return tx.query<ProcessRow>(FAILED_REFUNDS, valuesOf(scope));
}

/** @returns entries of suspense that are open, or whose return is stuck. */
export function readSuspenseToDecide(tx: Tx, scope: ReviewScope): Promise<OpenSuspense[]> {
  return tx.query<OpenSuspense>(SUSPENSE, valuesOf(scope));
}

/** @returns endpoints that fail, without those of transactions. */
export function readFailingEndpoints(tx: Tx, scope: ReviewScope): Promise<FailingEndpoint[]> {
  return tx.query<FailingEndpoint>(ENDPOINTS, valuesOf(scope));
}

/** @returns due times of jobs of this kind, for the transactions that have one. */
export function readDeadlines(
  tx: Tx,
  rows: readonly Pick<ProcessRow, 'accountId' | 'id'>[],
  kind: string,
): Promise<{ readonly accountId: bigint; readonly transactionId: bigint; readonly dueAt: Instant }[]> {
  const keys = [rows.map(({ accountId }) => accountId), rows.map(({ id }) => id)];
  return tx.query(DEADLINES, [...keys, kind]);
}

/** @returns the names of accounts, by id. */
export async function readAccountNames(tx: Tx, ids: readonly bigint[]): Promise<ReadonlyMap<bigint, string>> {
  const rows = await tx.query<{ readonly id: bigint; readonly name: string }>(NAMES, [ids]);
  return new Map(rows.map(({ id, name }) => [id, name]));
}
