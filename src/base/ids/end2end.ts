/**
 * The service's own transaction id: `CRX` and a UUIDv7 (RFC 9562) in 26 characters of Crockford base32, so that ids sort as
 * text by the time they were made. The prefix and the length distinguish it from PIX's EndToEndId (C-7).
 */
import { randomBytes } from 'node:crypto';
import { assert } from '../errors/assert.ts';

const PREFIX = 'CRX';
const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const LENGTH = 26;
/** 48 bits of milliseconds, with the two zero bits on top that fill 130 bits. */
const TIME_LENGTH = 10;
const TIME_MAX = 2 ** 48 - 1;
/** Version 7 and variant 10 are visible at two positions: E or F is 0111x, 89AB and RSTV are x10xx. */
const FORM = /^CRX[0-7][0-9A-HJKMNP-TV-Z]{9}[EF][0-9A-HJKMNP-TV-Z]{2}[89ABRSTV][0-9A-HJKMNP-TV-Z]{12}$/;

const VERSION = 7n << 76n;
const VARIANT = 2n << 62n;
/** Of the 74 free bits 12 precede the variant, 62 follow it. */
const LOW_BITS = 62n;
const LOW_MASK = (1n << LOW_BITS) - 1n;
const TAIL_LIMIT = 1n << 74n;

/** The last id made in this process: its millisecond and its 74 free bits. */
let last = { time: -1, tail: 0n };

/**
 * Makes a new id for the time `at`, unlike any other. An id made later for the same millisecond sorts after; if the clock was
 * set back, ids still sort by the time they carry, which is never altered. Across processes ids of one millisecond have no
 * order.
 *
 * @throws {RangeError} when the time is before 1970 or after 10889.
 */
export function newEnd2end(at: Date): string {
  const time = at.getTime();
  if (!(time >= 0 && time <= TIME_MAX)) throw new RangeError('expected a time from 1970 to 10889');
  // Steps are random, too, so that the next id cannot be guessed from one (RFC 9562, 6.2, method 2).
  const tail = time === last.time ? last.tail + 1n + randomBits(4) : firstTail();
  assert(tail < TAIL_LIMIT, 'the free bits of one millisecond ran out');
  last = { time, tail };
  const uuid = (BigInt(time) << 80n) | VERSION | ((tail >> LOW_BITS) << 64n) | VARIANT | (tail & LOW_MASK);
  return PREFIX + toCrockford(uuid);
}

/** @returns whether the text is an id of this form: upper case, and none of the letters I, L, O, U. */
export function isEnd2end(text: string): boolean {
  return FORM.test(text);
}

/**
 * @returns the transaction of an order to a rail, by the order's key; undefined for orders of the house, such as
 * sweeps.
 */
export function end2endOfOrder(key: string): string | undefined {
  const end2end = key.slice(0, PREFIX.length + LENGTH);
  return isEnd2end(end2end) ? end2end : undefined;
}

/**
 * @returns the time of the id, to the millisecond.
 * @throws {RangeError} when the text is not an id of this form; imported history has others.
 */
export function end2endTime(text: string): Date {
  if (!isEnd2end(text)) throw new RangeError(`expected an end2end, got ${text.slice(0, 40)}`);
  let time = 0;
  for (const character of text.slice(PREFIX.length, PREFIX.length + TIME_LENGTH)) {
    time = time * 32 + CROCKFORD.indexOf(character);
  }
  return new Date(time);
}

/** Use of 72 of the 74 bits: the rest is room for counting, far beyond the number of ids in a millisecond. */
function firstTail(): bigint {
  return randomBits(9);
}

function randomBits(bytes: number): bigint {
  return BigInt(`0x${randomBytes(bytes).toString('hex')}`);
}

function toCrockford(value: bigint): string {
  const digits = value.toString(32).padStart(LENGTH, '0');
  return Array.from(digits, (digit) => CROCKFORD[Number.parseInt(digit, 32)]).join('');
}
