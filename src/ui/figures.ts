/**
 * Amounts in the notation of a language. Amounts are never rounded, and their decimal sign is that of the language.
 */
import { BRL, type Currency, networkTitle } from '../base/money/currency.ts';
import { plainAmount, trimDecimal } from '../base/money/money.ts';
import { type Language, TAGS } from './language.ts';

/** Maximum number of decimals of a rate. */
const DECIMALS_MAX = 20;

/** @returns an amount: BRL as `R$ 1.234,50`, crypto as `25,501537 USDT (TRON)`. */
export function showAmount(amount: string, currency: Currency, language: Language): string {
  if (currency === BRL) return showBrl(amount, language, 2);
  return `${showAsset(amount, currency, language)} (${networkTitle(currency)})`;
}

/** @returns an amount with the asset alone, for use next to the network. */
export function showAsset(amount: string, currency: Currency, language: Language): string {
  if (currency === BRL) return showBrl(amount, language, 2);
  return `${showDecimal(trimDecimal(amount), language)} ${currency.asset}`;
}

/**
 * @returns a decimal with every digit, for an amount that must be sent exactly (`service.md` 2.5). No digit groups: a
 * group could be mistaken for decimals.
 */
export function showDecimal(amount: string, language: Language): string {
  return language === 'pt' ? amount.replace('.', ',') : amount;
}

/** @returns an amount that must be sent exactly, with its asset. */
export function showExact(amount: string, { asset }: Currency, language: Language): string {
  return `${showDecimal(amount, language)} ${asset}`;
}

/** A decimal as amounts are published. */
const PLAIN = /^(-?)(\d{1,15})(?:\.(\d{1,20}))?$/;
const LEADING_ZEROS = /^0+(?=\d)/;
const GROUP_ENDS = /\B(?=(?:\d{3})+$)/g;
const MARKS: Readonly<Record<Language, readonly [group: string, decimal: string]>> = {
  en: [',', '.'],
  pt: ['.', ','],
};

/**
 * @returns a figure of a table: all digits in groups, without the currency, which its column or row names. A page has hundreds,
 * so plain decimals are formatted here: `Intl` takes ten times as long, and formats the others.
 */
export function showFigure(amount: string, language: Language, decimalsMin = 2): string {
  const plain = PLAIN.exec(amount);
  if (!plain) return formattedFigure(amount, language, decimalsMin);
  const [, sign = '', digits = '', written = ''] = plain;
  const [group, decimal] = MARKS[language];
  const whole = digits.replace(LEADING_ZEROS, '');
  const grouped = whole.length > 3 ? whole.replace(GROUP_ENDS, group) : whole;
  let end = written.length;
  while (end > decimalsMin && written[end - 1] === '0') end -= 1;
  const decimals = written.slice(0, end).padEnd(decimalsMin, '0');
  return decimals === '' ? `${sign}${grouped}` : `${sign}${grouped}${decimal}${decimals}`;
}

function formattedFigure(amount: string, language: Language, decimalsMin: number): string {
  const format = formatOf(
    `figure ${decimalsMin}`,
    language,
    () =>
      new Intl.NumberFormat(TAGS[language], {
        minimumFractionDigits: decimalsMin,
        maximumFractionDigits: DECIMALS_MAX,
      }),
  );
  return format.format(amount as Intl.StringNumericLiteral);
}

/** @returns a fraction as a percentage with every digit: `0.015` as `1.5%`. */
export function showPercent(fraction: string, language: Language): string {
  const format = formatOf(
    'percent',
    language,
    () => new Intl.NumberFormat(TAGS[language], { style: 'percent', maximumFractionDigits: DECIMALS_MAX }),
  );
  return format.format(fraction as Intl.StringNumericLiteral);
}

/** @returns the price of one unit of crypto. */
export function showRate(quote: string, { asset }: Currency, language: Language): string {
  return `1 ${asset} = ${showBrl(quote, language, DECIMALS_MAX)}`;
}

const PORTUGUESE = {
  grouped: /^\d{1,3}(\.\d{3})+(,\d*)?$/,
  read: (text: string) => text.replaceAll('.', '').replace(',', '.'),
};
const ENGLISH = {
  grouped: /^\d{1,3}(,\d{3})+(\.\d*)?$/,
  read: (text: string) => text.replaceAll(',', ''),
};

/**
 * @param text - BRL as a payer writes it: `1.234,50` in Portuguese, `1,234.50` in English, with or without `R$`.
 * @returns the decimal; the text itself if it cannot be one.
 */
export function readBrl(text: string, language: Language): string {
  const plain = plainAmount(text);
  const [own, other] =
    language === 'pt' ? ([PORTUGUESE, ENGLISH] as const) : ([ENGLISH, PORTUGUESE] as const);
  if (own.grouped.test(plain)) return own.read(plain);
  // Text with both separators has only one reading, in either language.
  return other.grouped.test(plain) && /,/.test(plain) && /\./.test(plain)
    ? other.read(plain)
    : plain.replace(',', '.');
}

function showBrl(amount: string, language: Language, decimalsMax: number): string {
  const format = formatOf(
    `brl ${decimalsMax}`,
    language,
    () =>
      new Intl.NumberFormat(TAGS[language], {
        style: 'currency',
        currency: 'BRL',
        minimumFractionDigits: 2,
        maximumFractionDigits: decimalsMax,
      }),
  );
  // A string is formatted as the decimal that it is, not as the nearest double.
  return format.format(amount as Intl.StringNumericLiteral);
}

const formats = new Map<string, Intl.NumberFormat>();

/** A format is slow to create, and is reused. */
function formatOf(name: string, language: Language, make: () => Intl.NumberFormat): Intl.NumberFormat {
  const key = `${name} ${language}`;
  const known = formats.get(key);
  if (known) return known;
  const made = make();
  formats.set(key, made);
  return made;
}
