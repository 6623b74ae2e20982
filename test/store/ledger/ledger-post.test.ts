/**
 * Posting journals: ledger_post against tables of results, against a ledger kept in memory, and from many clients at
 * once. Refused journals have the nearest accepted one beside them; amounts are minor units, a credit is positive.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BRL, currencyOf } from '../../../src/base/money/currency.ts';
import { houseSheet, subAccountSheet } from '../../../src/ledger/chart.ts';
import { createAccount } from '../../../src/store/account/accounts.ts';
import { openDatabase } from '../../../src/store/connection/connection.ts';
import type { Database, Statement } from '../../../src/store/connection/database.ts';
import { openLedgerAccounts } from '../../../src/store/ledger/history.ts';
import { verifyLedger } from '../../../src/store/ledger/verify.ts';
import { useDatabase } from '../../support/database.ts';

const test = useDatabase();

/** Ledger accounts of a book by the names of the tables: currency and sub-account, 0 for house; `nobody` is not opened. */
const OPENED = {
  usdt: ['USDT_TRX', 1],
  held: ['USDT_TRX', 2],
  custody: ['USDT_TRX', 0],
  brl: ['BRL', 1],
  pix: ['BRL', 0],
} as const;
const NAMES = Object.keys(OPENED) as (keyof typeof OPENED)[];
const HOUSES = new Set(['custody', 'pix']);

interface Book {
  readonly accountId: bigint;
  readonly ids: Readonly<Record<string, bigint>>;
}

interface Journal {
  readonly book: Book;
  readonly ref: string;
  /** `usdt -40, held 40`. */
  readonly lines: string;
  /** What the request said: the same ref with another content is a conflict. */
  readonly content?: string;
}

interface Posted {
  readonly code: string;
  readonly journalId: bigint | null;
}

interface Line {
  readonly id: bigint;
  readonly journalId: bigint;
  readonly ledgerAccountId: bigint;
  readonly delta: string;
  readonly postedAt: string;
}

const POST: Statement = {
  name: 'test_post',
  text: `select code, journal_id as "journalId" from ledger_post($1::bigint[], $2::text[], $3::bytea[], $4::text[],
    $5::bigint[], coalesce($6::timestamptz, clock_timestamp()), $7::int[], $8::bigint[], $9::numeric[]) order by ix`,
};
const BALANCES: Statement = {
  name: 'test_balances',
  text: `select a.id, a.currency, a.sub_account as "subAccount", b.balance from ledger_account a
    join ledger_balance b on b.account_id = a.account_id and b.ledger_account_id = a.id where a.account_id = $1`,
};
const LINES: Statement = {
  name: 'test_lines',
  text: `select id, journal_id as "journalId", ledger_account_id as "ledgerAccountId", delta, posted_at as "postedAt"
    from ledger_line where account_id = $1 order by journal_id, abs(id)`,
};

type BalanceRow = { id: bigint; currency: string; subAccount: number; balance: string };
const balanceRows = ({ accountId }: Pick<Book, 'accountId'>) =>
  test.database.query<BalanceRow>(BALANCES, [accountId]);
const isNamed = (name: keyof typeof OPENED) => (row: BalanceRow) =>
  row.currency === OPENED[name][0] && row.subAccount === OPENED[name][1];

async function openBook(funds?: string): Promise<Book> {
  const accountId = await createAccount(test.database, 'Book', { templates: [] });
  const usdt = currencyOf('USDT_TRX') ?? BRL;
  const sheets = [
    subAccountSheet(accountId, usdt, 'available'),
    subAccountSheet(accountId, usdt, 'in_transit'),
    houseSheet(accountId, usdt, 'A.custody'),
    subAccountSheet(accountId, BRL, 'available'),
    houseSheet(accountId, BRL, 'A.pix'),
  ].map((sheet) => ({ ...sheet, id: null }));
  await test.database.withTx((tx) => openLedgerAccounts(tx, accountId, sheets));
  const rows = await balanceRows({ accountId });
  const ids = Object.fromEntries(NAMES.map((name) => [name, rows.find(isNamed(name))?.id ?? 0n]));
  const book = { accountId, ids: { ...ids, nobody: 999n } };
  if (funds) await post([{ book, ref: 'funds', lines: funds }]);
  return book;
}

function parseLines(text: string): { name: string; delta: bigint }[] {
  return text.split(', ').map((part) => {
    const [name = '', delta = ''] = part.split(' ');
    return { name, delta: BigInt(delta) };
  });
}

