/** What fuzz requests are made of: values that fit, values that some layer may trip over, and what earlier answers told. */
import { CURRENCIES } from '../../src/base/money/currency.ts';
import { cpfOf, type Random } from '../support/load.ts';

/** Texts that parsers, databases, loggers and readers of numbers have tripped over. */
const ODD_TEXTS: readonly string[] = [
  ...[
    '',
    ' ',
    '\0',
    'a\0b',
    '\n',
    '\r\n',
    '\t',
    '\u001b[31m',
    '\u007f',
    '\u0085',
    '\u00a0',
    '\u200b',
    '\ufeff',
  ],
  ...[
    '\u202eabc',
    '\ud800',
    'a\udc00',
    '\uffff',
    '😀',
    '👩‍👩‍👧‍👦',
    'é',
    'e\u0301',
    'ß',
    'İ',
    'ﬁ',
    '１２',
    '٣',
    '中文',
  ],
  ...[
    'null',
    'undefined',
    'true',
    'NaN',
    'Infinity',
    '-0',
    '1e400',
    '1e-400',
    '0x10',
    '00',
    '+5',
    '1_000',
    '1,5',
  ],
  ...[
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    '$where',
    '{{7*7}}',
    '%s%n',
    '%00',
    '../../etc',
  ],
  ...["' or 1=1 --", '"', '\\', '`', '<script>', '{}', '[]', '{"a":1}', 'x'.repeat(300), 'x'.repeat(5_000)],
  ...[
    '2026-02-30',
    '0000-00-00',
    '9999-12-31',
    '1999-12-31',
    '2026-05-01',
    '2026-05-01T12:00:00Z',
    '-1',
    '0',
    '1',
  ],
];
const ODD_NUMBERS: readonly string[] = [
  ...[
    '0',
    '-0',
    '-1',
    '1',
    '0.1',
    '1e2',
    '1e-2',
    '1E400',
    '1e-400',
    '99999999999999999999',
    '9007199254740993',
  ],
  ...['0.000000000000000001', '1e80', '-1e80', '2147483648', '4294967296', '1.0', '100', '20000', '0.01'],
];
const WORDS = [
  'Ana Souza',
  'order-1',
  'x',
  'sandbox:hold',
  'sandbox:step-up-require',
  'sandbox:swap-fail',
  'ação',
];
const DESTINATIONS = [
  'TKN9umuf74bK4z4K5BSo2WiCDgzyxUtbsD',
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
  'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
];
/** Played by callers; `deposit-confirm` and others fit only here and there. */
const SCENARIOS = [
  ...['pay', 'pay-under', 'pay-over', 'pay-late', 'pay-twice', 'deposit', 'deposit-confirm', 'deposit-wrong'],
  ...[
    'deposit-reorg',
    'expire',
    'hold',
    'release',
    'hold-reject',
    'step-up-approve',
    'step-up-deny',
    'swap-fail',
  ],
  ...['pix-return', 'dispute-open', 'dispute-accept', 'dispute-reject', 'pix-out-reject', 'refund-fail'],
];
const KEPT_MAX = 300;

/** Values for requests, by the name of the parameter that they are for. */
export class Values {
  readonly random: Random;
  readonly #groupId: string;
  readonly #accountId: string | undefined;
  /** Ids, cursors and slugs that answers told. */
  readonly #told: string[];
  #customers = 0;

  /** @param accountId - the account that a platform acts on; undefined where none does. */
  constructor(random: Random, told: readonly string[], groupId: string, accountId?: string) {
    this.random = random;
    this.#told = [...told];
    this.#groupId = groupId;
    this.#accountId = accountId;
  }

  /** Keeps what an answer told, for later requests. */
  learn(text: string): void {
    for (const [id] of text.matchAll(/\b(CRX[0-9A-Z]{26}|whe_[\w-]{16})\b/g)) this.#keep(id);
    for (const [, token] of text.matchAll(/"(?:cursor|next|endCursor|id|slug|token)":"([\w=-]{4,200})"/g))
      this.#keep(token as string);
  }

