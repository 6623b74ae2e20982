/**
 * Balance at the provider, for comparison with the ledger. Ledger and balance are read alternately until neither
 * changed in between. Movements that only one of them has are listed separately.
 */
import { BRL } from '../../base/money/currency.ts';
import { fromMinor, toMinor } from '../../base/money/money.ts';
import type { RailTools } from '../../resolvers/services/rail-part.ts';
import type { RailStatement, ReportedBalance, StatementEntry } from '../../resolvers/services/statement.ts';
import { listOpenPixOrders } from '../../store/rails/open-pix-orders.ts';
import type { PixOrderKind } from '../../store/rails/pix-orders.ts';
import { BANK, readBookedRailEvents, readHeld } from '../../store/rails/vault.ts';
import { type ApiPix, read as readAnswer } from './client.ts';
import type { OrderKind } from './orders.ts';
import { WireError } from './wire.ts';

/** Parts of the query. */
export interface BalanceParts {
  readonly tools: Pick<RailTools, 'mode' | 'database' | 'clock'>;
  readonly api: Pick<ApiPix, 'send'>;
  readonly kinds: Readonly<Record<PixOrderKind, OrderKind>>;
  readonly balanceUrl: string;
}

/** Maximum age of movements that may not be booked yet. Unit: ms. */
const LATE_MS = 24 * 3_600_000;
/** Maximum number of attempts; if the account changes during each of them, no balance is returned. */
const ATTEMPTS_MAX = 10;
/** Maximum number of open orders that the comparison considers. */
const OPEN_MAX = 10_000;
const AMOUNT = /^-?\d{1,15}\.\d{2}$/;
/** By kind of statement entry: the kind of its rail event, and the sign of its effect on the account. */
const MOVES: { readonly [Kind in StatementEntry['kind']]?: readonly [event: string, sign: bigint] } = {
  payment: ['payment', 1n],
  payout_return: ['payout_returned', 1n],
  payout: ['payout_ended', -1n],
  refund: ['refund_ended', -1n],
};

/**
 * @returns the balance in BRL; undefined if it changed during all attempts.
 * @throws if the provider is unreachable.
 */
export async function bankBalances(
  parts: BalanceParts,
  read: RailStatement['read'],
): Promise<readonly ReportedBalance[]> {
  for (let attempts = 0; attempts < ATTEMPTS_MAX; attempts++) {
    const before = await seen(parts);
    const inFlight = (await unbooked(parts, read)) - (await sentAlready(parts));
    const after = await seen(parts);
    if (before.there !== after.there || before.here !== after.here) continue;
    const [there, here, rest] = [after.there, after.here, inFlight].map((minor) =>
      fromMinor(minor, BRL.decimals),
    ) as [string, string, string];
    return [{ currency: BRL.code, there, here, inFlight: rest }];
  }
  return [];
}

/** Reads both balances. Unit: minor units. */
async function seen({ tools: { database, mode }, api, balanceUrl }: BalanceParts) {
  const reported = readAnswer(balanceOf, await api.send('GET', balanceUrl));
  const here = (await readHeld(database, mode, BANK)).get(BRL.code) ?? 0n;
  return { there: reported, here };
}

/** @throws {WireError} */
function balanceOf(json: unknown): bigint {
  const { saldo } = (json ?? {}) as { readonly saldo?: unknown };
  if (typeof saldo !== 'string' || !AMOUNT.test(saldo)) throw new WireError('saldo must be such as 12.34');
  return toMinor(saldo, BRL.decimals);
}

/** Recent movements of the statement that the ledger lacks, cents. */
async function unbooked(
  { tools: { database, mode, clock } }: BalanceParts,
  read: RailStatement['read'],
): Promise<bigint> {
  const nowMs = await clock.nowMs();
  const entries = [...(await read({ from: new Date(nowMs - LATE_MS), to: new Date(nowMs) }))];
  const moved = entries.flatMap((entry) => {
    const [kind, sign] = MOVES[entry.kind] ?? [];
    const { id, amount } = entry;
    if (kind === undefined || sign === undefined || amount === null) return [];
    return [{ name: { kind, key: `pix:${id}` }, minor: sign * toMinor(amount, BRL.decimals) }];
  });
  const reported = await readBookedRailEvents(
    database,
    mode,
    moved.map(({ name }) => name),
  );
  const isSettled = (outcome: string) => outcome !== 'pending' && outcome !== 'failed';
  const booked = new Set(
    reported.flatMap(({ place: position, outcome }) => (isSettled(outcome) ? [position] : [])),
  );
  return moved.reduce((sum, { minor }, index) => sum + (booked.has(index + 1) ? 0n : minor), 0n);
}

/** Amount debited by orders whose outcome is not booked yet. Unit: cents. */
async function sentAlready({ tools: { database, mode }, kinds }: BalanceParts): Promise<bigint> {
  let sum = 0n;
  for (const order of await listOpenPixOrders(database, mode, { limit: OPEN_MAX })) {
    const reported = await kinds[order.kind].query(order);
    const isOver = reported?.events.some((event) => 'isDone' in event && !event.isDone);
    if (reported && !isOver) sum += toMinor(order.amount, BRL.decimals);
  }
  return sum;
}
