/**
 * C-10, C-11, C-14: several lists read as one, against naive SQL over random transactions with times that tie; totals and sums
 * that say whether they are exact; and the indexes that answer, asked of the planner.
 */
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { createAccount } from '../../../src/store/account/accounts.ts';
import type { Database, Statement } from '../../../src/store/connection/database.ts';
import {
  COUNT_ABOUT,
  COUNT_MAX,
  findNthMerged,
  listMerged,
  type MergedFilter,
  SCAN_MAX,
  sumMerged,
} from '../../../src/store/engine/merged-lists.ts';
import type { ListSlice } from '../../../src/store/engine/transactions.ts';
import type { Family } from '../../../src/templates/define.ts';
import { REGISTRY } from '../../../src/templates/index.ts';
import { useDatabase } from '../../support/database.ts';
import { insertTransactions, newTransaction } from '../../support/records.ts';

const test = useDatabase();

const SEED = 20_261_122;
const DAY_MS = 86_400_000;
/** Time from midnight in UTC to midnight in Brasília. */
const BRASILIA_MIDNIGHT_MS = 10_800_000;
const FIRST_DAY_MS = Date.parse('2026-03-01T00:00:00Z');
const FAMILIES: readonly Family[] = ['checkouts', 'onramps', 'offramps', 'withdrawals'];
const STEPS = ['success/DONE', 'depositpix/QRCODE', 'depositpix/EXPIRED', 'crypto_deposit/LATE', 'odd/STEP'];
const OUTCOMES = ['OPEN', 'SUCCESS', 'EXPIRED'];
const CURRENCIES = ['BRL', 'USDT_TRX', 'USDC_ARB'];

let accountId: bigint;

beforeAll(async () => {
  const other = await createAccount(test.database, 'Other', { templates: [] });
  accountId = await createAccount(test.database, 'Holder', { templates: [] });
  const transaction = fc.record({
    family: fc.constantFrom(...FAMILIES),
    at: fc
      .tuple(fc.nat(20), fc.constantFrom(0, BRASILIA_MIDNIGHT_MS - 1, BRASILIA_MIDNIGHT_MS, 64_799_997))
      .map(([days, part]) => FIRST_DAY_MS + days * DAY_MS + part),
    end2end: fc.string({
      unit: fc.constantFrom('a', 'A', 'b', 'B', '0', '-', 'é', 'Z'),
      minLength: 1,
      maxLength: 12,
    }),
    step: fc.constantFrom(...STEPS),
    template: fc.constantFrom('one', 'two'),
    sourceCurrency: fc.constantFrom(...CURRENCIES, null),
    targetCurrency: fc.constantFrom(...CURRENCIES, null),
    sourceAmount: fc.constantFrom('1', '20.50', '300', null),
    targetAmount: fc.constantFrom('0.000001', '20.5', '300', null),
    clientName: fc.constantFrom('Ana Souza', 'ANA LIMA', 'Bruno %', null),
    externalCode: fc.constantFrom('order-1', 'Order-1', null),
  });
  const distinct = fc.uniqueArray(transaction, {
    minLength: 800,
    maxLength: 800,
    size: 'max',
    selector: (each) => each.end2end,
  });
  const [rows = []] = fc.sample(distinct, { seed: SEED, numRuns: 1 });
  const taken = rows.map(({ at, step, ...facts }) => {
    const [component = '', state = ''] = step.split('/');
    return newTransaction({ ...facts, component, state, createdAt: new Date(at).toISOString() });
  });
  await test.database.withTx((tx) => insertTransactions(tx, accountId, taken));
  await test.database.withTx((tx) => insertTransactions(tx, other, taken.slice(0, 200)));
});

const STEP = `component || '/' || state`;

