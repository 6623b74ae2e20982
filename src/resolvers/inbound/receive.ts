/**
 * Receives the events of rails. An event is stored, matched by what the rail knows, and becomes a step of its transaction or a booking
 * in suspense, all in one database transaction. An event that cannot be settled now is stored alone and retried. An event that its
 * transaction never accepts stays in the operator's list (C-34).
 */
import type { Logger } from 'pino';
import { platformAccount } from '../../store/account/accounts.ts';
import { isLockTimeout, plainMessage } from '../../store/connection/database-error.ts';
import { readLockedHeads, readProcesses } from '../../store/engine/processes.ts';
import {
  type PaymentTarget,
  type PendingRailEvent,
  type Postponement,
  postponeRailEvent,
  type RailEventRecord,
  type RailEventTarget,
  readKnownRailEvents,
  storeRailEvents,
} from '../../store/engine/rail-events.ts';
import type { SuspenseReason } from '../../store/engine/suspense.ts';
import { isDisputed } from '../../templates/dispute-claims.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import { isImpossible } from '../../templates/lateness.ts';
import { isHeldByDispute } from '../../templates/refund-dispute-machine.ts';
import { linkCasesOf } from '../med/link-case.ts';
import { noteMedCase } from '../med/note-case.ts';
import type { Services } from '../services/context.ts';
import { withAccounts } from '../services/lock-accounts.ts';
import type { TransactionKey } from '../services/notifier.ts';
import type {
  DepositEvent,
  DisputeEvent,
  DisputeReturnEvent,
  GasEvent,
  InfractionEvent,
  PaymentEvent,
  RailEvent,
  Receipt,
  RefundEvent,
  UnconfirmedEvent,
} from '../services/rail-event.ts';
import { bookDisputedSuspense } from './book-disputed-suspense.ts';
import { bookGas } from './book-gas.ts';
import { bookSuspense } from './book-suspense.ts';
import { dropSuspense, positionOfDeposit, type RailEventPosition } from './drop-suspense.ts';
import { holdAgainstDispute } from './hold-against-dispute.ts';
import { kindOf, moneyOf, type Otherwise, railEventRecordOf } from './rail-events.ts';
import { endReturn, findReturned } from './return-suspense.ts';

/** Pauses before the retry of an event that could not be settled, milliseconds. */
const AGAIN_FIRST_MS = 2_000;
const AGAIN_MAX_MS = 3_600_000;
/** The longest such pause while its account is locked: money should not wait long for an import that has ended. */
const LOCKED_MAX_MS = 10_000;
/** Most attempts for an event that its transaction does not accept: over four hours. */
const UNTAKEN_MAX = 10;
const WORDS_MAX = 200;

/** Number of earlier attempts. */
export type AttemptCount = Pick<PendingRailEvent, 'attempts' | 'untaken'>;

const NEVER: AttemptCount = { attempts: 0, untaken: 0 };

/**
 * @param log - gets every failed attempt.
 * @returns the outcome of the event.
 * @throws the driver's error, when it could not even be stored: the rail has to repeat it.
 */
export async function receiveRailEvent(
  services: Services,
  log: Pick<Logger, 'warn'>,
  event: RailEvent,
  attempts: AttemptCount = NEVER,
): Promise<Receipt> {
  const record = railEventRecordOf(services, event);
  const isFinal = event.kind === 'deposit_confirmed' || event.kind === 'deposit_dropped';
  const position = isFinal ? await positionOfDeposit(services.database, record, event) : { record };
  const settled = await settleRailEvent(services, event, position).catch(
    (error: unknown): Failure => ({
      isUntaken: false,
      isLocked: isLockTimeout(error),
      target: undefined,
      error: plainMessage(error),
    }),
  );
  return 'outcome' in settled ? settled : postpone(services, log, position.record, settled, attempts);
}

type Failure = Pick<Postponement, 'isUntaken' | 'error' | 'target'> & {
  /** Whether another transaction locks the event's account. */
  readonly isLocked?: boolean;
};

const held = (target: RailEventTarget): Failure => ({
  ...{ isUntaken: false, isLocked: true, error: 'its account is locked' },
  target,
});

const untaken = (error: string, target?: RailEventTarget): Failure => ({ isUntaken: true, error, target });

async function postpone(
  { database }: Services,
  log: Pick<Logger, 'warn'>,
  record: RailEventRecord,
  failure: Failure,
  attempts: AttemptCount,
): Promise<Receipt> {
  const outcome = failure.isUntaken && attempts.untaken + 1 >= UNTAKEN_MAX ? 'failed' : 'pending';
  const pauseMaxMs = failure.isLocked ? LOCKED_MAX_MS : AGAIN_MAX_MS;
  const pauseMs = Math.min(AGAIN_FIRST_MS * 4 ** Math.min(attempts.attempts, 10), pauseMaxMs);
  const dueMs = outcome === 'failed' ? null : database.nowMs() + pauseMs;
  const id = await postponeRailEvent(database, record, { ...failure, outcome, dueMs });
  if (id === undefined) return { outcome: 'duplicate' };
  const facts = { railEvent: String(id), kind: record.kind, tries: attempts.attempts + 1 };
  const transaction = await transactionOf(database, failure.target);
  log.warn(
    { ...facts, ...transaction, error: failure.error.slice(0, WORDS_MAX) },
    `a rail event is ${outcome}`,
  );
  return { outcome };
}

