/**
 * C-10, C-11, C-16: statement pages and balances of an instant against naive SQL (order by, offset, count) over a
 * random book: several currencies and sub-accounts, days with and without lines, history with an opening balance
 * before it, and a second account holder with the same ids beside it.
 */
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { BRL, CURRENCIES, type Currency } from '../../../src/base/money/currency.ts';
import { BRASILIA } from '../../../src/base/time/zone.ts';
import { houseSheet, SUB_ACCOUNTS, type SubAccount, subAccountSheet } from '../../../src/ledger/chart.ts';
import { createAccount } from '../../../src/store/account/accounts.ts';
import type { Statement } from '../../../src/store/connection/database.ts';
import { importLines, openLedgerAccounts } from '../../../src/store/ledger/history.ts';
import {
  findStatementLine,
  readBalances,
  readStatementEntries,
  readStatementLines,
  type StatementFilter,
  type StatementSlice,
} from '../../../src/store/ledger/ledger.ts';
import { verifyLedger } from '../../../src/store/ledger/verify.ts';
import { useDatabase } from '../../support/database.ts';

const test = useDatabase();

const SEED = 20_261_121;
const DAY_MS = 86_400_000;
const FIRST_DAY_MS = Date.parse('2026-03-01T00:00:00Z');
const HELD = CURRENCIES.slice(0, 3);
const NAMES: readonly SubAccount[] = ['available', 'in_transit', 'blocked'];
const POST: Statement = {
  name: 'test_post',
  text: `select code from ledger_post(array_fill($1::bigint, array[cardinality($2::text[])]), $2, array_fill(''::bytea, array[cardinality($2)]),
    $2, array_fill(null::bigint, array[cardinality($2)]), $3::timestamptz, $4::int[], $5::bigint[], $6::numeric[])`,
};

interface Book {
  readonly accountId: bigint;
  /** By currency and sub-account, 0 for the house account. */
  readonly ids: ReadonlyMap<string, bigint>;
}

let book: Book;
let posted = 0;

beforeAll(async () => {
  const other = await openBook();
  book = await openBook();
  // History taken in: days do not follow ids from one sub-account to the other, and one has an opening balance that
  // is no line of the statement.
  const series = [
    { currency: 'BRL', name: 'available', start: 500, days: 0.25 },
    { currency: 'USDT_TRX', name: 'in_transit', start: 0, days: 0.45 },
    { currency: 'TRX_TRX', name: 'blocked', start: 0, days: 0.1 },
  ] as const;
  const history = series.flatMap(({ currency, name, start, days }, nth) =>
    Array.from({ length: 120 }, (_, at) => ({
      ledgerAccountId: idOf(currency, name),
      id: BigInt(3 * at + nth + 1),
      postedAt: new Date(FIRST_DAY_MS + Math.round((at * days - 60) * DAY_MS)),
      transactionId: null,
      balanceBefore: BigInt(start + at),
      delta: 1n,
    })),
  );
  await test.database.withTx((tx) => importLines(tx, book.accountId, history));
  const move = fc.record({
    gapMs: fc.oneof(
      { weight: 12, arbitrary: fc.nat(20_000_000) },
      { weight: 1, arbitrary: fc.nat(4 * DAY_MS) },
    ),
    journals: fc.array(fc.tuple(fc.nat(2), fc.nat(2)), { minLength: 1, maxLength: 9 }),
  });
  let atMs = FIRST_DAY_MS;
  for (const { gapMs, journals } of fc.sample(move, { seed: SEED, numRuns: 150 })) {
    atMs += gapMs;
    await post(
      book,
      journals.map(([currency, name]) => [HELD[currency] as Currency, NAMES[name] as SubAccount]),
      new Date(atMs),
    );
    await post(other, [[BRL, 'available']], new Date(atMs));
  }
  expect((await verifyLedger(test.database, book.accountId)).defects).toEqual([]);
});

async function openBook(): Promise<Book> {
  const accountId = await createAccount(test.database, 'Book', { templates: [] });
  const sheets = HELD.flatMap((currency) => [
    ...NAMES.map((name) => subAccountSheet(accountId, currency, name)),
    houseSheet(accountId, currency, 'E.opening'),
  ]).map((sheet) => ({ ...sheet, id: null }));
  await test.database.withTx((tx) => openLedgerAccounts(tx, accountId, sheets));
  const { rows } = await test.owner.query(
    'select id, currency, sub_account from ledger_account where account_id = $1',
    [accountId],
  );
  return {
    accountId,
    ids: new Map(rows.map((row) => [`${row.currency} ${row.sub_account}`, BigInt(row.id)])),
  };
}

