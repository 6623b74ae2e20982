/**
 * Brazilian tax ids: the CPF of a person and the CNPJ of a company, numeric or, since July 2026, alphanumeric (IN RFB
 * 2.229/2024). Tax ids are text everywhere: a number would lose leading zeros, and a CNPJ may contain letters.
 */

/** A tax id with correct check digits. */
export interface TaxId {
  readonly kind: 'cpf' | 'cnpj';
  /** 11 digits, or 12 of `[0-9A-Z]` and 2 digits: no punctuation, upper case. */
  readonly value: string;
}

/** Without punctuation. The pattern has no flags: with `i` and `u`, ſ would match S. */
const CPF_FORM = /^\d{11}$/;
const CNPJ_FORM = /^[0-9A-Za-z]{12}\d{2}$/;
/** Punctuation of the masks, blanks of any kind, dashes of any length, and characters without a width. */
const PUNCTUATION = /[./\s\p{Pd}\p{Cf}\u2212]/gu;
const ONE_DIGIT_ONLY = /^(\d)\1*$/;
/** Weights rise from 2 at the right: to the end of a CPF, to 9 and then from 2 again in a CNPJ. */
const HIGHEST_WEIGHT = { cpf: 11, cnpj: 9 } as const;

/**
 * Reads a CPF (`52998224725`, `529.982.247-25`) or a CNPJ (`12ABC34501DE35`, `12.ABC.345/01DE-35`), letters in either case.
 * Dots, dashes, slashes, blanks and zero-width characters are ignored, wherever they were pasted; digits outside of ASCII are
 * refused.
 *
 * @returns undefined when the text has another form or wrong check digits, or repeats one digit only:
 *   `00000000000` and its like pass the arithmetic, but were never issued.
 */
export function parseTaxId(text: string): TaxId | undefined {
  const taxId = readForm(text);
  if (!taxId || ONE_DIGIT_ONLY.test(taxId.value)) return undefined;
  const base = taxId.value.slice(0, -2);
  const first = checkDigit(base, HIGHEST_WEIGHT[taxId.kind]);
  const second = checkDigit(base + first, HIGHEST_WEIGHT[taxId.kind]);
  return taxId.value === `${base}${first}${second}` ? taxId : undefined;
}

/**
 * @param text - a tax id, with or without punctuation; wrong check digits are accepted, because imported history may
 * have them.
 * @returns the tax id with the whole mask, `529.982.247-25` or `12.ABC.345/01DE-35`; text of another form unchanged.
 */
export function formatTaxId(text: string): string {
  const taxId = readForm(text);
  return taxId ? punctuate(taxId) : text;
}

/**
 * @param text - see formatTaxId.
 * @returns the tax id without its first group and its check digits, `***.982.247-**` or `**.ABC.345/01DE-**`; `***` for
 * text of another form.
 */
export function maskTaxId(text: string): string {
  const taxId = readForm(text);
  if (!taxId) return '***';
  const masked = punctuate(taxId);
  const start = masked.indexOf('.');
  return `${'*'.repeat(start)}${masked.slice(start, -2)}**`;
}

/**
 * Reads a tax id of a provider, which may hide characters.
 *
 * @returns the text without punctuation, in capitals, each hidden character as `*`: `***.982.247-**`, `xxx982247xx` and
 *   `•••982247••` are `***982247**`. An X hides, unless the whole is a CNPJ with right check digits.
 */
export function readMaskedTaxId(text: string): string {
  const plain = plainTaxId(text).toUpperCase();
  return parseTaxId(plain)?.value ?? plain.replace(/[^0-9A-Z]|X/gu, '*');
}

/** @returns whether the result of `readMaskedTaxId` has hidden characters. */
export function isMaskedTaxId(text: string): boolean {
  return text.includes('*');
}

/**
 * @param shown - result of `readMaskedTaxId`.
 * @returns whether each visible character matches the tax id. A CPF in a field as long as a CNPJ begins with zeros.
 */
export function fitsTaxId(shown: string, taxId: string): boolean {
  const whole = taxId.padStart(shown.length, '0');
  return (
    shown.length === whole.length && [...shown].every((each, index) => each === '*' || each === whole[index])
  );
}

/**
 * @param shown - result of `readMaskedTaxId`.
 * @param expected - tax id of the expected person.
 * @returns the shown tax id; null for a mask that fits the expected one, because it also fits a thousand others.
 */
export function namedTaxId(shown: string | null, expected: string | null): string | null {
  if (shown === null || expected === null || !isMaskedTaxId(shown)) return shown;
  return fitsTaxId(shown, expected) ? null : shown;
}

/** Checks only the form: the value may have wrong check digits. */
function readForm(text: string): TaxId | undefined {
  const plain = plainTaxId(text);
  const kind = CPF_FORM.test(plain) ? 'cpf' : CNPJ_FORM.test(plain) ? 'cnpj' : undefined;
  return kind && { kind, value: plain.toUpperCase() };
}

/** @returns the text without characters that people write or paste around and inside a tax id. */
export function plainTaxId(text: string): string {
  return text.replace(PUNCTUATION, '');
}

function punctuate({ kind, value }: TaxId): string {
  const group = (from: number, to?: number) => value.slice(from, to);
  return kind === 'cpf'
    ? `${group(0, 3)}.${group(3, 6)}.${group(6, 9)}-${group(9)}`
    : `${group(0, 2)}.${group(2, 5)}.${group(5, 8)}/${group(8, 12)}-${group(12)}`;
}

/** Check digits modulo 11; a character is worth its ASCII code less 48, so A is 17 (IN RFB 2.229/2024). */
function checkDigit(base: string, highestWeight: number): number {
  let total = 0;
  for (let fromRight = 0; fromRight < base.length; fromRight++) {
    const worth = base.charCodeAt(base.length - 1 - fromRight) - 48;
    total += worth * (2 + (fromRight % (highestWeight - 1)));
  }
  const rest = total % 11;
  return rest < 2 ? 0 : 11 - rest;
}
