/** Scenarios of payments by PIX: a customer's actions on a charge. */
import { BRL } from '../../base/money/currency.ts';
import { toMinor } from '../../base/money/money.ts';
import type { PaymentEvent } from '../../resolvers/services/rail-event.ts';
import type { ScenarioName } from '../../resolvers/services/sandbox.ts';
import { accepts } from '../../templates/accepts.ts';
import { cents } from '../../templates/amounts.ts';
import { expiryOf, GRACE_MS } from '../../templates/effects.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import { REGISTRY } from '../../templates/index.ts';
import { newPayment, type Payment } from './pix.ts';
import type { Playable, Stage } from './stage.ts';

/** Excess or shortfall of a payment. Unit: cents. */
const DIFFERENCE = 2_000n;
/** CPFs of other people than the customer; at least one of the two differs from the customer's. */
const STRANGERS = ['11144477735', '12345678909'] as const;
const SECOND_MS = 1_000;

/** The scenarios, by name. */
export const PAY_SCENARIOS: readonly Playable[] = [
  payment('pay', () => ({})),
  {
    ...payment('pay-late', () => ({})),
    play: async (stage) => {
      const ended = { ...stage, row: await withEnd(stage) };
      return stage.receive(eventOf(ended, { settledAtMs: lastTimeOf(ended) + SECOND_MS }));
    },
  },
  {
    ...payment('pay-over', (stage) => ({
      amount: paidAmount(stage) ?? priceOf(stage.row) + DIFFERENCE,
    })),
    amountOf: 'payment',
  },
  {
    ...payment('pay-under', (stage) => ({ amount: paidAmount(stage) ?? lessThan(priceOf(stage.row)) })),
    amountOf: 'payment',
  },
  payment('pay-other-payer', ({ row }) => ({
    payerTaxId: STRANGERS.find((taxId) => taxId !== row.clientTaxId) as string,
  })),
  {
    name: 'pay-twice',
    on: 'pix_received',
    comesTo: hasCharge,
    play: async (stage) => {
      const event = eventOf(stage, {});
      await stage.receive(event);
      return stage.receive(event);
    },
  },
];

function payment(name: ScenarioName, unusual: (stage: Stage) => Partial<Payment>): Playable {
  return {
    name,
    on: 'pix_received',
    comesTo: hasCharge,
    play: (stage) => stage.receive(eventOf(stage, unusual(stage))),
  };
}

/** Requires a charge, since anyone with a code can pay it, even a cancelled one. */
function hasCharge({ process }: ProcessRow): boolean {
  return process?.brCode !== undefined;
}

function eventOf({ row, nowMs }: Stage, unusual: Partial<Payment>): PaymentEvent {
  const txid = row.process?.txid ?? null;
  const usual = { txid, amount: priceOf(row), settledAtMs: nowMs, payerTaxId: row.clientTaxId };
  return newPayment({ ...usual, ...unusual });
}

/**
 * Ends a session that would expire later, as `expire` does, because a payment with a future time would be held (C-36).
 */
async function withEnd({ row, nowMs, advance }: Stage): Promise<ProcessRow> {
  const isAhead = (expiryOf(row) ?? 0) + GRACE_MS > nowMs;
  const canEnd = accepts(REGISTRY.of(row.template), row, 'expired');
  return isAhead && canEnd ? advance({ trigger: { on: 'expired', isForced: true } }) : row;
}

/** @returns the time after which a payment for an ended session is late. */
function lastTimeOf({ row, nowMs }: Stage): number {
  const expiredAt = row.process?.expiredAt;
  return Math.max(nowMs, expiredAt ? Date.parse(expiredAt) : 0);
}

function priceOf(row: ProcessRow): bigint {
  return cents(row.sourceAmount);
}

function paidAmount({ amount }: Stage): bigint | undefined {
  return amount === undefined ? undefined : toMinor(amount, BRL.decimals);
}

function lessThan(price: bigint): bigint {
  return price > DIFFERENCE ? price - DIFFERENCE : price / 2n;
}
