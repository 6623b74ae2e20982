/**
 * C-10, C-11, C-14, C-16: pages and totals of the transaction lists against naive SQL over random transactions, with
 * times that tie, and against the planner: no list of a large table is scanned or sorted.
 */
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { createAccount } from '../../../src/store/account/accounts.ts';
import type { Database, Statement } from '../../../src/store/connection/database.ts';
import { FILTERS, type ListFilterName } from '../../../src/store/engine/transaction-filters.ts';
import { type ListFilter, listTransactions, type Page } from '../../../src/store/engine/transactions.ts';
import type { NewTransaction } from '../../../src/store/ledger/history.ts';
import { verifyLedger } from '../../../src/store/ledger/verify.ts';
import type { Family } from '../../../src/templates/define.ts';
import { useDatabase } from '../../support/database.ts';
import { insertTransactions, newTransaction } from '../../support/records.ts';

const test = useDatabase();

const SEED = 20_261_121;
const DAY_MS = 86_400_000;
const FIRST_DAY_MS = Date.parse('2026-03-01T00:00:00Z');
const FAMILIES: readonly Family[] = ['checkouts', 'onramps', 'offramps', 'withdrawals'];
const EVM = '0xAbCdEf0123456789aBcDeF0123456789AbCdEf01';
const TRON = 'TMaevXmbYNz1rwX53YGt9FK2wiSmcEq1ut';
const BECH32 = 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq';
/** Values that are stored and asked for, in several spellings: of every filter of `/v2` besides days. */
const POOL = {
  pixE2e: ['E00038166202605011200ck7ueu153th', 'E00038166202605011200CK7UEU153TH', 'E1'],
  clientTaxId: ['52998224725', '529.982.247-25', '12ABC34501DE35', '12.abc.345/01de-35', '1'],
  address: [EVM, EVM.toLowerCase(), TRON, TRON.toLowerCase(), BECH32, BECH32.toUpperCase(), '0x'],
  groupId: ['wl-treasury', 'WL-Treasury', '%'],
  externalCode: ['order-1', 'Order-1', 'a'.repeat(200)],
  targetCurrency: ['USDT_TRX', 'BRL', 'USDC_ARB'],
} as const satisfies Readonly<Record<Exclude<ListFilterName, 'dateFrom' | 'dateTo'>, readonly string[]>>;

let accountId: bigint;

beforeAll(async () => {
  const other = await createAccount(test.database, 'Other', { templates: [] });
  accountId = await createAccount(test.database, 'Holder', { templates: [] });
  const some = <Value>(values: readonly Value[]) =>
    fc.option(fc.constantFrom(...values), { nil: null, freq: 3 });
  const transaction = fc.record({
    family: fc.constantFrom(...FAMILIES),
    // Few times: many tie. End2end ids that no locale orders as bytes do.
    at: fc
      .tuple(fc.nat(20), fc.nat(3))
      .map(([days, part]) => FIRST_DAY_MS + days * 2 * DAY_MS + part * 21_599_999),
    end2end: fc.string({
      unit: fc.constantFrom('a', 'A', 'b', 'B', '0', '-', 'é', 'Z'),
      minLength: 1,
      maxLength: 12,
    }),
    pixE2e: some(POOL.pixE2e),
    clientTaxId: some(POOL.clientTaxId),
    wallet: some(POOL.address),
    groupId: some(POOL.groupId),
    externalCode: some([...POOL.externalCode, `${'a'.repeat(200)}b`]),
    targetCurrency: some(POOL.targetCurrency),
  });
  const distinct = fc.uniqueArray(transaction, {
    minLength: 1_500,
    maxLength: 1_500,
    size: 'max',
    selector: (each) => each.end2end,
  });
  const [rows = []] = fc.sample(distinct, { seed: SEED, numRuns: 1 });
  const taken = rows.map(({ at, ...facts }) =>
    newTransaction({ ...facts, createdAt: new Date(at).toISOString() }),
  );
  // Taken in by parts, not in order: positions are given again each time.
  for (let from = 0; from < taken.length; from += 300) await take(accountId, taken.slice(from, from + 300));
  await take(other, taken.slice(0, 400));
  await test.owner.query(
    `update transaction set deposit_from = wallet, wallet = null where account_id = $1 and family = 'offramps'`,
    [accountId],
  );
  expect((await verifyLedger(test.database, accountId)).defects).toEqual([]);
});

