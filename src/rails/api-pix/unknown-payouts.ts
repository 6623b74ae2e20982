/** Payouts at the provider that a restored database does not know. */
import { known } from '../../base/errors/assert.ts';
import type { RailPart, RailTools } from '../../resolvers/services/rail-part.ts';
import { readNamedPixOrders } from '../../store/rails/pix-orders.ts';
import { NOT_CARRIED_OUT, paymentOf } from './after-restore.ts';
import type { PixPayouts } from './payouts.ts';
import { eachPage, PART_MS } from './poll.ts';
import type { SentPayout } from './wire-sent.ts';

type UnknownPayments = NonNullable<RailPart<unknown>['unknownPayments']>;

/**
 * @returns the function that lists payouts which no order here made; undefined where the provider has no list. Returns are
 *   queried by their payment (`findSent`).
 */
export function unknownPayouts(
  { mode, database, clock }: Pick<RailTools, 'mode' | 'database' | 'clock'>,
  payouts: PixPayouts | null,
): UnknownPayments | undefined {
  if (payouts === null) return async () => [];
  const { list } = payouts;
  if (!list) return undefined;
  return async ({ sinceMs }) => {
    const aheadMs = await clock.aheadMs();
    const sent: SentPayout[] = [];
    for (let fromMs = sinceMs + aheadMs, nowMs = await clock.nowMs(); fromMs < nowMs; fromMs += PART_MS) {
      const [from, to] = [fromMs, Math.min(fromMs + PART_MS, nowMs)].map((ms) => new Date(ms).toISOString());
      await eachPage(async (page) => {
        const part = await list({ from: known(from, 'a time'), to: known(to, 'a time'), page });
        sent.push(...part.payouts);
        return part.pages;
      });
    }
    const named = sent.flatMap(({ id, ...each }) => (id === null ? [] : [{ id, ...each }]));
    const ours = await readNamedPixOrders(
      database,
      mode,
      'payout',
      named.map(({ id }) => id),
    );
    return named
      .filter(({ id, status }) => !ours.has(id) && status !== NOT_CARRIED_OUT)
      .map(({ id, amount, payeeKey, orderedAt }) => ({
        ...paymentOf('payout', id, amount, payeeKey),
        sentAtMs: orderedAt.getTime() - aheadMs,
      }));
  };
}
