/**
 * Outcome of a customer's case for a transaction: it continues, waits, or ends. An outcome counts only while the customer's
 * cases are unchanged; the engine compares under the lock of the account, which every change of a case takes.
 */
import { assert } from '../../base/errors/assert.ts';
import { millisOf } from '../../base/time/instant.ts';
import { type CustomerCase, readCasesOf } from '../../store/account/customer-cases.ts';
import type { CustomerLevel } from '../../store/account/customers.ts';
import type { Tx } from '../../store/connection/database.ts';
import { accepts } from '../../templates/accepts.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import type { Trigger, TriggerName } from '../../templates/triggers.ts';
import type { Services } from '../services/context.ts';
import { withAccounts } from '../services/lock-accounts.ts';
import type { CaseChecks } from '../services/rails.ts';
import { begunAgain, isApproved } from './case-state.ts';
import { newExternalId, openCase, storeChange } from './store-case.ts';

/** A trigger that counts only while `holds` returns true. */
export interface CaseOutcome {
  readonly trigger: Trigger;
  readonly holds: (tx: Tx) => Promise<boolean>;
}

/** Meaning of a customer's cases for a transaction; `missing`: the level has neither a running check nor a valid approval. */
type Finding = 'passed' | 'waits' | 'review' | 'denied' | 'expired' | 'frozen' | 'missing';

interface CaseFinding {
  readonly finding: Finding;
  readonly level: CustomerLevel;
  readonly holds: CaseOutcome['holds'];
}

/** Triggers of a transaction before its payment. */
const ADMISSION = {
  passed: 'identity_passed',
  denied: 'identity_irregular',
  review: 'review_required',
  frozen: 'review_required',
  waits: 'step_up_required',
  expired: 'step_up_required',
  missing: 'step_up_required',
} as const satisfies Readonly<Record<Finding, TriggerName>>;

/**
 * Before the payment, or before a payee is paid.
 *
 * @param isDue - whether the customer's volume requires extra verification.
 */
export async function admitByCase(services: Services, row: ProcessRow, isDue: boolean): Promise<CaseOutcome> {
  const { finding, holds } = await findOrOpenCase(services, row, isDue);
  return { trigger: { on: ADMISSION[finding] }, holds };
}

/** After money has arrived: a deposit whose payee is not admitted is held, a payment waits or is returned. */
export async function clearByCase(
  services: Services,
  row: ProcessRow,
  { isPayment, isDue }: { readonly isPayment: boolean; readonly isDue: boolean },
): Promise<CaseOutcome> {
  const { finding, holds } = isPayment
    ? await findOrOpenCase(services, row, isDue)
    : await findCase(services, row, false);
  if (finding === 'passed') return { trigger: { on: 'cleared' }, holds };
  if (!isPayment || finding === 'frozen') return { trigger: { on: 'held' }, holds };
  return { trigger: { on: finding === 'denied' ? 'identity_revoked' : 'step_up_required' }, holds };
}

/** After a case of the customer was decided. @returns undefined if the transaction continues unchanged. */
export async function goOnByCase(
  services: Services,
  row: ProcessRow,
  isDue: boolean,
): Promise<CaseOutcome | undefined> {
  if (!services.rails.identity.cases || row.clientTaxId === null) return undefined;
  const { finding, level, holds } = await findCase(services, row, isDue);
  const on = triggerAfter(services, row, finding, level);
  return on && { trigger: { on } as Trigger, holds };
}

function triggerAfter(
  { registry }: Services,
  row: ProcessRow,
  finding: Finding,
  level: CustomerLevel,
): TriggerName | undefined {
  const template = registry.of(row.template);
  const isUndecided = accepts(template, row, 'step_up_denied');
  switch (finding) {
    case 'passed':
      if (!isUndecided) return undefined;
      return level === 'VERIFIED' ? 'step_up_approved' : 'identity_passed';
    case 'denied':
      return isUndecided && row.process?.isAdmitted !== true ? 'step_up_denied' : 'identity_revoked';
    case 'expired':
      return isUndecided ? 'step_up_denied' : undefined;
    case 'review':
      return isUndecided ? 'review_required' : undefined;
    case 'frozen':
      return accepts(template, row, 'review_required') ? 'review_required' : 'held';
    default:
      return undefined;
  }
}

/** When the time of a step-up is over. @returns undefined for a frozen customer, whose money is not returned. */
export async function endStepUp(
  services: Services,
  row: ProcessRow,
  isDue: boolean,
): Promise<CaseOutcome | undefined> {
  const { finding, level, holds } = await findCase(services, row, isDue);
  if (finding === 'frozen') return undefined;
  if (finding !== 'passed') return { trigger: { on: 'step_up_denied' }, holds };
  return { trigger: { on: level === 'VERIFIED' ? 'step_up_approved' : 'identity_passed' }, holds };
}

/**
 * @returns whether a customer is admitted now, including extra verification if the volume requires it; without cases, only if
 * the volume does not.
 */