const take = (holder: bigint, transactions: readonly NewTransaction[]) =>
  test.database.withTx((tx) => insertTransactions(tx, holder, transactions));

/** @returns the end2end of all that match, by what the rules say and no index or function of the product does. */
async function naive(family: Family, filter: ListFilter): Promise<string[]> {
  const { pixE2e, clientTaxId, address, groupId, dateFrom, dateTo, externalCode } = filter;
  const { targetCurrency, severalTargets } = filter;
  const { rows } = await test.owner.query(
    `select end2end from transaction where account_id = $1 and family = $2
       and ($3::text is null or pix_e2e = $3)
       and ($4::text is null or upper(translate(client_tax_id, './-', '')) = upper(translate($4, './-', '')))
       and ($5::text is null or coalesce(wallet, deposit_from) = $5
            or ($5 ilike any (array['0x_%', 'bc1%']) and coalesce(wallet, deposit_from) ilike $5))
       and ($6::text is null or group_id = $6) and ($7::text is null or target_currency = $7)
       and ($11::text[] is null or target_currency = any ($11))
       and ($8::date is null or (created_at at time zone 'UTC')::date >= $8)
       and ($9::date is null or (created_at at time zone 'UTC')::date <= $9)
       and ($10::text is null or external_code = $10)
     order by created_at desc, end2end collate "C" desc`,
    [
      accountId,
      family,
      ...[
        pixE2e,
        clientTaxId,
        address,
        groupId,
        targetCurrency,
        dateFrom,
        dateTo,
        externalCode,
        severalTargets,
      ].map((value) => value ?? null),
    ],
  );
  return rows.map((row) => row.end2end);
}

async function page(family: Family, filter: ListFilter, at: Page, counted = true) {
  const found = await listTransactions(test.database, accountId, family, filter, at, { counted });
  return found && { total: found.total, end2ends: found.rows.map((row) => row.end2end) };
}

const dayOf = (days: number) => new Date(FIRST_DAY_MS + days * DAY_MS).toISOString().slice(0, 10);

