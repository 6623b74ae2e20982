/** Performs effects outside of the database; some report their outcome immediately, as a trigger. */

import { known } from '../../base/errors/assert.ts';
import { GatewayError } from '../../base/errors/errors.ts';
import { BRL, type Currency } from '../../base/money/currency.ts';
import { fromMinor } from '../../base/money/money.ts';
import { txidOf } from '../../base/pix/end-to-end-id.ts';
import { readBranding } from '../../store/account/branding.ts';
import { readProof } from '../../store/account/whitelist.ts';
import { accepts } from '../../templates/accepts.ts';
import { depositOf, sourceOf, targetOf } from '../../templates/amounts.ts';
import { awaitsResolution } from '../../templates/deposit-machine.ts';
import type { EffectName } from '../../templates/effects.ts';
import type { PixReturn, ProcessRow } from '../../templates/facts.ts';
import { FAMILY_TRAITS } from '../../templates/families.ts';
import { returnsOf } from '../../templates/returns.ts';
import type { Trigger } from '../../templates/triggers.ts';
import {
  admitByCase,
  type CaseOutcome,
  clearByCase,
  endStepUp,
  goOnByCase,
} from '../cases/outcome-of-case.ts';
import { frozenCaseOf } from '../cases/perform-case-action.ts';
import { screenTransaction } from '../screening/screen-transaction.ts';
import type { Services } from '../services/context.ts';
import { type Order, RailRefused } from '../services/rails.ts';
import { allocateDeposit } from './allocate-deposit.ts';

/** Payload of an effect's job. */
export interface EffectFacts {
  /** Event of the transaction that it follows. */
  readonly sequence?: number;
  /** Returns that the step ordered. */
  readonly returnIds?: readonly string[];
}

/** Performs an effect. @returns the trigger that reports the outcome to the transaction; undefined when there is none yet. */
export type Effect = (
  services: Services,
  order: Order,
  facts: EffectFacts,
) => Promise<Trigger | CaseOutcome | undefined>;

/** Pause before money that waits for a frozen customer or a sanctioned person is checked again. */
const FROZEN_PAUSE_SECONDS = 600;

const always =
  (trigger: Trigger): Effect =>
  async () =>
    trigger;

/** Screens a customer or payee, and the destination, before anything can be paid: a sanctioned one is refused, any other match is reviewed. */
const screenedFirst =
  (check: Effect): Effect =>
  async (services, order, facts) => {
    const screened = await screenTransaction(services, order.row, 'creation');
    if (screened === 'frozen') return { on: 'identity_irregular' };
    const found = await check(services, order, facts);
    const on = triggerOf(found)?.on;
    const isRefused = on === 'identity_irregular' || on === 'key_divergent';
    return screened === 'held' && !isRefused ? { on: 'review_required' } : found;
  };

/**
 * A case that passes later passes no match: the transaction is denied, or a person reviews it. After the payment, its arrival
 * was screened.
 *
 * @param unreviewed - outcome of a match at a step that accepts no review.
 */
const passedOnly =
  (decide: Effect, unreviewed?: Trigger): Effect =>
  async (services, order, facts) => {
    const found = await decide(services, order, facts);
    const on = triggerOf(found)?.on;
    const isPassed = on === 'identity_passed' || on === 'step_up_approved';
    if (!isPassed || order.row.process?.paid !== undefined) return found;
    const screened = await screenTransaction(services, order.row, 'creation');
    if (screened === 'cleared') return found;
    if (screened === 'frozen') return { on: 'step_up_denied' };
    const isReviewable = accepts(services.registry.of(order.row.template), order.row, 'review_required');
    return isReviewable ? { on: 'review_required' } : unreviewed;
  };

function triggerOf(found: Trigger | CaseOutcome | undefined): Trigger | undefined {
  return found && 'trigger' in found ? found.trigger : found;
}

