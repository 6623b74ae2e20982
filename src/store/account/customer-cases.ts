/** Cases of customers, one for each account, tax id and level. Writers have locked the account. */
import type { AccountMode } from '../../base/access/account-mode.ts';
import type { Instant } from '../../base/time/instant.ts';
import type { Statement, Tx } from '../connection/database.ts';
import { insertJobs } from '../engine/jobs.ts';
import type { CustomerLevel } from './customers.ts';

/** States of a case. With a provider, `open` means unanswered and `pending` means under way at the provider. */
export type CaseState =
  | 'open'
  | 'pending'
  | 'approved'
  | 'denied'
  | 'retry'
  | 'review'
  | 'expired'
  | 'frozen';

/** Answer of a provider about a case. */
export type CaseDecision = 'pending' | 'approved' | 'denied' | 'retry' | 'review' | 'expired';

/** A person, by CPF, or a company, by CNPJ. */
export type CustomerKind = 'PERSON' | 'COMPANY';

/** Key of a case. */
export interface CaseKey {
  readonly accountId: bigint;
  /** Without punctuation. */
  readonly taxId: string;
  readonly level: CustomerLevel;
}

/** A case. */
export interface CustomerCase extends CaseKey {
  readonly id: bigint;
  readonly kind: CustomerKind;
  readonly name: string | null;
  readonly state: CaseState;
  /** State after unfreezing; null unless it is frozen. */
  readonly frozenState: Exclude<CaseState, 'frozen'> | null;
  /** Key or person that requested the unfreezing. */
  readonly unfreezeBy: string | null;
  readonly unfreezeReason: string | null;
  readonly validUntil: Instant | null;
  readonly attempts: number;
  /** Kind of the rail; null if only people decide. */
  readonly provider: string | null;
  readonly externalId: string;
  readonly providerReference: string | null;
  /** Last answer of the provider. */
  readonly decision: CaseDecision | null;
  readonly reasons: readonly string[];
  /** Decimal text. */
  readonly score: string | null;
  readonly answerHash: string | null;
  readonly decidedAt: Instant | null;
  readonly decidedBy: string | null;
  readonly isByPerson: boolean;
  readonly isLateDenial: boolean;
  readonly openedAt: Instant;
  readonly updatedAt: Instant;
  readonly attemptAt: Instant;
  readonly sealedLink: string | null;
  readonly askAt: Instant | null;
  readonly failures: number;
  readonly failure: string | null;
}

/** Columns of table alias `c`. */
export const CASE_COLUMNS = `c.account_id as "accountId", c.tax_id as "taxId", c.level, c.id, c.kind, c.name, c.state,
    c.frozen_state as "frozenState", c.unfreeze_by as "unfreezeBy", c.unfreeze_reason as "unfreezeReason",
    c.valid_until as "validUntil", c.attempts, c.provider, c.external_id as "externalId",
    c.provider_reference as "providerReference", c.decision, c.reasons, c.score::text as score, c.answer_hash as "answerHash",
    c.decided_at as "decidedAt", c.decided_by as "decidedBy", c.is_by_person as "isByPerson",
    c.is_late_denial as "isLateDenial", c.opened_at as "openedAt", c.updated_at as "updatedAt", c.attempt_at as "attemptAt",
    c.sealed_link as "sealedLink", c.ask_at as "askAt", c.failures, c.failure`;

/**
 * The order forces the use of the primary key even without statistics: to the planner, any index that begins with the
 * account looks as good.
 */
const OF_CUSTOMER: Statement = {
  name: 'cases_of_customer',
  text: `select ${CASE_COLUMNS} from customer_case c where c.account_id = $1 and c.tax_id = $2 order by c.level`,
};
const BY_ID: Statement = {
  name: 'case_by_id',
  text: `select ${CASE_COLUMNS} from customer_case c join account a on a.id = c.account_id and a.mode = $2 where c.id = $1`,
};
const BY_EXTERNAL_ID: Statement = {
  name: 'case_by_external_id',
  text: `select ${CASE_COLUMNS} from customer_case c join account a on a.id = c.account_id and a.mode = $2
    where c.external_id = $1`,
};
const INSERT: Statement = {
  name: 'case_insert',
  text: `insert into customer_case as c (account_id, tax_id, level, kind, name, state, provider, external_id, opened_at, updated_at,
      attempt_at, ask_at) values ($1, $2, $3, $4, $5, 'open', $6, $7, $8, $8, $8, $9)
    returning ${CASE_COLUMNS}`,
};
const SAVE: Statement = {
  name: 'case_save',
  text: `update customer_case set state = $2, frozen_state = $3, unfreeze_by = $4, unfreeze_reason = $5, valid_until = $6,
      attempts = $7, provider = $8, external_id = $9, provider_reference = $10, decision = $11, reasons = $12, score = $13::numeric,
      answer_hash = $14, decided_at = $15, decided_by = $16, is_by_person = $17, is_late_denial = $18, updated_at = $19,
      attempt_at = $20, sealed_link = $21, ask_at = $22, failures = $23, failure = $24
    where id = $1`,
};
const SET_LEVEL: Statement = {
  name: 'case_set_customer_level',
  text: `update customer set level = $3 where account_id = $1 and tax_id = $2 and level <> $3`,
};
/** Transactions of a customer that can still continue, by the index of tax ids. */
const OPEN_OF_CUSTOMER = `select t.account_id, t.id as transaction_id, t.process
    from transaction t
    where t.account_id = $1 and t.family = any (array['checkouts', 'onramps', 'offramps']) and t.client_tax_id_key = tax_id_key($2)
      and t.client_tax_id = $2 and t.outcome = 'OPEN'`;
