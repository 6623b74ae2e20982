/**
 * The statement of a provider for reconciliation: the payments that it lists, and its present answer about each payout
 * and return that ended in the period. Disputes are missing, because the standard does not list them by the day on
 * which they ended.
 */
import { inParts } from '../../base/concurrency/in-parts.ts';
import type { RailTools } from '../../resolvers/services/rail-part.ts';
import type {
  RailStatement,
  ReadProgress,
  StatementEntry,
  StatementPeriod,
} from '../../resolvers/services/statement.ts';
import {
  type EndedPixOrder,
  type PixOrderKind,
  readEndedPixOrders,
  readReportedPixOrders,
} from '../../store/rails/pix-orders.ts';
import type { RailEventName } from '../../store/rails/vault.ts';
import { bankBalances } from './balance.ts';
import type { ApiPix } from './client.ts';
import type { OrderKind } from './orders.ts';
import { eachPage, PART_MS } from './poll.ts';
import type { WirePix } from './wire.ts';

/** Dependencies of the statement. */
export interface StatementParts {
  readonly tools: Pick<RailTools, 'mode' | 'database' | 'clock'>;
  readonly api: Pick<ApiPix, 'getStatement' | 'getPix' | 'send'>;
  readonly kinds: Readonly<Record<PixOrderKind, OrderKind>>;
  /** Null if the provider has no balance query. */
  readonly balanceUrl: string | null;
}

/** @returns the statement. */
export function reconciledStatement(parts: StatementParts): RailStatement {
  const read: RailStatement['read'] = async (period, report) => {
    const payments = await readPayments(parts, period, report);
    return [...payments, ...(await queryEnded(parts, period))];
  };
  const { balanceUrl } = parts;
  return {
    kinds: ['payment', 'refund', 'payout', 'payout_return'],
    read,
    find: async (names) => [...(await findPayments(parts, names)), ...(await findOrders(parts, names))],
    ...(balanceUrl !== null && { balances: () => bankBalances({ ...parts, balanceUrl }, read) }),
  };
}

async function readPayments(
  { api }: StatementParts,
  { from, to }: StatementPeriod,
  report?: (progress: ReadProgress) => void,
): Promise<readonly StatementEntry[]> {
  const entries: StatementEntry[] = [];
  for (let startMs = from.getTime(); startMs < to.getTime(); startMs += PART_MS) {
    const part = {
      from: new Date(startMs).toISOString(),
      to: new Date(Math.min(startMs + PART_MS, to.getTime())).toISOString(),
    };
    await eachPage(async (page) => {
      const { read, wrong, pages } = await api.getStatement({ ...part, page });
      if (wrong) throw wrong;
      entries.push(...read.flatMap(paymentOf));
      report?.({ phase: 'rows', done: entries.length, total: null });
      return pages;
    });
  }
  return entries;
}

/** Finds payments, including those reported long after they were made. */
async function findPayments(
  { api }: StatementParts,
  names: readonly RailEventName[],
): Promise<readonly StatementEntry[]> {
  const payments = names.filter(({ kind }) => kind === 'payment');
  const found = await inParts(payments, ({ key }) => api.getPix(key.replace(/^pix:/, '')));
  return found.flatMap((pix) => (pix ? paymentOf(pix) : []));
}

/** Finds payouts and returns, including those reported long after they ended. */
async function findOrders(
  { tools, kinds }: StatementParts,
  names: readonly RailEventName[],
): Promise<readonly StatementEntry[]> {
  const orders = names.filter(({ kind }) => kind !== 'payment');
  const reported = await readReportedPixOrders(tools.database, tools.mode, orders);
  const aheadMs = await tools.clock.aheadMs();
  return (await inParts(reported, (order) => entriesOf(kinds, order, aheadMs))).flat();
}

function paymentOf({ endToEndId, amount, settledAt, sent }: WirePix): readonly StatementEntry[] {
  if (sent || settledAt === null) return [];
  return [{ kind: 'payment', id: endToEndId, amount, at: new Date(settledAt) }];
}

/**
 * Queries orders that ended in a period. Order times use the database's clock, the period uses the clock of the mode.
 */
async function queryEnded(
  { tools, kinds }: StatementParts,
  { from, to }: StatementPeriod,
): Promise<readonly StatementEntry[]> {
  const aheadMs = await tools.clock.aheadMs();
  const machine = { from: new Date(from.getTime() - aheadMs), to: new Date(to.getTime() - aheadMs) };
  const ended = await readEndedPixOrders(tools.database, tools.mode, machine);
  return (await inParts(ended, (order) => entriesOf(kinds, order, aheadMs))).flat();
}

async function entriesOf(
  kinds: StatementParts['kinds'],
  order: EndedPixOrder,
  aheadMs: number,
): Promise<readonly StatementEntry[]> {
  const reported = await kinds[order.kind].query(order);
  const at = new Date(order.endedAtMs + aheadMs);
  return (reported?.events ?? []).flatMap((event): readonly StatementEntry[] => {
    if (event.kind === 'payout_ended' && event.isDone && event.endToEndId !== null)
      return [{ kind: 'payout', id: event.endToEndId, amount: order.amount, at }];
    if (event.kind === 'refund_ended' && event.isDone)
      return [{ kind: 'refund', id: order.key, amount: event.differs?.returned ?? order.amount, at }];
    if (event.kind === 'payout_returned')
      return [{ kind: 'payout_return', id: event.returnId, amount: event.amount, at }];
    return [];
  });
}
