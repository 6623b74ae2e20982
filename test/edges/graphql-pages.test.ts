/**
 * Goal: pages of every connection are right in both directions (Relay cursor connections): what is before and after a
 * page is said exactly, a walk back is a walk on in reverse, and nothing is left out. Method: real documents over HTTP,
 * each page compared with the whole list.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { useApp } from '../support/app.ts';
import { graphqlClient } from '../support/graphql-client.ts';
import { openOnramp } from '../support/webhooks.ts';

const app = useApp();
let shop: Awaited<ReturnType<typeof app.addAccount>>;
const { ask, refusal } = graphqlClient(app, () => shop.apiKey);

interface Page {
  readonly totalCount: number;
  readonly nodes: readonly unknown[];
  readonly edges: readonly { readonly cursor: string; readonly node: unknown }[];
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly startCursor: string | null;
    readonly endCursor: string | null;
  };
}

const PAGE_INFO = 'pageInfo { hasNextPage hasPreviousPage startCursor endCursor }';

/** Each connection: its field with arguments before those of the page, what of a node to read, and where it is. */
const CONNECTIONS = {
  transactions: { field: 'transactions', args: 'families: ONRAMPS', node: 'end2end', path: [] },
  'transactions under a filter': {
    field: 'transactions',
    args: 'families: ONRAMPS, filter: { clientTaxId: "529.982.247-25" }',
    node: 'end2end',
    path: [],
  },
  'transactions of several lists': {
    field: 'transactions',
    args: 'families: [ONRAMPS, CHECKOUTS], filter: { statusCodes: [PENDING, PROCESSING] }',
    node: 'end2end',
    path: [],
  },
  statement: { field: 'statement', args: '', node: 'number', path: [] },
  'statement of a sub-account': {
    field: 'statement',
    args: 'filter: { subAccount: available }',
    node: 'number',
    path: [],
  },
  events: { field: 'events', args: '', node: 'name sequence', path: [] },
  webhookDeliveries: { field: 'webhookDeliveries', args: '', node: 'id state', path: ['viewer', 'account'] },
  'webhookDeliveries of a state': {
    field: 'webhookDeliveries',
    args: 'states: [PENDING, PENDING]',
    node: 'id state',
    path: ['viewer', 'account'],
  },
  auditLog: { field: 'auditLog', args: '', node: 'seq act', path: [] },
  'auditLog of an act': { field: 'auditLog', args: 'acts: ["sandbox.fund"]', node: 'seq act', path: [] },
  customers: { field: 'customers', args: '', node: 'taxId', path: [] },
} as const;
type Name = keyof typeof CONNECTIONS;
const NAMES = Object.keys(CONNECTIONS) as Name[];

async function pageOf(name: Name, args: string, info = PAGE_INFO): Promise<Page> {
  const { field, args: own, node, path } = CONNECTIONS[name];
  const given = [own, args].filter(Boolean).join(', ');
  const page = `${field}${given && `(${given})`} { totalCount ${info} nodes { ${node} } edges { cursor node { ${node} } } }`;
  const document = path.reduceRight((inner, outer) => `${outer} { ${inner} }`, page);
  let data = await ask(`{ ${document} }`);
  for (const step of path) data = data[step];
  return data[field] as Page;
}

beforeAll(async () => {
  shop = await app.addAccount();
  for (let nth = 0; nth < 5; nth++) {
    await openOnramp(app, shop.apiKey, `https://shop.invalid/hook-${nth}`);
    await ask(
      `mutation { sandboxFund(input: { currency: "BRL", amount: "${nth + 1}" }) { funding { journalId } errors { code message path } } }`,
    );
    await ask(
      `mutation { sandboxFund(input: { currency: "USDT_TRX", amount: "1" }) { funding { journalId } errors { code message path } } }`,
    );
  }
  for (const taxId of ['52998224725', '11144477735', '12345678909', '98765432100', '39053344705'])
    await ask(
      `mutation { createCheckout(input: { currency: "USDT_TRX", amount: { brl: "10.00" }, clientTaxId: "${taxId}", clientName: "Ana" }) { transaction { end2end } errors { code message path } } }`,
    );
  // Deliveries as the relay makes them, without one that runs beside the test.
  await app.owner.query(
    `insert into webhook_delivery (account_id, endpoint_id, event_seq, transaction_id, due_at, created_at, state)
     select e.account_id, p.id, e.seq, e.transaction_id, now(), now(), case when e.seq % 3 = 0 then 'dead' else 'pending' end
       from event e, lateral (select id from webhook_endpoint p where p.account_id = e.account_id limit 1) p where e.account_id = $1`,
    [String(shop.accountId)],
  );
});

