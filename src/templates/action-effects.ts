/**
 * The figures of an action: journals of its planned steps on the balance, and amounts sent to a payer, a payee or a
 * wallet.
 */
import { BRL, type Currency } from '../base/money/currency.ts';
import { fromMinor } from '../base/money/money.ts';
import { SUB_ACCOUNTS, type SubAccount } from '../ledger/chart.ts';
import { hasPayer } from './accepts.ts';
import { cents, depositOf, targetOf } from './amounts.ts';
import type { Template } from './define.ts';
import type { EffectName } from './effects.ts';
import type { ProcessRow } from './facts.ts';
import type { PlannedStep } from './machine.ts';
import { brlText, returnsOf } from './returns.ts';

/** Kinds of effects, each with its meaning. */
export const EFFECT_KINDS = {
  credit: 'The amount is added to the sub-account of the balance.',
  debit: 'The amount is taken from the sub-account of the balance.',
  refund: 'The amount goes back to the payer; a deposit of crypto less the network fee of its transfer.',
  payout: 'The amount goes out to the payee or the wallet, once the checks that follow have passed.',
} as const;
/** A member of EFFECT_KINDS. */
export type ActionEffectKind = keyof typeof EFFECT_KINDS;

/** One amount that an action moves. */
export interface ActionEffect {
  readonly kind: ActionEffectKind;
  /** Currency of a credit or a debit. */
  readonly subAccount: SubAccount | null;
  readonly currency: Currency;
  /** Decimal text. If the action makes a new price, the amount is at the current price; null without one. */
  readonly amount: string | null;
  /** BRL for one unit of crypto, from which an action with a new price was calculated. */
  readonly quote?: string;
}

/**
 * @param isPriced - whether the action makes a new price.
 * @returns the amounts that the steps move, all together.
 */
export function effectsOf(
  template: Template,
  before: ProcessRow,
  steps: readonly PlannedStep[],
  isPriced: boolean,
): readonly ActionEffect[] {
  const row = steps.at(-1)?.row ?? before;
  const started = new Set(steps.flatMap(({ effects }) => effects.map(({ name }) => name)));
  return [
    ...balanceEffects(steps),
    ...refundEffects(before, row, started),
    ...(isSent(template, started) ? [payoutEffect(row, isPriced)] : []),
  ];
}

function balanceEffects(steps: readonly PlannedStep[]): readonly ActionEffect[] {
  const postings = steps.flatMap(({ journals }) => journals.flatMap((journal) => journal.postings));
  const currencies = new Map(postings.map(({ currency }) => [currency.code, currency]));
  const names = Object.keys(SUB_ACCOUNTS) as SubAccount[];
  return [...currencies.values()].flatMap((currency) =>
    names.flatMap((subAccount): ActionEffect[] => {
      const own = postings.filter(
        (each) => each.role === `M.${subAccount}` && each.currency.code === currency.code,
      );
      const delta = own.reduce((sum, { deltaMinor }) => sum + deltaMinor, 0n);
      if (delta === 0n) return [];
      const kind = delta > 0n ? 'credit' : 'debit';
      return [{ kind, subAccount, ...moneyOf(currency, delta > 0n ? delta : -delta) }];
    }),
  );
}

function refundEffects(
  before: ProcessRow,
  row: ProcessRow,
  started: ReadonlySet<EffectName>,
): readonly ActionEffect[] {
  const known = new Set(returnsOf(before.process ?? {}).map(({ returnId }) => returnId));
  const ordered = returnsOf(row.process ?? {}).filter(
    ({ returnId, state }) => state === 'requested' && !known.has(returnId),
  );
  return [
    ...ordered.map(({ amount }) => refund({ currency: BRL, amount })),
    ...(started.has('return_payment')
      ? [refund({ currency: BRL, amount: brlText(cents(row.process?.paid)) })]
      : []),
    ...(started.has('send_back') ? [refund(moneyOf(depositOf(row).currency, depositOf(row).amount))] : []),
  ];
}

/**
 * Effects by which an outgoing transaction continues to its payout; a transaction without a payer has no other outcome.
 */
const GOING_ON: readonly EffectName[] = ['swap', 'send_funds'];
const GOING_ON_UNPAID: readonly EffectName[] = ['screen', 'check_payee'];

function isSent(template: Template, started: ReadonlySet<EffectName>): boolean {
  const sends = Object.values(template.machine.entering).some((names) => names?.includes('send_funds'));
  const names = hasPayer(template) ? GOING_ON : [...GOING_ON, ...GOING_ON_UNPAID];
  return sends && names.some((name) => started.has(name));
}

function payoutEffect(row: ProcessRow, isPriced: boolean): ActionEffect {
  const { currency, amount } = targetOf(row);
  const money = moneyOf(currency, amount);
  return { kind: 'payout', subAccount: null, ...money, ...(isPriced && { amount: null }) };
}

function refund(money: Pick<ActionEffect, 'currency' | 'amount'>): ActionEffect {
  return { kind: 'refund', subAccount: null, ...money };
}

function moneyOf(currency: Currency, amountMinor: bigint): { currency: Currency; amount: string } {
  return { currency, amount: fromMinor(amountMinor, currency.decimals) };
}
