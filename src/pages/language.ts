/** In which language a page speaks, and how it writes amounts and moments in it. Amounts are never rounded. */
import { BRL, type Currency } from '../base/currency.ts';
import { type Instant, isoMillis, millisOf } from '../base/instant.ts';
import type { Label } from '../base/label.ts';
import { trimDecimal } from '../base/money.ts';
import { type Html, html } from './html.ts';

/** A language that the pages have. */
export type Language = keyof Label;

/** Every language, as it calls itself. */
export const LANGUAGES: Readonly<Record<Language, string>> = { en: 'English', pt: 'Português' };
/** BCP 47 tags of the languages. */
export const TAGS: Readonly<Record<Language, string>> = { en: 'en', pt: 'pt-BR' };

/** As many decimals as a rate can have. */
const DECIMALS_MAX = 20;
/** Where PIX is paid: a page without script does not know where its reader is. */
const TIME_ZONE = 'America/Sao_Paulo';

/**
 * @param asked - `lang` of the query, where it was given.
 * @param accepted - the `Accept-Language` header.
 * @returns the language to speak; Portuguese where nothing says otherwise, as those who pay by PIX do.
 */
export function languageOf(asked: string | null, accepted: string | undefined): Language {
  if (asked !== null && isLanguage(asked)) return asked;
  const ranges = (accepted ?? '').split(',').map((range) => {
    const [tag = '', ...parameters] = range.trim().toLowerCase().split(';');
    const quality = parameters
      .find((each) => each.trim().startsWith('q='))
      ?.trim()
      .slice(2);
    return { language: tag.split('-')[0] ?? '', quality: Number(quality ?? 1) };
  });
  const best = ranges
    .filter(({ language, quality }) => isLanguage(language) && quality > 0)
    .sort((left, right) => right.quality - left.quality)[0];
  return (best?.language as Language | undefined) ?? 'pt';
}

/** @returns whether the pages have a language. */
export function isLanguage(text: string): text is Language {
  return Object.hasOwn(LANGUAGES, text);
}

/** @returns an amount: BRL as `R$ 1.234,50`, crypto digit for digit with its name. */
export function showAmount(amount: string, currency: Currency, language: Language): string {
  if (currency === BRL) return showBrl(amount, language, 2);
  return `${trimDecimal(amount)} ${currency.displayName}`;
}

/** @returns an amount that must be sent digit for digit, as it is (`service.md` 2.5). */
export function showExact(amount: string, { displayName }: Currency): string {
  return `${amount} ${displayName}`;
}

/** @returns what one unit of crypto costs. */
export function showRate(quote: string, { asset }: Currency, language: Language): string {
  return `1 ${asset} = ${showBrl(quote, language, DECIMALS_MAX)}`;
}

/** @returns a moment in Brazil's time, which it names. */
export function showMoment(instant: Instant, language: Language): Html {
  const text = new Intl.DateTimeFormat(TAGS[language], {
    timeZone: TIME_ZONE,
    dateStyle: 'medium',
    timeStyle: 'short',
  }).format(millisOf(instant));
  return html`<time datetime="${isoMillis(instant)}">${text} (Brasília)</time>`;
}

/**
 * @param text - BRL as a payer writes it: `1.234,50` in Portuguese, `1,234.50` in English, with or without `R$`.
 * @returns the decimal; the text itself where it cannot be one.
 */
export function readBrl(text: string, language: Language): string {
  const bare = text.replace(/^\s*R\$/i, '').replace(/\s/g, '');
  const [group, point] = language === 'pt' ? ['\\.', ','] : [',', '\\.'];
  const grouped = new RegExp(`^\\d{1,3}(${group}\\d{3})+(${point}\\d*)?$`);
  const plain = grouped.test(bare) ? bare.replace(new RegExp(group, 'g'), '') : bare;
  return plain.replace(',', '.');
}

function showBrl(amount: string, language: Language, decimalsMax: number): string {
  const format = new Intl.NumberFormat(TAGS[language], {
    style: 'currency',
    currency: 'BRL',
    minimumFractionDigits: 2,
    maximumFractionDigits: decimalsMax,
  });
  // A string is formatted as the decimal that it is, not as the nearest double.
  return format.format(amount as Intl.StringNumericLiteral);
}
