/**
 * Receives news of rails. News is stored, matched by what the rail knows, and becomes a step of its transaction or a booking
 * in suspense, all in one database transaction. News that cannot be settled now is stored alone and tried again. News that its
 * transaction never takes stays in the operator's list (C-34).
 */
import type { Logger } from 'pino';
import { platformAccount } from '../../store/account/accounts.ts';
import { isLockTimeout, plainMessage } from '../../store/database-error.ts';
import {
  keepNews,
  type NewsRecord,
  type NewsTarget,
  type PendingNews,
  type Postponement,
  postponeNews,
  readKnownNews,
} from '../../store/engine/news.ts';
import { takenHeads } from '../../store/engine/processes.ts';
import type { SuspenseReason, SuspenseRow } from '../../store/engine/suspense.ts';
import { isDisputed } from '../../templates/dispute-machine.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import type { Services } from '../services/context.ts';
import { withAccounts } from '../services/lock-accounts.ts';
import type { DepositNews, DisputeReturnNews, News, Receipt } from '../services/news.ts';
import { newsRecordOf } from '../services/news-record.ts';
import { bookGas } from './book-gas.ts';
import { bookSuspense } from './book-suspense.ts';
import { dropSuspense, placeOfDeposit } from './drop-suspense.ts';
import { holdAgainstDispute } from './hold-against-dispute.ts';
import { isArrival, type Money, moneyOf, targetOf, triggerOf } from './match-news.ts';
import { endReturn, findReturned } from './return-suspense.ts';

/** Pauses before news that could not be settled is tried again, milliseconds. */
const AGAIN_FIRST_MS = 2_000;
const AGAIN_MAX_MS = 3_600_000;
/** The longest such pause while its account is locked: money should not wait long for an import that has ended. */
const LOCKED_MAX_MS = 10_000;
/** Most tries of news that its transaction does not take: over four hours. */
const UNTAKEN_MAX = 10;
const WORDS_MAX = 200;

/** How often news was tried before. */
export type Tries = Pick<PendingNews, 'attempts' | 'untaken'>;

const NEVER: Tries = { attempts: 0, untaken: 0 };

/**
 * @param log - told of every try that fails.
 * @returns what became of the news.
 * @throws the driver's error, when it could not even be stored: the rail has to tell it again.
 */
export async function receiveNews(
  services: Services,
  log: Pick<Logger, 'warn'>,
  news: News,
  tries: Tries = NEVER,
): Promise<Receipt> {
  const place = await placeOf(services, news);
  const { record } = place;
  const settled = await settleNews(services, news, place).catch(
    (error: unknown): Failure => ({
      isUntaken: false,
      isLocked: isLockTimeout(error),
      target: undefined,
      error: plainMessage(error),
    }),
  );
  return 'outcome' in settled ? settled : postpone(services, log, record, settled, tries);
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
  const dueMs = outcome === 'failed' ? null : Date.now() + pauseMs;
  const id = await postponeNews(database, record, { ...failure, outcome, dueMs });
  if (id === undefined) return { outcome: 'duplicate' };
  const facts = { news: String(id), kind: record.kind, tries: tries.attempts + 1 };
  log.warn({ ...facts, error: failure.error.slice(0, WORDS_MAX) }, `news of a rail is ${outcome}`);
  return { outcome };
}

/** News with its key, and the entry in suspense that it is about, where its deposit was booked there. */
interface Place {
  readonly record: NewsRecord;
  readonly entry?: SuspenseRow | undefined;
}

async function placeOf(services: Services, news: News): Promise<Place> {
  const record = newsRecordOf(services, news);
  if (news.kind !== 'deposit_confirmed' && news.kind !== 'deposit_dropped') return { record };
  const { key, entry } = await placeOfDeposit(services.database, record.mode, news, record.key);
  return { record: { ...record, key }, entry };
}

