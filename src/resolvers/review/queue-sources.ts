/**
 * The table of the review queue: for each kind of case its meaning, the scopes that see it, its source, and the actions that
 * decide it. One more kind is one more row.
 */
import type { ActionName } from '../../base/access/actions.ts';
import type { Scope } from '../../base/access/api-key.ts';
import { assert } from '../../base/errors/assert.ts';
import { BRL, currencyOfLedger } from '../../base/money/currency.ts';
import { fromMinor, sum } from '../../base/money/money.ts';
import { maskTaxId } from '../../base/pix/tax-id.ts';
import { isoMillis } from '../../base/time/instant.ts';
import { listCases } from '../../store/account/case-list.ts';
import { readNewestNames } from '../../store/account/customers.ts';
import { readProcesses } from '../../store/engine/processes.ts';
import {
  readDeadlines,
  readFailedRefunds,
  readFailingEndpoints,
  readHeldOutflows,
  readSuspenseToDecide,
} from '../../store/engine/review-sources.ts';
import {
  readUndecided,
  readUndecidedOfMode,
  readWaiting,
  readWaitingOfMode,
} from '../../store/engine/waiting.ts';
import { readPausedNetworks } from '../../store/rails/chain-network.ts';
import { readOpenSubjects } from '../../store/rails/screening-hits.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import { APPROVAL_MS } from '../../templates/money-out.ts';
import { returnsOf } from '../../templates/returns.ts';
import { waitingFor } from '../transactions/awaiting.ts';
import { after, CASES_MAX, type CaseReader, caseOf, type FoundCase, ofHouse, scopeOf } from './found-case.ts';
import { readDefects, readJournals, readPrices, readReports, readUnclosedDays } from './queue-books.ts';
import { readDisputes, readMedQueue } from './queue-disputes.ts';
import { readUndecidedOrders, readUnknown } from './queue-orders.ts';

/** A row of the table. */
interface Source {
  readonly description: string;
  /** Scopes of the platform, any of which shows the cases of all accounts; none: the operator does not see the kind. */
  readonly platform: readonly Scope[];
  /** Whether an account sees its own cases. */
  readonly isOfAccounts: boolean;
  readonly read: (reader: CaseReader) => Promise<readonly FoundCase[]>;
  /** Actions on the record of the case by which people decide. */
  readonly decisions: readonly ActionName[];
}

const RISK: readonly Scope[] = ['platform:risk'];
const OUTFLOWS: readonly ActionName[] = [
  'withdrawal.approve',
  'withdrawal.reject',
  'money_out.approve',
  'money_out.reject',
];
const BOOKS: readonly Scope[] = ['platform:books'];
const OLDEST = { limit: CASES_MAX, below: null, above: null, isBackward: true } as const;