function post(journals: readonly Journal[], at: Date | null = null, database: Database = test.database) {
  const lines = journals.flatMap(({ book, lines }, index) =>
    parseLines(lines).map(({ name, delta }) => ({ ix: index + 1, id: book.ids[name], delta })),
  );
  return database.query<Posted>(POST, [
    journals.map(({ book }) => book.accountId),
    journals.map(({ ref }) => ref),
    journals.map(({ content }) => Buffer.from(content ?? '')),
    journals.map(() => 'test'),
    journals.map(() => null),
    at,
    lines.map((line) => line.ix),
    lines.map((line) => line.id),
    lines.map((line) => line.delta),
  ]);
}

const codesOf = (posted: readonly { code: string }[]) => posted.map((row) => row.code);
const linesOf = (book: Book) => test.database.query<Line>(LINES, [book.accountId]);
const defectsOf = async (book: Book) => (await verifyLedger(test.database, book.accountId)).defects;

async function balancesOf(book: Book): Promise<Record<string, bigint>> {
  const rows = await balanceRows(book);
  return Object.fromEntries(NAMES.map((name) => [name, BigInt(rows.find(isNamed(name))?.balance ?? 'x')]));
}

describe('each journal is posted whole or not at all', () => {
  const FUNDS = 'custody -100, usdt 100, pix -50, brl 50';
  // What it shows | journals of a batch | their codes | what usdt, held and brl have afterwards.
  const rows = `
    spends part of a balance            | usdt -40, held 40                | POSTED                 | 60 40 50
    spends all of a balance             | usdt -100, held 100              | POSTED                 | 0 100 50
    refuses to spend one unit more      | usdt -101, held 101              | INSUFFICIENT_BALANCE   | 100 0 50
    lets a house account go below zero  | pix -7, brl 7                    | POSTED                 | 100 0 57
    refuses what is off by one unit     | usdt -10, held 9                 | UNBALANCED             | 100 0 50
    refuses a sum over two currencies   | usdt -10, brl 10                 | UNBALANCED             | 100 0 50
    takes a sum in each of two          | usdt -9, held 9, pix -10, brl 10 | POSTED                 | 91 9 60
    refuses an unknown ledger account   | usdt -10, nobody 10              | UNKNOWN_LEDGER_ACCOUNT | 100 0 50
    also where the rest balances        | usdt -9, held 9, nobody 5        | UNKNOWN_LEDGER_ACCOUNT | 100 0 50
    takes credits before debits         | usdt 30, custody -30, usdt -130, held 130 | POSTED        | 0 130 50
    spends what came earlier            | pix -5, brl 5; brl -55, pix 55   | POSTED POSTED          | 100 0 0
    lends nothing that comes later      | brl -55, pix 55; pix -5, brl 5   | INSUFFICIENT_BALANCE POSTED | 100 0 55
    lends nothing of a refused journal  | held -1, usdt 1; usdt -101, held 101 | INSUFFICIENT_BALANCE INSUFFICIENT_BALANCE | 100 0 50
    leaves those around a refused one   | usdt -60, held 60; usdt -41, held 41; usdt -40, held 40 | POSTED INSUFFICIENT_BALANCE POSTED | 0 100 50
    leaves those around an unbalanced   | usdt -60, held 60; usdt 1, held -2; usdt -40, held 40 | POSTED UNBALANCED POSTED | 0 100 50
    leaves those around an unknown      | usdt -60, held 60; usdt 0, nobody 0; usdt -40, held 40 | POSTED UNKNOWN_LEDGER_ACCOUNT POSTED | 0 100 50`
    .trim()
    .split('\n')
    .map((row) => row.split('|').map((cell) => cell.trim()) as [string, string, string, string]);
  it.each(rows)('%s', async (_effect, batch, codes, after) => {
    const book = await openBook(FUNDS);
    const posted = await post(batch.split('; ').map((lines, index) => ({ book, ref: `r${index}`, lines })));
    const { usdt, held, brl } = await balancesOf(book);
    expect([codesOf(posted).join(' '), `${usdt} ${held} ${brl}`]).toEqual([codes, after]);
    expect(await defectsOf(book)).toEqual([]);
  });

  it('posts a ref once: the same again is a duplicate of the first, another content a conflict', async () => {
    const [book, other] = [await openBook(FUNDS), await openBook(FUNDS)];
    const journal = { book, ref: 'once', content: 'a', lines: 'usdt -10, held 10' };
    const [first] = await post([journal]);
    const again = await post([{ ...journal, ref: 'new' }, journal, { ...journal, book: other }]);
    expect(codesOf(again)).toEqual(['POSTED', 'DUPLICATE', 'POSTED']);
    expect(again[1]?.journalId).toBe(first?.journalId);
    expect(await post([{ ...journal, content: 'b' }])).toEqual([{ ...first, code: 'REF_CONFLICT' }]);
    expect([(await balancesOf(book)).held, (await balancesOf(other)).held]).toEqual([20n, 10n]);
  });

  it('accepts a ref that was refused before', async () => {
    const book = await openBook(FUNDS);
    const journal = { book, ref: 'large', lines: 'usdt -150, held 150' };
    expect(await post([journal])).toEqual([{ code: 'INSUFFICIENT_BALANCE', journalId: null }]);
    await post([{ book, ref: 'more', lines: 'custody -50, usdt 50' }]);
    expect(codesOf(await post([journal]))).toEqual(['POSTED']);
  });

  it('refuses a batch with a duplicate ref, and accepts the same ref of two accounts', async () => {
    const [book, other] = [await openBook(FUNDS), await openBook(FUNDS)];
    const journal = { book, ref: 'twice', lines: 'usdt -10, held 10' };
    await expect(post([journal, journal])).rejects.toThrow('a ref is repeated within one batch');
    expect((await balancesOf(book)).held).toBe(0n);
    expect(codesOf(await post([journal, { ...journal, book: other }]))).toEqual(['POSTED', 'POSTED']);
  });
});

