/**
 * Says what a provider tells in the words of the gateway, and hands it on. What was told before is left out by one look, so that
 * a statement that is read again and again costs little.
 */
import { recordOf } from '../../resolvers/inbound/match-news.ts';
import type { News } from '../../resolvers/services/news.ts';
import type { RailTools } from '../../resolvers/services/rail-part.ts';
import { endPixOrder, type PixOrderKind, readPixOrderKeys } from '../../store/rails/pix-orders.ts';
import { readStoredNews } from '../../store/rails/pix-statement.ts';
import { afterPayout } from './times.ts';
import type { WirePix, WireReturn } from './wire.ts';

/** What this works with. */
export type TellTools = Pick<RailTools, 'mode' | 'database' | 'receive'>;

/** Keys of our orders by their names at the provider. */
interface OrderKeys {
  readonly payout: ReadonlyMap<string, string>;
  readonly return: ReadonlyMap<string, string>;
}

/** PIX are taken so many at a time: what is told of one of them stays in its order. */
const AT_ONCE = 8;

/** Hands on everything that is told of these PIX and was not told before. Once this resolves, all of it is stored. */
export async function tell(tools: TellTools, told: readonly WirePix[]): Promise<void> {
  const keys = await keysOf(tools, told);
  const news = told.map((pix) => newsOf(pix, keys));
  const isNew = await untold(tools, news.flat());
  const waiting = news.map((each) => each.filter(isNew)).filter((each) => each.length > 0);
  const take = async () => {
    for (let each = waiting.shift(); each; each = waiting.shift())
      for (const one of each) await handOn(tools, one);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, take));
}

/** Hands on news that was not told before, in its order. */
export async function tellNews(tools: TellTools, news: readonly News[]): Promise<void> {
  const isNew = await untold(tools, news);
  for (const each of news) if (isNew(each)) await handOn(tools, each);
}

/** Hands news on; an order that it ends is ended. */
export async function handOn({ mode, database, receive }: TellTools, news: News): Promise<void> {
  await receive(news);
  const nowMs = Date.now();
  if (news.kind === 'payout_ended' || news.kind === 'refund_ended')
    await endPixOrder(
      database,
      { mode, key: news.order },
      {
        isDone: news.isDone,
        endToEndId: news.endToEndId,
        endedAtMs: nowMs,
        askAtMs: news.kind === 'payout_ended' && news.isDone ? afterPayout(nowMs, nowMs) : null,
      },
    );
}

/** @returns what is told of the returns of a payment that is known by its EndToEndId. */
export function returnNews(
  endToEndId: string,
  { id, rtrId, amount, status, isMed }: WireReturn,
  keys: OrderKeys['return'],
): readonly News[] {
  if (status === 'EM_PROCESSAMENTO') return [];
  const isDone = status === 'DEVOLVIDO';
  const name = id ?? rtrId ?? endToEndId;
  if (!isMed) {
    const order = keys.get(name) ?? name;
    return [{ kind: 'refund_ended', rail: 'pix', order, endToEndId, isDone, ...NO_NETWORK }];
  }
  // The provider decided a dispute and tells only its end: the money is gone.
  const dispute = { disputeId: name, endToEndId, amount };
  return isDone
    ? [
        { kind: 'dispute_opened', ...dispute },
        { kind: 'dispute_accepted', ...dispute },
      ]
    : [];
}

/**
 * What came back is told by its rtrId alone, which every part of it has but not at once: by any other name it would be booked twice.
 *
 * @returns what is told of a payout under its order's key.
 */
export function payoutNews(
  order: string,
  {
    status,
    endToEndId,
    returns,
  }: { status: string; endToEndId: string | null; returns: readonly WireReturn[] },
): readonly News[] {
  if (status === 'NAO_REALIZADO') return [{ kind: 'payout_ended', order, isDone: false, endToEndId: null }];
  if (status !== 'REALIZADO' || endToEndId === null) return [];
  const back = returns.flatMap(({ status: now, rtrId: returnId, amount }): readonly News[] =>
    now === 'DEVOLVIDO' && returnId !== null
      ? [{ kind: 'payout_returned', endToEndId, returnId, amount }]
      : [],
  );
  return [{ kind: 'payout_ended', order, isDone: true, endToEndId }, ...back];
}

/** @returns what is told of a PIX: of the payment itself first. */
export function newsOf(pix: WirePix, keys: OrderKeys): readonly News[] {
  const { endToEndId, txid, amount, settledAt, payerTaxId, returns, sent } = pix;
  if (sent)
    return payoutNews(keys.payout.get(sent.id) ?? sent.id, { status: sent.status, endToEndId, returns });
  const payment: readonly News[] =
    settledAt === null ? [] : [{ kind: 'payment', txid, endToEndId, amount, settledAt, payerTaxId }];
  return [...payment, ...returns.flatMap((each) => returnNews(endToEndId, each, keys.return))];
}

const NO_NETWORK = { networkFee: null, gas: null, txHash: null } as const;

async function keysOf({ database, mode }: TellTools, told: readonly WirePix[]): Promise<OrderKeys> {
  const named = (kind: PixOrderKind, ids: readonly (string | null)[]) =>
    readPixOrderKeys(database, mode, kind, [...new Set(ids.filter((id) => id !== null))]);
  const came = told.filter(({ sent }) => !sent);
  return {
    payout: await named(
      'payout',
      told.map(({ sent }) => sent?.id ?? null),
    ),
    return: await named(
      'return',
      came.flatMap(({ returns }) => returns.map(({ id }) => id)),
    ),
  };
}

async function untold(
  { database, mode }: TellTools,
  news: readonly News[],
): Promise<(news: News) => boolean> {
  if (news.length === 0) return () => false;
  const records = news.map((each) => recordOf({ mode }, each));
  const stored = await readStoredNews(database, mode, records);
  const names = new Set(stored.map(({ kind, key }) => `${kind} ${key}`));
  return (each) => {
    const { kind, key } = recordOf({ mode }, each);
    return !names.has(`${kind} ${key}`);
  };
}
