/**
 * A PIX rail over the wire whose orders fail as scenarios have planned: the plan is set at the provider before the
 * order is sent.
 */
import type { Order, PixRail } from '../../resolvers/services/rails.ts';
import { type RailParts, submitOnce } from './orders.ts';
import type { Outside, OutsidePlan } from './outside.ts';
import type { PlanName } from './plans.ts';

/** @returns the rail that sets the plan of each order first. */
export function plannedPix(parts: RailParts, pix: PixRail, outside: Outside): PixRail {
  const plan = async ({ key, row }: Order, name: PlanName, what: OutsidePlan) => {
    const kind = `${what.act}_plan`;
    const isPlanned = await submitOnce(parts, { key, row }, { kind, request: what.facts, plans: [name] });
    if (isPlanned) await outside.plan(what);
  };
  return {
    ...pix,
    createCharge: async (order) => {
      await plan(order, 'charge-fail', { act: 'charge', facts: { txid: order.txid } });
      return pix.createCharge(order);
    },
    payOut: async (order) => {
      const facts = { payeeKey: order.row.pixKey };
      await plan(order, 'pix-out-reject', { act: 'payout', facts });
      return pix.payOut(order);
    },
    returnPayment: async (order) => {
      const name = order.isExcess ? 'excess-fail' : 'refund-fail';
      await plan(order, name, { act: 'refund', facts: { endToEndId: order.row.pixE2e } });
      return pix.returnPayment(order);
    },
  };
}