function idOf(currency: string, name: SubAccount | 0, of: Book = book): bigint {
  return of.ids.get(`${currency} ${name === 0 ? 0 : SUB_ACCOUNTS[name]}`) ?? 0n;
}

/** Posts one journal for each of the sub-accounts. */
async function post(of: Book, to: readonly (readonly [Currency, SubAccount])[], at: Date): Promise<void> {
  const refs = to.map(() => `r${++posted}`);
  const ids = to.flatMap(([{ code }, name]) => [idOf(code, name, of), idOf(code, 0, of)]);
  const deltas = refs.flatMap((_, index) => [index + 1, -index - 1]);
  const journals = refs.flatMap((_, index) => [index + 1, index + 1]);
  const rows = await test.database.query<{ code: string }>(POST, [
    of.accountId,
    refs,
    at,
    journals,
    ids,
    deltas,
  ]);
  expect(new Set(rows.map((row) => row.code))).toEqual(new Set(['POSTED']));
}

const NAIVE = `from ledger_line l join ledger_account a on a.account_id = l.account_id and a.id = l.ledger_account_id
  where l.account_id = $1 and a.sub_account > 0 and l.seq > 0
    and ($2::text[] is null or a.currency = any ($2)) and ($3::int is null or a.sub_account = $3)
    and ($4::date is null or (l.posted_at at time zone 'UTC')::date >= $4)
    and ($5::date is null or (l.posted_at at time zone 'UTC')::date <= $5)`;

async function naiveIds(filter: StatementFilter): Promise<bigint[]> {
  const { currencies, subAccount, dateFrom, dateTo, zone = 'UTC' } = filter;
  const values = [book.accountId, currencies ?? null, subAccount ?? null, dateFrom ?? null, dateTo ?? null];
  const condition = NAIVE.replaceAll("'UTC'", `'${zone}'`);
  const { rows } = await test.owner.query(`select l.id ${condition} order by l.id desc`, values);
  return rows.map((row) => BigInt(row.id));
}

async function page(filter: StatementFilter, window: { limit: number; offset: number }) {
  const { total, lines } = await readStatementEntries(test.database, book.accountId, filter, window);
  return { total, ids: lines.map((line) => BigInt(line.id)) };
}

async function slice(filter: StatementFilter, { isBackward = false, ...bounds }: Partial<StatementSlice>) {
  const { lines, ...found } = await readStatementLines(test.database, book.accountId, filter, {
    limit: 100,
    isBackward,
    ...bounds,
  });
  return { ...found, ids: lines.map((line) => line.id) };
}

const dayOf = (days: number) => new Date(FIRST_DAY_MS + days * DAY_MS).toISOString().slice(0, 10);

