/**
 * Exact decimals as text and as minor units. No code in this file or in the layers above converts money to a binary
 * float.
 */

const DECIMAL = /^-?(0|[1-9]\d*)(\.\d+)?$/;
const JSON_NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,4}))?$/;

/** @returns whether the text is a plain decimal: digits, at most one point, no exponent, no leading zeros. */
export function isDecimal(text: string): boolean {
  return DECIMAL.test(text);
}

const BLANKS = /[\s\p{Cf}]+/gu;
const REAIS = /^R\$|R\$$/i;

/**
 * @returns the text without characters that people paste around and inside an amount: blanks, zero-width characters, `R$`.
 */
export function plainAmount(text: string): string {
  return text.replace(BLANKS, '').replace(REAIS, '');
}

/**
 * Returns the shortest text of the same number: no trailing zeros, no trailing point, no negative zero.
 * @param text - a plain decimal, as PostgreSQL prints `numeric`.
 */
export function trimDecimal(text: string): string {
  const point = text.indexOf('.');
  if (point < 0) return text === '-0' ? '0' : text;
  let end = text.length;
  while (text.charCodeAt(end - 1) === 48) end--;
  if (end - 1 === point) end--;
  const trimmed = text.slice(0, end);
  return trimmed === '-0' ? '0' : trimmed;
}

/**
 * Writes a JSON number token out as a plain decimal: `1.5e-7` becomes `0.00000015`.
 *
 * @throws {RangeError} when the token is not a JSON number or has an exponent beyond ±9999.
 */
export function expandNumber(token: string): string {
  const parts = JSON_NUMBER.exec(token);
  if (!parts) throw new RangeError(`expected a number, got ${token.slice(0, 40)}`);
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = parts;
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  const padded = point <= 0 ? '0'.repeat(1 - point) + digits : digits.padEnd(point, '0');
  const at = Math.max(point, 1);
  const integer = padded.slice(0, at).replace(/^0+(?=\d)/, '');
  const text = padded.length > at ? `${integer}.${padded.slice(at)}` : integer;
  return trimDecimal(sign + text);
}

/**
 * @param text - a plain decimal.
 * @param scale - decimals of the minor unit, 0..18.
 * @returns the amount in minor units.
 * @throws {RangeError} when the amount has more decimals than the unit: it is never rounded.
 */
export function toMinor(text: string, scale: number): bigint {
  if (!isDecimal(text)) throw new RangeError(`expected a decimal number, got ${text.slice(0, 40)}`);
  const trimmed = trimDecimal(text);
  const point = trimmed.indexOf('.');
  const fraction = point < 0 ? '' : trimmed.slice(point + 1);
  if (fraction.length > scale) throw new RangeError(`${trimmed} has more than ${scale} decimals`);
  const whole = point < 0 ? trimmed : trimmed.slice(0, point);
  return BigInt(whole + fraction.padEnd(scale, '0'));
}

/** @returns the amount as a plain decimal without trailing zeros. */
export function fromMinor(minor: bigint | string, scale: number): string {
  const text = String(minor);
  if (scale === 0) return text;
  const negative = text.startsWith('-');
  const digits = (negative ? text.slice(1) : text).padStart(scale + 1, '0');
  const decimal = trimDecimal(`${digits.slice(0, -scale)}.${digits.slice(-scale)}`);
  return negative && decimal !== '0' ? `-${decimal}` : decimal;
}

/**
 * Rounds to the given number of decimals, halves away from zero.
 *
 * @param text - a plain decimal.
 * @param decimals - 0..18.
 */
export function roundHalfUp(text: string, decimals: number): string {
  const point = text.indexOf('.');
  const scale = point < 0 ? 0 : text.length - point - 1;
  if (scale <= decimals) return trimDecimal(text);
  const minor = toMinor(text, scale);
  const unit = 10n ** BigInt(scale - decimals);
  const magnitude = minor < 0n ? -minor : minor;
  const rounded = (magnitude + unit / 2n) / unit;
  return fromMinor(minor < 0n ? -rounded : rounded, decimals);
}

/** @returns the exact product of two plain decimals. */
export function multiply(left: string, right: string): string {
  const leftScale = decimalsOf(left);
  const rightScale = decimalsOf(right);
  return fromMinor(toMinor(left, leftScale) * toMinor(right, rightScale), leftScale + rightScale);
}

/**
 * @returns the quotient of two plain decimals, neither negative, to the given number of decimals, rounded half up; the
 * divisor is above zero.
 */
export function divide(left: string, right: string, decimals: number): string {
  const [leftScale, rightScale] = [decimalsOf(left), decimalsOf(right)];
  const dividend = toMinor(left, leftScale) * 10n ** BigInt(rightScale + decimals);
  const divisor = toMinor(right, rightScale) * 10n ** BigInt(leftScale);
  return fromMinor((2n * dividend + divisor) / (2n * divisor), decimals);
}

/** @returns the exact sum of plain decimals; `0` for an empty list. */
export function sum(texts: readonly string[]): string {
  const scale = Math.max(0, ...texts.map(decimalsOf));
  return fromMinor(
    texts.reduce((total, text) => total + toMinor(text, scale), 0n),
    scale,
  );
}

/** @returns whether the first plain decimal is greater than the second. */
export function isMore(left: string, right: string): boolean {
  const scale = Math.max(decimalsOf(left), decimalsOf(right));
  return toMinor(left, scale) > toMinor(right, scale);
}

/** @returns the amount with at least the given number of decimals: `100.010000` rather than `100.01`. */
export function withDecimals(amount: string, decimals: number): string {
  const missing = decimals - decimalsOf(amount);
  if (missing <= 0) return amount;
  return (decimalsOf(amount) === 0 ? `${amount}.` : amount) + '0'.repeat(missing);
}

function decimalsOf(text: string): number {
  const point = text.indexOf('.');
  return point < 0 ? 0 : text.length - point - 1;
}