describe.each(NAMES)('%s', (name) => {
  let whole: Page;
  beforeAll(async () => {
    whole = await pageOf(name, 'first: 100');
    expect(whole.edges.length).toBeGreaterThan(4);
    expect(whole.totalCount).toBe(whole.edges.length);
    expect(whole.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: false });
  });

  /** Compares a page with the part of the whole list that it has to be. */
  function expectPart(page: Page, from: number, to: number): void {
    const edges = whole.edges.slice(from, to);
    expect(page.edges).toEqual(edges);
    expect(page.nodes).toEqual(edges.map(({ node }) => node));
    expect(page.totalCount).toBe(whole.totalCount);
    expect(page.pageInfo).toEqual({
      hasPreviousPage: from > 0,
      hasNextPage: to < whole.edges.length,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    });
  }

  test.each([
    1, 2, 3,
  ])('a walk on by %i and a walk back see every node once, in the same order', async (size) => {
    let at = 0;
    for (let after = ''; at < whole.edges.length; at += size) {
      const page = await pageOf(name, `first: ${size}${after && `, after: "${after}"`}`);
      expectPart(page, at, Math.min(at + size, whole.edges.length));
      after = page.pageInfo.endCursor as string;
    }
    let to = whole.edges.length;
    for (let before = ''; to > 0; to -= size) {
      const page = await pageOf(name, `last: ${size}${before && `, before: "${before}"`}`);
      expectPart(page, Math.max(to - size, 0), to);
      before = page.pageInfo.startCursor as string;
    }
  });

  test('both bounds together, from either end', async () => {
    const bounds = `after: "${whole.edges[0]?.cursor}", before: "${whole.edges.at(-1)?.cursor}"`;
    const { length } = whole.edges;
    expectPart(await pageOf(name, `first: 100, ${bounds}`), 1, length - 1);
    expectPart(await pageOf(name, `first: 2, ${bounds}`), 1, 3);
    expectPart(await pageOf(name, `last: 2, ${bounds}`), length - 3, length - 1);
  });

  test('first: 0 and last: 0 are empty pages with the total, and show whether pages precede or follow', async () => {
    const { length } = whole.edges;
    const middle = whole.edges[1]?.cursor;
    const around = async (args: string) => {
      const { totalCount, edges, nodes, pageInfo } = await pageOf(name, args);
      expect([totalCount, edges, nodes]).toEqual([length, [], []]);
      return [pageInfo.hasPreviousPage, pageInfo.hasNextPage];
    };
    expect(await around('first: 0')).toEqual([false, true]);
    expect(await around('last: 0')).toEqual([true, false]);
    expect(await around(`first: 0, after: "${middle}"`)).toEqual([true, true]);
    expect(await around(`last: 0, before: "${middle}"`)).toEqual([true, true]);
    expect(await around(`first: 5, after: "${whole.edges.at(-1)?.cursor}"`)).toEqual([true, false]);
    expect(await around(`last: 5, before: "${whole.edges[0]?.cursor}"`)).toEqual([false, true]);
  });

  test('without a selection of neighbouring pages, the nodes and the total are the same', async () => {
    const [first, last] = [whole.edges[0]?.cursor, whole.edges.at(-1)?.cursor];
    for (const args of [
      'first: 0',
      'last: 0',
      'first: 2',
      'last: 2',
      `first: 2, after: "${first}"`,
      `last: 1, before: "${last}"`,
    ]) {
      const { pageInfo, ...page } = await pageOf(name, args);
      expect(await pageOf(name, args, '')).toEqual(page);
      expect(await pageOf(name, args, `... { ${PAGE_INFO.replace('pageInfo', 'info: pageInfo')} }`)).toEqual({
        ...page,
        info: pageInfo,
      });
    }
  });

  test('C-10: at a position: its records, and nothing after the last', async () => {
    const { length } = whole.edges;
    for (const offset of [0, 1, 2, length - 1])
      expectPart(await pageOf(name, `first: 2, offset: ${offset}`), offset, Math.min(offset + 2, length));
    for (const offset of [length, length + 1, 100_000])
      if (!name.includes('filter') || offset <= length + 1)
        expect(await pageOf(name, `first: 2, offset: ${offset}`)).toMatchObject({
          totalCount: length,
          nodes: [],
          pageInfo: { hasPreviousPage: true, hasNextPage: false },
        });
  });

  test('without first or last: 20 nodes from the start', async () => {
    expectPart(await pageOf(name, ''), 0, Math.min(20, whole.edges.length));
  });

  test.each([
    ['first: 101', 'first', /from 0 to 100/],
    ['first: -1', 'first', /from 0 to 100/],
    ['last: 101', 'last', /from 0 to 100/],
    ['first: 1, last: 1', 'last', /not be given together with first/],
    ['after: "nonsense"', 'after', /cursor/],
    ['before: "nonsense"', 'before', /cursor/],
    ['last: 1, before: ""', 'before', /cursor/],
    ['offset: -1', 'offset', /from 0 on/],
  ])('C-12, C-13: %s is refused and names %s', async (args, parameter, message) => {
    const { field, args: own, path } = CONNECTIONS[name];
    const document = path.reduceRight(
      (inner, outer) => `${outer} { ${inner} }`,
      `${field}(${[own, args].filter(Boolean).join(', ')}) { ${PAGE_INFO} }`,
    );
    const { code, violations } = await refusal(`{ ${document} }`);
    expect(code).toBe('INVALID_PARAMETER');
    expect(violations).toEqual([{ parameter, message: expect.stringMatching(message) }]);
  });
});

