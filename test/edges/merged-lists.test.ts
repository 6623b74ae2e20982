/**
 * C-10 to C-13: `transactions` over several lists with the filters that a frontend needs, over HTTP: what each filter finds, what
 * is refused, what the total and the sums say, and that no record of another account is ever found.
 */

import { beforeAll, describe, expect, it } from 'vitest';
import { useApp } from '../support/app.ts';
import { errorsIn } from '../support/refusals.ts';

const app = useApp();

interface Listed {
  readonly end2end: string;
  readonly template: string;
  readonly statusCode: string;
  readonly component: string;
  readonly state: string;
  readonly createdAt: string;
  readonly source: { amount: string; currency: { code: string } } | null;
  readonly target: { amount: string; currency: { code: string } } | null;
  readonly clientName: string | null;
}

const FIELDS = `totalCount totalIsExact nodes { end2end template statusCode component state createdAt
  source { amount currency { code } } target { amount currency { code } } clientName }`;
let all: readonly Listed[];

/** A page, by the arguments as they stand in a document. */
async function list(args: string, key?: string) {
  const { json } = await app.graphql(`{ transactions(${args}) { ${FIELDS} } }`, {}, key ? { key } : {});
  return json.data?.transactions as { totalCount: number; totalIsExact: boolean; nodes: Listed[] };
}

beforeAll(async () => {
  const { nodes, totalCount } = await list('first: 100');
  expect(nodes.length).toBe(totalCount);
  all = nodes;
});

const ends = (nodes: readonly Listed[]) => nodes.map(({ end2end }) => end2end);

describe('C-10: a page at a position', () => {
  const at = async (args: string) => {
    const { json } = await app.graphql(
      `{ transactions(${args}) { totalCount pageInfo { hasNextPage hasPreviousPage startCursor } nodes { end2end } } }`,
    );
    return json.data?.transactions ?? errorsIn(json)[0].extensions;
  };

  it.each([
    '',
    'families: ONRAMPS',
    'families: [CHECKOUTS, WITHDRAWALS]',
    'filter: { statusCodes: [SUCCESS] }',
    'filter: { text: "a" }',
    'filter: { clientTaxId: "529.982.247-25" }',
  ])('is the page that one gets to from the first: %s', async (args) => {
    const { nodes: whole, totalCount } = await at(`first: 100 ${args}`);
    expect(totalCount).toBe(whole.length);
    for (let offset = 0; offset < whole.length; offset++) {
      const { nodes, pageInfo } = await at(`first: 3 offset: ${offset} ${args}`);
      expect(ends(nodes), `${args} ${offset}`).toEqual(ends(whole).slice(offset, offset + 3));
      expect([pageInfo.hasPreviousPage, pageInfo.hasNextPage]).toEqual([
        offset > 0,
        offset + 3 < whole.length,
      ]);
    }
    for (const offset of [whole.length, whole.length + 1, 2_147_483_647]) {
      const page = await at(`first: 3 offset: ${offset} ${args}`);
      // So many of what has to be looked at are not looked at.
      if (args.includes('filter') && offset > 100_000) expect(page.code).toBe('INVALID_PARAMETER');
      else expect(page).toMatchObject({ totalCount: whole.length, nodes: [] });
    }
  });

  it('is refused beside a cursor, from the end, and before the start', async () => {
    const { pageInfo } = await at('first: 1');
    for (const args of ['last: 2 offset: 1', `after: "${pageInfo.startCursor}" offset: 1`, 'offset: -1'])
      expect(await at(args)).toMatchObject({
        code: 'INVALID_PARAMETER',
        violations: [{ parameter: 'offset' }],
      });
  });

  it('of the statement, over all sub-accounts and of one', async () => {
    const lines = async (args: string) =>
      (await app.graphql(`{ statement(${args}) { totalCount nodes { number journalId balance } } }`)).json
        .data.statement;
    for (const amount of ['1.00', '2.00', '3.00', '4.00'])
      await app.graphql(
        'mutation ($amount: Decimal!) { sandboxFund(input: { currency: "BRL", amount: $amount }) { funding { journalId } errors { code message path } } }',
        {
          amount,
        },
      );
    await app.graphql(
      'mutation { sandboxFund(input: { currency: "USDT_TRX", amount: "5" }) { funding { journalId } errors { code message path } } }',
    );
    for (const filter of ['', 'filter: { currency: "BRL", subAccount: available }']) {
      const { nodes: whole, totalCount } = await lines(`first: 100 ${filter}`);
      expect(totalCount).toBeGreaterThan(3);
      for (const offset of [0, 1, 2, Math.min(totalCount, 100) - 2]) {
        const { nodes } = await lines(`first: 2 offset: ${offset} ${filter}`);
        expect(nodes).toEqual(whole.slice(offset, offset + 2));
      }
      for (const offset of [totalCount, totalCount + 1, 2_147_483_647])
        expect(await lines(`first: 2 offset: ${offset} ${filter}`)).toEqual({ totalCount, nodes: [] });
    }
  });
});