describe('a list equals naive SQL', () => {
  const perhaps = <Value>(values: readonly Value[]) =>
    fc.option(fc.constantFrom(...values), { nil: undefined, freq: 2 });
  const days = fc.tuple(fc.integer({ min: -3, max: 43 }), fc.integer({ min: 0, max: 30 }));
  const filter = fc
    .record({
      pixE2e: perhaps(POOL.pixE2e),
      clientTaxId: perhaps([...POOL.clientTaxId, '999']),
      address: perhaps(POOL.address),
      groupId: perhaps(POOL.groupId),
      externalCode: perhaps(POOL.externalCode),
      targetCurrency: perhaps([...POOL.targetCurrency, 'BTC_BTC']),
      severalTargets: perhaps([[...POOL.targetCurrency.slice(0, 2), 'BTC_BTC']]),
      dateFrom: days.map(([from]) => dayOf(from)),
      dateTo: days.map(([, more]) => more),
      dates: fc.constantFrom('none', 'from', 'to', 'both'),
    })
    .map(({ dateFrom, dateTo, dates, ...texts }): ListFilter => {
      const last = new Date(Date.parse(dateFrom) + dateTo * DAY_MS).toISOString().slice(0, 10);
      const range = {
        ...(/from|both/.test(dates) && { dateFrom }),
        ...(/to|both/.test(dates) && { dateTo: last }),
      };
      return {
        ...Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== undefined)),
        ...range,
      };
    });
  const limit = fc.constantFrom(1, 5, 20, 100);
  const share = fc.constantFrom(0, 0, 0.2, 0.5, 0.9, 1, 1.3);
  const family = fc.constantFrom(...FAMILIES);

  it('for any filter, limit and offset, with the exact total', async () => {
    const property = fc.asyncProperty(
      family,
      filter,
      limit,
      share,
      fc.nat(2),
      async (list, given, size, part, more) => {
        const all = await naive(list, given);
        const offset = Math.floor(all.length * part) + more;
        const expected = { total: BigInt(all.length), end2ends: all.slice(offset, offset + size) };
        expect(await page(list, given, { limit: size, offset })).toEqual(expected);
        expect(await page(list, given, { limit: size, offset }, false)).toEqual({ ...expected, total: null });
      },
    );
    await fc.assert(property, { seed: SEED, numRuns: 300 });
  });

  it('for any filter, limit and record to continue from, also one outside of the filter', async () => {
    const property = fc.asyncProperty(family, filter, limit, fc.nat(), async (list, given, size, at) => {
      const everything = await naive(list, {});
      const all = await naive(list, given);
      const after = everything[at % everything.length] ?? '';
      const older = new Set(everything.slice(everything.indexOf(after) + 1));
      const expected = {
        total: BigInt(all.length),
        end2ends: all.filter((each) => older.has(each)).slice(0, size),
      };
      expect(await page(list, given, { limit: size, after })).toEqual(expected);
    });
    await fc.assert(property, { seed: SEED, numRuns: 150 });
  });

  it('for any filter, limit and two records, from either end, with its neighbouring pages', async () => {
    const bound = fc.option(fc.nat(), { nil: undefined });
    const property = fc.asyncProperty(
      family,
      filter,
      limit,
      fc.record({ after: bound, before: bound, isBackward: fc.boolean() }),
      async (list, given, size, { after, before, isBackward }) => {
        const everything = await naive(list, {});
        const all = await naive(list, given);
        const at = (index: number | undefined) =>
          index === undefined ? undefined : everything[index % everything.length];
        const place = (end2end: string) => everything.indexOf(end2end);
        const [from, to] = [at(after), at(before)] as const;
        const isNewer = (each: string) => from !== undefined && place(each) <= place(from as string);
        const isOlder = (each: string) => to !== undefined && place(each) >= place(to as string);
        const within = all.filter((each) => !isNewer(each) && !isOlder(each));
        const found = await listTransactions(
          test.database,
          accountId,
          list,
          given,
          { limit: size, after: from as string | undefined, before: to as string | undefined, isBackward },
          { counted: true },
        );
        expect({ ...found, rows: found?.rows.map((row) => row.end2end) }).toEqual({
          total: BigInt(all.length),
          hasNewer: all.some(isNewer),
          hasOlder: all.some(isOlder),
          rows: (isBackward ? within.toReversed() : within).slice(0, size),
        });
      },
    );
    await fc.assert(property, { seed: SEED, numRuns: 300 });
  });

  it.each([
    ['a record of the list', 'onramps', 'page'],
    ['a record of another list', 'offramps', 'nothing'],
    ['no record', undefined, 'nothing'],
  ] as const)('going on from %s', async (_what, from, outcome) => {
    const [after = 'none'] = from ? await naive(from, {}) : [];
    const found = await page('onramps', {}, { limit: 5, after });
    expect(found ? 'page' : 'nothing').toBe(outcome);
  });

  it('sends every combination of filters under a name that PostgreSQL does not truncate', async () => {
    const names = new Set<string>();
    const query: Database['query'] = (statement, values) => {
      names.add(statement.name);
      return test.database.query(statement, values);
    };
    const fields = Object.keys(POOL) as (keyof typeof POOL)[];
    for (let subset = 0; subset < 2 ** fields.length; subset++) {
      const given = Object.fromEntries(
        fields.filter((_, at) => subset & (1 << at)).map((field) => [field, '1']),
      );
      for (const at of [
        { offset: 0 },
        { after: 'none' },
        { before: 'none', isBackward: true },
        { after: 'none', before: 'none', isBackward: true },
      ])
        for (const counted of [true, false])
          await listTransactions(
            { ...test.database, query },
            accountId,
            'onramps',
            given,
            { limit: 1, ...at },
            { counted },
          );
    }
    expect(new Set([...names].map((name) => name.slice(0, 63))).size).toBe(2 ** fields.length * 8);
    expect([...names].filter((name) => name.length > 63)).toEqual([]);
  });

  it.each([1, 20, 100])('paging on by %d visits every record once, while new ones arrive', async (size) => {
    for (const given of [{}, { groupId: 'wl-treasury' }, { dateFrom: dayOf(8), dateTo: dayOf(16) }]) {
      const expected = (await naive('checkouts', given)).slice(0, 150);
      const seen = (await page('checkouts', given, { limit: size, offset: 0 }))?.end2ends ?? [];
      while (seen.length < expected.length) {
        const createdAt = new Date(FIRST_DAY_MS + 60 * DAY_MS).toISOString();
        if (seen.length % 5 === 0)
          await take(accountId, [
            newTransaction({
              family: 'checkouts',
              createdAt,
              end2end: `new ${size} ${seen.length} ${JSON.stringify(given)}`,
            }),
          ]);
        const next = await page('checkouts', given, { limit: size, after: seen.at(-1) ?? '' });
        expect(next?.end2ends).not.toEqual([]);
        seen.push(...(next?.end2ends ?? []));
      }
      expect(seen.slice(0, expected.length)).toEqual(expected);
    }
  });
});