test('C-10: the event log opens at a position from either end', async () => {
  const { edges } = await pageOf('events', 'first: 100');
  const { nodes, pageInfo } = await pageOf('events', 'last: 2, offset: 1');
  expect(nodes).toEqual(edges.slice(-3, -1).map(({ node }) => node));
  expect(pageInfo).toMatchObject({ hasPreviousPage: true, hasNextPage: true });
  const none = await pageOf('events', `last: 2, offset: ${edges.length}`);
  expect(none).toMatchObject({ nodes: [], pageInfo: { hasPreviousPage: false, hasNextPage: true } });
});

test('the event log is read backward to the oldest stored event', async () => {
  const other = await app.addAccount();
  await openOnramp(app, other.apiKey);
  const query =
    '{ events(last: 100) { totalCount nodes { sequence } pageInfo { hasPreviousPage startCursor } } }';
  const before = (await app.graphql(query, {}, { key: other.apiKey })).json.data.events;
  await app.owner.query('insert into event_floor (account_id, seq) values ($1, 2)', [
    String(other.accountId),
  ]);
  await app.owner
    .query('delete from event where account_id = $1 and seq = 1', [String(other.accountId)])
    .catch(() => {});
  const { json } = await app.graphql(
    `{ events(last: 100, after: "${before.pageInfo.startCursor}") { totalCount nodes { sequence } pageInfo { hasPreviousPage } } }`,
    {},
    { key: other.apiKey },
  );
  expect(json.data.events.totalCount).toBe(before.totalCount - 1);
  expect(json.data.events.nodes).toEqual(before.nodes.slice(1));
  expect(json.data.events.pageInfo.hasPreviousPage).toBe(false);
});