describe('the statement equals naive SQL', () => {
  const day = fc.option(fc.integer({ min: -62, max: 45 }).map(dayOf), { nil: undefined });
  const filter = fc
    .record({
      currencies: fc.constantFrom(
        undefined,
        ['BRL'],
        ['USDT_TRX'],
        ['TRX_TRX', 'BTC_BTC'],
        ['BRL', 'USDT_TRX'],
      ),
      subAccount: fc.constantFrom(undefined, undefined, 1, 2, 4, 3),
      dateFrom: day,
      dateTo: day,
    })
    .map(
      (given) =>
        Object.fromEntries(
          Object.entries(given).filter(([, value]) => value !== undefined),
        ) as StatementFilter,
    );
  const limit = fc.constantFrom(1, 2, 20, 100);
  // A part of the total, so that every filter is paged from its newest line to beyond its oldest.
  const part = fc
    .constantFrom(0, 0.1, 0.3, 0.5, 0.8, 0.99, 1, 1.5)
    .chain((share) => fc.nat(3).map((more) => ({ share, more })));

  it('for any filter, limit and offset, with the exact total', async () => {
    const property = fc.asyncProperty(filter, limit, part, async (given, size, { share, more }) => {
      const all = await naiveIds(given);
      const offset = Math.floor(all.length * share) + more;
      const expected = { total: BigInt(all.length), ids: all.slice(offset, offset + size) };
      expect(await page(given, { limit: size, offset })).toEqual(expected);
    });
    await fc.assert(property, { seed: SEED, numRuns: 400 });
  });

  it('for any filter, limit and two lines, from either end, with the exact total and its neighbouring pages', async () => {
    const bound = fc.option(fc.integer({ min: -3, max: 1_300 }).map(BigInt), { nil: undefined });
    const property = fc.asyncProperty(
      filter,
      limit,
      fc.record({ below: bound, above: bound, isBackward: fc.boolean() }),
      async (given, size, { below, above, isBackward }) => {
        const all = await naiveIds(given);
        const isNewer = (id: bigint) => below !== undefined && id >= below;
        const isOlder = (id: bigint) => above !== undefined && id <= above;
        const within = all.filter((id) => !isNewer(id) && !isOlder(id));
        expect(await slice(given, { limit: size, below, above, isBackward })).toEqual({
          total: BigInt(all.length),
          hasNewer: all.some(isNewer),
          hasOlder: all.some(isOlder),
          ids: (isBackward ? within.toReversed() : within).slice(0, size),
        });
      },
    );
    await fc.assert(property, { seed: SEED, numRuns: 300 });
  });

  it('for days of Brasília: a part from either end, the exact total, and the line of any number', async () => {
    const property = fc.asyncProperty(
      filter,
      limit,
      part,
      fc.boolean(),
      async (days, size, { share, more }, isBackward) => {
        const given = { ...days, zone: BRASILIA };
        const all = await naiveIds(given);
        const { total, ids } = await slice(given, { limit: size, isBackward });
        expect({ total, ids }).toEqual({
          total: BigInt(all.length),
          ids: (isBackward ? all.toReversed() : all).slice(0, size),
        });
        const number = Math.floor(all.length * share) + more + 1;
        const found = await findStatementLine(test.database, book.accountId, given, number);
        expect(found).toEqual(all[number - 1] ?? all.at(-1));
        const below = all[number - 1];
        if (below !== undefined)
          expect((await slice(given, { limit: size, below })).ids).toEqual(all.slice(number, number + size));
      },
    );
    await fc.assert(property, { seed: SEED, numRuns: 200 });
  });

  const filters: [what: string, filter: StatementFilter][] = [
    ['all lines', {}],
    ['one currency', { currencies: ['USDT_TRX'] }],
    ['two currencies', { currencies: ['USDT_TRX', 'BRL'] }],
    ['one sub-account of each currency', { subAccount: 2 }],
    ['a single sub-account', { currencies: ['BRL'], subAccount: 1 }],
    ['some days', { dateFrom: dayOf(5), dateTo: dayOf(30) }],
    ['some days of history', { dateFrom: dayOf(-58), dateTo: dayOf(-40) }],
  ];
  it.each(filters)('at every offset where it changes its method: %s', async (_what, given) => {
    const all = await naiveIds(given);
    const [total, turns] = [all.length, [0, 1, 99, 100, 101, 179, 180, 181, 199, 200, 201]];
    expect(total).toBeGreaterThan(50);
    for (const offset of [
      ...turns,
      total - 21,
      total - 20,
      total - 1,
      total,
      total + 1,
      Number.MAX_SAFE_INTEGER,
    ])
      for (const limit of [1, 20, 100])
        expect(await page(given, { limit, offset })).toEqual({
          total: BigInt(total),
          ids: all.slice(offset, offset + limit),
        });
  });

  it.each([
    ['before the first line', { dateTo: dayOf(-61) }, 'empty'],
    ['on the day of the first line', { dateTo: dayOf(-60) }, 'lines'],
    ['between two days with lines', { dateFrom: dayOf(-3), dateTo: dayOf(-3) }, 'empty'],
    ['from the last day on', { dateFrom: 'last' }, 'lines'],
    ['after the last day', { dateFrom: dayOf(400) }, 'empty'],
    ['the wrong way round', { dateFrom: dayOf(9), dateTo: dayOf(4) }, 'empty'],
    ['of a currency that is not held', { currencies: ['BTC_BTC'] }, 'empty'],
  ])('C-11, C-12: a range %s', async (_what, given: StatementFilter, outcome) => {
    const { lines } = await readStatementLines(
      test.database,
      book.accountId,
      {},
      { limit: 1, isBackward: false },
    );
    const [last] = lines;
    const filter = given.dateFrom === 'last' ? { dateFrom: last?.postedAt.slice(0, 10) ?? '' } : given;
    const ids = await naiveIds(filter);
    expect(ids.length > 0 ? 'lines' : 'empty').toBe(outcome);
    expect(await page(filter, { limit: 100, offset: 0 })).toEqual({
      total: BigInt(ids.length),
      ids: ids.slice(0, 100),
    });
  });

  it('every line is complete, and none is of another account', async () => {
    const { lines } = await readStatementEntries(
      test.database,
      book.accountId,
      {},
      { limit: 100, offset: 250 },
    );
    const { rows } = await test.owner.query(
      `select l.id, l.delta, l.balance_before, l.balance_after, a.code, a.currency ${NAIVE} and l.id = any ($6)`,
      [book.accountId, null, null, null, null, lines.map((line) => line.id)],
    );
    const flat = lines.map(({ id, delta, balanceBefore, balanceAfter, ledgerAccount: { code, currency } }) =>
      [id, delta, balanceBefore, balanceAfter, code, currency].map(String),
    );
    expect(flat).toHaveLength(100);
    expect(flat.toSorted()).toEqual(rows.map((row) => Object.values(row).map(String)).toSorted());
  });

  it.each([
    7, 50, 100,
  ])('paging on by %d visits every line once, while new ones are posted', async (limit) => {
    const all = await naiveIds({});
    const seen: bigint[] = [];
    let below = (all[0] ?? 0n) + 1n;
    for (;;) {
      const { ids } = await slice({}, { limit, below });
      if (ids.length === 0) break;
      seen.push(...ids);
      below = ids.at(-1) ?? 0n;
      await post(
        book,
        [
          [BRL, 'blocked'],
          [BRL, 'in_transit'],
        ],
        new Date(),
      );
    }
    expect(seen).toEqual(all);
  });
});