describe('C-14: addresses and tax ids are compared in their canonical form', () => {
  it.each([
    ['address', EVM, EVM.toUpperCase().replace('X', 'x'), 'found'],
    ['address', EVM, `${EVM.slice(0, -1)}2`, 'missed'],
    ['address', BECH32, BECH32.toUpperCase(), 'found'],
    ['address', TRON, TRON, 'found'],
    ['address', TRON, TRON.toLowerCase(), 'missed'],
    ['clientTaxId', '52998224725', '529.982.247-25', 'found'],
    ['clientTaxId', '12.ABC.345/01DE-35', '12abc34501de35', 'found'],
    ['clientTaxId', '52998224725', '52998224726', 'missed'],
  ] as const)('%s %s, asked for as %s, is %s', async (field, stored, asked, outcome) => {
    const holder = await createAccount(test.database, 'Holder', { templates: [] });
    const fact = field === 'address' ? { wallet: stored } : { clientTaxId: stored };
    await take(holder, [
      newTransaction({ ...fact, family: 'onramps', end2end: 'T', createdAt: '2026-05-01T00:00:00.000Z' }),
    ]);
    const found = await listTransactions(
      test.database,
      holder,
      'onramps',
      { [field]: asked },
      { limit: 1, offset: 0 },
      { counted: true },
    );
    expect(found).toMatchObject(
      outcome === 'found' ? { total: 1n, rows: [{ end2end: 'T' }] } : { total: 0n, rows: [] },
    );
  });
});