/** The table, in the order in which screens show the kinds. */
export const REVIEW_KINDS = {
  hold: {
    description: 'Compliance screening holds a transaction.',
    platform: RISK,
    isOfAccounts: true,
    read: (reader) => readSteps(reader, 'hold.release'),
    decisions: ['hold.release', 'hold.reject'],
  },
  step_up: {
    description: 'A customer or payee waits for extra verification.',
    platform: RISK,
    isOfAccounts: true,
    read: readStepUps,
    decisions: ['step_up.approve', 'step_up.deny'],
  },
  customer_case: {
    description: 'The identity check of a customer waits for a person, or the customer is frozen.',
    platform: RISK,
    isOfAccounts: false,
    read: readCustomerCases,
    decisions: ['case.approve', 'case.deny', 'case.retry', 'case.freeze', 'case.unfreeze'],
  },
  screening_hit: {
    description: 'Screening found a customer, payer or address on a list.',
    platform: RISK,
    isOfAccounts: false,
    read: readOpenHits,
    decisions: ['hit.dismiss', 'hit.confirm'],
  },
  dispute: {
    description: 'A payer disputes a payment by PIX (MED).',
    platform: RISK,
    isOfAccounts: true,
    read: readDisputes,
    decisions: [],
  },
  med_case: {
    description: 'The answer to a case of MED is due: a report of fraud, or a dispute that blocks no money.',
    platform: RISK,
    isOfAccounts: true,
    read: readMedQueue,
    decisions: [],
  },
  failed_refund: {
    description: 'A refund to a payer failed, and is still owed.',
    platform: RISK,
    isOfAccounts: true,
    read: async ({ context, accountId }) =>
      (await readFailedRefunds(context.database, scopeOf(context, accountId))).map(refundCase),
    decisions: ['refund.retry', 'refund.settle_by_hand'],
  },
  held_deposit: {
    description: 'A deposit of a wrong amount or too late waits for a choice.',
    platform: RISK,
    isOfAccounts: true,
    read: (reader) => readSteps(reader, 'deposit.resolve'),
    decisions: ['deposit.resolve'],
  },
  suspense: {
    description: 'Money came, and no transaction took it.',
    platform: RISK,
    isOfAccounts: true,
    read: readSuspense,
    decisions: ['suspense.assign', 'suspense.approve', 'suspense.reject', 'suspense.return'],
  },
  outflow_ceiling: {
    description: 'Money out is above a ceiling of the hour: two people lift it.',
    platform: RISK,
    isOfAccounts: true,
    read: (reader) => readOutflows(reader, 'ceiling'),
    decisions: OUTFLOWS,
  },
  approval: {
    description: 'Money out waits for a second person.',
    platform: [],
    isOfAccounts: true,
    read: (reader) => readOutflows(reader, 'threshold'),
    decisions: OUTFLOWS,
  },
  failing_endpoint: {
    description: 'A webhook endpoint fails, or was disabled for that.',
    platform: [],
    isOfAccounts: true,
    read: readEndpoints,
    decisions: ['webhook.resume', 'webhook.recover', 'webhook.remove'],
  },
  journal: {
    description: 'A manual journal waits for a second person.',
    platform: BOOKS,
    isOfAccounts: false,
    read: readJournals,
    decisions: ['journal.approve', 'journal.reject'],
  },
  price_proposal: {
    description: 'A price below the minimum margin waits for a second person.',
    platform: ['platform:pricing'],
    isOfAccounts: false,
    read: readPrices,
    decisions: ['settings.update_template'],
  },
  unclosed_day: {
    description: 'The books of a past day are not closed.',
    platform: BOOKS,
    isOfAccounts: false,
    read: readUnclosedDays,
    decisions: ['books.close'],
  },
  open_reconciliation: {
    description: 'A reconciliation found differences.',
    platform: BOOKS,
    isOfAccounts: false,
    read: readReports,
    decisions: [],
  },
  book_defect: {
    description: 'The verification found books that are not as they were written.',
    platform: BOOKS,
    isOfAccounts: false,
    read: readDefects,
    decisions: [],
  },
  unknown_payment: {
    description: 'A payment left before a restore of the database, and is not in the books.',
    platform: RISK,
    isOfAccounts: false,
    read: readUnknown,
    decisions: ['restore.match', 'restore.dismiss'],
  },
  undecided_order: {
    description: 'The PIX provider has not decided an order for a day.',
    platform: RISK,
    isOfAccounts: false,
    read: readUndecidedOrders,
    decisions: ['order.settle'],
  },
  paused_network: {
    description: 'Sending on a network is paused.',
    platform: ['platform:risk', 'platform:rails'],
    isOfAccounts: false,
    read: readPauses,
    decisions: ['network.pause', 'network.resume'],
  },
} as const satisfies Readonly<Record<string, Source>>;

/** A kind of case. */
export type ReviewKind = keyof typeof REVIEW_KINDS;

async function readSteps(
  { context, accountId }: CaseReader,
  action: 'hold.release' | 'deposit.resolve',
): Promise<readonly FoundCase[]> {
  const { database, registry, mode } = context;
  const waiting = waitingFor(registry, action);
  const rows =
    accountId === null
      ? await readWaitingOfMode(database, mode, waiting, CASES_MAX)
      : await readWaiting(database, accountId, waiting, CASES_MAX);
  return rows.map(caseOf);
}

/** The amount is what is owed, which can be less than the payment; a return that was never listed has none of its own. */
function refundCase(row: ProcessRow): FoundCase {
  const failed = returnsOf(row.process ?? {}).filter(({ state }) => state === 'failed');
  const total = { currency: BRL.code, amount: sum(failed.map(({ amount }) => amount)) };
  return { ...caseOf(row), money: failed.length > 0 ? total : null };
}

async function readStepUps({ context, accountId }: CaseReader): Promise<readonly FoundCase[]> {
  const { database, registry, mode } = context;
  const waiting = waitingFor(registry, 'step_up.approve');
  const rows =
    accountId === null
      ? await readUndecidedOfMode(database, mode, waiting, CASES_MAX)
      : await readUndecided(database, accountId, waiting, CASES_MAX);
  const due = await readDeadlines(database, rows, 'deny_step_up');
  const keyOf = (account: bigint, id: bigint) => `${account} ${id}`;
  const byKey = new Map(due.map((each) => [keyOf(each.accountId, each.transactionId), each.dueAt]));
  return rows.map((row) => {
    const dueAt = byKey.get(keyOf(row.accountId, row.id));
    return { ...caseOf(row), dueAt: dueAt === undefined ? null : isoMillis(dueAt) };
  });
}

