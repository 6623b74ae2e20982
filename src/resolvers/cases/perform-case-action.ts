/**
 * Decisions of the platform's people about cases of customers: each has a reason, which the audit log and the
 * evidence store.
 */
import { ACTIONS, type ActionName } from '../../base/access/actions.ts';
import { readShared } from '../../base/concurrency/read-together.ts';
import { known } from '../../base/errors/assert.ts';
import { GatewayError, notFound } from '../../base/errors/errors.ts';
import type { Named } from '../../base/errors/violations.ts';
import { maskTaxId } from '../../base/text/mask.ts';
import {
  type CaseKey,
  type CustomerCase,
  readCase,
  readCasesOf,
  waitAnew,
} from '../../store/account/customer-cases.ts';
import type { Tx } from '../../store/connection/database.ts';
import type { AuditObject } from '../../store/engine/audit.ts';
import { STEP_UP_MS } from '../../templates/effects.ts';
import { audited, type WriteDown } from '../checks/audited.ts';
import type { CreationChecks } from '../checks/check-creation.ts';
import { type Attempt, UNKEYED } from '../checks/once.ts';
import { type Context, onAccount, requirePermission } from '../services/context.ts';
import { isSecondDecision } from '../settings/second-person.ts';
import { actedOn, type CaseAction, type CaseChange } from './case-state.ts';
import { newExternalId, openCase, storeChange } from './store-case.ts';

/** The action of the audit log for each. */
export const CASE_AUDIT_ACTIONS = {
  approve: 'case.approve',
  deny: 'case.deny',
  retry: 'case.retry',
  freeze: 'case.freeze',
  unfreeze: 'case.unfreeze',
} as const satisfies Readonly<Record<CaseAction, ActionName>>;

/** Time for which a person's approval is valid if no rail defines it. Unit: ms. */
const VALID_MS = 365 * 24 * 3_600_000;
const ID = /^[1-9]\d{0,17}$/;

/**
 * Actions on a case.
 *
 * @param input - reason, 1 to 200 characters.
 * @returns the case after it. Unfreezing takes two people: after the first the customer is still frozen, and the case names
 * that person.
 * @throws {GatewayError} `FORBIDDEN`, `INVALID_PARAMETER`, `NOT_FOUND` for no case of the caller's mode; `STEP_CONFLICT` if
 * its state does not allow the action.
 */
export async function performCaseAction(
  context: Context,
  action: CaseAction,
  id: string,
  input: Named,
  checks: CreationChecks,
  attempt: Attempt = UNKEYED,
): Promise<CustomerCase> {
  requirePermission(context, CASE_AUDIT_ACTIONS[action]);
  const reason = checks.reasonOf(input);
  const found = ID.test(id) ? await readCase(context.database, context.mode, BigInt(id)) : undefined;
  if (!found) throw notFound();
  if (attempt.made !== null) return found;
  return audited(onAccount(context, found.accountId), async (tx, writeDown, clockMs) => {
    const row = (await readCasesOf(tx, found.accountId, found.taxId)).find(
      ({ level }) => level === found.level,
    );
    if (!row) throw notFound();
    return change(context, tx, row, { action, reason, attempt, writeDown, clockMs });
  });
}

/** Freezes a customer, including one who has no case yet. @throws as `performCaseAction`. */
export async function freezeCustomer(
  context: Context,
  customer: { readonly accountId: bigint; readonly taxId: Named },
  input: Named,
  checks: CreationChecks,
  attempt: Attempt = UNKEYED,
): Promise<CustomerCase> {
  requirePermission(context, CASE_AUDIT_ACTIONS.freeze);
  const { accountId } = customer;
  const taxId = checks.taxId(customer.taxId);
  const reason = checks.reasonOf(input);
  const key = { accountId, taxId: known(taxId, 'a tax id'), level: 'VERIFIED' as const };
  return audited(onAccount(context, accountId), async (tx, writeDown, nowMs) => {
    const row = await caseOf(tx, key, nowMs);
    if (attempt.made !== null) return row;
    return change(context, tx, row, { action: 'freeze', reason, attempt, writeDown, clockMs: nowMs });
  });
}

/**
 * Decides the case behind a step-up, in the database transaction that moves the transaction, under the lock of its account.
 *
 * @throws {GatewayError} `STEP_CONFLICT` while the customer is frozen.
 */