describe('all lists as one', () => {
  it('has every transaction of every list, newest first, with the exact total', async () => {
    const families = ['CHECKOUTS', 'ONRAMPS', 'OFFRAMPS', 'WITHDRAWALS'];
    const each = await Promise.all(families.map((family) => list(`first: 100, families: ${family}`)));
    expect(ends(each.flatMap(({ nodes }) => nodes)).toSorted()).toEqual(ends(all).toSorted());
    const times = all.map(({ createdAt }) => createdAt);
    expect(times).toEqual(times.toSorted().toReversed());
    const some = await list('first: 100, families: [ONRAMPS, WITHDRAWALS]');
    expect(some.totalIsExact).toBe(true);
    expect(some.totalCount).toBe((each[1]?.totalCount ?? 0) + (each[3]?.totalCount ?? 0));
  });

  it('continues from a record of any list, in both directions', async () => {
    const page = `edges { cursor node { end2end } } pageInfo { hasNextPage hasPreviousPage }`;
    const { json } = await app.graphql(`{ transactions(first: 3) { ${page} } }`);
    const after = json.data.transactions.edges[2].cursor;
    const next = await app.graphql(
      `query ($after: String) { transactions(first: 2, after: $after) { ${page} } }`,
      {
        after,
      },
    );
    const connection = next.json.data.transactions;
    expect(connection.edges.map((edge: { node: Listed }) => edge.node.end2end)).toEqual(
      ends(all).slice(3, 5),
    );
    expect(connection.pageInfo).toEqual({ hasNextPage: true, hasPreviousPage: true });
  });
});

describe('each filter finds its records', () => {
  const paid = (node: Listed, min: number, max: number) =>
    [node.source, node.target].some(
      (side) => side && Number(side.amount) >= min && Number(side.amount) <= max,
    );
  it.each<[string, (node: Listed) => boolean]>([
    ['{ statusCodes: [SUCCESS] }', ({ statusCode }) => statusCode === 'SUCCESS'],
    ['{ statusCodes: [PENDING, EXPIRED] }', ({ statusCode }) => /PENDING|EXPIRED/.test(statusCode)],
    ['{ templates: [onramp] }', ({ template }) => template === 'onramp'],
    ['{ component: "success" }', ({ component }) => component === 'success'],
    [
      '{ state: "DONE", statusCodes: [SUCCESS] }',
      (node) => node.state === 'DONE' && node.statusCode === 'SUCCESS',
    ],
    ['{ direction: IN }', ({ template }) => /onramp|checkout/.test(template)],
    ['{ direction: OUT }', ({ template }) => /offramp|withdraw/.test(template)],
    ['{ amountMin: "100", amountMax: "500" }', (node) => paid(node, 100, 500)],
    [
      '{ currency: "BRL" }',
      ({ source, target }) => [source, target].some((side) => side?.currency.code === 'BRL'),
    ],
    [
      '{ currency: "USDT" }',
      ({ source, target }) => [source, target].some((side) => side?.currency.code.startsWith('USDT_')),
    ],
    ['{ text: "a" }', () => true],
  ])('%s', async (filter, fits) => {
    const found = await list(`first: 100, filter: ${filter}`);
    const expected = all.filter(fits);
    if (filter === '{ text: "a" }') expect(found.nodes.length).toBeGreaterThan(0);
    else expect(ends(found.nodes)).toEqual(ends(expected));
    expect([found.totalCount, found.totalIsExact]).toEqual([found.nodes.length, true]);
    expect(found.nodes.length).toBeGreaterThan(0);
  });

  it('adds up both sides by currency, exactly', async () => {
    const { json } = await app.graphql(
      `{ transactions(first: 100, filter: { statusCodes: [SUCCESS] }) { sums { currency { code } source target } nodes { source { amount currency { code } } } } }`,
    );
    const { sums, nodes } = json.data.transactions;
    const brl = nodes
      .filter((node: Listed) => node.source?.currency.code === 'BRL')
      .reduce((sum: number, node: Listed) => sum + Math.round(Number(node.source?.amount) * 100), 0);
    const found = sums.find((each: { currency: { code: string } }) => each.currency.code === 'BRL');
    expect(Math.round(Number(found.source) * 100)).toBe(brl);
  });

  it('every status code is that of the label', async () => {
    const { json } = await app.graphql('{ transactions(first: 100) { nodes { statusCode status { en } } } }');
    for (const { statusCode, status } of json.data.transactions.nodes)
      expect(statusCode).toBe(status.en.toUpperCase().replace(' ', '_'));
  });
});

describe('impossible filters are refused by name', () => {
  it.each([
    ['families: []', 'families'],
    ['filter: { statusCodes: [] }', 'filter.statusCodes'],
    ['filter: { component: "succes" }', 'filter.component'],
    ['filter: { state: "" }', 'filter.state'],
    ['filter: { amountMin: "2", amountMax: "1" }', 'filter.amountMin'],
    ['filter: { currency: "USDX" }', 'filter.currency'],
    ['filter: { text: "" }', 'filter.text'],
    ['after: "eA"', 'after'],
  ])('transactions(%s)', async (args, parameter) => {
    const { json } = await app.graphql(`{ transactions(${args}) { totalCount } }`);
    expect(JSON.stringify(errorsIn(json))).toContain(`"parameter":"${parameter}"`);
  });

  it('C-13: an amount that is longer than any number of the database', async () => {
    const { json } = await app.graphql(
      'query ($least: Decimal) { transactions(filter: { amountMin: $least }) { totalCount } }',
      { least: '9'.repeat(140_000) },
    );
    expect(errorsIn(json)[0].extensions).toMatchObject({ code: 'INVALID_PARAMETER' });
  });

  it('a direction that no list of the families has finds nothing', async () => {
    expect(await list('families: [ONRAMPS], filter: { direction: OUT }')).toMatchObject({
      totalCount: 0,
      nodes: [],
    });
  });
});

it('C-15: another account finds none of it, and its cursors lead nowhere', async () => {
  const { apiKey } = await app.addAccount();
  expect(await list('first: 100', apiKey)).toMatchObject({ totalCount: 0, nodes: [] });
  const cursor = Buffer.from(all[0]?.end2end ?? '').toString('base64url');
  const { json } = await app.graphql(
    `{ transactions(after: "${cursor}") { totalCount } }`,
    {},
    { key: apiKey },
  );
  expect(JSON.stringify(errorsIn(json))).toContain('must be a cursor of this list');
});