/** Every effect (src/templates/effects.ts). */
export const EFFECT_PERFORMERS: Readonly<Record<EffectName, Effect>> = {
  check_identity: screenedFirst(async (services, order) => {
    const { stepUp } = services.registry.of(order.row.template);
    const isDue = stepUp === 'before_payment' && isStepUpDue(order.row);
    if (services.rails.identity.cases) return admitByCase(services, order.row, isDue);
    if (isDue) return { on: 'step_up_required' };
    return identityTrigger(await services.rails.identity.check(order));
  }),
  check_payee: screenedFirst(async (services, order) => {
    const owner = await services.rails.pix.keyOwner(order.row);
    if (owner !== null && owner !== order.row.clientTaxId) return { on: 'key_divergent' };
    if (services.rails.identity.cases) return admitByCase(services, order.row, isStepUpDue(order.row));
    if (isStepUpDue(order.row)) return { on: 'step_up_required' };
    return identityTrigger(await services.rails.identity.check(order));
  }),
  ask_case: passedOnly((services, { row }) => goOnByCase(services, row, isStepUpDue(row))),
  create_charge: async ({ rails, database }, order) => {
    // The txid makes every attempt the same charge. Orders from before txids were chosen first have none yet.
    const txid = order.row.process?.txid ?? txidOf(order.key);
    const { displayName: merchantName } = await readBranding(database, order.row.accountId);
    const charge = await rails.pix.createCharge({ ...order, txid, merchantName });
    return { on: 'charge_created', txid, ...charge };
  },
  cancel_charge: async ({ rails }, order) => void (await rails.pix.cancelCharge(order)),
  allocate_deposit: async (services, order) => {
    const { address, exactAmount } = await allocateDeposit(services, order.row);
    const { currency } = sourceOf(order.row);
    await services.rails.chain.watchDeposit({ ...order, currency, address, exactAmount });
    return { on: 'deposit_ready', address, exactAmount };
  },
  screen: async (services, order) => {
    const matched = await screenTransaction(services, order.row, 'arrival');
    if (matched !== 'cleared') return { on: matched };
    // A deposit that waits for a decision of its account is compared only: its conversion is not decided yet.
    if (awaitsResolution(order.row)) return { on: 'cleared' };
    const isPayment = order.row.process?.paid !== undefined;
    if (isPayment && services.rails.pix.holdsUnknownPayer && order.row.process?.payerTaxId === null)
      return { on: 'held' };
    const found = await services.rails.screening.screen(order);
    if (found === 'held') return { on: 'held' };
    const isDue = isPayment && (found === 'step_up' || isStepUpDue(order.row));
    if (services.rails.identity.cases) return clearByCase(services, order.row, { isPayment, isDue });
    return { on: isDue ? 'step_up_required' : 'cleared' };
  },
  swap: async (services, order) => {
    await pauseFrozenCustomer(services, order.row, 'leaves');
    const outcome = await services.rails.liquidity.convert(order);
    return { on: outcome === 'settled' ? 'swap_settled' : 'swap_failed' };
  },
  return_payment: async (services, order) => {
    await pauseFrozenCustomer(services, order.row, 'goes back');
    const screened = await screenTransaction(services, order.row, 'return');
    return { on: screened === 'frozen' ? 'frozen' : 'refund_requested' };
  },
  order_returns: async (services, { row }, { returnIds }) => {
    await pauseFrozenCustomer(services, row, 'goes back');
    await pauseSanctionedPayer(services, row);
    for (const each of returnsOf(row.process ?? {})) {
      // Jobs from before returns were named in them are about all returns.
      const isMeant = returnIds === undefined || returnIds.includes(each.returnId);
      if (isMeant && each.state === 'requested') await orderReturn(services, row, each);
    }
    return undefined;
  },
  retry_returns: always({ on: 'refund_retried' }),
  send_funds: async (services, order) => {
    // The rail is polled for an order that was placed before, and the order is not placed again meanwhile.
    await pauseFrozenCustomer(services, order.row, 'leaves');
    const { currency, amount } = targetOf(order.row);
    if (currency.code === BRL.code)
      await services.rails.pix.payOut({ ...order, amount: fromMinor(amount, BRL.decimals) });
    else await sendCrypto(services, order, currency, amount);
    return undefined;
  },
  send_back: async (services, order, { sequence }) => {
    // Ordered before, and that return has ended.
    if (sequence !== undefined && sequence !== order.row.process?.sequence) return undefined;
    const { currency, amount } = depositOf(order.row);
    const to = known(order.row.process?.refundAddress, 'the return address of the deposit');
    await pauseFrozenCustomer(services, order.row, 'goes back');
    if ((await screenTransaction(services, order.row, 'return')) === 'frozen') return { on: 'frozen' };
    try {
      await services.rails.chain.sendBack({ ...order, currency, to, amountMinor: amount });
    } catch (error) {
      if (!(error instanceof RailRefused)) throw error;
      return { on: 'return_failed' };
    }
    return undefined;
  },
  expire: always({ on: 'expired' }),
  expire_payable: async (services, order) => {
    await queryCharge(services, order);
    return { on: 'expired' };
  },
  deny_step_up: passedOnly(
    async (services, { row }) =>
      services.rails.identity.cases ? endStepUp(services, row, isStepUpDue(row)) : { on: 'step_up_denied' },
    { on: 'step_up_denied' },
  ),
  reject_approval: always({ on: 'rejected' }),
};