  #keep(value: string): void {
    if (this.#told.includes(value)) return;
    if (this.#told.length < KEPT_MAX) this.#told.push(value);
    else this.#told[this.random.integer(0, KEPT_MAX - 1)] = value;
  }

  /** @returns the id of a transaction that was told, or anything else. */
  record(): string {
    const made = this.#told.filter((each) => each.startsWith('CRX'));
    return this.random.chance(0.85) ? this.random.pick(made) : this.id();
  }

  /** @returns something that was told, or an odd text. */
  id(): string {
    return this.random.chance(0.85) ? this.random.pick(this.#told) : this.oddText();
  }

  oddText(): string {
    const { random } = this;
    if (random.chance(0.8)) return random.pick(ODD_TEXTS);
    const length = random.integer(1, 12);
    return Array.from({ length }, () =>
      String.fromCharCode(random.integer(0, random.pick([127, 255, 0xffff]))),
    ).join('');
  }

  /** @returns a number as it may stand in JSON. */
  oddNumber(): string {
    return this.random.pick(ODD_NUMBERS);
  }

  /** @returns a value of any form, as a variable may have it; some nest deeper than anything reads. */
  oddVariable(): unknown {
    const { random } = this;
    if (random.chance(0.9)) return random.pick([null, true, 5, -1, 1e300, this.oddText(), [], {}, [null]]);
    const depth = random.pick([10, 199, 200, 201, 1_000]);
    const isList = random.chance(0.5);
    let nested: unknown = null;
    for (let level = 0; level < depth; level++) nested = isList ? [nested] : { a: nested };
    return nested;
  }

  amount(): string {
    const { random } = this;
    return random.pick([
      '10',
      '20.5',
      '50',
      '100',
      '100.25',
      '300',
      String(random.integer(1, 2_000)),
      '0.000001',
    ]);
  }

  /** @returns a value that a parameter or member of this name would take. */
  fitting(name: string): string {
    const { random } = this;
    const word = name.toLowerCase().replaceAll('_', '');
    if (/amount|above|^min|^max|spread|fee/.test(word)) return this.amount();
    if (/currency|asset/.test(word))
      return random.pick([...CURRENCIES.map(({ code }) => code), 'USDT', 'BTC', 'USDT (TRX)']);
    if (/taxid/.test(word)) return this.#taxId();
    if (/pixkeytype/.test(word)) return random.pick(['cpf', 'email', 'phone', 'random']);
    if (/pixkey$/.test(word)) return random.pick(['ana@example.com', '52998224725', '+5511999998888']);
    if (/wallet|address/.test(word)) return random.pick(DESTINATIONS);
    if (/network/.test(word)) return random.pick(['TRX', 'ETH', 'BTC', 'SOL', 'POLYGON']);
    if (/groupid/.test(word)) return this.#groupId;
    if (this.#accountId !== undefined && /^account(id)?$/.test(word)) return this.#accountId;
    if (/scenario/.test(word)) return random.pick(SCENARIOS);
    if (/^by$|advance/.test(word)) return random.pick(['1ms', '1s', '2s', '16s', '0s']);
    if (/date/.test(word)) return random.pick(['2026-01-01', '2026-05-01', '2026-11-22']);
    if (/url|webhook/.test(word)) return 'https://hooks.invalid/x';
    if (/expires/.test(word)) return random.pick(['60', '1800', '2592000']);
    if (/from/.test(word)) return random.pick(['balance', 'external']);
    if (/action/.test(word)) return random.pick(['keep', 'refund', 'requote']);
    if (/limit|first|offset|last/.test(word)) return random.pick(['0', '1', '5', '20']);
    if (/wait/.test(word)) return '0';
    if (/accounttype/.test(word)) return random.pick(['available', 'in_transit', 'to_receive', 'blocked']);
    if (/idempotency|description|name|code|notes|words/.test(word))
      return random.pick(WORDS) + random.integer(1, 9_999);
    if (/end2end/.test(word)) return this.record();
    return this.id();
  }

  #taxId(): string {
    this.#customers += 1;
    return this.random.chance(0.7) ? cpfOf(this.#customers) : '52998224725';
  }
}
