/** What a page of a session is made from, and the words that all of its parts share. */

import { PAY_PATH } from '../resolvers/payer/pay-links.ts';
import type { PayerFacts } from '../resolvers/payer/payer-facts.ts';
import type { PaymentSession } from '../resolvers/payer/payment-session.ts';
import type { Scenario } from '../resolvers/services/sandbox.ts';
import { type Html, html } from '../ui/html.ts';
import type { Language } from '../ui/language.ts';
import type { Say, Word } from './words.ts';

/** What was sent with a form that was not taken: values by field, and what is wrong with each. */
export interface FormState {
  readonly values: Readonly<Record<string, string>>;
  readonly wrong: Readonly<Record<string, string>>;
}

/** A session as it is shown. */
export interface SessionPage {
  readonly token: string;
  readonly language: Language;
  /** Whether the language was asked for by the query, so that forms and links keep asking for it. */
  readonly isLanguageAsked: boolean;
  readonly say: Say;
  readonly session: PaymentSession;
  readonly facts: PayerFacts;
  /** Bounds of an amount that is asked for, as they are shown. */
  readonly range: { readonly min: string; readonly max: string } | null;
  readonly form: FormState;
  /** Something to say about the last request. */
  readonly notice: string | null;
  /** Scenarios of the sandbox; null on pages of live accounts. */
  readonly scenarios: readonly Scenario[] | null;
}

/** @returns the path of the session's page, or of an act on it. */
export function pathOf(
  { token, language, isLanguageAsked }: Pick<SessionPage, 'token' | 'language' | 'isLanguageAsked'>,
  act?: string,
): string {
  const path = `${PAY_PATH}/${token}${act ? `/${act}` : ''}`;
  return isLanguageAsked ? `${path}?lang=${language}` : path;
}

/** @returns a term and what it is; nothing where it is not known. */
export function row(term: string, value: string | Html | null | undefined): Html | null {
  return value === null || value === undefined || value === ''
    ? null
    : html`<div><dt>${term}</dt><dd>${value}</dd></div>`;
}

/** A field of a form. */
export interface Field {
  readonly name: string;
  readonly label: Word;
  readonly hint?: string;
  readonly inputmode?: 'decimal' | 'text';
  readonly autocomplete?: string;
}

/** @returns a field with its label, its hint, and what is wrong with it. */
export function field({ say, form }: SessionPage, { name, label, hint, ...traits }: Field): Html {
  const wrong = form.wrong[name];
  const described = [hint && `${name}-hint`, wrong && `${name}-wrong`].filter(Boolean).join(' ');
  return html`<p class="field"><label for="${name}">${say(label)}</label>
${hint && html`<small id="${name}-hint">${hint}</small>`}
<input id="${name}" name="${name}" value="${form.values[name] ?? ''}" required maxlength="140" inputmode="${traits.inputmode ?? 'text'}" autocomplete="${traits.autocomplete ?? 'off'}"${described && html` aria-describedby="${described}"`}${wrong && html` aria-invalid="true"`}>
${wrong && html`<small class="wrong" id="${name}-wrong">${wrong}</small>`}</p>`;
}

/** @returns a form of one button, and of what stands before it. */
export function form(page: SessionPage, act: string, button: string, content?: Html, kind = ''): Html {
  return html`<form method="post" action="${pathOf(page, act)}">${content}<button class="${kind}">${button}</button></form>`;
}
