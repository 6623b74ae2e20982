/** Orders of a restored database to the provider: the provider is queried about each before it is sent. */
import { known } from '../../base/errors/assert.ts';
import { end2endOfOrder, end2endTime } from '../../base/ids/end2end.ts';
import { BRL } from '../../base/money/currency.ts';
import { toMinor } from '../../base/money/money.ts';
import { endToEndTime } from '../../base/pix/end-to-end-id.ts';
import { sentBeforeRestore } from '../../resolvers/rails/restored-rails.ts';
import type { RailTools } from '../../resolvers/services/rail-part.ts';
import { type NewPixOrder, readNamedPixOrders, readPixOrder } from '../../store/rails/pix-orders.ts';
import { checkRestoredRail } from '../../store/rails/restores.ts';
import {
  addUnknownPayments,
  matchOwnPayment,
  type NewUnknownPayment,
} from '../../store/rails/unknown-payments.ts';
import type { ApiPix } from './client.ts';
import { PspUnavailable } from './http.ts';

/** Dependencies of queries about orders. */
export interface QueryTools extends Pick<RailTools, 'mode' | 'database'> {
  readonly api: Pick<ApiPix, 'getPix'>;
}

const RAIL = 'pix';
/** Maximum difference between the time in an EndToEndId and that of its payment (BACEN: 12 hours). Unit: ms. */
const ID_TIME_OFF_MS = 12 * 3_600_000;
/** Status of a payout or return that moved nothing. */
export const NOT_CARRIED_OUT = 'NAO_REALIZADO';

/**
 * Queries the provider about an order that a restored database is about to send first: by its id, and for a return by its payment.
 *
 * @param isKnown - queries whether the provider has an order under this id.
 * @returns the id under which the provider has it; undefined if it may be sent.
 * @throws {GatewayError} as `sentBeforeRestore`.
 * @throws {PspUnavailable} {PspProblem}
 */
export async function findSent(
  tools: QueryTools,
  order: NewPixOrder,
  isKnown: () => Promise<boolean>,
): Promise<string | undefined> {
  const { database, mode } = tools;
  const rail = { mode, rail: RAIL };
  const restored = await checkRestoredRail(database, rail);
  // A stored order is queried, and sent again under its id, in any case.
  if (!restored || (await readPixOrder(database, mode, order.key))) return undefined;
  const { key, kind, pspId: name } = order;
  const held = { key, kind, name, destination: order.pixKey ?? order.endToEndId };
  const inquire = async () => {
    if (await isKnown()) {
      await matchOwnPayment(database, rail, { name, orderKey: key, atMs: database.nowMs() });
      return name;
    }
    if (kind === 'return') await addUnknownPayments(database, rail, await unknownReturns(tools, order));
    return undefined;
  };
  const isYounger =
    kind === 'payout'
      ? isMadeAfter(key, restored.noticedAtMs)
      : isPaidAfter(order.endToEndId, restored.noticedAtMs);
  return sentBeforeRestore(database, rail, restored, held, isYounger ? undefined : inquire);
}

/** @returns whether the order is of a transaction that was made after a time, so that no lost history had the order. */
function isMadeAfter(key: string, timeMs: number): boolean {
  const end2end = end2endOfOrder(key);
  return end2end !== undefined && end2endTime(end2end).getTime() > timeMs;
}

/** @returns whether a payment is certainly younger than a time, so that no lost history has returned it. */
function isPaidAfter(endToEndId: string | null, timeMs: number): boolean {
  const paidAt = endToEndId === null ? undefined : endToEndTime(endToEndId);
  return paidAt !== undefined && paidAt.getTime() - ID_TIME_OFF_MS > timeMs;
}

/** @returns returns of a payment that no order here made. */
async function unknownReturns(
  { api, database, mode }: QueryTools,
  order: NewPixOrder,
): Promise<readonly NewUnknownPayment[]> {
  const payment = known(order.endToEndId, 'a payment');
  const { returns = [], unread = null } = (await api.getPix(payment)) ?? {};
  if (unread !== null) throw new PspUnavailable(`a return of ${payment} cannot be read: ${unread}`);
  const ids = returns.flatMap(({ id }) => id ?? []);
  const ours = await readNamedPixOrders(database, mode, 'return', ids);
  return returns.flatMap(({ id, amount, status, at, isMed }) =>
    id === null || isMed || ours.has(id) || status === NOT_CARRIED_OUT
      ? []
      : [
          {
            ...paymentOf('return', id, amount, payment),
            sentAtMs: at === null ? database.nowMs() : Date.parse(at),
          },
        ],
  );
}

/** @returns a payment of the lost history, in the form in which it is stored. */
export function paymentOf(
  kind: 'payout' | 'return',
  name: string,
  amount: string,
  destination: string | null,
) {
  return { kind, name, currency: BRL.code, amountMinor: toMinor(amount, BRL.decimals), destination };
}