describe('balance_at returns the balance after the newest line before an instant', () => {
  it('at the time of every other line, slightly before and after, and at midnights', async () => {
    const { rows: times } = await test.owner.query(
      'select distinct posted_at as at from ledger_line where account_id = $1 order by 1',
      [book.accountId],
    );
    const lineTimes = times.filter((_, at) => at % 2 === 0).map((row) => (row.at as Date).getTime());
    const midnights = Array.from({ length: 110 }, (_, days) => FIRST_DAY_MS + (days - 62) * DAY_MS);
    const instants = [
      ...lineTimes.flatMap((at) => [at - 1, at, at + 1]),
      ...midnights,
      ...midnights.map((at) => at - 1),
    ];
    const { rows: ledgerAccounts } = await test.owner.query(
      `select currency, scale, sub_account as "subAccount", array(select json_build_object('ms', (extract(epoch from posted_at) * 1000)::bigint, 'after', balance_after::text)
         from ledger_line l where l.account_id = a.account_id and l.ledger_account_id = a.id and l.seq > 0 order by seq) as lines
       from ledger_account a where account_id = $1 and sub_account > 0`,
      [book.accountId],
    );
    const opening = (row: { currency: string; subAccount: number }) =>
      row.currency === 'BRL' && row.subAccount === 1 ? '500' : '0';
    expect(instants.length).toBeGreaterThan(400);
    for (const at of instants) {
      const expected = ledgerAccounts.map(({ lines, ...row }) => ({
        ...row,
        balance: lines.findLast((line: { ms: number }) => line.ms <= at)?.after ?? opening(row),
      }));
      const found = await readBalances(test.database, book.accountId, new Date(at));
      expect(found.toSorted(byName)).toEqual(expected.toSorted(byName));
    }
  });

  it('now: the balances themselves', async () => {
    const later = await readBalances(test.database, book.accountId, new Date(Date.now() + 400 * DAY_MS));
    expect(later.toSorted(byName)).toEqual(
      (await readBalances(test.database, book.accountId)).toSorted(byName),
    );
  });

  type Named = { currency: string; subAccount: number };
  const byName = (left: Named, right: Named) =>
    `${left.currency} ${left.subAccount}`.localeCompare(`${right.currency} ${right.subAccount}`);
});
