/** Data of a session's page, and helpers for all of its parts. */
import { PAY_PATH } from '../base/pages/pay-links.ts';
import type { PayerFacts } from '../resolvers/payer/payer-facts.ts';
import type { PaymentSession } from '../resolvers/payer/payment-session.ts';
import type { ReceiptOffer } from '../resolvers/payer/receipt-request.ts';
import type { PossibleScenarios } from '../resolvers/services/sandbox.ts';
import { FAMILY_TRAITS } from '../templates/families.ts';
import { field as fieldFrame } from '../ui/field.ts';
import { attributes, type Html, type HtmlValue, html } from '../ui/html.ts';
import type { Language } from '../ui/language.ts';
import type { Translate, Word } from './words.ts';

/** Content of a rejected form: values by field, and the error of each. */
export interface FormState {
  readonly values: Readonly<Record<string, string>>;
  readonly wrong: Readonly<Record<string, string>>;
}

/** A session in the form for display. */
export interface SessionPage {
  readonly token: string;
  readonly language: Language;
  /** Whether the query names the language; then forms and links name it, too. */
  readonly isLanguageChosen: boolean;
  readonly translate: Translate;
  readonly session: PaymentSession;
  readonly facts: PayerFacts;
  /** Bounds of a requested amount, in the form for display. */
  readonly range: { readonly min: string; readonly max: string } | null;
  readonly form: FormState;
  /** Message about the last request. */
  readonly notice: string | null;
  /** Scenarios of the sandbox that are possible; null on pages of live accounts. */
  readonly scenarios: PossibleScenarios | null;
  /** Offer of a receipt by e-mail; null if none is offered. */
  readonly receiptOffer: ReceiptOffer | null;
}

/** Data for texts about a payment. */
export type PaymentFacts = Pick<SessionPage, 'translate' | 'facts' | 'session' | 'language'>;

/** Last part of the path that leads to the identity check. */
export const VERIFY = 'verify';
/** Last part of the path of the form for a receipt by e-mail. */
export const EMAIL = 'email';

/** @returns the path of the session's page, or of an action on it. */
export function pathOf(
  { token, language, isLanguageChosen }: Pick<SessionPage, 'token' | 'language' | 'isLanguageChosen'>,
  action?: string,
): string {
  const path = `${PAY_PATH}/${token}${action ? `/${action}` : ''}`;
  return isLanguageChosen ? `${path}?lang=${language}` : path;
}

/**
 * @returns whether rate and fees are shown: they are hidden from a payer of a shop, unless the shop shows them or the
 * payer has to accept them.
 */
export function showsPrice({ session }: Pick<SessionPage, 'session'>): boolean {
  const { branding, template, ask: prompt } = session;
  return branding.showsPrice || prompt === 'quote' || !FAMILY_TRAITS[template.family].paysShop;
}

/** @returns the subject of the payment, in a few words: purpose of the link, and number of the order. */
export function orderOf({
  translate,
  session,
  facts,
}: Pick<SessionPage, 'translate' | 'session' | 'facts'>): string | null {
  const { orderReference: reference } = facts;
  const parts = [session.linkName, reference && translate('orderNumber', { reference })];
  return parts.filter(Boolean).join(' · ') || null;
}

/** A field of a form. */
export interface Field {
  readonly name: string;
  readonly label: Word;
  readonly hint?: string;
  readonly inputmode?: 'decimal' | 'text' | 'email';
  readonly autocomplete?: string;
  readonly maxlength?: number;
}

/** @returns a field with its label, its hint and its error. The first field with an error has the focus. */
export function field({ translate, form }: SessionPage, { name, label, hint, ...traits }: Field): Html {
  return fieldFrame({
    name,
    label: translate(label),
    hint,
    wrong: form.wrong[name],
    value: form.values[name],
    attributes: {
      required: true,
      maxlength: traits.maxlength ?? 140,
      inputmode: traits.inputmode ?? 'text',
      autocomplete: traits.autocomplete ?? 'off',
      autofocus: Object.keys(form.wrong)[0] === name,
    },
  });
}

/** @returns a form with one button, and the content above it. */
export function form(
  page: SessionPage,
  action: string,
  button: string,
  content?: HtmlValue,
  style = 'primary big full',
): Html {
  return html`<form class="stack" method="post" action="${pathOf(page, action)}">${content}<button${attributes({ class: style || null })}>${button}</button></form>`;
}
