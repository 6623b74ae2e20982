/**
 * Reads OFX: version 1 has no closing tags for values, version 2 is XML. Values other than those of movements and of
 * their account are ignored.
 */

import { fromMinor } from '../../base/money/money.ts';
import { pixIdIn } from '../../base/pix/end-to-end-id.ts';
import { brasiliaDay } from '../../base/time/brasilia-day.ts';
import { parseDay } from '../../base/time/instant.ts';
import { balanceOf } from './bank-balance.ts';
import {
  amountOf,
  type BankAmount,
  type BankBalance,
  BankFileError,
  type BankForm,
  type BankRow,
  skipReason,
} from './bank-row.ts';

/** A tag, and the text after it on the same line. */
const TAG = /<(\/?)([A-Z0-9._]+)[^>]*>([^<\r\n]*)/gi;
/** Maximum length of a text between two tags. Unit: characters. */
const VALUE_MAX = 1_000_000;
const ACCOUNT_TAGS = ['BANKACCTFROM', 'CCACCTFROM'];
/** Parts of an account's name, in order. */
const ACCOUNT_PARTS = ['BANKID', 'BRANCHID', 'ACCTID'];
const OUTGOING = 'DEBIT PAYMENT CHECK FEE SRVCHG CASH DIRECTDEBIT REPEATPMT OUT'.split(' ');
const INCOMING = 'CREDIT DEP DIRECTDEP IN'.split(' ');
const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };
const POSTED =
  /^(\d{4})(\d\d)(\d\d)(?:([01]\d|2[0-3])([0-5]\d)([0-5]\d)?(?:[.,]\d+)?)?\s*(?:\[([+-]?\d{1,2}(?:\.\d{1,2})?)?(?::?([A-Z]+))?\])?$/i;
/** Offsets of time zones that banks write without an offset. Unit: hours. */
const ZONES: Readonly<Record<string, number>> = { GMT: 0, UTC: 0, BRT: -3 };
const HOUR_MS = 3_600_000;

/**
 * @param text - the file in parts, split anywhere.
 * @param see - called with each account of the file, before its rows.
 * @throws {BankFileError}
 */
export async function* readOfx(
  text: AsyncIterable<string>,
  form: BankForm,
  see: (account: string) => void,
): AsyncGenerator<BankRow> {
  const reader = new OfxReader(form, see);
  let rest = '';
  for await (const part of text) {
    rest += part;
    const end = rest.lastIndexOf('<');
    if (end > 0) yield* reader.rows(rest.slice(0, end));
    rest = rest.slice(Math.max(end, 0));
    if (rest.length > VALUE_MAX) throw new BankFileError(`a text of more than ${VALUE_MAX} characters`);
  }
  yield* reader.rows(rest);
}

class OfxReader {
  readonly #form: BankForm;
  readonly #see: (account: string) => void;
  #currency = '';
  #account: string | null = null;
  /** Values of the aggregate that is being read. */
  #from: Map<string, string> | undefined;
  #movement: Map<string, string> | undefined;
  #isInCurrency = false;
  #count = 0;

  constructor(form: BankForm, see: (account: string) => void) {
    this.#form = form;
    this.#see = see;
  }