async function readCustomerCases({ context, accountId }: CaseReader): Promise<readonly FoundCase[]> {
  const filter = { mode: context.mode, accountId, states: null, taxId: null };
  const { rows } = await listCases(context.database, filter, { waitsForPerson: true }, OLDEST);
  const stopped = rows.length > 0 ? await readStopped({ context, accountId }) : [];
  const names = rows.length > 0 ? await readNewestNames(context.database, rows) : [];
  return rows.map(({ id, accountId: account, name, taxId, updatedAt }, row) => ({
    ...ofHouse(String(id), isoMillis(updatedAt)),
    accountId: account,
    money: stopped.find((row) => row.accountId === account && row.clientTaxId === taxId)?.money ?? null,
    detail: name ?? names[row] ?? maskTaxId(taxId),
  }));
}

/** Transactions that wait for the decision about their customer, longest wait first. */
async function readStopped(reader: CaseReader) {
  const found = await Promise.all([readStepUps(reader), readSteps(reader, 'hold.release')]);
  return found.flat().flatMap(({ row }) => (row ? [{ ...row, money: brlOf(row) }] : []));
}

/** The BRL of a transaction, or the other amount where it has none. */
function brlOf(row: ProcessRow): FoundCase['money'] {
  const { sourceCurrency, sourceAmount, targetCurrency, targetAmount } = row;
  const sides = [
    { currency: sourceCurrency, amount: sourceAmount },
    { currency: targetCurrency, amount: targetAmount },
  ].flatMap(({ currency, amount }) => (currency && amount !== null ? [{ currency, amount }] : []));
  return sides.find(({ currency }) => currency === BRL.code) ?? sides[0] ?? null;
}

/** Hits of one subject and entry are decided together, so they are one case: that of the first hit, worth all their transactions. */
async function readOpenHits({ context }: CaseReader): Promise<readonly FoundCase[]> {
  const rows = await readOpenSubjects(context.database, context.mode, CASES_MAX);
  const keys = rows.flatMap(({ brl, accountId: account, transactionId }) =>
    brl !== null || transactionId === null ? [] : [{ accountId: account, transactionId }],
  );
  const screened = keys.length > 0 ? await readProcesses(context.database, keys) : [];
  const moneyOf = (account: bigint, id: bigint | null) => {
    const row = screened.find((each) => each.accountId === account && each.id === id);
    return row ? brlOf(row) : null;
  };
  return rows.map(({ brl, ...hit }) => ({
    ...ofHouse(String(hit.id), isoMillis(hit.raisedAt)),
    accountId: hit.accountId,
    money: brl === null ? moneyOf(hit.accountId, hit.transactionId) : { currency: BRL.code, amount: brl },
    detail: hit.subjectName ?? hit.address ?? hit.entryName,
  }));
}

async function readSuspense({ context, accountId }: CaseReader): Promise<readonly FoundCase[]> {
  const entries = await readSuspenseToDecide(context.database, scopeOf(context, accountId));
  return entries.map(({ id, accountId: account, currency, amountMinor, reason, openedAt }) => ({
    accountId: account,
    reference: String(id),
    since: isoMillis(openedAt),
    dueAt: null,
    money: { currency, amount: fromMinor(amountMinor, currencyOfLedger(currency).decimals) },
    row: null,
    detail: reason.toUpperCase(),
  }));
}

async function readOutflows(
  { context, accountId }: CaseReader,
  wanted: 'ceiling' | 'threshold',
): Promise<readonly FoundCase[]> {
  const since = new Date((await context.clock.nowMs()) - APPROVAL_MS);
  const rows = await readHeldOutflows(context.database, scopeOf(context, accountId), since);
  return rows
    .filter(({ process }) => (process?.approval?.reason ?? 'threshold') === wanted)
    .map(({ heldBrl, heldAt, ...row }) => ({
      ...caseOf(row),
      since: isoMillis(heldAt),
      dueAt: after(heldAt, APPROVAL_MS),
      money: { currency: 'BRL', amount: heldBrl },
    }));
}

async function readEndpoints({ context, accountId }: CaseReader): Promise<readonly FoundCase[]> {
  const found = await readFailingEndpoints(context.database, scopeOf(context, accountId));
  return found.map(({ id, accountId: account, url, since }) => ({
    ...ofHouse(id, isoMillis(since)),
    accountId: account,
    detail: withoutSecrets(url),
  }));
}

/** A URL may have a secret in its query, or a password. */
function withoutSecrets(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

async function readPauses({ context }: CaseReader): Promise<readonly FoundCase[]> {
  const paused = await readPausedNetworks(context.database, context.mode);
  return paused.map(({ network, pausedAt, pauseReason }) => {
    assert(pausedAt, 'a paused network has a time');
    return { ...ofHouse(network, isoMillis(pausedAt)), detail: pauseReason };
  });
}