describe('amounts', () => {
  it.each([
    ['one unit', 1n],
    ['0.123456789012345678 with 18 decimals', 123_456_789_012_345_678n],
    ['31 digits', 1_234_567_890_123_456_789_012_345_678_901n],
    ['78 digits', 10n ** 78n - 1n],
  ])('of %s come back digit for digit', async (_what, amount) => {
    const book = await openBook(`custody -${amount}, usdt ${amount}`);
    expect(await balancesOf(book)).toMatchObject({ usdt: amount, custody: -amount });
    expect((await linesOf(book)).map((line) => line.delta).sort()).toEqual([`-${amount}`, `${amount}`]);
  });

  it('of 79 digits are refused, and nothing is posted', async () => {
    await expect(openBook(`custody -${10n ** 78n}, usdt ${10n ** 78n}`)).rejects.toThrow(
      'numeric field overflow',
    );
    const book = await openBook();
    const journals = [10n, 10n ** 78n].map((amount, index) => ({
      book,
      ref: `${index}`,
      lines: `pix -${amount}, brl ${amount}`,
    }));
    await expect(post(journals)).rejects.toThrow('numeric field overflow');
    expect(await linesOf(book)).toEqual([]);
  });
});

describe('a ledger in memory agrees', () => {
  const name = fc.constantFrom('usdt', 'held', 'custody', 'brl', 'pix');
  const stranger = fc.constantFrom('nobody', 'held', 'brl');
  const amount = fc.oneof(fc.bigInt(1n, 60n), fc.bigInt(1n, 10n ** 30n));
  const line = (account: string, delta: bigint) => `${account} ${delta}`;
  // A ledger account stands once in a journal, or its credits first.
  const pair = fc.tuple(name, name, amount).map(([from, to, x]) => [line(to, x), line(from, -x)]);
  const odd = fc
    .tuple(name, stranger, amount, amount)
    .map(([from, to, x, y]) => [line(to, y), line(from, -x)]);
  const two = fc.tuple(pair, pair).map(([[a, b], [c, d]]) => [a, c, b, d]);
  const lines = fc.oneof({ weight: 5, arbitrary: pair }, odd, two).map((parts) => parts.join(', '));
  const content = fc.constantFrom('a', 'a', 'a', 'b');
  const journal = fc.record({ holder: fc.nat(1), ref: fc.nat(30).map(String), content, lines });
  const selector = ({ holder, ref }: { holder: number; ref: string }) => `${holder}/${ref}`;
  const journals = fc.uniqueArray(journal, { minLength: 1, maxLength: 6, selector });
  const batches = fc.array(fc.record({ journals, atMs: fc.nat(4 * 86_400_000) }), {
    minLength: 1,
    maxLength: 15,
  });

  /** What one account holder's ledger comes to. */
  class Model {
    readonly balances = new Map<string, bigint>(NAMES.map((each) => [each, 0n]));
    readonly refs = new Map<string, string>();

    post({ ref, content, lines }: { ref: string; content: string; lines: string }): string {
      const known = this.refs.get(ref);
      if (known !== undefined) return known === content ? 'DUPLICATE' : 'REF_CONFLICT';
      const sums = { USDT_TRX: 0n, BRL: 0n };
      const after = new Map(this.balances);
      for (const { name, delta } of parseLines(lines)) {
        if (!(name in OPENED)) return 'UNKNOWN_LEDGER_ACCOUNT';
        sums[OPENED[name as keyof typeof OPENED][0]] += delta;
        after.set(name, (after.get(name) ?? 0n) + delta);
      }
      if (sums.USDT_TRX !== 0n || sums.BRL !== 0n) return 'UNBALANCED';
      if ([...after].some(([name, balance]) => !HOUSES.has(name) && balance < 0n))
        return 'INSUFFICIENT_BALANCE';
      for (const [name, balance] of after) this.balances.set(name, balance);
      this.refs.set(ref, content);
      return 'POSTED';
    }
  }

  it('on every code and balance of random batches; ids are dense, times never go back', async () => {
    const property = fc.asyncProperty(batches, async (given) => {
      const books = [await openBook(), await openBook()] as [Book, Book];
      const models = [new Model(), new Model()] as [Model, Model];
      const atMs = new Map<string, number>();
      for (const batch of given) {
        const expected = batch.journals.map((each) => models[each.holder as 0 | 1].post(each));
        const journals = batch.journals.map((each) => ({ ...each, book: books[each.holder as 0 | 1] }));
        const posted = await post(journals, new Date(batch.atMs));
        expect(codesOf(posted)).toEqual(expected);
        for (const [index, each] of batch.journals.entries())
          if (expected[index] === 'POSTED')
            atMs.set(`${each.holder}/${posted[index]?.journalId}`, batch.atMs);
      }
      for (const [holder, book] of books.entries()) {
        expect(await balancesOf(book)).toEqual(Object.fromEntries(models[holder as 0 | 1].balances));
        const all = await linesOf(book);
        const times = all.map((each) => Date.parse(each.postedAt));
        expect(times).toEqual(times.toSorted((left, right) => left - right));
        for (const [at, each] of all.entries())
          expect(times[at]).toBeGreaterThanOrEqual(atMs.get(`${holder}/${each.journalId}`) ?? Number.NaN);
        const houseIds = [book.ids.custody, book.ids.pix];
        const ids = Map.groupBy(all, (each) => houseIds.includes(each.ledgerAccountId));
        expect(ids.get(false)?.map((each) => each.id) ?? []).toEqual(
          ids.get(false)?.map((_, at) => BigInt(at + 1)) ?? [],
        );
        expect(ids.get(true)?.map((each) => each.id) ?? []).toEqual(
          ids.get(true)?.map((_, at) => -BigInt(at + 1)) ?? [],
        );
        expect(await defectsOf(book)).toEqual([]);
      }
    });
    await fc.assert(property, { seed: 20_261_121, numRuns: 150 });
  }, 60_000);
});

