/**
 * Receives news of rails. News is stored, matched by what the rail knows, and becomes a step of its transaction or a booking
 * in suspense, all in one database transaction. News that cannot be settled now is stored alone and tried again. News that its
 * transaction never takes stays in the operator's list (C-34).
 */
import type { Logger } from 'pino';
import { platformAccount } from '../../store/account/accounts.ts';
import { isLockTimeout, plainMessage } from '../../store/connection/database-error.ts';
import {
  keepNews,
  type NewsRecord,
  type NewsTarget,
  type PendingNews,
  type Postponement,
  postponeNews,
  readKnownNews,
} from '../../store/engine/news.ts';
import { readProcesses, takenHeads } from '../../store/engine/processes.ts';
import type { SuspenseReason } from '../../store/engine/suspense.ts';
import { isDisputed } from '../../templates/dispute-claims.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import { isImpossible } from '../../templates/lateness.ts';
import { isHeldByDispute } from '../../templates/refund-dispute-machine.ts';
import { noteMedCase } from '../med/note-case.ts';
import type { Services } from '../services/context.ts';
import { withAccounts } from '../services/lock-accounts.ts';
import type {
  DepositNews,
  DisputeNews,
  DisputeReturnNews,
  GasNews,
  GivenBackNews,
  InfractionNews,
  News,
  Receipt,
  UnconfirmedNews,
} from '../services/news.ts';
import type { TransactionKey } from '../services/notifier.ts';
import { bookGas } from './book-gas.ts';
import { bookSuspense } from './book-suspense.ts';
import { dropSuspense, type NewsPlace, placeOfDeposit } from './drop-suspense.ts';
import { holdAgainstDispute } from './hold-against-dispute.ts';
import { kindOf, moneyOf, newsRecordOf, type Otherwise } from './rail-events.ts';
import { endReturn, findReturned } from './return-suspense.ts';

/** Pauses before news that could not be settled is tried again, milliseconds. */
const AGAIN_FIRST_MS = 2_000;
const AGAIN_MAX_MS = 3_600_000;
/** The longest such pause while its account is locked: money should not wait long for an import that has ended. */
const LOCKED_MAX_MS = 10_000;
/** Most tries of news that its transaction does not take: over four hours. */
const UNTAKEN_MAX = 10;
const WORDS_MAX = 200;

/** Number of earlier attempts. */
export type Tries = Pick<PendingNews, 'attempts' | 'untaken'>;

const NEVER: Tries = { attempts: 0, untaken: 0 };

/**
 * @param log - gets every failed attempt.
 * @returns the outcome of the event.
 * @throws the driver's error, when it could not even be stored: the rail has to repeat it.
 */
export async function receiveNews(
  services: Services,
  log: Pick<Logger, 'warn'>,
  news: News,
  tries: Tries = NEVER,
): Promise<Receipt> {
  const record = newsRecordOf(services, news);
  const isFinal = news.kind === 'deposit_confirmed' || news.kind === 'deposit_dropped';
  const place = isFinal ? await placeOfDeposit(services.database, record, news) : { record };
  const settled = await settleNews(services, news, place).catch(
    (error: unknown): Failure => ({
      isUntaken: false,
      isLocked: isLockTimeout(error),
      target: undefined,
      error: plainMessage(error),
    }),
  );
  return 'outcome' in settled ? settled : postpone(services, log, place.record, settled, tries);
}

type Failure = Pick<Postponement, 'isUntaken' | 'error' | 'target'> & {
  /** Whether somebody else holds its account. */
  readonly isLocked?: boolean;
};

const held = (target: NewsTarget): Failure => ({
  ...{ isUntaken: false, isLocked: true, error: 'its account is locked' },
  target,
});

const untaken = (error: string, target?: NewsTarget): Failure => ({ isUntaken: true, error, target });

async function postpone(
  { database }: Services,
  log: Pick<Logger, 'warn'>,
  record: NewsRecord,
  failure: Failure,
  tries: Tries,
): Promise<Receipt> {
  const outcome = failure.isUntaken && tries.untaken + 1 >= UNTAKEN_MAX ? 'failed' : 'pending';
  const pauseMaxMs = failure.isLocked ? LOCKED_MAX_MS : AGAIN_MAX_MS;
  const pauseMs = Math.min(AGAIN_FIRST_MS * 4 ** Math.min(tries.attempts, 10), pauseMaxMs);
  const dueMs = outcome === 'failed' ? null : database.nowMs() + pauseMs;
  const id = await postponeNews(database, record, { ...failure, outcome, dueMs });
  if (id === undefined) return { outcome: 'duplicate' };
  const facts = { news: String(id), kind: record.kind, tries: tries.attempts + 1 };
  const transaction = await transactionOf(database, failure.target);
  log.warn(
    { ...facts, ...transaction, error: failure.error.slice(0, WORDS_MAX) },
    `news of a rail is ${outcome}`,
  );
  return { outcome };
}