  /** @param text - contains only complete tags. */
  *rows(text: string): Generator<BankRow> {
    for (const [, close, name = '', value = ''] of text.matchAll(TAG)) {
      const tag = name.toUpperCase();
      const isStatement = tag.endsWith('STMTRS');
      if (isStatement || tag === 'STMTTRN' || tag === 'BANKTRANLIST') {
        if (this.#movement) yield this.#ended(this.#movement);
        this.#movement = tag === 'STMTTRN' && !close ? new Map() : undefined;
      }
      if (isStatement) [this.#currency, this.#account] = ['', null];
      if (this.#from && (close ? ACCOUNT_TAGS.includes(tag) : tag === 'BANKTRANLIST')) this.#endAccount();
      if (tag === 'CURRENCY') this.#isInCurrency = !close;
      if (!close) this.#enter(tag, value);
    }
  }

  #enter(tag: string, text: string): void {
    const value = plain(text.trim());
    if (ACCOUNT_TAGS.includes(tag)) this.#from = new Map();
    else if (tag === 'CURDEF') this.#currency = value;
    // A converted amount (ORIGCURRENCY) is already in the statement's currency.
    else if (tag === 'CURSYM' && !this.#isInCurrency) return;
    else if (this.#from) this.#from.set(tag, value);
    else if (this.#movement && !this.#movement.has(tag)) this.#movement.set(tag, value);
  }

  #endAccount(): void {
    const parts = ACCOUNT_PARTS.flatMap((each) => this.#from?.get(each) || []);
    this.#from = undefined;
    if (parts.length === 0) return;
    this.#account = parts.join('/');
    this.#see(this.#account);
  }

  #ended(values: ReadonlyMap<string, string>): BankRow {
    this.#count += 1;
    const position = `transaction ${this.#count}`;
    const textOf = (tag: string) => values.get(tag) ?? '';
    const [name, memo, id] = [textOf('NAME'), textOf('MEMO'), textOf('FITID')];
    const text = `${name} ${memo}`.trim();
    const currency = values.get('CURSYM') ?? (this.#currency || null);
    const movementOf = (): BankRow['movement'] => {
      const amount = amountOf(textOf('TRNAMT'), position, this.#form.decimalMark);
      if (!amount) return 'no_amount';
      const reason = skipReason([name, memo], this.#form);
      if (reason) return reason;
      if (id === '' && pixIdIn(text) === undefined) return 'no_id';
      if (amount.size === 0n) return 'zero';
      const minor = minorOf(amount, textOf('TRNTYPE').toUpperCase(), this.#form.signs, position);
      return { day: dayPosted(textOf('DTPOSTED'), position), minor, id, text };
    };
    const movement = movementOf();
    const balance = movement === 'balance' ? this.#balanceIn(values, [name, memo], position) : undefined;
    return { position, account: this.#account, currency, movement, balance, text };
  }

  /** @returns the balance of a row; undefined if it cannot be read. */
  #balanceIn(
    values: ReadonlyMap<string, string>,
    texts: readonly string[],
    position: string,
  ): BankBalance | undefined {
    try {
      const amount = amountOf(values.get('TRNAMT') ?? '', position, this.#form.decimalMark);
      const minor = amount && amount.size * (amount.sign === -1 ? -1n : 1n);
      return balanceOf(texts, dayPosted(values.get('DTPOSTED') ?? '', position), minor || null);
    } catch (error) {
      if (error instanceof BankFileError) return undefined;
      throw error;
    }
  }
}

/** @throws {BankFileError} if the sign contradicts the type: a DEBIT without a sign would count as incoming money. */
function minorOf(
  { size, sign }: BankAmount,
  type: string,
  rule: BankForm['signs'],
  position: string,
): bigint {
  const written = sign === -1 ? -size : size;
  const isOutgoing = OUTGOING.includes(type);
  if (rule === 'amount' || !(isOutgoing ? written > 0n : INCOMING.includes(type) && written < 0n))
    return written;
  if (rule === 'type' && isOutgoing && sign === 0) return -size;
  const unsigned = isOutgoing && sign === 0 ? ': --signs type, if amounts have no sign' : '';
  throw new BankFileError(
    `${position}: TRNAMT ${fromMinor(written, 2)} must have the sign that belongs to TRNTYPE ${type}${unsigned || ': --signs amount, if the type says nothing'}`,
  );
}

/** @returns the day in Brasília time, which is also the zone of times without one. */
function dayPosted(text: string, position: string): string {
  const [, year, month, date, hour, minute, second = '00', offset, zone] = POSTED.exec(text) ?? [];
  const day = parseDay(`${year}-${month}-${date}`);
  if (!day)
    throw new BankFileError(
      `${position}: DTPOSTED must be a day such as 20260131, or 20260131120000[-3:BRT]`,
    );
  if (hour === undefined || (offset === undefined && zone === undefined)) return day;
  const hours = offset === undefined ? ZONES[(zone ?? '').toUpperCase()] : Number(offset);
  if (hours === undefined)
    throw new BankFileError(`${position}: the zone of DTPOSTED must be such as [-3:BRT] or [0:GMT]`);
  return brasiliaDay(Date.parse(`${day}T${hour}:${minute}:${second}Z`) - hours * HOUR_MS);
}

function plain(text: string): string {
  return text.replace(/&(?:(lt|gt|quot|apos|amp)|#(\d{1,6}));/g, (_whole, name?: string, code?: string) =>
    name ? (ENTITIES[name] ?? '') : String.fromCodePoint(Number(code)),
  );
}
