/**
 * BR Codes, the text behind a PIX QR code and behind "Pix copia e cola" (BR Code manual and Pix initiation
 * standards, BACEN, on EMV QRCPS merchant-presented mode): objects of a 2-digit id, a 2-digit length and a
 * value, a CRC last.
 */
import { toMinor } from '../money/money.ts';

/** A code with a PIX key; payers can pay it any number of times. */
export interface StaticBrCode {
  /** Canonical PIX key, 1 to 77 printable ASCII characters. */
  readonly key: string;
  /** Free text for the payer. */
  readonly description?: string | undefined;
  /** BRL, above zero, below ten billion; without it the payer enters one. */
  readonly amount?: string | undefined;
  readonly merchantName: string;
  readonly merchantCity: string;
  /** 1 to 25 letters and digits. */
  readonly txid?: string | undefined;
}

/** A code with the URL of the charge, from which the payer's bank fetches amount and txid. */
export interface DynamicBrCode {
  /** Host and path without a scheme, at most 77 characters. */
  readonly url: string;
  readonly merchantName: string;
  readonly merchantCity: string;
}

/** Content of a BR Code. An amount has exactly two decimals. */
export type BrCode =
  | ({ readonly kind: 'static' } & StaticBrCode)
  | ({ readonly kind: 'dynamic' } & DynamicBrCode);

type Fields = ReadonlyMap<string, string>;

const GUI = 'br.gov.bcb.pix';
const GUI_FIELD = field('00', GUI);
const NO_TXID = '***';
/** `pixCopiaECola` of BACEN's API Pix; EMV QRCPS has the same bound. */
const LENGTH_MAX = 512;
const FIELD_MAX = 99;
/** An id and a length. */
const HEADER_LENGTH = 4;
const CRC_LENGTH = 4;
const NAME_MAX = 25;
const CITY_MAX = 15;
const DESCRIPTION_MAX = 72;
/** Object 54 has at most 13 characters: ten digits, the point, two decimals. */
const AMOUNT_LIMIT = 10n ** 12n;

const HEADER = /^\d{4}$/;
const PRINTABLE = /^[ -~]+$/;
const KEY = /^[!-~]{1,77}$/;
const URL_FORM = /^(?=.{1,77}$)[a-z0-9][a-z0-9-]*(?:\.[a-z0-9-]+)+(?:\/[!-~]*)?$/i;
const TXID = /^[A-Za-z0-9]{1,25}$/;
/** EMV QRCPS 4.7.4: fewer decimals are allowed, and a point at the end. */
const WIRE_AMOUNT = /^(\d{1,10})(?:\.(\d{0,2}))?$/;

/**
 * Writes a static BR Code. Name, city and description are folded to ASCII and cut to 25, 15 and what remains
 * of the template's 99 characters, at most 72: they only inform, and the payer's bank shows the name from the
 * directory.
 *
 * @throws {RangeError} when key, amount or txid has another form, or name or city has no ASCII character.
 */
export function staticBrCode(code: StaticBrCode): string {
  if (!KEY.test(code.key)) throw new RangeError('expected a PIX key of 1 to 77 characters');
  if (code.txid !== undefined && !TXID.test(code.txid)) {
    throw new RangeError('expected a txid of 1 to 25 letters and digits');
  }
  const target = GUI_FIELD + field('01', code.key);
  const room = Math.min(DESCRIPTION_MAX, FIELD_MAX - target.length - HEADER_LENGTH);
  const template = target + field('02', foldToAscii(code.description ?? '', Math.max(0, room)));
  const amount = code.amount === undefined ? '' : writeAmount(code.amount);
  return assemble('', template, amount, code, code.txid ?? NO_TXID);
}

/**
 * Writes a dynamic BR Code for one payment. Name and city are treated as in a static code; amount and txid are at the
 * URL, as the Pix initiation standards require.
 * @throws {RangeError} when the URL has a scheme, no host with a dot, or more than 77 characters, or name or city has
 * no ASCII character.
 */
export function dynamicBrCode(code: DynamicBrCode): string {
  if (!URL_FORM.test(code.url)) {
    throw new RangeError('expected a URL without scheme, at most 77 characters');
  }
  return assemble(field('01', '12'), GUI_FIELD + field('25', code.url), '', code, NO_TXID);
}

/**
 * Reads a BR Code of PIX. Other templates, such as that of a recurrence (ids 80 to 99), are skipped, and so are amount
 * and txid of a dynamic code, because those at its URL apply. Names longer than a writer may use are accepted.
 * @returns undefined when the objects are malformed, repeated or missing, the CRC is wrong or in lower case, a
 * character is not printable ASCII (writers would count the length of others differently), or the code is for
 * withdrawing cash.
 */
export function decodeBrCode(text: string): BrCode | undefined {
  if (text.length > LENGTH_MAX || !PRINTABLE.test(text)) return undefined;
  const fields = parseFields(text);
  if (!fields || !isSealed(text, fields) || !isOfBrazil(fields)) return undefined;
  const template = pixTemplate(fields);
  const additional = parseFields(fields.get('62') ?? '');
  const merchantName = fields.get('59');
  const merchantCity = fields.get('60');
  if (!template || !additional || merchantName === undefined || merchantCity === undefined) return undefined;
  const target = readUrl(template) ?? readKey(template, fields.get('54'), additional.get('05'));
  return target && { ...target, merchantName, merchantCity };
}