const WAKE: Statement = {
  name: 'case_wake_transactions',
  text: insertJobs(
    `select account_id, transaction_id, 'ask_case' as kind, '{}'::jsonb as payload, $4::timestamptz as due_at
       from (${OPEN_OF_CUSTOMER}) o`,
    '$3',
  ),
};
/** The time of a step-up restarts. */
const WAIT_ANEW: Statement = {
  name: 'case_wait_anew',
  text: insertJobs(
    `select account_id, transaction_id, 'deny_step_up' as kind, jsonb_build_object('sequence', process -> 'sequence') as payload,
         $4::timestamptz as due_at
       from (${OPEN_OF_CUSTOMER}) o`,
    '$3',
  ),
};

/** @returns the cases of a customer, at most one for each level. */
export function readCasesOf(tx: Tx, accountId: bigint, taxId: string): Promise<CustomerCase[]> {
  return tx.query<CustomerCase>(OF_CUSTOMER, [accountId, taxId]);
}

/** @returns the case with this number, of an account of the mode. */
export async function readCase(tx: Tx, mode: AccountMode, id: bigint): Promise<CustomerCase | undefined> {
  return (await tx.query<CustomerCase>(BY_ID, [id, mode]))[0];
}

/** @returns the case whose current attempt has the id at the provider, of an account of the mode. */
export async function findCaseAtProvider(
  tx: Tx,
  mode: AccountMode,
  externalId: string,
): Promise<CustomerCase | undefined> {
  return (await tx.query<CustomerCase>(BY_EXTERNAL_ID, [externalId, mode]))[0];
}

/** Input for opening a case. */
export type NewCase = CaseKey & Pick<CustomerCase, 'kind' | 'name' | 'provider' | 'externalId'>;

/** Adds a case. @returns it. */
export async function addCase(tx: Tx, newCase: NewCase, at: Date): Promise<CustomerCase> {
  const { accountId, taxId, level, kind, name, provider, externalId } = newCase;
  const askAt = provider === null ? null : at;
  const values = [accountId, taxId, level, kind, name, provider, externalId, at, askAt];
  const [row] = await tx.query<CustomerCase>(INSERT, values);
  return row as CustomerCase;
}

/** Stores a case in its current state. */
export async function saveCase(tx: Tx, row: CustomerCase): Promise<void> {
  await tx.query(SAVE, [
    ...[row.id, row.state, row.frozenState, row.unfreezeBy, row.unfreezeReason, row.validUntil],
    ...[row.attempts, row.provider, row.externalId, row.providerReference, row.decision, row.reasons],
    ...[row.score, row.answerHash, row.decidedAt, row.decidedBy, row.isByPerson, row.isLateDenial],
    ...[row.updatedAt, row.attemptAt, row.sealedLink, row.askAt, row.failures, row.failure],
  ]);
}

/** Sets the level of an existing customer. */
export async function setCustomerLevel(
  tx: Tx,
  { accountId, taxId }: Pick<CaseKey, 'accountId' | 'taxId'>,
  level: CustomerLevel,
): Promise<void> {
  await tx.query(SET_LEVEL, [accountId, taxId, level]);
}

/** Makes a customer's transactions that can still continue check the customer's cases again. */
export async function wakeTransactions(
  tx: Tx,
  { accountId, taxId }: Pick<CaseKey, 'accountId' | 'taxId'>,
  worker: number | null,
  dueMs: number,
): Promise<void> {
  await tx.query(WAKE, [accountId, taxId, worker, new Date(dueMs)]);
}

/** Restarts the time of a customer's step-ups, up to `endMs`. */
export async function waitAnew(
  tx: Tx,
  { accountId, taxId }: Pick<CaseKey, 'accountId' | 'taxId'>,
  worker: number | null,
  endMs: number,
): Promise<void> {
  await tx.query(WAIT_ANEW, [accountId, taxId, worker, new Date(endMs)]);
}