/** @returns the field of the log that names the transaction of an event; without one that is known, nothing. */
async function transactionOf(
  database: Services['database'],
  target: RailEventTarget | undefined,
): Promise<{ readonly transaction?: string }> {
  const { accountId, transactionId = null } = target ?? {};
  if (accountId === undefined || transactionId === null) return {};
  const [row] = await readProcesses(database, [{ accountId, transactionId }]).catch(() => []);
  return row ? { transaction: row.end2end } : {};
}

/**
 * Settles an event now.
 *
 * @returns its outcome, or the reason why its transaction refuses it.
 * @throws the obstacle to settling it.
 */
async function settleRailEvent(
  services: Services,
  event: RailEvent,
  position: RailEventPosition,
): Promise<Receipt | Failure> {
  const { record, entry } = position;
  if (entry && (await isHeld(services, entry))) return held(entry);
  const { find, trigger, otherwise } = kindOf(event);
  const found = await find(services, event);
  const settled = await BEFORE[event.kind]?.(services, event, position, found);
  if (settled) return settled;
  if (found && otherwise !== 'listed' && (await isHeld(services, found))) return held(found);
  if (!trigger || !found || found.transactionId === null)
    return OTHERWISE[otherwise](services, event, record, found);
  const { accountId, transactionId } = found;
  return offer(services, event, record, { accountId, transactionId });
}

/** Kinds that may be about money in suspense, or bring another event first. A result ends the matter. */
const BEFORE: {
  readonly [Kind in RailEvent['kind']]?: (
    services: Services,
    event: RailEvent,
    position: RailEventPosition,
    found: RailEventTarget | undefined,
  ) => Promise<Receipt | Failure | undefined>;
} = {
  refund_ended: (services, event, { record }, found) =>
    endRefund(services, event as RefundEvent, record, found),
  payment: linkCases,
  deposit_confirmed: async (services, event) => {
    await offerSeen(services, event as DepositEvent);
    return undefined;
  },
  dispute_opened: openCase,
  dispute_accepted: async (services, event, position, found) =>
    (await openCase(services, event, position, found)) ??
    bookDisputedSuspense(services, event as DisputeEvent, position.record),
  dispute_rejected: openCase,
  infraction: openCase,
  deposit_dropped: async (services, _event, { record, entry }) =>
    entry &&
    ((await dropSuspense(services, entry, record)) ?? untaken('its money is on its way back', entry)),
};

/** Destination of an event that no transaction accepts, as in `rail-events.ts`. */
const OTHERWISE: {
  readonly [Each in Otherwise]: (
    services: Services,
    event: RailEvent,
    record: RailEventRecord,
    found: RailEventTarget | undefined,
  ) => Promise<Receipt | Failure>;
} = {
  suspense: bookAlone,
  noted: note,
  listed: note,
  gas: (services, event, record, found) => bookGas(services, event as GasEvent, record, found),
  dispute: compare,
  retried: async (_services, _event, _record, found) => untaken(UNKNOWN, found),
  waits: async (_services, event) => ({
    isUntaken: false,
    error: (event as UnconfirmedEvent).reason,
    target: undefined,
  }),
};

/** The case of a dispute or a fraud report is created before the report itself is settled. */
async function openCase(
  services: Services,
  event: RailEvent,
  _position: RailEventPosition,
  found: RailEventTarget | undefined,
): Promise<Failure | undefined> {
  if (found && (await isHeld(services, found))) return held(found);
  const isNoted = await noteMedCase(services, event as DisputeEvent | InfractionEvent, found);
  return isNoted ? undefined : untaken('its case is about another payment');
}

/** Cases that were reported before their payment block its refunds from its first step on. */
async function linkCases(
  services: Services,
  event: RailEvent,
  _position: RailEventPosition,
  found: RailEventTarget | undefined,
): Promise<Failure | undefined> {
  const target = found as PaymentTarget | undefined;
  if (!target?.hasMedCase) return undefined;
  if (await isHeld(services, target)) return held(target);
  const { accountId, transactionId } = target;
  await linkCasesOf(services, (event as PaymentEvent).endToEndId, { accountId, transactionId });
  return undefined;
}

const UNKNOWN = 'no transaction is known that it is for';

/** Ends the return of money in suspense; undefined if the refund belongs to a transaction. */
async function endRefund(
  services: Services,
  event: RefundEvent,
  record: RailEventRecord,
  found: RailEventTarget | undefined,
): Promise<Receipt | Failure | undefined> {
  if (event.differs) {
    const { ordered, returned } = event.differs;
    const words = `${returned} went back, and ${ordered} was ordered: somebody has to decide`;
    return untaken(words, found);
  }
  const returned = await findReturned(services, event);
  if (!returned) return undefined;
  return (await isHeld(services, returned)) ? held(returned) : endReturn(services, returned, event, record);
}