/** @returns the end2end of all that match, by what the rules say and no index or function of the product does. */
async function naive(filter: MergedFilter, columns = 'end2end'): Promise<Record<string, string>[]> {
  const { families, templates, steps, currency, amountMin, amountMax, text, externalCode } = filter;
  const { rows } = await test.owner.query(
    `select ${columns} from transaction where account_id = $1 and family = any ($2)
       and ($3::text[] is null or template = any ($3)) and ($4::text[] is null or ${STEP} = any ($4))
       and ($5::text[] is null or source_currency = any ($5) or target_currency = any ($5))
       and (($6::numeric is null and $7::numeric is null)
         or (($5 is null or source_currency = any ($5)) and source_amount between coalesce($6, -1) and coalesce($7, 1e9))
         or (($5 is null or target_currency = any ($5)) and target_amount between coalesce($6, -1) and coalesce($7, 1e9)))
       and ($8::text is null or client_name ilike $8 escape '#' or external_code ilike $8 escape '#' or end2end ilike $8 escape '#')
       and ($9::text is null or external_code = $9)
       and ($10::date is null or (created_at at time zone $12)::date >= $10)
       and ($11::date is null or (created_at at time zone $12)::date <= $11)
     order by created_at desc, end2end collate "C" desc`,
    [
      accountId,
      families,
      templates ?? null,
      steps?.steps ?? null,
      currency ?? null,
      amountMin ?? null,
      amountMax ?? null,
      text === undefined ? null : `%${text.replaceAll('%', '#%')}%`,
      externalCode ?? null,
      filter.dateFrom ?? null,
      filter.dateTo ?? null,
      filter.zone ?? 'UTC',
    ],
  );
  return rows;
}

const perhaps = <Value>(values: readonly Value[]) =>
  fc.option(fc.constantFrom(...values), { nil: undefined, freq: 2 });
const dayOf = (days: number) => new Date(FIRST_DAY_MS + days * DAY_MS).toISOString().slice(0, 10);
const filters = fc
  .record({
    families: fc.subarray([...FAMILIES], { minLength: 1 }),
    templates: perhaps([['one'], ['one', 'two'], ['none']]),
    steps: fc.option(fc.subarray(STEPS, { minLength: 1 }), { nil: undefined, freq: 2 }),
    currency: perhaps([...CURRENCIES.map((code) => [code]), CURRENCIES.slice(0, 2)]),
    amountMin: perhaps(['0', '20.5', '21']),
    amountMax: perhaps(['0.5', '20.50', '1000']),
    text: perhaps(['ana', 'NA S', '%', 'order-1']),
    externalCode: perhaps(['order-1']),
    dateFrom: perhaps([dayOf(2), dayOf(9)]),
    dateTo: perhaps([dayOf(12), dayOf(30)]),
    zone: perhaps(['America/Sao_Paulo']),
  })
  .map(({ steps, families, ...rest }): MergedFilter => {
    const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
    return { ...given, families, ...(steps && { steps: { outcomes: OUTCOMES, steps } }) };
  });

const list = (filter: MergedFilter, slice: ListSlice, counted = true) =>
  listMerged(test.database, accountId, filter, slice, { counted });