describe('many clients in parallel', () => {
  const [CLIENTS, ROUNDS, REFS] = [12, 25, 120];

  it('post every ref once, without deadlock: no line is lost, totals are exact', async () => {
    const books = [await openBook(), await openBook(), await openBook()];
    const database = openDatabase(test.url, { connections: CLIENTS });
    const outcomes: { key: string; code: string; journalId: bigint | null; amount: bigint }[] = [];
    // Every batch goes to all books, in another order each time; the amount of a ref tells its content.
    const work = async (client: number) => {
      for (let round = 0; round < ROUNDS; round++) {
        const journals = [0, 1, 2, 3].map((index) => {
          const [ref, amount] = [
            (client * 7 + round * 5 + index * 31) % REFS,
            BigInt(1 + ((round + index) % 2)),
          ];
          const book = books[(client + round + index) % books.length] as Book;
          const lines =
            index === 3 ? `held -${amount}, usdt ${amount}` : `custody -${amount}, held ${amount}`;
          return { book, amount, ref: `${ref}`, content: lines, lines };
        });
        for (const [index, row] of (await post(journals, null, database)).entries()) {
          const { book, ref, amount, lines } = journals[index] as (typeof journals)[number];
          outcomes.push({
            ...row,
            key: `${book.accountId}/${ref}`,
            amount: lines.startsWith('custody') ? amount : 0n,
          });
        }
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, (_, client) => work(client))).finally(database.close);

    const posted = new Map(outcomes.filter((each) => each.code === 'POSTED').map((each) => [each.key, each]));
    expect(outcomes.filter((each) => each.code === 'POSTED')).toHaveLength(posted.size);
    expect(codesOf(outcomes)).toEqual(expect.arrayContaining(['POSTED', 'DUPLICATE', 'REF_CONFLICT']));
    for (const each of outcomes.filter(({ code }) => code === 'DUPLICATE' || code === 'REF_CONFLICT'))
      expect(each.journalId).toBe(posted.get(each.key)?.journalId);
    for (const book of books) {
      const own = [...posted].flatMap(([key, each]) => (key.startsWith(`${book.accountId}/`) ? each : []));
      const { usdt = 0n, held = 0n, custody } = await balancesOf(book);
      const brought = own.reduce((sum, each) => sum + each.amount, 0n);
      expect([usdt + held, custody]).toEqual([brought, -brought]);
      expect(await linesOf(book)).toHaveLength(2 * own.length);
      expect(await defectsOf(book)).toEqual([]);
    }
  });
});