/** A withdrawal is sent with the proof of its destination, which the signer of networks requires. */
async function sendCrypto(
  { database, registry, rails }: Services,
  order: Order,
  currency: Currency,
  amountMinor: bigint,
): Promise<void> {
  const { row } = order;
  const to = known(row.wallet, 'a wallet');
  const { flow } = FAMILY_TRAITS[registry.of(row.template).family];
  if (flow !== 'withdrawal') return void (await rails.chain.send({ ...order, currency, to, amountMinor }));
  const proof = await readProof(database, row.accountId, currency.network, to);
  await rails.chain.send({ ...order, currency, to, amountMinor, whitelisted: { proof } });
}

/** Triggers for effects that failed for good; effects without one are retried for ever. */
export const EFFECT_FAILURES: Readonly<Partial<Record<EffectName, Trigger>>> = {
  create_charge: { on: 'charge_failed' },
  swap: { on: 'swap_failed' },
};

/** Whether the customer's volume requires extra verification that no person has approved yet (limits.ts). */
function isStepUpDue({ process }: ProcessRow): boolean {
  return process?.stepUp === 'due';
}

/** A callback may have been lost: the rail is polled once more before an unpaid charge counts as expired. */
async function queryCharge({ rails, registry, receive }: Services, order: Order): Promise<void> {
  const { row } = order;
  const txid = row.process?.txid;
  const isOpen = txid !== undefined && accepts(registry.of(row.template), row, 'expired');
  if (!isOpen) return;
  for (const event of (await rails.pix.queryCharge?.({ ...order, txid })) ?? []) await receive(event);
}

/** Money of a customer who is frozen waits until the customer is unfrozen. */
async function pauseFrozenCustomer(
  { database }: Services,
  { accountId, clientTaxId }: ProcessRow,
  waits: 'leaves' | 'goes back',
): Promise<void> {
  const frozen = await frozenCaseOf(database, accountId, clientTaxId);
  if (frozen) throw frozenPause(`the customer is frozen, case ${frozen.id}: nothing ${waits}`);
}

/** A return to a sanctioned person is not ordered: it waits until the hit is dismissed. */
async function pauseSanctionedPayer(services: Services, row: ProcessRow): Promise<void> {
  const screened = row.process?.isFrozen ? 'frozen' : await screenTransaction(services, row, 'return');
  if (screened === 'frozen') throw frozenPause('the payer is on a list of sanctions: nothing goes back');
}

function frozenPause(why: string): GatewayError {
  return new GatewayError('UNAVAILABLE', why, { retryAfter: FROZEN_PAUSE_SECONDS });
}

/** A return is ordered under its own id; one that the rail refuses has failed. */
async function orderReturn(
  { rails, advance }: Services,
  row: ProcessRow,
  { returnId, amount, kind }: PixReturn,
): Promise<void> {
  try {
    await rails.pix.returnPayment({ key: returnId, row, returnId, amount, isExcess: kind === 'excess' });
  } catch (error) {
    if (!(error instanceof RailRefused)) throw error;
    const target = { accountId: row.accountId, transactionId: row.id };
    await advance({ target, trigger: { on: 'refund_failed', returnId } });
  }
}

function identityTrigger(found: 'passed' | 'irregular' | 'step_up' | 'review'): Trigger {
  switch (found) {
    case 'passed':
      return { on: 'identity_passed' };
    case 'irregular':
      return { on: 'identity_irregular' };
    case 'step_up':
      return { on: 'step_up_required' };
    case 'review':
      return { on: 'review_required' };
  }
}
