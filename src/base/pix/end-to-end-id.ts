/**
 * Identifiers of PIX: the EndToEndId of a payment, that of a return, and the txid of a charge (BACEN, API Pix). The
 * `end2end` of this service is another identifier (end2end.ts).
 */
import { createHash } from 'node:crypto';
import { base62Of, randomBase62 } from '../access/api-key.ts';

/** Letter, ISPB of the issuing bank (alphanumeric since API Pix 2.9.0), UTC to the minute, 11 free characters. */
const FORM =
  /^[ED][0-9A-Z]{8}\d{4}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:[01]\d|2[0-3])[0-5]\d[A-Za-z0-9]{11}$/;
const FREE_LENGTH = 11;
/** `YYYY-MM-DDTHH:MM:SS.mmmZ`; years of more than four digits make it longer. */
const ISO_LENGTH = 24;
/** A charge of API Pix has an id of 26 to 35 characters; 32 of base62 are 190 bits. */
const TXID_LENGTH = 32;
const ORDER_NAME = /^[a-zA-Z0-9]{1,35}$/;

/** Issuer and time of an identifier. */
export interface Origin {
  /** 8 characters of `[0-9A-Z]` that name the bank in the Brazilian payments system. */
  readonly ispb: string;
  readonly at: Date;
}

/**
 * Checks only the form, so that identifiers of other banks pass: a 31st of February is accepted, and the time is not
 * compared with a clock.
 * @returns whether the text is the EndToEndId of a payment, `E…` of 32 characters.
 */
export function isEndToEndId(text: string): boolean {
  return text.startsWith('E') && FORM.test(text);
}

/** @returns whether the text is the EndToEndId of a return (`rtrId`), `D…` of 32 characters, by form only. */
export function isReturnId(text: string): boolean {
  return text.startsWith('D') && FORM.test(text);
}

/** @returns the time in the EndToEndId of a payment, to the minute; undefined for any other text. */
export function endToEndTime(text: string): Date | undefined {
  if (!isEndToEndId(text)) return undefined;
  return new Date(text.slice(9, 21).replace(/^(.{4})(..)(..)(..)(..)$/, '$1-$2-$3T$4:$5Z'));
}

/**
 * @returns a new EndToEndId of a payment, unlike any other.
 * @throws {RangeError} when the ISPB is invalid, or the year does not have four digits.
 */
export function newEndToEndId(origin: Origin): string {
  return identify('E', origin);
}

/**
 * @returns a new EndToEndId of a return, unlike any other.
 * @throws {RangeError} when the ISPB is invalid, or the year does not have four digits.
 */
export function newReturnId(origin: Origin): string {
  return identify('D', origin);
}

/**
 * @param cell - code of the cell of the order; empty for the first (`base/ids/cell.ts`).
 * @returns the txid of a charge, the code and 32 letters and digits: the same order always has the same txid, so no charge is
 * made twice.
 */
export function txidOf(orderKey: string, cell = ''): string {
  return cell + createHash('sha256').update(orderKey).digest('hex').slice(0, TXID_LENGTH);
}

/**
 * @returns the name of an order at a PIX provider: the key itself, or a name derived from it if the key is not 1 to 35
 * letters and digits.
 */
export function orderNameOf(key: string): string {
  return ORDER_NAME.test(key) ? key : txidOf(key);
}

/**
 * @returns a return id derived from a name: always the same for a name and time, so that a repeated order is the same
 * return.
 * @throws {RangeError} the error of `newReturnId`.
 */
export function returnIdOf(origin: Origin, name: string): string {
  const digest = createHash('sha256').update(name).digest();
  return identify('D', origin, base62Of(digest.subarray(0, FREE_LENGTH)));
}

function identify(letter: 'E' | 'D', { ispb, at }: Origin, free = randomBase62(FREE_LENGTH)): string {
  const iso = at.toISOString();
  const id = `${letter}${ispb}${iso.slice(0, 16).replace(/\D/g, '')}${free}`;
  if (iso.length !== ISO_LENGTH || !FORM.test(id)) {
    throw new RangeError(`expected an ISPB and a year of four digits, got ${ispb.slice(0, 40)} and ${iso}`);
  }
  return id;
}

const ANY_FORM = /[ED][0-9A-Z]{8}[0-9]{12}[0-9A-Za-z]{11}/;

/** @returns the first id of a payment or a return within a text. */
export function pixIdIn(text: string): string | undefined {
  const [found] = ANY_FORM.exec(text) ?? [];
  return found !== undefined && FORM.test(found) ? found : undefined;
}
