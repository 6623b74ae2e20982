/** Messages of a session's page: finds the message of a step and fills in amounts and names. */
import { BRL, networkTitle } from '../base/money/currency.ts';
import type { Label } from '../base/text/label.ts';
import type { PayerFacts } from '../resolvers/payer/payer-facts.ts';
import type { PaymentSession } from '../resolvers/payer/payment-session.ts';
import type { Step } from '../templates/define.ts';
import { excessMessageOf, messageOf, reasonOf } from '../templates/messages/find.ts';
import type { Flow, StepMessage } from '../templates/messages/message.ts';
import { showAmount } from '../ui/figures.ts';
import type { Language } from '../ui/language.ts';
import { fillIn } from '../ui/translate.ts';

/** Message about the state of a transaction. */
export interface PayerMessage extends Pick<StepMessage, 'tone' | 'sign'> {
  readonly title: string;
  readonly why: string | null;
  readonly isQuiet: boolean;
}

/** Data that the message needs. */
export interface MessageParts {
  readonly session: Pick<PaymentSession, 'row' | 'step' | 'template' | 'branding'>;
  readonly facts: PayerFacts;
  readonly language: Language;
}

/** @returns the direction of a transaction's money. */
export function flowOf({ target, wallet }: Pick<PayerFacts, 'target' | 'wallet'>): Flow {
  if (target === BRL) return 'payee';
  return wallet === null ? 'shop' : 'wallet';
}

/** @returns the message about the state of a transaction. */
export function payerMessageOf(parts: MessageParts): PayerMessage {
  const { session, facts, language } = parts;
  const { step, row } = session;
  const flow = flowOf(facts);
  const message = excessMessage(step, facts) ?? messageOf(step, flow) ?? plainly(step);
  const values = valuesOf(parts);
  const why = message.why ?? (row.errorEn === '' ? undefined : published(session));
  return {
    tone: message.tone,
    sign: message.sign,
    title: fillIn(message.title[language], values),
    why: why ? fillIn(why[language], values) : null,
    isQuiet: message.isQuiet === true,
  };
}

/** Fallback for a step without a text of its own: its message. */
function plainly({ message }: Step): StepMessage {
  return { tone: 'idle', sign: 'clock', title: message };
}

/** Reason for a refund: from the step that decided it, otherwise as published (C-31). */
function published({ row, template }: MessageParts['session']): Label {
  return reasonOf(template, row.errorEn) ?? { en: row.errorEn, pt: row.errorPt };
}

/** The excess over the price is being refunded, or was refunded. */
function excessMessage(step: Step, { excess, returns }: PayerFacts): StepMessage | undefined {
  const back = returns.find(({ kind }) => kind === 'excess');
  if (excess === null && !back) return undefined;
  return excessMessageOf(step, back?.isDone === true);
}

/** @returns the amount that is being or was returned to the payer; the whole payment if nothing else is known. */
export function backOf({ returns, amountReturned, amountPaid, amountPayment }: PayerFacts): string | null {
  return returns.length > 0 ? amountReturned : (amountPaid ?? amountPayment);
}

function valuesOf({ session, facts, language }: MessageParts): Record<string, string> {
  const { source, target } = facts;
  const amount = (text: string | null, currency = BRL) =>
    text === null ? label(language) : showAmount(text, currency, language);
  const taxId = session.row.clientTaxId ?? '';
  return {
    merchant: session.branding.displayName,
    paid: amount(facts.amountPaid ?? facts.amountPayment, source),
    price: amount(facts.amountPayment, source),
    back: amount(backOf(facts), source),
    excess: amount(facts.excess),
    received: amount(facts.amountReceived, target),
    name: facts.clientName ?? (language === 'pt' ? 'o destinatário' : 'the recipient'),
    document: taxId.length > 11 ? 'CNPJ' : 'CPF',
    asset: source.asset,
    network: networkTitle(source),
  };
}

/** Placeholder of an unknown amount. */
function label(language: Language): string {
  return language === 'pt' ? 'o valor' : 'the amount';
}
