/**
 * C-70, through import and export: what is taken in comes back as it was, whatever its form; what cannot be taken is
 * refused by file, line and reason and leaves nothing behind. A refusal is made from an accepted file by one change.
 */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sum } from '../../../src/base/money/money.ts';
import { exportAccount } from '../../../src/resolvers/exports/export-account.ts';
import { type ImportProgress, importAccount } from '../../../src/resolvers/history/import-account.ts';
import { ImportRefused } from '../../../src/resolvers/history/stage-history.ts';
import { createAccount } from '../../../src/store/account/accounts.ts';
import { listTransactions } from '../../../src/store/engine/transactions.ts';
import { readBalances } from '../../../src/store/ledger/ledger.ts';
import { withSnapshot } from '../../../src/store/ledger/long-transaction.ts';
import { verifyLedger } from '../../../src/store/ledger/verify.ts';
import { REGISTRY } from '../../../src/templates/index.ts';
import { useDatabase } from '../../support/database.ts';
import { elsewhere } from '../../support/one-connection.ts';
import { exact, type Members, TEMPLATE_NAMES, transaction } from '../../support/records.ts';

const test = useDatabase();

const FILE = 'history.ndjson';
const EXAMPLE = readFileSync(new URL('../../../docs/examples/history.ndjson', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n');
const FAMILIES = ['checkouts', 'onramps', 'offramps', 'withdrawals'] as const;
const DAY = '2026-06-01T12:00:00Z';

const newAccount = () => createAccount(test.database, 'Holder', { templates: [] });
const take = (accountId: bigint, lines: readonly string[]) =>
  importAccount(test.database, REGISTRY, accountId, FILE, lines);
const written = (accountId: bigint) =>
  withSnapshot(test.database, (tx) => Array.fromAsync(exportAccount(tx, REGISTRY, accountId)));
const defectsOf = async (accountId: bigint) => (await verifyLedger(test.database, accountId)).defects;

/** Records as JSON of one spelling, sorted: members keep their order, numbers have their shortest form. */
const records = (lines: readonly string[]) =>
  lines.map((line) => JSON.stringify(JSON.parse(line))).toSorted();

/** A new account with these lines. */
async function accountWith(lines: readonly string[]): Promise<bigint> {
  const accountId = await newAccount();
  await take(accountId, lines);
  return accountId;
}

const AVAILABLE = {
  id: 41,
  name: 'USDT (TRX) available',
  code: '2.1.1.7.1.1.1',
  currency: 'USDT_TRX',
  currency_pretty_name: 'USDT (TRX)',
};

/** A statement entry that adds `change` to the balance `before`. */
function entry(id: number, before: string, change: string, members: Members = {}): string {
  const isDebit = change.startsWith('-');
  const amounts = {
    debit: exact(isDebit ? change.slice(1) : '0'),
    credit: exact(isDebit ? '0' : change),
    previous_balance: exact(before),
    balance: exact(sum([before, change])),
  };
  const { account = AVAILABLE, date = DAY, transaction = null, ...others } = members;
  return JSON.stringify({ type: 'statement_entry', id, date, account, ...amounts, transaction, ...others });
}

/** All that is stored of an account, without ids that are not published and codes that have the account's id. */
async function stored(accountId: bigint): Promise<string[]> {
  const { rows } = await test.owner.query(
    `select row::text from (
       select to_jsonb(t) - '{account_id,id}'::text[] as row from transaction t where account_id = $1
       union all select to_jsonb(a) - '{account_id,id,code}'::text[] from ledger_account a where account_id = $1
       union all select to_jsonb(l) - '{account_id,ledger_account_id,journal_id,transaction_id}'::text[] from ledger_line l where account_id = $1
       union all select to_jsonb(d) - 'account_id' from ledger_day d where account_id = $1
       union all select to_jsonb(d) - 'account_id' from list_day d where account_id = $1
       union all select to_jsonb(h) - 'account_id' from list_head h where account_id = $1
       union all select to_jsonb(h) - '{account_id,version}'::text[] from account_head h where account_id = $1) every
     order by 1`,
    [accountId],
  );
  return rows.map(({ row }) => row);
}

describe('C-70: history is exported as it was imported', () => {
  it('the example, with the same members in the same order; a second time changes nothing', async () => {
    const accountId = await newAccount();
    const taken = { transactions: { taken: 9, known: 0 }, entries: { taken: 14, known: 0 } };
    expect(await take(accountId, EXAMPLE)).toEqual(taken);
    const text = await written(accountId);
    expect(records(text)).toEqual(records(EXAMPLE));
    const again = { transactions: { taken: 0, known: 9 }, entries: { taken: 0, known: 14 } };
    expect(await take(accountId, EXAMPLE)).toEqual(again);
    expect(await take(accountId, text)).toEqual(again);
    expect(await written(accountId)).toEqual(text);
    expect(await defectsOf(accountId)).toEqual([]);
  });

  it('an export creates an identical account, whose export is the same to the byte', async () => {
    const first = await accountWith(EXAMPLE);
    const second = await accountWith(await written(first));
    expect(await written(second)).toEqual(await written(first));
    expect(await stored(second)).toEqual(await stored(first));
  });

  it('fractions of a second are included, and an account recognises its own export', async () => {
    const at = '2026-06-01T12:00:00.123Z';
    const history = [
      transaction('onramp', {}, { end2end: 'T', created_at: at }),
      entry(1, '0', '5', { date: at, transaction: 'T' }),
    ];
    const first = await accountWith(history);
    const second = await accountWith(await written(first));
    expect(await stored(second)).toEqual(await stored(first));
    expect((await take(first, await written(first))).entries).toEqual({ taken: 0, known: 1 });
  });

  it('in any order of the lines, transactions after the entries that name them', async () => {
    const expected = await stored(await accountWith(EXAMPLE));
    const shuffled = fc.shuffledSubarray(EXAMPLE, { minLength: EXAMPLE.length });
    for (const lines of [EXAMPLE.toReversed(), ...fc.sample(shuffled, { seed: 20_261_121, numRuns: 10 })])
      expect(await stored(await accountWith(lines))).toEqual(expected);
  });

  it('more of it than an export reads in one batch', async () => {
    const lines = Array.from({ length: 2_100 }, (_, at) =>
      at % 2 ? transaction('onramp') : entry(at + 1, `${at / 2}`, '1'),
    );
    const accountId = await accountWith(lines);
    expect(records(await written(accountId))).toEqual(records(lines));
  });

  it('an export is of one time: later records are not in it', async () => {
    const lines = Array.from({ length: 1_100 }, (_, at) => entry(at + 1, `${at}`, '1'));
    const accountId = await accountWith(lines);
    const exported = await withSnapshot(test.database, async (tx) => {
      const read: string[] = [];
      for await (const line of exportAccount(tx, REGISTRY, accountId)) {
        if (read.length === 0)
          await elsewhere(() => take(accountId, [transaction('onramp'), entry(1_101, '1100', '1')]));
        read.push(line);
      }
      return read;
    });
    expect(records(exported)).toEqual(records(lines));
    expect(await written(accountId)).toHaveLength(1_102);
  });

  it('in time that is linear in its length, whatever the planner assumes of the account', async () => {
    const { rows } = await test.owner.query(
      `select proname as name from pg_proc
        where proname in ('list_renumber', 'ledger_import') and 'enable_nestloop=off' = any (proconfig) order by 1`,
    );
    expect(rows).toEqual([{ name: 'ledger_import' }, { name: 'list_renumber' }]);
    // The database knows the statistics of one account; another one is filled, by more than one batch of each kind.
    await accountWith(Array.from({ length: 500 }, () => transaction('onramp')));
    await test.owner.query('analyze');
    const lines = Array.from({ length: 12_000 }, (_, at) =>
      at % 2 ? transaction('onramp') : entry(at / 2 + 1, `${at / 2}`, '1'),
    );
    const accountId = await newAccount();
    const told: ImportProgress[] = [];
    await importAccount(test.database, REGISTRY, accountId, FILE, lines, {
      onProgress: (progress) => told.push(progress),
    });
    expect(told.filter(({ phase }) => phase === 'transactions')).toEqual([
      { phase: 'transactions', done: 5_000, of: 6_000 },
      { phase: 'transactions', done: 6_000, of: 6_000 },
    ]);
    expect(told.at(-1)).toEqual({ phase: 'entries', done: 6_000, of: 6_000 });
    expect(await defectsOf(accountId)).toEqual([]);
  });

  it('C-10: older history after newer puts lists in order, and the book stays whole', async () => {
    const accountId = await newAccount();
    const dated = EXAMPLE.toSorted((left, right) => (dateOf(left) < dateOf(right) ? 1 : -1));
    const ofType = (type: string) => dated.filter((line) => JSON.parse(line).type === type);
    for (const line of [...ofType('transaction'), ...ofType('statement_entry').toSorted()])
      await take(accountId, [line]);
    expect(await defectsOf(accountId)).toEqual([]);
    expect(records(await written(accountId))).toEqual(records(EXAMPLE));
    for (const family of FAMILIES) {
      const all = await listTransactions(
        test.database,
        accountId,
        family,
        {},
        { limit: 100, offset: 0 },
        { counted: true },
      );
      const templates = REGISTRY.ofFamily(family).map((template) => template.name);
      const expected = ofType('transaction')
        .map((line) => JSON.parse(line))
        .filter((body) => templates.includes(body.template));
      expect(all?.rows.map((row) => row.end2end)).toEqual(expected.map((body) => body.end2end));
      expect(all?.total).toBe(BigInt(expected.length));
    }
  });

  it('a later file may name ledger accounts that an earlier one did not', async () => {
    const accountId = await accountWith([entry(1, '0', '5')]);
    for (const digit of [2, 3, 4]) {
      const account = { ...AVAILABLE, id: 40 + digit, name: `other ${digit}`, code: `2.1.1.7.1.1.${digit}` };
      await take(accountId, [entry(digit, '0', '5', { account })]);
    }
    expect(await written(accountId)).toHaveLength(4);
    expect(await defectsOf(accountId)).toEqual([]);
  });

  it('an opening balance: the first line starts from anything, later ones where the last one ended', async () => {
    const accountId = await accountWith([entry(7, '307.063509', '-7'), entry(8, '300.063509', '1')]);
    await take(accountId, [entry(9, '301.063509', '1')]);
    await expect(take(accountId, [entry(10, '302', '1')])).rejects.toThrow(`${FILE}:1: does not chain`);
    const balance = async (at?: Date) =>
      (await readBalances(test.database, accountId, at)).map((row) => row.balance);
    expect(await balance()).toEqual(['302063509']);
    expect(await balance(new Date('2026-05-31T00:00:00Z'))).toEqual(['307063509']);
    expect((await written(accountId)).map((line) => JSON.parse(line).previous_balance)).toEqual([
      307.063509, 300.063509, 301.063509,
    ]);
    expect(await defectsOf(accountId)).toEqual([]);
  });
});

const dateOf = (line: string): string => JSON.parse(line).created_at ?? JSON.parse(line).date;

describe('C-70: other forms are exported as they were', () => {
  const label = (en: string, pt: string) => ({ en, pt });
  const other = (members: Partial<typeof AVAILABLE>) =>
    entry(1, '0', '5', { account: { ...AVAILABLE, ...members } });
  it.each([
    ['a display name of other times', transaction('onramp', { currency_exit_received: 'USDT TRC20' })],
    [
      'a currency of other times',
      transaction('onramp', { currency_exit_received: 'USDC (ARB)', currency_exit_received_code: 'USDC' }),
    ],
    [
      'a deposit currency of other times',
      transaction('offramp_instant', {
        deposit_currency: 'USDC_ARB',
        currency_payment: 'USDC',
        amount_payment_display: '80 USDC',
      }),
    ],
    [
      'a currency that is none',
      transaction('offramp', { currency_entry_paid: '?', currency_entry_paid_code: '' }),
    ],
    [
      'an unknown step',
      transaction(
        'onramp',
        {},
        {
          component: 'depositpix_v1',
          state: 'WAIT',
          status: label('Open', ''),
          message: label('', 'Aberto'),
        },
      ),
    ],
    ['other labels of a known step', transaction('onramp', {}, { substatus: label('Done', 'Feito') })],
    ['an error in one language', transaction('onramp', {}, { error_message: label('No', '') })],
    ['an id of another form', transaction('onramp', {}, { end2end: 'Order "7" / \u{1F4B8} ü\\' })],
    ['an id of 200 characters', transaction('onramp', {}, { end2end: 'é'.repeat(200) })],
    ['wrong check digits', transaction('onramp', { client_tax_id: '111.222.333-44' })],
    ['a shortened hash', transaction('onramp_instant', { tx_hash: '0x12…ef' })],
    [
      'an explorer page of another site',
      transaction('withdraw_dash_same_curr', { tx_hash: 'aa', explorer_url: 'https://x.example/aa' }),
    ],
    [
      'no explorer page of a known hash',
      transaction('withdraw_dash_same_curr', { tx_hash: 'aa', explorer_url: '' }),
    ],
    ['a session of a static link', transaction('crossramp_checkout', { fixed_link: 'loja' })],
    ['a ledger account named otherwise', other({ name: 'USDT TRC20', currency_pretty_name: 'USDT TRC20' })],
    ['a ledger account without names', other({ name: '', currency_pretty_name: '' })],
    ['a ledger account outside the catalogue', other({ currency: 'USDC_ARB', code: '9.4' })],
  ])('%s', async (_what, line) => {
    const accountId = await accountWith([line]);
    expect(records(await written(accountId))).toEqual(records([line]));
    expect((await take(accountId, await written(accountId))).transactions.taken).toBe(0);
    expect(await defectsOf(accountId)).toEqual([]);
  });

  it('any text in any template', async () => {
    const text = fc
      .string({ unit: 'binary', maxLength: 12 })
      .filter((each) => each.isWellFormed() && !each.includes('\0'));
    const shape = (template: (typeof TEMPLATE_NAMES)[number]) => {
      const attributes: Members = JSON.parse(transaction(template)).attributes;
      const texts = Object.keys(attributes).filter(
        (name) => typeof attributes[name] === 'string' && name !== 'expiration',
      );
      return fc.record(Object.fromEntries(texts.map((name) => [name, text])), { requiredKeys: [] });
    };
    const property = fc.asyncProperty(fc.tuple(...TEMPLATE_NAMES.map(shape)), async (attributes) => {
      const lines = TEMPLATE_NAMES.map((template, at) => transaction(template, attributes[at]));
      expect(records(await written(await accountWith(lines)))).toEqual(records(lines));
    });
    await fc.assert(property, { seed: 20_261_121, numRuns: 25 });
  });

  it.each([
    ['1.5e-7', '0.00000015'],
    ['1E+3', '1000'],
    ['-0.0', '0'],
    ['-12.50', '-12.5'],
    ['550.00', '550'],
    ['0.123456789012345678', '0.123456789012345678'],
    [
      '123456789012345678901234567890.000000000000000001',
      '123456789012345678901234567890.000000000000000001',
    ],
    ['9e100', `9${'0'.repeat(100)}`],
  ])('the number %s is written as %s', async (given, token) => {
    const lines = [
      transaction('onramp', { fees: exact(given) }),
      transaction('offramp', { fees: exact(given) }),
    ];
    for (const line of await written(await accountWith(lines))) expect(line).toContain(`"fees":${token},`);
  });

  it.each([
    ['ETH_ETH', '0.123456789012345678', '0.123456789012345678'],
    ['ETH_ETH', '123456789012345678901234567890.5', '123456789012345678901234567890.5'],
    ['USDC_ARB', '1e-18', '0.000000000000000001'],
    ['BRL', '1.50e3', '1500'],
    ['BRL', `${'9'.repeat(76)}.99`, `${'9'.repeat(76)}.99`],
  ])('an amount of %s, %s, is written as %s', async (currency, given, token) => {
    const line = entry(1, '0', token, {
      account: { ...AVAILABLE, currency },
      credit: exact(given),
      balance: exact(given),
    });
    const [back] = await written(await accountWith([line]));
    expect(back).toContain(`"debit":0,"credit":${token},"previous_balance":0,"balance":${token},`);
  });
});

describe('C-70: a file is imported whole or not at all', () => {
  const BLOCKED = { ...AVAILABLE, id: 44, name: 'USDT (TRX) blocked', code: '2.1.1.7.1.1.4' };
  const GOOD = [
    transaction('onramp', {}, { end2end: 'T1' }),
    entry(11, '0', '100', { transaction: 'T1' }),
    transaction('offramp_instant', {}, { end2end: 'T2' }),
    entry(12, '100', '-40', { date: '2026-06-02T12:00:00Z', transaction: 'T2' }),
    entry(13, '0', '40', { account: BLOCKED, transaction: 'T2' }),
  ];
  /** Rows `line | what | from -> to | reason`: the change that makes the file one that is refused. */
  function changesOf(table: string) {
    return table
      .trim()
      .split('\n')
      .map((row) => {
        const [line, what, change, reason] = row.split(' | ').map((cell) => cell.trim()) as [
          string,
          string,
          string,
          string,
        ];
        const [from = '', to = ''] = change.split(' -> ').map((text) => text.replace('…', ''));
        const lines = GOOD.map((text, at) => {
          if (at + 1 !== Number(line)) return text;
          expect(text).toContain(from);
          return from === '' ? to : text.replace(from, () => to);
        });
        return { what, lines, message: `${FILE}:${line}: ${reason}` };
      });
  }

  it('the file that the refused ones are derived from is accepted', async () => {
    expect(await defectsOf(await accountWith(GOOD))).toEqual([]);
  });

  async function refused(accountId: bigint, lines: readonly string[]): Promise<string> {
    const before = await stored(accountId);
    const outcome = await take(accountId, lines).then(
      () => 'taken',
      (error: unknown) => (error instanceof ImportRefused ? error.message : `not a refusal: ${error}`),
    );
    expect(await stored(accountId)).toEqual(before);
    return outcome;
  }

  const REFUSED = changesOf(String.raw`
    3 | not JSON                        | } -> …                                  | not JSON
    3 | not an object                   | … -> []                                 | expected an object
    3 | another type                    | "transaction" -> "balance"              | type: expected transaction or statement_entry
    4 | no type                         | "type":"statement_entry", -> …          | type: expected
    3 | a missing field                 | "state":"DONE", -> …                    | transaction: state is missing
    3 | an unknown field                | "state" -> "extra":1,"state"            | transaction: "extra" is an unknown member
    3 | a field named __proto__         | "state" -> "__proto__":{},"state"       | transaction: "__proto__" is an unknown member
    3 | a missing attribute             | "pix_key":"ana@example.com", -> …       | attributes: pix_key is missing
    3 | an unknown attribute            | "pix_key" -> "key":"","pix_key"         | attributes: "key" is an unknown member
    1 | another template's attribute    | "fees" -> "fixed_link":"","fees"        | attributes: "fixed_link" is an unknown member
    3 | an unknown template             | "offramp_instant" -> "offramp_v9"       | unknown template "offramp_v9"
    3 | a string for a number           | "fees":10 -> "fees":"10"                | attributes.fees: expected a number
    3 | a number for a string           | "80.004219" -> 80.004219                | attributes.exact_deposit_amount: expected a string
    3 | a number out of range           | "fees":10 -> "fees":1e99999             | attributes.fees:
    3 | a label that is a text          | {"en":"","pt":""} -> ""                 | error_message: expected {en, pt}
    3 | a label in one language         | {"en":"","pt":""} -> {"en":""}          | error_message: pt is missing
    3 | 30 February                     | 06-01T12:00:00Z -> 02-30T12:00:00Z      | created_at: expected a time
    4 | 24 o'clock                      | 02T12:00:00Z -> 02T24:00:00Z            | date: expected a time
    4 | a time without a zone           | 02T12:00:00Z -> 02T12:00:00             | date: expected a time
    3 | a day for a time                | 01T12:30:00Z -> 01                      | attributes.expiration: expected a time
    3 | a year of five digits           | 2026-06-01T12:00:00Z -> 9999-12-31T23:59:59-01:00 | created_at: expected a time
    3 | NUL in a text                   | Ana -> A\u0000a                         | attributes.client_name: expected well-formed text without NUL
    3 | half a surrogate pair           | "T2" -> "T\ud800"                       | end2end: expected well-formed text
    4 | NUL in the name of a transaction | "T2" -> "T2\u0000"                     | transaction:
    3 | an empty end2end                | "T2" -> ""                              | end2end: expected 1 to 200 characters
    3 | an end2end of 201 characters    | "T2" -> "${'x'.repeat(201)}"            | end2end: expected 1 to 200 characters
    4 | a missing member of an account  | "name":"USDT (TRX) available", -> …     | account: name is missing
    4 | an entry id of zero             | "id":12 -> "id":0                       | id: expected an integer above zero
    4 | an entry id as a string         | "id":12 -> "id":"12"                    | id: expected an integer above zero
    4 | an account id with decimals     | "id":41 -> "id":41.5                    | id: expected an integer above zero
    4 | the code of no sub-account      | .1.1.1" -> .1.1.5"                      | account.code: expected
    4 | a currency in words             | "USDT_TRX" -> "Tether"                  | account.currency: expected BRL or <ASSET>_<NETWORK>
    4 | debit and credit                | "credit":0 -> "credit":1                | debit, credit: expected one of them above zero
    4 | neither debit nor credit        | "debit":40 -> "debit":0                 | debit, credit: expected one of them above zero
    4 | a debit below zero              | "debit":40,"credit":0 -> "debit":-40,"credit":0 | debit, credit: expected one of them above zero
    4 | a sum that is off               | "balance":60 -> "balance":60.000001     | does not chain: previous_balance + credit - debit
    4 | a decimal more than there are   | "debit":40 -> "debit":40.0000001        | debit: 40.0000001 has more than 6 decimals
    5 | more digits than are kept       | 40,"previous_balance":0,"balance":40 -> 1e72,"previous_balance":0,"balance":1e72 | credit:
    4 | a balance below zero            | 40,"credit":0,"previous_balance":100,"balance":60 -> 140,"credit":0,"previous_balance":100,"balance":-40 | previous_balance, balance: expected no balance below zero
    4 | a start that is no end          | 100,"balance":60 -> 101,"balance":61    | does not chain: previous_balance 101 of USDT (TRX) available, the line before ended at 100
    4 | a day before the last           | 06-02T12 -> 05-31T12                    | does not chain: its day is before that of the line before
    4 | an unknown transaction          | "T2" -> "T3"                            | names an unknown transaction T3
    3 | an end2end that stands twice    | "T2" -> "T1"                            | clashes with line 1: T1 appears twice
    4 | an entry id that stands twice   | "id":12 -> "id":11                      | clashes with line 2: statement entry 11 appears twice
    4 | another name of a ledger account | USDT (TRX) available -> Tether         | clashes with ledger account 41 2.1.1.7.1.1.1 USDT (TRX) available
    4 | another id of a sub-account     | "id":41 -> "id":45                      | clashes with ledger account 41
    5 | the id of another ledger account | "id":44 -> "id":41                     | clashes with ledger account 41`);

  it.each(REFUSED)('refuses $what', async ({ lines, message }) => {
    expect(await refused(await newAccount(), lines)).toMatch(message);
  });

  const CLASHES = changesOf(`
    3 | a transaction of the same end2end | "fees":10 -> "fees":11     | clashes with the account's transaction T2, which is different
    3 | labels of the same transaction   | "en":"Success" -> "en":"OK" | clashes with the account's transaction T2, which is different
    4 | an entry of the same id          | 02T12:00:00Z -> 03T12:00:00Z | clashes with the account's statement entry 12, which is different
    4 | the transaction of an entry      | "T2" -> null                | clashes with the account's statement entry 12, which is different
    5 | the ledger account of an entry   | "id":44 -> "id":45          | clashes with the account's statement entry 13, which is different
    5 | the name of a ledger account     | USDT (TRX) blocked -> Tether | clashes with ledger account 44 2.1.1.7.1.1.4 USDT (TRX) blocked
    4 | a line before the newest         | "id":12 -> "id":10          | clashes: entry 10 comes before the account's newest line 12`);

  it.each(CLASHES)('refuses to change existing records of the account: $what', async ({ lines, message }) => {
    expect(await refused(await accountWith(GOOD), lines)).toMatch(message);
  });
});