/** Settles news now. @returns what became of it, or why its transaction does not take it. @throws what keeps it from being settled. */
async function settleNews(
  services: Services,
  news: News,
  { record, entry }: Place,
): Promise<Receipt | Failure> {
  if (entry && (await isHeld(services, entry))) return held(entry);
  if (news.kind === 'deposit_dropped' && entry)
    return (await dropSuspense(services, entry, record)) ?? untaken('its money is on its way back', entry);
  if (news.kind === 'refund_ended' && news.differs) {
    const { ordered, returned } = news.differs;
    const words = `${returned} went back, and ${ordered} was ordered: somebody has to decide`;
    return untaken(words, await targetOf(services, news));
  }
  if (news.kind === 'refund_ended') {
    const returned = await findReturned(services, news);
    if (returned)
      return (await isHeld(services, returned))
        ? held(returned)
        : endReturn(services, returned, news, record);
  }
  const found = await targetOf(services, news);
  if (news.kind === 'infraction') return note(services, record, found);
  if (found && (await isHeld(services, found))) return held(found);
  if (news.kind === 'gas_spent') return bookGas(services, news, record, found);
  if (news.kind === 'deposit_confirmed') await offerSeen(services, news);
  if (found && found.transactionId !== null) {
    const { accountId, transactionId } = found;
    const target = { accountId, transactionId };
    return news.kind === 'dispute_returned'
      ? compare(services, news, record, target)
      : offer(services, news, record, target);
  }
  if (!isArrival(news)) return untaken('no transaction is known that it is for', found);
  const money = moneyOf(news);
  if (!money) return note(services, record, found);
  const accountId = found?.accountId ?? (await platformAccount(services.database, services.mode));
  const reason = news.kind === 'payout_returned' ? news.kind : found ? 'no_transaction' : 'unknown';
  return bookAlone(services, record, money, { accountId, reason });
}

/**
 * What is told of an account that is held for long would wait, and what the rail tells of others with it. One that was found to be
 * locked may have come free, and nobody has asked for it since.
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
  target: { readonly accountId: bigint; readonly transactionId: bigint },
): Promise<Receipt | Failure> {
  const trigger = triggerOf(news);
  if (!trigger) return untaken('there is no step for it', target);
  const money = moneyOf(news);
  const { code, row } = await services.advance({
    target,
    trigger,
    news: record,
    otherwise: async (tx, at) => {
      const nowMs = await services.clock.nowMs(tx);
      if (money) await bookSuspense(tx, { record, ...target, ...money, reason: reasonAt(news, at), nowMs });
      else if (isArrival(news)) await keepNews(tx, [{ ...record, outcome: 'noted', ...target }]);
    },
  });
  if (code === 'ADVANCED') return { outcome: 'step', row };
  if (code === 'DUPLICATE') return { outcome: 'duplicate', row };
  if (!isArrival(news)) {
    const error = `it does not fit at ${row.component}/${row.state}`;
    return { isUntaken: !waitsForDispute(news, row), error, target };
  }
  services.notifier.notify([target.accountId]);
  return { outcome: money ? 'suspense' : 'noted', row };
}

/** Holds a return by MED against the dispute of its payment. */
async function compare(
  services: Services,
  news: DisputeReturnNews,
  record: NewsRecord,
  target: { readonly accountId: bigint; readonly transactionId: bigint },
): Promise<Receipt | Failure> {
  const held = await holdAgainstDispute(services, news, record, target);
  return 'outcome' in held ? held : { isUntaken: !held.isEarly, error: held.error, target };
}

/** Disputes about one payment are taken one after the other, however long each takes. */
function waitsForDispute({ kind }: News, row: ProcessRow): boolean {
  return kind.startsWith('dispute_') && isDisputed(row);
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

function reasonAt({ kind }: News, { process }: ProcessRow): SuspenseReason {
  if (kind === 'payout_returned') return kind;
  return process?.paid !== undefined || process?.deposit ? 'second_payment' : 'not_due';
}

async function note(
  { database }: Services,
  record: NewsRecord,
  found: NewsTarget | undefined,
): Promise<Receipt> {
  const target = found ?? { accountId: null, transactionId: null };
  const kept = await keepNews(database, [{ ...record, outcome: 'noted', ...target }]);
  return { outcome: kept.length > 0 ? 'noted' : 'duplicate' };
}

/** Books money without a transaction: with its account, or with the platform's where the account is not known. */
async function bookAlone(
  services: Services,
  record: NewsRecord,
  money: Money,
  { accountId, reason }: { readonly accountId: bigint; readonly reason: SuspenseReason },
): Promise<Receipt> {
  const { notifier } = services;
  const isBooked = await withAccounts(services, [accountId], async (tx, { nowMs }) => {
    return bookSuspense(tx, { record, accountId, transactionId: null, ...money, reason, nowMs });
  });
  if (isBooked) notifier.notify([accountId]);
  return { outcome: isBooked ? 'suspense' : 'duplicate' };
}