/**
 * CRC-16/CCITT-FALSE (BR Code manual): polynomial 0x1021, initial 0xFFFF, neither reflected nor inverted at the end.
 *
 * @param text - ASCII; for a BR Code everything up to and including `6304`.
 * @returns four upper-case hexadecimal digits.
 */
export function crc16(text: string): string {
  let crc = 0xffff;
  for (let at = 0; at < text.length; at++) {
    crc ^= text.charCodeAt(at) << 8;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1) & 0xffff;
  }
  return crc.toString(16).toUpperCase().padStart(4, '0');
}

function assemble(
  initiation: string,
  template: string,
  amount: string,
  merchant: { readonly merchantName: string; readonly merchantCity: string },
  txid: string,
): string {
  const name = foldToAscii(merchant.merchantName, NAME_MAX);
  const city = foldToAscii(merchant.merchantCity, CITY_MAX);
  if (!name || !city) throw new RangeError('expected a merchant name and city with ASCII letters');
  const head = `000201${initiation}${field('26', template)}520400005303986${field('54', amount)}5802BR`;
  const body = `${head}${field('59', name)}${field('60', city)}${field('62', field('05', txid))}6304`;
  return body + crc16(body);
}

/** An object, or an empty text for an empty value: no object may be empty (EMV QRCPS). */
function field(id: string, value: string): string {
  return value && id + String(value.length).padStart(2, '0') + value;
}

/** @returns a name in the form for codes: letters without accents, at most 25; empty if it has no such letter. */
export function asciiOf(name: string): string {
  return foldToAscii(name, NAME_MAX);
}

/** Removes accents and all other characters outside of ASCII; a run of spaces becomes one. */
function foldToAscii(text: string, max: number): string {
  const ascii = text
    .normalize('NFD')
    .replace(/\s/g, ' ')
    .replace(/[^ -~]/g, '');
  return ascii.replace(/ {2,}/g, ' ').trim().slice(0, max).trim();
}

function writeAmount(amount: string): string {
  const cents = toMinor(amount, 2);
  if (cents > 0n && cents < AMOUNT_LIMIT) return twoDecimals(cents);
  throw new RangeError('expected an amount above zero and below ten billion');
}

function twoDecimals(cents: bigint): string {
  const digits = String(cents).padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** Also refuses a repeated id: two readers could choose different objects. */
function parseFields(text: string): Fields | undefined {
  const fields = new Map<string, string>();
  for (let at = 0; at < text.length; ) {
    const header = text.slice(at, at + HEADER_LENGTH);
    if (!HEADER.test(header)) return undefined;
    const id = header.slice(0, 2);
    const start = at + HEADER_LENGTH;
    at = start + Number(header.slice(2));
    if (at === start || at > text.length || fields.has(id)) return undefined;
    fields.set(id, text.slice(start, at));
  }
  return fields;
}

/** Checks that the format indicator is first, and that the CRC is last and right. */
function isSealed(text: string, fields: Fields): boolean {
  const [lastId, crc] = [...fields].at(-1) ?? [];
  return text.startsWith('000201') && lastId === '63' && crc === crc16(text.slice(0, -CRC_LENGTH));
}

function isOfBrazil(fields: Fields): boolean {
  const text = (id: string) => fields.get(id) ?? '';
  const isForm = /^(?:1[12])?$/.test(text('01')) && /^\d{4}$/.test(text('52'));
  return isForm && text('53') === '986' && text('58') === 'BR';
}

/** The only template of ids 26 to 51 for PIX; other payment arrangements may have theirs in the same code. */
function pixTemplate(fields: Fields): Fields | undefined {
  const templates = [...fields]
    .filter(([id]) => id >= '26' && id <= '51')
    .map(([, value]) => parseFields(value))
    .filter((template) => template?.get('00')?.toLowerCase() === GUI);
  return templates.length === 1 ? templates[0] : undefined;
}

function readUrl(template: Fields): { kind: 'dynamic'; url: string } | undefined {
  const url = template.get('25');
  if (url === undefined || template.has('01') || !URL_FORM.test(url)) return undefined;
  return { kind: 'dynamic', url };
}

function readKey(
  template: Fields,
  amountText: string | undefined,
  txid = NO_TXID,
): ({ kind: 'static' } & Omit<StaticBrCode, 'merchantName' | 'merchantCity'>) | undefined {
  const key = template.get('01') ?? '';
  // Object 03 names the party that pays out cash: treating such a code as a payment would pay for nothing.
  if (!KEY.test(key) || template.has('25') || template.has('03')) return undefined;
  const amount = readAmount(amountText);
  if (amount === undefined || (txid !== NO_TXID && !TXID.test(txid))) return undefined;
  const description = template.get('02');
  return {
    kind: 'static',
    key,
    ...(description !== undefined && { description }),
    ...(amount !== '' && { amount }),
    ...(txid !== NO_TXID && { txid }),
  };
}

/** @returns two decimals; empty without an amount; undefined if it is malformed or zero (EMV QRCPS 4.7.4). */
function readAmount(text: string | undefined): string | undefined {
  if (text === undefined) return '';
  const [, whole, decimals = ''] = WIRE_AMOUNT.exec(text) ?? [];
  const cents = whole === undefined ? 0n : BigInt(whole + decimals.padEnd(2, '0'));
  return cents === 0n ? undefined : twoDecimals(cents);
}
