/**
 * The door by which news of rails comes in: it is stored, matched by what the rail knows, and becomes a step of its
 * transaction or a booking in suspense, all in one database transaction. What cannot be settled now is stored alone and tried
 * again (C-34).
 */
import { platformAccount } from '../../store/account/accounts.ts';
import {
  keepNews,
  type NewsRecord,
  type NewsTarget,
  postponeNews,
  readKnownNews,
} from '../../store/engine/news.ts';
import { lockHeads } from '../../store/engine/processes.ts';
import type { SuspenseReason } from '../../store/engine/suspense.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import type { Services } from '../services/context.ts';
import type { ArrivalNews, DepositNews, News, Receipt } from '../services/news.ts';
import { bookSuspense } from './book-suspense.ts';
import { type Money, moneyOf, recordOf, targetOf, triggerOf } from './match-news.ts';
import { endReturn } from './return-suspense.ts';

/** Pauses before news that could not be settled is tried again, milliseconds. */
const AGAIN_FIRST_MS = 2_000;
const AGAIN_MAX_MS = 3_600_000;

/**
 * @param attempts - how often it was tried before.
 * @returns what became of the news.
 * @throws the driver's error, when it could not even be stored: the rail has to tell it again.
 */
export async function receiveNews(services: Services, news: News, attempts = 0): Promise<Receipt> {
  const record = recordOf(services, news);
  try {
    return await settleNews(services, news, record);
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    const dueMs = Date.now() + Math.min(AGAIN_FIRST_MS * 4 ** Math.min(attempts, 10), AGAIN_MAX_MS);
    await postponeNews(services.database, record, { dueMs, error: words });
    return { outcome: 'pending' };
  }
}

/** Settles news now. @throws what keeps it from being settled. */
async function settleNews(
  services: Services,
  news: News,
  record: NewsRecord = recordOf(services, news),
): Promise<Receipt> {
  if (news.kind === 'refund_ended') return endReturn(services, news, record);
  const found = await targetOf(services, news);
  if (news.kind === 'deposit_confirmed') await offerSeen(services, news);
  if (found && found.transactionId !== null) {
    const { accountId, transactionId } = found;
    return offer(services, news, record, { accountId, transactionId });
  }
  const money = isFinal(news) ? moneyOf(news) : undefined;
  if (!money) return note(services, record, found);
  const accountId = found?.accountId ?? (await platformAccount(services.database, services.mode));
  const reason = found ? 'no_transaction' : 'unknown';
  return bookAlone(services, record, money, { accountId, reason });
}

/** Money is there once it is final; before that, news of it changes nothing that is booked in suspense. */
function isFinal({ kind }: ArrivalNews): boolean {
  return kind === 'payment' || kind === 'deposit_confirmed';
}

/** Tells the transaction that the news is for. */
async function offer(
  services: Services,
  news: ArrivalNews,
  record: NewsRecord,
  target: { readonly accountId: bigint; readonly transactionId: bigint },
): Promise<Receipt> {
  const money = isFinal(news) ? moneyOf(news) : undefined;
  const nowMs = await services.clock.nowMs();
  const { code, row } = await services.advance({
    target,
    trigger: triggerOf(news),
    railKey: record.key,
    news,
    otherwise: async (tx, at) => {
      if (money) await bookSuspense(tx, { record, ...target, ...money, reason: reasonAt(at), nowMs });
      else await keepNews(tx, [{ ...record, outcome: 'noted', ...target }]);
    },
  });
  if (code === 'MOVED') return { outcome: 'step', row };
  if (code === 'DUPLICATE') return { outcome: 'duplicate', row };
  services.doorbell.hear([target.accountId]);
  return { outcome: money ? 'suspense' : 'noted', row };
}

/**
 * What is final was seen. Its transaction is told of that once more, unless it took it and heard of nothing else: it may have
 * heard that the deposit was dropped, or have waited for another one that was dropped meanwhile.
 */
async function offerSeen(services: Services, news: DepositNews): Promise<void> {
  const seen = { ...news, kind: 'deposit_seen' } as const;
  const record = recordOf(services, seen);
  const kinds = [record, { ...record, kind: 'deposit_dropped' }];
  const known = await readKnownNews(services.database, services.mode, kinds);
  if (known.length !== 1 || known[0]?.kind !== seen.kind || known[0].outcome !== 'step')
    await settleNews(services, seen, record);
}

function reasonAt({ process }: ProcessRow): SuspenseReason {
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

/** Books money of which only the account is known, or not even that. */
async function bookAlone(
  { database, mode, clock, doorbell }: Services,
  record: NewsRecord,
  money: Money,
  { accountId, reason }: { readonly accountId: bigint; readonly reason: SuspenseReason },
): Promise<Receipt> {
  const nowMs = await clock.nowMs();
  const isBooked = await database.withTx(async (tx) => {
    await lockHeads(tx, [accountId], mode);
    return bookSuspense(tx, { record, accountId, transactionId: null, ...money, reason, nowMs });
  });
  if (isBooked) doorbell.hear([accountId]);
  return { outcome: isBooked ? 'suspense' : 'duplicate' };
}
