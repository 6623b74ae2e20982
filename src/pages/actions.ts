/** Actions of payers by the forms of the pages: each calls the same use case as the API. */
import type { ActionName } from '../base/access/actions.ts';
import { invalidParameters, notFound } from '../base/errors/errors.ts';
import { BRL } from '../base/money/currency.ts';
import { amountProblem, checksOf } from '../resolvers/checks/check-creation.ts';
import { enterAmount } from '../resolvers/orders/enter-amount.ts';
import {
  acceptQuote,
  confirmIdentity,
  provideIdentity,
  resolveDeposit,
} from '../resolvers/orders/transaction-actions.ts';
import { type PaymentSession, payerContext } from '../resolvers/payer/payment-session.ts';
import { requestReceipt } from '../resolvers/payer/receipt-request.ts';
import { renewSession } from '../resolvers/payer/renew-session.ts';
import { isOutOfBounds } from '../resolvers/pricing/price.ts';
import { playScenario } from '../resolvers/sandbox/play-sandbox.ts';
import type { Origin, Services } from '../resolvers/services/context.ts';
import { readTemplateSettings } from '../store/engine/pricing.ts';
import { readBrl } from '../ui/figures.ts';
import type { Language } from '../ui/language.ts';

/** A form that was sent. */
export interface Sent {
  readonly session: PaymentSession;
  readonly form: URLSearchParams;
  readonly language: Language;
  readonly origin: Origin;
}

/**
 * Performs the action of a form.
 * @returns the token of the new session, if the reader continues with another one.
 * @throws {GatewayError} of the use case; `NOT_FOUND` for an unknown action.
 */
export type Action = (services: Services, sent: Sent) => Promise<string | undefined>;

/** The session continues after most actions. */
function stays(perform: (services: Services, sent: Sent) => Promise<unknown>): Action {
  return async (services, sent) => {
    await perform(services, sent);
    return undefined;
  };
}

/** More decimals than cents: a thousand in the other language, as `1,000` in Portuguese. */
const TOO_FINE = /\.\d{3}/;

/** The actions, by the last part of their path. */
export const ACTIONS = {
  amount: stays(async (services, { session: { row }, form, language, origin }) => {
    const value = readBrl(form.get('amount') ?? '', language);
    const bounds = await readTemplateSettings(services.database, row.accountId, row.template);
    if (TOO_FINE.test(value) || amountProblem(value, BRL) || isOutOfBounds(value, bounds)) {
      const message = `must be from ${bounds.amountMin} to ${bounds.amountMax}`;
      throw invalidParameters([{ parameter: 'amount', message }]);
    }
    await enterAmount(payerContext(services, row, 'create', origin), row, { name: 'amount', value });
  }),
  identity: stays(async (services, { session: { row }, form, origin }) => {
    const field = (name: string) => ({ name, value: form.get(name) ?? '' });
    const payout = row.targetCurrency === BRL.code && {
      pixKey: field('pixKey'),
      pixKeyType: field('pixKeyType'),
    };
    const identity = { clientName: field('name'), clientTaxId: field('taxId'), ...payout };
    await provideIdentity(payerContext(services, row, 'create', origin), row, identity, checksOf(services));
  }),
  confirm: stays((services, { session: { row }, origin }) =>
    confirmIdentity(payerContext(services, row, 'create', origin), row),
  ),
  accept: stays((services, { session: { row }, origin }) =>
    acceptQuote(payerContext(services, row, 'create', origin), row),
  ),
  requote: stays((services, { session: { row }, origin }) =>
    resolveDeposit(
      payerContext(services, row, 'move', origin),
      row,
      'requote',
      undefined,
      checksOf(services),
    ),
  ),
  refund: stays(async (services, { session: { row }, form, origin }) => {
    if (form.get('mine') !== 'yes')
      throw invalidParameters([{ parameter: 'mine', message: 'must be confirmed' }]);
    // Refunds go to the sending address only: a holder of the link could otherwise name an address of their own.
    await resolveDeposit(
      payerContext(services, row, 'move', origin),
      row,
      'refund',
      undefined,
      checksOf(services),
    );
  }),
  email: stays((services, { session, form, language }) =>
    requestReceipt(services, session, { name: 'email', value: form.get('email') ?? '' }, language),
  ),
  renew: (services, { session, origin }) => renewSession(services, session, origin),
  sandbox: stays((services, { session: { row }, form, origin }) => {
    if (!services.sandbox) throw notFound();
    const input = { scenario: form.get('scenario') ?? '', end2end: row.end2end };
    return playScenario(payerContext(services, row, 'create', origin), input);
  }),
} as const satisfies Readonly<Record<string, Action>>;

/**
 * The actions of these forms in the audit log; renewing a session is a creation of its family, and a request for a
 * receipt is no action.
 */
export const PAGE_ACTIONS: Readonly<Record<keyof typeof ACTIONS, readonly ActionName[]>> = {
  amount: ['transaction.enter_amount'],
  identity: ['transaction.provide_identity'],
  confirm: ['transaction.confirm_identity'],
  accept: ['transaction.accept_quote'],
  requote: ['deposit.resolve'],
  refund: ['deposit.resolve'],
  email: [],
  renew: ['checkout.create', 'onramp.create', 'offramp.create'],
  sandbox: ['sandbox.trigger'],
};