/** @returns the field of the log that names the transaction of news; without one that is known, nothing. */
async function transactionOf(
  database: Services['database'],
  target: NewsTarget | undefined,
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
async function settleNews(services: Services, news: News, place: NewsPlace): Promise<Receipt | Failure> {
  const { record, entry } = place;
  if (entry && (await isHeld(services, entry))) return held(entry);
  const { find, trigger, otherwise } = kindOf(news);
  const found = await find(services, news);
  const settled = await BEFORE[news.kind]?.(services, news, place, found);
  if (settled) return settled;
  if (found && otherwise !== 'listed' && (await isHeld(services, found))) return held(found);
  if (!trigger || !found || found.transactionId === null)
    return OTHERWISE[otherwise](services, news, record, found);
  const { accountId, transactionId } = found;
  return offer(services, news, record, { accountId, transactionId });
}

/** Kinds that may be about money in suspense, or bring another event first. A result ends the matter. */
const BEFORE: {
  readonly [Kind in News['kind']]?: (
    services: Services,
    news: News,
    place: NewsPlace,
    found: NewsTarget | undefined,
  ) => Promise<Receipt | Failure | undefined>;
} = {
  refund_ended: (services, news, { record }, found) =>
    endRefund(services, news as GivenBackNews, record, found),
  deposit_confirmed: async (services, news) => {
    await offerSeen(services, news as DepositNews);
    return undefined;
  },
  dispute_opened: openCase,
  dispute_accepted: openCase,
  dispute_rejected: openCase,
  infraction: openCase,
  deposit_dropped: async (services, _news, { record, entry }) =>
    entry &&
    ((await dropSuspense(services, entry, record)) ?? untaken('its money is on its way back', entry)),
};

/** Destination of an event that no transaction accepts, as in `rail-events.ts`. */
const OTHERWISE: {
  readonly [Each in Otherwise]: (
    services: Services,
    news: News,
    record: NewsRecord,
    found: NewsTarget | undefined,
  ) => Promise<Receipt | Failure>;
} = {
  suspense: bookAlone,
  noted: note,
  listed: note,
  gas: (services, news, record, found) => bookGas(services, news as GasNews, record, found),
  dispute: compare,
  retried: async (_services, _news, _record, found) => untaken(UNKNOWN, found),
  waits: async (_services, news) => ({
    isUntaken: false,
    error: (news as UnconfirmedNews).reason,
    target: undefined,
  }),
};

/** The case of a dispute or a report of fraud stands before the report itself is settled. */
async function openCase(
  services: Services,
  news: News,
  _place: NewsPlace,
  found: NewsTarget | undefined,
): Promise<Failure | undefined> {
  if (found && (await isHeld(services, found))) return held(found);
  await noteMedCase(services, news as DisputeNews | InfractionNews, found);
  return undefined;
}

const UNKNOWN = 'no transaction is known that it is for';

/** Ends the return of what lies in suspense; undefined where the refund is of a transaction. */
async function endRefund(
  services: Services,
  news: GivenBackNews,
  record: NewsRecord,
  found: NewsTarget | undefined,
): Promise<Receipt | Failure | undefined> {
  if (news.differs) {
    const { ordered, returned } = news.differs;
    const words = `${returned} went back, and ${ordered} was ordered: somebody has to decide`;
    return untaken(words, found);
  }
  const returned = await findReturned(services, news);
  if (!returned) return undefined;
  return (await isHeld(services, returned)) ? held(returned) : endReturn(services, returned, news, record);
}

/**
 * Events of an account that stays locked would wait, and events of others behind them. An account that was found to
 * be locked may have come free without a request since.
 */
async function isHeld(
  { database, locked }: Services,
  { accountId }: Pick<NewsTarget, 'accountId'>,
): Promise<boolean> {
  return locked.has(accountId) && (await takenHeads(database, [accountId])).length > 0;
}

/** Tells the transaction that the news is for. */
async function offer(
  services: Services,
  news: News,
  record: NewsRecord,
  target: TransactionKey,
): Promise<Receipt | Failure> {
  const kind = kindOf(news);
  const trigger = kind.trigger?.(news);
  if (!trigger) return untaken('there is no step for it', target);
  const isRetried = kind.otherwise === 'retried';
  const { code, row } = await services.advance({
    target,
    trigger,
    news: record,
    otherwise: async (tx, at) => {
      const money = moneyOf(news);
      const nowMs = await services.clock.nowMs(tx);
      const reason = reasonAt(news, at, nowMs);
      if (money) await bookSuspense(tx, { record, ...target, ...money, reason, nowMs });
      else if (!isRetried) await keepNews(tx, [{ ...record, outcome: 'noted', ...target }]);
    },
  });
  if (code === 'ADVANCED') return { outcome: 'step', row };
  if (code === 'DUPLICATE') return { outcome: 'duplicate', row };
  if (isRetried) {
    const error = `it does not fit at ${row.component}/${row.state}`;
    return { isUntaken: !waitsForDispute(news, row), error, target };
  }
  services.notifier.notify([target.accountId]);
  return { outcome: moneyOf(news) ? 'suspense' : 'noted', row };
}

/** Holds a return by MED against the dispute of its payment. */
async function compare(
  services: Services,
  news: News,
  record: NewsRecord,
  found: NewsTarget | undefined,
): Promise<Receipt | Failure> {
  if (!found || found.transactionId === null) return untaken(UNKNOWN, found);
  const { accountId, transactionId } = found;
  const target = { accountId, transactionId };
  const compared = await holdAgainstDispute(services, news as DisputeReturnNews, record, target);
  return 'outcome' in compared ? compared : { isUntaken: !compared.isEarly, error: compared.error, target };
}

/** Disputes about one payment are taken one after the other, however long each takes. */
function waitsForDispute({ kind }: News, row: ProcessRow): boolean {
  return kind.startsWith('dispute_') && (isDisputed(row) || isHeldByDispute(row));
}

/**
 * Reports a final deposit to its transaction as seen, unless the transaction took it as seen and nothing else happened to it: the
 * deposit may have been dropped since, or the transaction may have waited for another one that was dropped.
 */
async function offerSeen(services: Services, news: DepositNews): Promise<void> {
  const seen = { ...news, kind: 'deposit_seen' } as const;
  const record = newsRecordOf(services, seen);
  const kinds = [record, { ...record, kind: 'deposit_dropped' }];
  const known = await readKnownNews(services.database, services.mode, kinds);
  if (known.length !== 1 || known[0]?.kind !== seen.kind || known[0].outcome !== 'step')
    await settleNews(services, seen, { record });
}

function reasonAt(news: News, row: ProcessRow, nowMs: number): SuspenseReason {
  const { process } = row;
  const { reason } = kindOf(news);
  if (reason) return reason;
  const isUnpaid = process !== null && process.paid === undefined && process.chargedAt !== undefined;
  if (news.kind === 'payment' && isUnpaid && isImpossible({ row, process, nowMs }, news.settledAt))
    return 'impossible_time';
  return process?.paid !== undefined || process?.deposit ? 'second_payment' : 'not_due';
}

async function note(
  { database }: Services,
  _news: News,
  record: NewsRecord,
  found: NewsTarget | undefined,
): Promise<Receipt> {
  const target = found ?? { accountId: null, transactionId: null };
  const kept = await keepNews(database, [{ ...record, outcome: 'noted', ...target }]);
  return { outcome: kept.length > 0 ? 'noted' : 'duplicate' };
}

/**
 * Books money without a transaction: with its account, or with the platform's where the account is not known. Money in a currency that
 * is not in the catalogue is stored alone.
 */
async function bookAlone(
  services: Services,
  news: News,
  record: NewsRecord,
  found: NewsTarget | undefined,
): Promise<Receipt> {
  const money = moneyOf(news);
  if (!money) return note(services, news, record, found);
  const { database, mode, notifier } = services;
  const accountId = found?.accountId ?? (await platformAccount(database, mode));
  const reason = kindOf(news).reason ?? (found ? 'no_transaction' : 'unknown');
  const isBooked = await withAccounts(services, [accountId], async (tx, { nowMs }) => {
    return bookSuspense(tx, { record, accountId, transactionId: null, ...money, reason, nowMs });
  });
  if (isBooked) notifier.notify([accountId]);
  return { outcome: isBooked ? 'suspense' : 'duplicate' };
}
