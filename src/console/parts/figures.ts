/** Amounts, times and states in the console's format. Amounts are never rounded. */
import { showDecimal, showFigure } from '../../ui/figures.ts';
import { type Html, html } from '../../ui/html.ts';
import type { Language } from '../../ui/language.ts';
import { badge, type Tone } from '../../ui/parts.ts';
import { type NearForm, nearText, type TimeForm, timeText } from '../../ui/times.ts';
import type { Awaited, TransactionStatus } from '../generated/graphql.ts';

/** A currency as the documents select it. */
export interface CurrencyShown {
  readonly code: string;
  readonly asset?: string;
  readonly displayName: string;
  readonly decimals: number;
}

/** An amount as the documents select it. */
export interface AmountShown {
  readonly amount: string;
  readonly currency: CurrencyShown;
}

/** A text in both languages, from GraphQL. */
export type LabelShown = Readonly<Record<Language, string>>;

/** The currency of the documents' bare amounts in BRL. */
export const BRL: CurrencyShown = { code: 'BRL', displayName: 'BRL', decimals: 2 };

/** @returns a decimal with separators of the language, and with at least all decimals of the currency. */
export function decimal(amount: string, decimals: number, language: Language): string {
  return showFigure(amount, language, decimals);
}

/** @returns an amount with its currency in one text. */
export function money({ amount, currency }: AmountShown, language: Language): string {
  const isBelow = amount.startsWith('-');
  const figures = decimal(isBelow ? amount.slice(1) : amount, currency.decimals, language);
  const sign = isBelow ? '-' : '';
  if (currency.code !== BRL.code) return `${sign}${figures}\u00a0${currency.displayName}`;
  return language === 'pt' ? `${sign}R$\u00a0${figures}` : `${sign}R$${figures}`;
}

/** @returns an amount in BRL in one text. */
export function inBrl(amount: string, language: Language): string {
  return money({ amount, currency: BRL }, language);
}

/** @returns an amount or a fraction as a field holds it; empty for none. */
export function heldAmount(amount: string | null | undefined, language: Language): string {
  return amount ? showDecimal(amount, language) : '';
}

/** @returns a figure of a column with all decimals of its currency; zero is faint. */
export function figure(amount: string, { decimals }: CurrencyShown, language: Language): Html {
  const isZero = !/[1-9]/.test(amount);
  return html`<span${isZero && html` class="soft"`}>${decimal(amount, decimals, language)}</span>`;
}

/** @returns whether an amount is in BRL. */
export function isBrl(amount: AmountShown | null | undefined): amount is AmountShown {
  return amount?.currency.code === BRL.code;
}

/** @returns an instant in Brasília time, in the format of lists. */
export function listTime(iso: string, language: Language, form: NearForm = 'minute'): Html {
  return html`<time datetime="${iso}">${nearText(Date.parse(iso), language, form)}</time>`;
}

/** @returns a time that the script shows relative to now. */
export function ago(iso: string, language: Language): Html {
  return html`<time datetime="${iso}" data-ago>${nearText(Date.parse(iso), language, 'minute')}</time>`;
}

/** @returns an instant with its year; `millis` are the milliseconds of its day. */
export function fullTime(iso: string, language: Language, form: TimeForm = 'moment'): Html {
  return html`<time datetime="${iso}">${timeText(Date.parse(iso), language, form)}</time>`;
}

const TONES: Readonly<Record<TransactionStatus, Tone>> = {
  CREATED: 'idle',
  PENDING: 'warn',
  PROCESSING: 'info',
  SUCCESS: 'good',
  PARTIAL_SUCCESS: 'warn',
  FAILED: 'bad',
  EXPIRED: 'idle',
  CANCELLED: 'idle',
  REFUNDED: 'warn',
  UNKNOWN: 'idle',
};
/** Every status, in the order in which a transaction can have them. */
export const STATUSES = Object.keys(TONES) as readonly TransactionStatus[];

/** A step as the documents select it. */
export interface StepShown {
  readonly statusCode: TransactionStatus;
  readonly awaits: Awaited | null;
  readonly headline: LabelShown;
}

/**
 * @returns the tone of a step; a step that waits for a decision needs attention, even after success, because of a
 * dispute.
 */
export function toneOf({ statusCode, awaits }: Omit<StepShown, 'headline'>): Tone {
  const isDecided = awaits === 'DECISION';
  if (statusCode === 'PENDING') return isDecided ? 'warn' : 'idle';
  return statusCode === 'SUCCESS' && isDecided ? 'warn' : TONES[statusCode];
}

/** @returns the status of a transaction as a badge with its step. */
export function statusBadge(shown: StepShown, language: Language, isAlone = false): Html {
  return badge(toneOf(shown), shown.headline[language], undefined, isAlone);
}