export async function decideCaseOfStepUp(
  context: Context,
  tx: Tx,
  {
    taxId,
    isApproved,
    reason,
  }: { readonly taxId: string; readonly isApproved: boolean; readonly reason: string },
): Promise<void> {
  const { cases } = context.rails.identity;
  if (!cases) return;
  const { accountId, id: actor } = context.caller;
  const nowMs = context.database.nowMs();
  await refuseFrozen(tx, accountId, taxId);
  const row = await caseOf(tx, { accountId, taxId, level: 'VERIFIED' }, nowMs);
  const facts = { actor, reason, nowMs, validMs: cases.validMs, externalId: newExternalId() };
  const changed = actedOn(row, isApproved ? 'approve' : 'deny', facts);
  if (changed) await storeChange(tx, changed, nowMs, { actor, reason });
}

/** @throws {GatewayError} `STEP_CONFLICT` while the customer is frozen: no transaction of that customer is released. */
export async function refuseFrozen(tx: Tx, accountId: bigint, taxId: string | null): Promise<void> {
  const frozen = await frozenCaseOf(tx, accountId, taxId);
  if (frozen)
    throw new GatewayError(
      'STEP_CONFLICT',
      `the customer is frozen: unfreeze case ${frozen.id} first, which takes two people`,
    );
}

/** @returns the case by which a customer is frozen. */
export async function frozenCaseOf(
  tx: Tx,
  accountId: bigint,
  taxId: string | null,
): Promise<CustomerCase | undefined> {
  const cases = taxId === null ? [] : await readCasesOf(tx, accountId, taxId);
  return cases.find(({ state }) => state === 'frozen');
}

/** @returns whether the customer of a transaction is frozen now; callers that ask at the same time share a read. */
export async function isOfFrozenCustomer(
  database: Tx,
  { accountId, clientTaxId }: { readonly accountId: bigint; readonly clientTaxId: string | null },
): Promise<boolean> {
  if (clientTaxId === null) return false;
  const frozen = await readShared(database, ['frozen customer', accountId, clientTaxId], () =>
    frozenCaseOf(database, accountId, clientTaxId),
  );
  return frozen !== undefined;
}

async function caseOf(tx: Tx, key: CaseKey, nowMs: number): Promise<CustomerCase> {
  const found = (await readCasesOf(tx, key.accountId, key.taxId)).find(({ level }) => level === key.level);
  return found ?? openCase(tx, key, { name: null, provider: null, nowMs });
}

interface Doing {
  readonly action: CaseAction;
  readonly reason: string;
  readonly attempt: Attempt;
  readonly writeDown: WriteDown;
  /** Time of the account, read under its lock. */
  readonly clockMs: number;
}

async function change(
  context: Context,
  tx: Tx,
  row: CustomerCase,
  { action, reason, attempt, writeDown, clockMs }: Doing,
): Promise<CustomerCase> {
  const nowMs = context.database.nowMs();
  const actor = context.caller.id;
  const first = action === 'unfreeze' ? row.unfreezeBy : null;
  const decision = { first, scope: ACTIONS['case.unfreeze'].scope, nowMs: clockMs } as const;
  const subject = 'the unfreezing of a customer';
  const isSecond = await isSecondDecision(context, tx, { ...decision, subject });
  const before = first !== null && !isSecond ? { ...row, unfreezeBy: null, unfreezeReason: null } : row;
  const validMs = context.rails.identity.cases?.validMs ?? VALID_MS;
  const changed = actedOn(before, action, { actor, reason, nowMs, validMs, externalId: newExternalId() });
  if (!changed) throw conflict(row, action);
  await storeChange(tx, changed, nowMs, { actor, reason });
  await attempt.bind(tx, String(row.id));
  if (changed.event === 'unfrozen') await waitAnew(tx, row, null, nowMs + STEP_UP_MS);
  writeDown(CASE_AUDIT_ACTIONS[action], objectOf(row), {
    ...{ before: shownOf(row), after: { ...shownOf(changed.row), reason } },
    ...(isSecond && { maker: first }),
  });
  return changed.row;
}

function objectOf({ id }: CustomerCase): AuditObject {
  return { kind: 'customer_case', id: String(id) };
}

function shownOf({ taxId, level, state, attempts, unfreezeBy }: CaseChange['row']): object {
  return { customer: maskTaxId(taxId), level, state, attempts, ...(unfreezeBy !== null && { unfreezeBy }) };
}

function conflict({ state, id }: CustomerCase, action: CaseAction): GatewayError {
  if (action === 'freeze' && state === 'frozen')
    return new GatewayError('STEP_CONFLICT', `the customer is already frozen by case ${id}`);
  const words = action === 'unfreeze' ? 'which is not frozen' : `which does not allow to ${action} it`;
  return new GatewayError('STEP_CONFLICT', `case ${id} is ${state}, ${words}`);
}