describe('lists read as one equal naive SQL', () => {
  it('for any filter and two records to read between, from either end', async () => {
    const bound = fc.option(fc.nat(), { nil: undefined });
    const property = fc.asyncProperty(
      filters,
      fc.constantFrom(1, 5, 20, 100),
      fc.record({ after: bound, before: bound, isBackward: fc.boolean() }),
      async (filter, limit, { after, before, isBackward }) => {
        const everything = (await naive({ families: FAMILIES })).map((row) => row.end2end as string);
        const all = (await naive(filter)).map((row) => row.end2end as string);
        const at = (index: number | undefined) =>
          index === undefined ? undefined : everything[index % everything.length];
        const place = (end2end: string) => everything.indexOf(end2end);
        const [from, to] = [at(after), at(before)];
        const isNewer = (each: string) => from !== undefined && place(each) <= place(from);
        const isOlder = (each: string) => to !== undefined && place(each) >= place(to);
        const within = all.filter((each) => !isNewer(each) && !isOlder(each));
        const found = await list(filter, { limit, after: from, before: to, isBackward });
        expect({ ...found, rows: found?.rows.map((row) => row.end2end) }).toEqual({
          total: BigInt(all.length),
          isExact: true,
          hasNewer: all.some(isNewer),
          hasOlder: all.some(isOlder),
          cutAt: null,
          rows: (isBackward ? within.toReversed() : within).slice(0, limit),
        });
      },
    );
    await fc.assert(property, { seed: SEED, numRuns: 200 });
  });

  it('however few are scanned for a page: it says where it ended, and continuing from there finds all, once', async () => {
    const property = fc.asyncProperty(
      filters,
      fc.constantFrom(5, 20, 100),
      fc.constantFrom(7, 40, 300),
      fc.boolean(),
      async (filter, limit, scanMax, isBackward) => {
        const all = (await naive(filter)).map((row) => row.end2end as string);
        const seen: string[] = [];
        for (let at: string | undefined; ; ) {
          const slice = { limit, isBackward, ...(isBackward ? { before: at } : { after: at }) };
          const options = { counted: false, scanMax };
          const found = await listMerged(test.database, accountId, filter, slice, options);
          const rows = (found?.rows ?? []).map((row) => row.end2end);
          seen.push(...rows);
          if (rows.length < limit && found?.cutAt === null) break;
          at = found?.cutAt ?? rows.at(-1);
        }
        expect(seen).toEqual(isBackward ? all.toReversed() : all);
      },
    );
    await fc.assert(property, { seed: SEED, numRuns: 25 });
  });

  it('and the record of any number, the oldest where there are fewer', async () => {
    const anyFilter = fc.oneof(
      filters,
      fc.subarray([...FAMILIES], { minLength: 1 }).map((families): MergedFilter => ({ families })),
    );
    const property = fc.asyncProperty(anyFilter, fc.integer({ min: 1, max: 900 }), async (filter, number) => {
      const all = (await naive(filter)).map((row) => row.end2end as string);
      const end2end = all[Math.min(number, all.length) - 1] ?? null;
      const found = await findNthMerged(test.database, accountId, filter, number);
      expect(found).toEqual({ end2end, isReached: true });
    });
    await fc.assert(property, { seed: SEED, numRuns: 60 });
  });

  it('and the sums, by currency', async () => {
    const property = fc.asyncProperty(filters, async (filter) => {
      const columns = 'source_currency, source_amount, target_currency, target_amount, outcome';
      const rows = await naive(filter, columns);
      const sums = new Map<string, { source: number | null; target: number | null }>();
      const apart = new Map<string, number>();
      for (const row of rows)
        for (const side of ['source', 'target'] as const) {
          const [code, amount] = [row[`${side}_currency`], row[`${side}_amount`]];
          if (code == null || amount == null) continue;
          const sum = sums.get(code) ?? { source: null, target: null };
          // Millionths, so that nothing is rounded.
          const added = Math.round(Number(amount) * 1e6);
          sums.set(code, { ...sum, [side]: (sum[side] ?? 0) + added });
          const end = /^(PARTIAL_)?SUCCESS$/.test(String(row.outcome)) ? 'succeeded' : 'failed';
          const key = `${code} ${end} ${side}`;
          if (row.outcome !== 'OPEN') apart.set(key, (apart.get(key) ?? 0) + added);
        }
      const found = await sumMerged(test.database, accountId, filter);
      const millionths = (text: string | null) => (text === null ? null : Math.round(Number(text) * 1e6));
      expect(
        found?.map(({ currency, source, target }) => [currency, millionths(source), millionths(target)]),
      ).toEqual([...sums].sort().map(([currency, { source, target }]) => [currency, source, target]));
      for (const row of found ?? [])
        for (const end of ['succeeded', 'failed'] as const)
          for (const side of ['source', 'target'] as const)
            expect(millionths(row[end][side])).toBe(apart.get(`${row.currency} ${end} ${side}`) ?? null);
    });
    await fc.assert(property, { seed: SEED, numRuns: 60 });
  });

  it('a cursor that is no record of the account is distinguished from an empty page', async () => {
    expect(await list({ families: FAMILIES }, { limit: 1, after: 'none' })).toBeUndefined();
    expect(await list({ families: FAMILIES, text: 'nobody' }, { limit: 1 })).toMatchObject({ rows: [] });
  });

  it('paging on visits every record once, while new ones arrive', async () => {
    const filter: MergedFilter = { families: FAMILIES, currency: ['BRL'] };
    const expected = (await naive(filter)).map((row) => row.end2end);
    const seen: string[] = [];
    for (;;) {
      const found = await list(filter, { limit: 50, ...(seen.length > 0 && { after: seen.at(-1) }) });
      if (!found || found.rows.length === 0) break;
      seen.push(...found.rows.map((row) => row.end2end));
      const newest = newTransaction({
        family: 'onramps',
        end2end: `new ${seen.length}`,
        sourceCurrency: 'BRL',
        createdAt: '2026-09-01T00:00:00.000Z',
      });
      await test.database.withTx((tx) => insertTransactions(tx, accountId, [newest]));
    }
    expect(seen).toEqual(expected);
  });
});

