/** Status of rails, for the operator. */
import type { Instant } from '../../base/time/instant.ts';
import { readRailHealth } from '../../store/engine/rail-health.ts';
import { type OrderTimesRow, readOrderTimes } from '../../store/rails/order-times.ts';
import type { EffectName } from '../../templates/effects.ts';
import { type Context, requirePlatform, type Services } from '../services/context.ts';
import { checkRails, type NamedCheck } from './rail-checks.ts';
import { reconciliationChecks } from './reconciliation-checks.ts';
import { restoreChecks } from './restored-rails.ts';

/** The rails, with the status of each. */
export const RAILS = {
  pix: 'PIX at the payment service provider.',
  chain: 'The networks.',
  identity: 'Checks of customers and payees.',
  screening: 'Screening of payments, addresses and people.',
  liquidity: 'Where positions are bought and sold.',
  rates: 'Where prices come from.',
} as const;
/** A member of RAILS. */
export type RailName = keyof typeof RAILS;

/** Status of a rail. */
export interface RailHealth {
  readonly rail: RailName;
  readonly lastEventAt: Instant | null;
  readonly unsettledEvents: number;
  readonly pendingOrders: number;
  readonly failingOrders: number;
  /** Orders that ended in the last 24 hours; null where none did. */
  readonly lastDay: Omit<OrderTimesRow, 'rail'> | null;
}

const DAY_MS = 86_400_000;

/** Rail of the parts that are configured by a name of their own: networks, and their signer. */
const partOf = (name: string): RailName => (Object.hasOwn(RAILS, name) ? (name as RailName) : 'chain');

/**
 * @returns the checks of a rail's configured parts; empty when it is played in the process, or missing.
 * @throws {GatewayError} `FORBIDDEN` without a scope of the platform.
 */
export async function railChecks(context: Context, rail: RailName): Promise<readonly NamedCheck[]> {
  requirePlatform(context);
  const checks = await checkRails(context.railParts.filter(({ name }) => partOf(name) === rail));
  const others = [...(await reconciliationChecks(context)), ...(await restoreChecks(context))];
  return [...checks, ...others.filter((each) => partOf(each.rail) === rail)];
}

/** Rail that receives an order; BRL leaves by PIX. */
const RAIL_OF: { readonly [Name in EffectName]?: RailName } = {
  check_identity: 'identity',
  check_payee: 'identity',
  create_charge: 'pix',
  cancel_charge: 'pix',
  order_returns: 'pix',
  allocate_deposit: 'chain',
  send_funds: 'chain',
  send_back: 'chain',
  screen: 'screening',
  swap: 'liquidity',
};

/** @throws {GatewayError} `FORBIDDEN` without a scope of the platform. */
export async function railHealth(context: Context): Promise<readonly RailHealth[]> {
  requirePlatform(context);
  return healthOfRails(context);
}

/** @returns the status of each rail of a mode. */
export async function healthOfRails({
  database,
  mode,
  clock,
}: Pick<Services, 'database' | 'mode' | 'clock'>): Promise<readonly RailHealth[]> {
  const nowMs = await clock.nowMs();
  const [{ last, unsettled, orders }, times] = await Promise.all([
    readRailHealth(database, mode, nowMs),
    readOrderTimes(database, mode, new Date(nowMs - DAY_MS)),
  ]);
  const railOf = (kind: string, isBrl: boolean) =>
    kind === 'send_funds' && isBrl ? 'pix' : RAIL_OF[kind as EffectName];
  return (Object.keys(RAILS) as RailName[]).map((rail) => {
    const own = orders.filter(({ kind, isBrl }) => railOf(kind, isBrl) === rail);
    return {
      rail,
      lastEventAt: last.find((each) => each.rail === rail)?.lastAt ?? null,
      unsettledEvents: unsettled.find((each) => each.rail === rail)?.count ?? 0,
      pendingOrders: own.reduce((count, { due }) => count + due, 0),
      failingOrders: own.reduce((count, { failing }) => count + failing, 0),
      lastDay: times.find((each) => each.rail === rail) ?? null,
    };
  });
}