export async function passesByCase(
  { database, rails }: Pick<Services, 'database' | 'rails'>,
  tx: Tx,
  { accountId, clientTaxId, createdAt, process }: ProcessRow,
): Promise<boolean> {
  const isDue = process?.stepUp === 'due';
  const { cases: checks } = rails.identity;
  if (!checks) return !isDue;
  const cases = await readCasesOf(tx, accountId, clientTaxId ?? '');
  const times = { nowMs: database.nowMs(), sinceMs: millisOf(createdAt) };
  return findingOf(cases, { level: isDue ? 'VERIFIED' : 'BASIC', checks, ...times }) === 'passed';
}

async function findCase(services: Services, row: ProcessRow, isDue: boolean): Promise<CaseFinding> {
  const { database, rails, registry } = services;
  const { cases: checks } = rails.identity;
  assert(checks, 'only customers with cases are checked');
  // A paid payment has passed `BASIC`: if it waits, it was stopped for extra verification.
  const isPaidWait =
    row.process?.paid !== undefined && accepts(registry.of(row.template), row, 'step_up_denied');
  const level = isDue || isPaidWait ? 'VERIFIED' : 'BASIC';
  const taxId = row.clientTaxId ?? '';
  const cases = await readCasesOf(database, row.accountId, taxId);
  const nowMs = database.nowMs();
  const read = signatureOf(cases);
  return {
    finding: findingOf(cases, { level, checks, nowMs, sinceMs: millisOf(row.createdAt) }),
    level,
    holds: async (tx) => signatureOf(await readCasesOf(tx, row.accountId, taxId)) === read,
  };
}

/** As `ask`; starts a check of the level if none is under way. */
async function findOrOpenCase(services: Services, row: ProcessRow, isDue: boolean): Promise<CaseFinding> {
  const found = await findCase(services, row, isDue);
  if (found.finding !== 'missing' && found.finding !== 'expired') return found;
  await begin(services, row, found.level);
  return findCase(services, row, isDue);
}

async function begin(services: Services, row: ProcessRow, level: CustomerLevel): Promise<void> {
  const { accountId, clientTaxId, clientName } = row;
  const { cases: checks } = services.rails.identity;
  if (clientTaxId === null || !checks) return;
  await withAccounts(services, [accountId], async (tx) => {
    const nowMs = services.database.nowMs();
    const known = (await readCasesOf(tx, accountId, clientTaxId)).find((each) => each.level === level);
    const provider = checks.levels.includes(level) ? checks.provider : null;
    const name = clientName ?? null;
    if (!known) await openCase(tx, { accountId, taxId: clientTaxId, level }, { name, provider, nowMs });
    else if (
      known.state === 'expired' ||
      isUnasked(known) ||
      (known.state === 'approved' && !isApproved(known, nowMs))
    ) {
      const again = begunAgain({ ...known, provider, name: name ?? known.name }, newExternalId(), nowMs);
      await storeChange(tx, { row: again, event: 'opened', isDecided: false, isLowered: true }, nowMs);
    }
  });
}

interface Wanted {
  readonly level: CustomerLevel;
  readonly checks: CaseChecks;
  readonly nowMs: number;
  /** Creation time of the transaction: an approval that was revoked since then stops it. */
  readonly sinceMs: number;
}

function findingOf(cases: readonly CustomerCase[], { level, checks, nowMs, sinceMs }: Wanted): Finding {
  if (cases.some(({ state }) => state === 'frozen')) return 'frozen';
  if (cases.some((each) => isRevokedSince(each, sinceMs))) return 'denied';
  const verified = cases.find((each) => each.level === 'VERIFIED');
  const isKnownBetter = level === 'BASIC' && verified !== undefined && isApproved(verified, nowMs);
  if (isKnownBetter || (level === 'BASIC' && !checks.levels.includes('BASIC'))) return 'passed';
  const own = cases.find((each) => each.level === level);
  if (own && isUnasked(own)) return 'missing';
  switch (own?.state) {
    case undefined:
      return 'missing';
    case 'approved':
      return isApproved(own, nowMs) ? 'passed' : 'missing';
    case 'denied':
    case 'review':
    case 'expired':
    case 'frozen':
      return own.state;
    default:
      return 'waits';
  }
}

/** A case that was opened to freeze the customer, who is not frozen any more: no transaction has asked for it. */
function isUnasked({ state, name, provider, attempts }: CustomerCase): boolean {
  return state === 'open' && provider === null && name === null && attempts <= 1;
}

/** Only a case that was approved has a validity. */
function isRevokedSince({ state, validUntil, decidedAt }: CustomerCase, sinceMs: number): boolean {
  return state === 'denied' && validUntil !== null && decidedAt !== null && millisOf(decidedAt) >= sinceMs;
}

function signatureOf(cases: readonly CustomerCase[]): string {
  return cases
    .map(
      ({ id, state, attempts, validUntil }) =>
        `${id} ${state} ${attempts} ${validUntil && millisOf(validUntil)}`,
    )
    .toSorted()
    .join();
}
