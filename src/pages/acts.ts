/** What a payer does with the forms of the pages: each is an act of the same use cases that the API has. */
import { BRL } from '../base/currency.ts';
import { invalidParameters, notFound } from '../base/errors.ts';
import { isMore } from '../base/money.ts';
import {
  acceptQuote,
  confirmIdentity,
  provideIdentity,
  resolveDeposit,
} from '../resolvers/act-on-transaction.ts';
import { amountProblem, checksOf } from '../resolvers/check-creation.ts';
import type { Services } from '../resolvers/context.ts';
import { enterAmount } from '../resolvers/enter-amount.ts';
import { type PaymentSession, payerContext } from '../resolvers/payment-session.ts';
import { parseDuration } from '../resolvers/play-sandbox.ts';
import { renewSession } from '../resolvers/renew-session.ts';
import type { Sandbox } from '../resolvers/sandbox.ts';
import { readTemplateSettings } from '../store/settings.ts';
import { type Language, readBrl } from './language.ts';

/** A form that was sent. */
export interface Sent {
  readonly session: PaymentSession;
  readonly form: URLSearchParams;
  readonly language: Language;
}

/**
 * Does what a form asks for.
 *
 * @returns the token of the session to go on with, where it is another one.
 * @throws {GatewayError} of the use case; `NOT_FOUND` for an act that there is not.
 */
export type Act = (services: Services, sent: Sent) => Promise<string | undefined>;

/** The acts, by the last part of their path. */
export const ACTS: Readonly<Record<string, Act>> = {
  amount: async (services, { session: { row }, form, language }) => {
    const value = readBrl(form.get('amount') ?? '', language);
    const { min, max } = await amountBounds(services, row);
    if (amountProblem(value, BRL) || isMore(min, value) || isMore(value, max))
      throw invalidParameters([{ parameter: 'amount', message: `must be from ${min} to ${max}` }]);
    await enterAmount(services, row, { name: 'amount', value });
    return undefined;
  },
  identity: async (services, { session: { row }, form }) => {
    const field = (name: string) => ({ name, value: form.get(name) ?? '' });
    const payout = row.targetCurrency === BRL.code && {
      pixKey: field('pixKey'),
      pixKeyType: field('pixKeyType'),
    };
    const identity = { clientName: field('name'), clientTaxId: field('taxId'), ...payout };
    await provideIdentity(payerContext(services, row, 'create'), row, identity, checksOf(services));
    return undefined;
  },
  confirm: async (services, { session: { row } }) => {
    await confirmIdentity(payerContext(services, row, 'create'), row);
    return undefined;
  },
  accept: async (services, { session: { row } }) => {
    await acceptQuote(payerContext(services, row, 'create'), row);
    return undefined;
  },
  requote: async (services, { session: { row } }) => {
    await resolveDeposit(payerContext(services, row, 'move'), row, 'requote', undefined, checksOf(services));
    return undefined;
  },
  refund: async (services, { session: { row }, form }) => {
    if (form.get('mine') !== 'yes')
      throw invalidParameters([{ parameter: 'mine', message: 'must be confirmed' }]);
    // To where it came from and nowhere else: whoever has the link could name another address.
    await resolveDeposit(payerContext(services, row, 'move'), row, 'refund', undefined, checksOf(services));
    return undefined;
  },
  renew: (services, { session }) => renewSession(services, session),
  sandbox: async (services, { session: { row }, form }) => {
    await sandboxOf(services).play(row, form.get('scenario') ?? '', {});
    return undefined;
  },
  clock: async (services, { form }) => {
    await sandboxOf(services).advanceClock(parseDuration(form.get('advance') ?? '', 'advance'));
    return undefined;
  },
};

/** @returns the least and the most that a session may be about, BRL. */
export async function amountBounds(
  { database }: Services,
  { accountId, template }: PaymentSession['row'],
): Promise<{ min: string; max: string }> {
  const { amountMin, amountMax } = await readTemplateSettings(database, accountId, template);
  return { min: amountMin, max: amountMax };
}

function sandboxOf({ sandbox }: Services): Sandbox {
  if (!sandbox) throw notFound();
  return sandbox;
}