it('the outcome of an ended step is its status; a step that can continue is open (states.json)', async () => {
  const steps = REGISTRY.templates.flatMap((template) => template.steps);
  const { rows } = await test.owner.query<{ outcome: string }>(
    `select step_outcome(component, state) as outcome from unnest($1::text[], $2::text[]) s(component, state)`,
    [steps.map(({ component }) => component), steps.map(({ state }) => state)],
  );
  const wrong = steps.filter((step, at) => {
    const outcome = rows[at]?.outcome;
    return outcome !== 'OPEN' && (outcome !== step.statusCode || step.ending === 'open');
  });
  // A step that ends for one template and not for another counts as open, which is always safe.
  expect(wrong).toEqual([]);
  const open = new Set(
    steps
      .filter((step, at) => rows[at]?.outcome === 'OPEN' && step.ending !== 'open')
      .map(({ component, state }) => `${component}/${state}`),
  );
  expect([...open].toSorted()).toEqual(['pix_out/REJECTED', 'swap_transfer/ERROR']);
});

describe('a large account', () => {
  let large: bigint;
  const SIZE = COUNT_MAX + 20_000;
  beforeAll(async () => {
    large = await createAccount(test.database, 'Large', { templates: [] });
    await test.owner.query(
      `insert into transaction (account_id, id, end2end, template, family, list_seq, component, state, created_at, updated_at,
         client_name, external_code, source_currency, source_amount)
       select $1, n, 'L' || n, 'onramp', case when n > $2 then 'withdrawals' else 'onramps' end,
         case when n > $2 then n - $2 else n end, 'success', case when n % 10000 = 0 then 'ERROR' else 'DONE' end, t, t,
         'Ana', 'order-' || n, 'BRL', 1
       from generate_series(1, $2 + 500) n, lateral (select timestamptz '2026-01-01Z' + n * interval '1 minute' as t) x`,
      [String(large), SIZE],
    );
    await test.owner.query(
      `insert into list_head (account_id, family, last_seq, last_created_at)
         select $1, family, max(list_seq), max(created_at) from transaction where account_id = $1 group by family`,
      [String(large)],
    );
    await test.owner.query('vacuum analyze');
  });

  const families: readonly Family[] = ['onramps', 'withdrawals'];
  const ERROR = { outcomes: ['OPEN'], steps: ['success/ERROR'] };

  it('has an exact total where positions give it, and elsewhere says how far it counted', async () => {
    const total = async (filter: Partial<MergedFilter>) => {
      const found = await listMerged(
        test.database,
        large,
        { families, ...filter },
        { limit: 1 },
        { counted: true },
      );
      return [found?.total, found?.isExact];
    };
    expect(await total({})).toEqual([BigInt(SIZE + 500), true]);
    expect(await total({ currency: ['BRL'] })).toEqual([BigInt(COUNT_ABOUT), false]);
    // By a status, whose records an index finds, it counts exactly as far.
    expect(await total({ steps: ERROR })).toEqual([BigInt(SIZE / 10_000), true]);
    const done = { outcomes: ['OPEN', 'SUCCESS'], steps: ['success/DONE'] };
    expect(await total({ steps: done })).toEqual([BigInt(COUNT_ABOUT), false]);
    expect(await total({ currency: ['BRL'], families: ['withdrawals'] })).toEqual([500n, true]);
    expect(await total({ text: 'nobody' })).toEqual([0n, false]);
    expect(await total({ externalCode: 'order-7', text: 'ANA' })).toEqual([1n, true]);
    expect(await sumMerged(test.database, large, { families })).toBeUndefined();
    expect(await sumMerged(test.database, large, { families, steps: ERROR })).toMatchObject([
      { currency: 'BRL', source: String(SIZE / 10_000), target: null },
    ]);
    expect(await sumMerged(test.database, large, { families: ['withdrawals'] })).toMatchObject([
      { currency: 'BRL', source: '500', target: null },
    ]);
  });

  it('opens at any position, with filters up to the scan limit', async () => {
    const nth = (number: number, filter: Partial<MergedFilter> = {}) =>
      findNthMerged(test.database, large, { families, ...filter }, number);
    const reached = (end2end: string | null) => ({ end2end, isReached: true });
    expect(await nth(1)).toEqual(reached(`L${SIZE + 500}`));
    expect(await nth(60_501)).toEqual(reached(`L${SIZE - 60_000}`));
    expect(await nth(2 ** 40)).toEqual(reached('L1'));
    expect(await nth(3, { steps: ERROR })).toEqual(reached(`L${SIZE - 20_000}`));
    const far = { end2end: null, isReached: false };
    expect(await nth(COUNT_MAX + 1, { currency: ['BRL'] })).toEqual(far);
    expect(await nth(1, { text: 'L77 nobody' })).toEqual(reached(null));
    expect((await nth(90_000, { text: 'l9' })).isReached).toBe(false);
  });

  interface Plan {
    readonly 'Node Type': string;
    readonly 'Relation Name'?: string;
    readonly 'Index Name'?: string;
    readonly 'Actual Rows': number;
    readonly 'Actual Loops': number;
    readonly 'Rows Removed by Filter'?: number;
    readonly Plans?: readonly Plan[];
  }
  const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

  it.each([
    ['all', {}, {}, 'transaction_account_id_family_list_seq_key', 100],
    ['all, going on from far back', {}, { after: 'L100' }, 'transaction_account_id_family_list_seq_key', 100],
    [
      'a currency of nearly all',
      { currency: ['BRL'] },
      {},
      'transaction_account_id_family_list_seq_key',
      100,
    ],
    ['a rare step', { steps: ERROR }, {}, 'list_outcome_pkey', 100],
    [
      'a text that none has',
      { text: 'nobody' },
      {},
      'transaction_account_id_family_list_seq_key',
      SCAN_MAX + 501,
    ],
    ['a reference', { externalCode: 'order-7' }, {}, 'transaction_by_external_code', 10],
  ] as [
    string,
    Partial<MergedFilter>,
    Partial<ListSlice>,
    string,
    number,
  ][])('%s: a page reads few records, by its index', async (_what, filter, slice, index, most) => {
    const sent: [Statement, readonly unknown[]][] = [];
    const query: Database['query'] = (statement, values) => {
      sent.push([statement, values]);
      return test.database.query(statement, values);
    };
    const page = { limit: 20, ...slice };
    await listMerged({ query }, large, { families, ...filter }, page, { counted: false });
    const [[statement, values] = []] = sent;
    const { rows } = await test.owner.query(`explain (analyze, format json) ${statement?.text}`, [
      ...(values ?? []).map((value) => (typeof value === 'bigint' ? String(value) : value)),
    ]);
    const reads = nodesOf(rows[0]['QUERY PLAN'][0].Plan).filter((node) =>
      /^(?:transaction|list_outcome)$/.test(node['Relation Name'] ?? ''),
    );
    const looked = reads.map(
      (node) => (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
    );
    expect(Math.max(...looked)).toBeLessThanOrEqual(most);
    expect(reads.map((node) => node['Index Name'])).toContain(index);
  });

  it.each<[string, Partial<MergedFilter>]>([
    ['a text', { text: 'ana' }],
    ['an amount', { amountMin: '1' }],
    ['a status', { steps: { outcomes: ['OPEN', 'SUCCESS'], steps: ['success/DONE'] } }],
  ])('%s: totals and sums read the records of their lists alone, and few', async (_what, filter) => {
    const sent: [Statement, readonly unknown[]][] = [];
    const query: Database['query'] = (statement, values) => {
      sent.push([statement, values]);
      return test.database.query(statement, values);
    };
    const its = { families, ...filter };
    await listMerged({ query }, large, its, { limit: 20 }, { counted: true });
    await sumMerged({ query }, large, its);
    for (const [statement, values] of sent) {
      const given = values.map((value) => (typeof value === 'bigint' ? String(value) : value));
      const { rows } = await test.owner.query(`explain (analyze, format json) ${statement.text}`, given);
      const reads = nodesOf(rows[0]['QUERY PLAN'][0].Plan).filter(
        (node) => node['Relation Name'] === 'transaction',
      );
      expect(reads.map((node) => node['Node Type'])).not.toContain('Seq Scan');
      const looked = reads.map(
        (node) => (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
      );
      expect(Math.max(...looked)).toBeLessThanOrEqual(2 * COUNT_ABOUT + 2);
    }
  });
});
