/** Returns money in suspense: orders it from the rail, and books it when the rail confirms it (L51). */
import type { Logger } from 'pino';
import { assert } from '../../base/errors/assert.ts';
import { currencyOfLedger } from '../../base/money/currency.ts';
import { fromMinor, toMinor } from '../../base/money/money.ts';
import { millisOf } from '../../base/time/instant.ts';
import * as journals from '../../ledger/journals.ts';
import type { Tx } from '../../store/connection/database.ts';
import { keepNews, type NewsRecord } from '../../store/engine/news.ts';
import {
  decideSuspense,
  failOrder,
  findByReturn,
  findSuspense,
  keepOrdered,
  type SuspenseRow,
  takeDueReturns,
} from '../../store/engine/suspense.ts';
import { postJournals } from '../../store/ledger/posting.ts';
import { gasJournals } from '../../templates/gas.ts';
import { pauseOf } from '../engine/uncounted-failures.ts';
import type { Services } from '../services/context.ts';
import { type Locked, withAccounts } from '../services/lock-accounts.ts';
import type { ArrivalNews, GivenBackNews, Receipt } from '../services/news.ts';
import { RailRefused } from '../services/rails.ts';
import { newsRecordOf } from './rail-events.ts';

const ORDER = /^suspense:(\d+):(\d+)$/;
const BATCH_MAX = 100;

/**
 * Orders the return at the rail; a final refusal opens the entry again.
 *
 * @throws any other obstacle.
 */
export async function orderReturn(services: Services, entry: SuspenseRow): Promise<void> {
  try {
    await placeOrder(services, entry);
    await keepOrdered(services.database, entry);
  } catch (error) {
    if (!(error instanceof RailRefused)) throw error;
    const told = entry.news as ArrivalNews;
    const isPix = told.kind === 'payment';
    const news: GivenBackNews = {
      kind: 'refund_ended',
      rail: isPix ? 'pix' : 'chain',
      order: keyOf(entry),
      endToEndId: isPix ? told.endToEndId : null,
      isDone: false,
      networkFee: null,
      gas: null,
      txHash: null,
    };
    await endReturn(services, entry, news, newsRecordOf(services, news));
  }
}

/** The same entry in the same state is the same order, however often it is placed. */
async function placeOrder({ rails }: Services, entry: SuspenseRow): Promise<void> {
  const { accountId, currency: code, amountMinor } = entry;
  const order = { key: keyOf(entry), accountId };
  const news = entry.news as ArrivalNews;
  const currency = currencyOfLedger(code);
  if (news.kind === 'payment') {
    const amount = fromMinor(amountMinor, currency.decimals);
    await rails.pix.giveBack({ ...order, endToEndId: news.endToEndId, amount });
  } else if (news.kind !== 'payout_returned') {
    await rails.chain.giveBack({ ...order, currency, to: news.from, amountMinor: BigInt(amountMinor) });
  }
}

/**
 * Places due orders again: the first try failed.
 *
 * @param nowMs - on the clock of the database.
 */
export async function placeDueOrders(services: Services, log: Logger, nowMs: number): Promise<void> {
  for (const { id, accountId } of await takeDueReturns(services.database, nowMs, BATCH_MAX)) {
    const own = await services.forAccount(accountId);
    const entry = await findSuspense(services.database, id, own.mode);
    assert(entry, 'an entry that is due is there');
    // A failed order does not stop the others.
    await orderReturn(own, entry).catch(async (error: unknown) => {
      log.warn({ err: error, suspense: String(id) }, 'a return cannot be ordered');
      const pauseMs = pauseOf(error);
      const againMs = pauseMs === undefined ? null : nowMs + pauseMs;
      await failOrder(services.database, entry, againMs).catch((reason: unknown) =>
        log.warn({ err: reason, suspense: String(id) }, 'the failed order of a return cannot be counted'),
      );
    });
  }
}

/** The order's key: the return id of a PIX; an own key for deposits, and for returns from before there were return ids. */
function keyOf({ id, decidedAt, returnId }: SuspenseRow): string {
  assert(decidedAt, 'what goes back was decided');
  return returnId ?? `suspense:${id}:${millisOf(decidedAt)}`;
}

/** @returns the entry in suspense whose return the news is about, if it is about one. */
export function findReturned(
  { database, mode }: Services,
  { order }: GivenBackNews,
): Promise<SuspenseRow | undefined> {
  const [, id] = ORDER.exec(order) ?? [];
  return id === undefined ? findByReturn(database, order, mode) : findSuspense(database, BigInt(id), mode);
}

/**
 * Books a return that succeeded, and opens the entry again if it failed.
 *
 * @returns the outcome of the event.
 */
export async function endReturn(
  services: Services,
  entry: SuspenseRow,
  news: GivenBackNews,
  record: NewsRecord,
): Promise<Receipt> {
  const { mode, notifier } = services;
  const outcome = await withAccounts(services, [entry.accountId], (tx, locked) =>
    settleReturn(tx, locked, { id: entry.id, mode }, news, record),
  );
  notifier.notify([entry.accountId]);
  return { outcome };
}

/** Settles the return of an entry, which may have changed since it was found. */
async function settleReturn(
  tx: Tx,
  { nowMs, at: decidedAt }: Locked,
  { id, mode }: Pick<SuspenseRow, 'id'> & Pick<NewsRecord, 'mode'>,
  news: GivenBackNews,
  record: NewsRecord,
): Promise<Receipt['outcome']> {
  const now = await findSuspense(tx, id, mode);
  assert(now, 'an entry stays where it is');
  const isMeant = now.state === 'returning' && keyOf(now) === news.order;
  const { accountId, transactionId, decidedBy, returnId } = now;
  const settled = { ...record, outcome: isMeant ? 'suspense' : 'noted', accountId, transactionId } as const;
  if ((await keepNews(tx, [settled])).length === 0) return 'duplicate';
  if (!isMeant) return 'noted';
  if (!news.isDone) {
    await decideSuspense(tx, id, {
      state: 'open',
      assignedTo: null,
      decidedBy: null,
      decidedAt: null,
      returnId: null,
      dueMs: null,
    });
    return 'suspense';
  }
  const currency = currencyOfLedger(now.currency);
  const amount = BigInt(now.amountMinor);
  const networkFee = toMinor(news.networkFee ?? '0', currency.decimals);
  const booked = [
    { ref: news.order, journal: journals.suspenseReturned(currency, { amount, networkFee }) },
    ...gasJournals({ trigger: news }).map((journal) => ({ ref: `${news.order}:gas`, journal })),
  ];
  const posted = await postJournals(
    tx,
    booked.map((each) => ({ accountId, transactionId, ...each })),
    new Date(nowMs),
  );
  assert(
    posted.every(({ code }) => code === 'POSTED'),
    'what lies in suspense can go back',
  );
  await decideSuspense(tx, id, {
    state: 'returned',
    assignedTo: null,
    decidedBy,
    decidedAt,
    returnId,
    dueMs: null,
  });
  return 'suspense';
}