describe('over 20,000 transactions nothing is scanned or sorted', () => {
  interface Plan {
    readonly 'Node Type': string;
    readonly 'Relation Name'?: string;
    readonly 'Index Name'?: string;
    readonly Plans?: readonly Plan[];
  }
  const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

  beforeAll(async () => {
    const holder = await createAccount(test.database, 'Large', { templates: [] });
    await test.owner.query(
      `insert into transaction (account_id, id, end2end, template, family, list_seq, component, state, created_at, updated_at,
         pix_e2e, client_tax_id, wallet, group_id, target_currency, external_code)
       select $1, n, 'T' || n, 'onramp', case when n > 10000 then 'onramps' else 'withdrawals' end, 1 + (n - 1) % 10000, 'success', 'DONE', t, t,
         'E' || n, (n % 5000)::text, '0x' || to_hex(n % 5000), 'g' || n % 100, 'C' || n % 13, 'order-' || n
       from generate_series(1, 20000) n, lateral (select timestamptz '2026-01-01Z' + n % 10000 * interval '10 minutes' as t) x`,
      [holder],
    );
    // Every table, not this one alone: what autovacuum has come to know by chance must not decide about plans.
    await test.owner.query('vacuum analyze');
  });

  /**
   * The plan that there is without sorting and scanning, when there is one: the statistics of a small database never make
   * the difference clear to the planner, and the question is whether the indexes can answer.
   */
  async function planOf(text: string): Promise<Plan> {
    const client = await test.owner.connect();
    try {
      await client.query('begin');
      for (const way of ['sort', 'seqscan', 'bitmapscan'])
        await client.query(`set local enable_${way} = off`);
      const { rows } = await client.query(`explain (generic_plan, format json) ${text}`);
      return rows[0]['QUERY PLAN'][0].Plan;
    } finally {
      await client.query('rollback');
      client.release();
    }
  }

  const offset: Page = { limit: 20, offset: 40 };
  const after: Page = { limit: 20, after: 'T' };
  const back: Page = { limit: 20, before: 'T', isBackward: true };
  const range = { dateFrom: '2026-01-03', dateTo: '2026-02-03' };
  const plans: readonly (readonly [string, Family, ListFilter, Page, string])[] = [
    ['all', 'onramps', {}, offset, 'transaction_account_id_family_list_seq_key'],
    ['all, going on', 'onramps', {}, after, 'transaction_account_id_family_list_seq_key'],
    ['some days', 'onramps', range, offset, 'transaction_account_id_family_list_seq_key'],
    ['a PIX id', 'onramps', { pixE2e: 'E' }, offset, 'list_pix_pkey'],
    ['a tax id', 'onramps', { clientTaxId: '1' }, offset, 'transaction_by_tax_id'],
    ['a tax id, going on', 'onramps', { clientTaxId: '1' }, after, 'transaction_by_tax_id'],
    ['all, going back', 'onramps', {}, back, 'transaction_account_id_family_list_seq_key'],
    ['a tax id, going back', 'onramps', { clientTaxId: '1' }, back, 'transaction_by_tax_id'],
    ['an address in some days', 'onramps', { address: '0x1', ...range }, offset, 'transaction_by_address'],
    ['a reference', 'onramps', { externalCode: 'order-1' }, offset, 'transaction_by_external_code'],
    ['a group', 'withdrawals', { groupId: 'g1' }, offset, 'transaction_by_group'],
    ['a currency', 'withdrawals', { targetCurrency: 'C1' }, offset, 'transaction_by_currency'],
    ['a currency of another list', 'onramps', { targetCurrency: 'C1' }, offset, 'transaction_by_currency'],
  ];

  it('has a plan here for every index that a filter of `/v2` names', () => {
    const named = FILTERS.flatMap(([, { parameters, condition, indexes }]) =>
      parameters && condition ? indexes : [],
    );
    const planned = plans.map(([, , , , index]) => index);
    expect(named.filter((index) => !planned.includes(index))).toEqual([]);
  });

  it.each(plans)('%s', async (_what, family, filter, at, index) => {
    const sent: Statement[] = [];
    const query: Database['query'] = (statement, values) => {
      sent.push(statement);
      return test.database.query(statement, values);
    };
    await listTransactions({ ...test.database, query }, accountId, family, filter, at, { counted: true });
    const nodes = nodesOf(await planOf(sent[0]?.text ?? ''));
    expect(nodes.filter((node) => /Sort/.test(node['Node Type']))).toEqual([]);
    const reads = nodes.filter((node) => node['Relation Name'] === 'transaction');
    expect(
      new Set(reads.map((node) => node['Node Type']).filter((type) => !/^Index (Only )?Scan$/.test(type))),
    ).toEqual(new Set());
    expect(new Set(nodes.map((node) => node['Index Name']))).toContain(index);
  });
});