/**
 * Events of an account that stays locked would wait, and block the events of other accounts behind them. An account that was
 * found locked may have been released since, without a request.
 */
async function isHeld(
  { database, locked }: Services,
  { accountId }: Pick<RailEventTarget, 'accountId'>,
): Promise<boolean> {
  return locked.has(accountId) && (await readLockedHeads(database, [accountId])).length > 0;
}

/** Triggers the step of the transaction that the event is for. */
async function offer(
  services: Services,
  event: RailEvent,
  record: RailEventRecord,
  target: TransactionKey,
): Promise<Receipt | Failure> {
  const kind = kindOf(event);
  const trigger = kind.trigger?.(event);
  if (!trigger) return untaken('there is no step for it', target);
  const isRetried = kind.otherwise === 'retried';
  const { code, row } = await services.advance({
    target,
    trigger,
    railEvent: record,
    otherwise: async (tx, at) => {
      const money = moneyOf(event);
      const nowMs = await services.clock.nowMs(tx);
      const reason = reasonAt(event, at, nowMs);
      if (money) await bookSuspense(tx, { record, ...target, ...money, reason, nowMs });
      else if (!isRetried) await storeRailEvents(tx, [{ ...record, outcome: 'noted', ...target }]);
    },
  });
  if (code === 'ADVANCED') return { outcome: 'step', row };
  if (code === 'DUPLICATE') return { outcome: 'duplicate', row };
  if (isRetried) {
    const error = `it does not fit at ${row.component}/${row.state}`;
    return { isUntaken: !waitsForDispute(event, row), error, target };
  }
  services.notifier.notify([target.accountId]);
  return { outcome: moneyOf(event) ? 'suspense' : 'noted', row };
}

/** Matches a return by MED with the dispute of its payment. */
async function compare(
  services: Services,
  event: RailEvent,
  record: RailEventRecord,
  found: RailEventTarget | undefined,
): Promise<Receipt | Failure> {
  if (!found || found.transactionId === null) return untaken(UNKNOWN, found);
  const { accountId, transactionId } = found;
  const target = { accountId, transactionId };
  const compared = await holdAgainstDispute(services, event as DisputeReturnEvent, record, target);
  return 'outcome' in compared ? compared : { isUntaken: !compared.isEarly, error: compared.error, target };
}

/** Disputes about one payment are processed one after the other, however long each takes. */
function waitsForDispute({ kind }: RailEvent, row: ProcessRow): boolean {
  return kind.startsWith('dispute_') && (isDisputed(row) || isHeldByDispute(row));
}

/**
 * Reports a final deposit to its transaction as seen, unless the transaction accepted it as seen and nothing else happened to
 * it: the deposit may have been dropped since, or the transaction may have waited for another one that was dropped.
 */
async function offerSeen(services: Services, event: DepositEvent): Promise<void> {
  const seen = { ...event, kind: 'deposit_seen' } as const;
  const record = railEventRecordOf(services, seen);
  const kinds = [record, { ...record, kind: 'deposit_dropped' }];
  const known = await readKnownRailEvents(services.database, services.mode, kinds);
  if (known.length !== 1 || known[0]?.kind !== seen.kind || known[0].outcome !== 'step')
    await settleRailEvent(services, seen, { record });
}

function reasonAt(event: RailEvent, row: ProcessRow, nowMs: number): SuspenseReason {
  const { process } = row;
  const { reason } = kindOf(event);
  if (reason) return reason;
  const isUnpaid = process !== null && process.paid === undefined && process.chargedAt !== undefined;
  if (event.kind === 'payment' && isUnpaid && isImpossible({ row, process, nowMs }, event.settledAt))
    return 'impossible_time';
  return process?.paid !== undefined || process?.deposit ? 'second_payment' : 'not_due';
}

async function note(
  { database }: Services,
  _event: RailEvent,
  record: RailEventRecord,
  found: RailEventTarget | undefined,
): Promise<Receipt> {
  const target = found ?? { accountId: null, transactionId: null };
  const stored = await storeRailEvents(database, [{ ...record, outcome: 'noted', ...target }]);
  return { outcome: stored.length > 0 ? 'noted' : 'duplicate' };
}

/**
 * Books money without a transaction: with its account, or with the platform's where the account is not known. Money in a currency that
 * is not in the catalogue is stored alone.
 */
async function bookAlone(
  services: Services,
  event: RailEvent,
  record: RailEventRecord,
  found: RailEventTarget | undefined,
): Promise<Receipt> {
  const money = moneyOf(event);
  if (!money) return note(services, event, record, found);
  const { database, mode, notifier } = services;
  const accountId = found?.accountId ?? (await platformAccount(database, mode));
  const reason = kindOf(event).reason ?? (found ? 'no_transaction' : 'unknown');
  const isBooked = await withAccounts(services, [accountId], async (tx, { nowMs }) => {
    return bookSuspense(tx, { record, accountId, transactionId: null, ...money, reason, nowMs });
  });
  if (isBooked) notifier.notify([accountId]);
  return { outcome: isBooked ? 'suspense' : 'duplicate' };
}
