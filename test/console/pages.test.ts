/**
 * C-10: pages of the console's lists have numbers that lead to what stands there, in lists of any length, without script.
 * Method: an account with more transactions than two pages hold, over HTTP.
 */
import { beforeAll, expect, test } from 'vitest';
import { useApp } from '../support/app.ts';
import { visit } from '../support/console.ts';
import { type SignedInForTest, signInAs } from '../support/people.ts';

const app = useApp();
let owner: SignedInForTest;
let shopKey: string;
/** Every transaction, newest first. */
let all: readonly string[];

beforeAll(async () => {
  const shop = await app.addAccount();
  shopKey = shop.apiKey;
  owner = await signInAs(app, shop.accountId, { email: 'rita@pages.invalid', role: 'owner' });
  const create = `mutation ($code: String!) { createCheckout(input: { currency: "USDT_TRX", amount: { brl: "150.00" }, externalCode: $code }) { transaction { end2end } errors { code message path } } }`;
  for (let each = 0; each < 60; each++)
    await app.graphql(create, { code: `page-${each}` }, { key: shop.apiKey });
  const { json } = await app.graphql(
    '{ transactions(first: 100) { nodes { end2end } } }',
    {},
    { key: shop.apiKey },
  );
  all = json.data.transactions.nodes.map(({ end2end }: { end2end: string }) => end2end);
  expect(all).toHaveLength(60);
});

const open = async (path: string) => {
  const { status, text } = await visit(app, owner, path);
  return { status, text, rows: [...text.matchAll(/data-row="([^"]+)"/g)].map(([, row]) => row) };
};
const hrefOf = (text: string, word: string) =>
  new RegExp(`<a (?=[^>]*href="([^"]+)")[^>]*>${word}</a>`).exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '';

test('each number links to its page, and the present one is marked', async () => {
  const first = await open('/console/transactions?family=CHECKOUTS');
  expect(first.rows).toEqual(all.slice(0, 25));
  expect(first.text).toContain('1–25 of 60');
  expect(first.text).toMatch(/aria-current="page" aria-label="Page 1">1</);
  const last = await open(hrefOf(first.text, '3'));
  expect(last.rows).toEqual(all.slice(50));
  expect(last.text).toContain('51–60 of 60');
  expect(last.text).toMatch(/aria-current="page" aria-label="Page 3">3</);
  const second = await open(hrefOf(last.text, 'Previous'));
  expect(second.rows).toEqual(all.slice(25, 50));
  expect(second.text).toContain('26–50 of 60');
  expect(hrefOf(second.text, '1')).toBe('/console/transactions?family=CHECKOUTS');
  expect((await open(hrefOf(second.text, 'Next'))).rows).toEqual(all.slice(50));
});

test('a field leads to any page and keeps the filters; an invalid page is refused', async () => {
  const { text } = await open('/console/transactions?family=CHECKOUTS');
  const [form = ''] = /<form method="get" class="row go-to">[\s\S]*?<\/form>/.exec(text) ?? [];
  expect(form).toContain('<input type="hidden" name="family" value="CHECKOUTS">');
  expect(form).toMatch(/name="page" min="1" max="3"/);
  for (const page of ['0', 'x', '-1', '1.5', '99999999'])
    expect((await open(`/console/transactions?page=${page}`)).status).toBe(400);
  const past = await open('/console/transactions?page=9');
  expect([past.status, past.rows]).toEqual([200, []]);
});

test('a page after the last says so, and links to the last; it does not claim that the account is empty', async () => {
  const past = await open('/console/transactions?page=9');
  expect(past.text).toContain('No entries this far down the list');
  expect(past.text).not.toContain('Create your first payment and it will appear here.');
  expect(past.text).not.toMatch(/\d of 60</);
  expect(past.text).not.toContain('aria-current="page" aria-label="Page');
  expect(past.text).toMatch(/name="page" min="1" max="3" value="3"/);
  expect((await open(hrefOf(past.text, '3'))).rows).toEqual(all.slice(50));
  expect((await open('/console/transactions?family=OFFRAMPS&page=9')).text).toContain(
    'Create your first payment and it will appear here.',
  );
  expect((await open('/console/statement?page=9')).text).toContain('No entries in this period');
});

const LOGS = ['events', 'audit'] as const;

/** What a log shows of each of its entries, newest first, as GraphQL tells it. */
async function entriesOf(log: (typeof LOGS)[number]): Promise<readonly string[]> {
  const lists = {
    events: ['last', 'cursor', 'events(last: 100'],
    audit: ['first', 'seq', 'auditLog(first: 100'],
  } as const;
  const [end, member, field] = lists[log];
  const all: string[] = [];
  for (let cursor = ''; ; ) {
    const more = cursor && `, ${end === 'last' ? 'before' : 'after'}: "${cursor}"`;
    const query = `{ list: ${field}${more}) { nodes { ${member} } pageInfo { startCursor endCursor hasPreviousPage hasNextPage } } }`;
    const { list } = (await app.graphql(query, {}, { key: shopKey })).json.data;
    const nodes = list.nodes.map((node: Record<string, string>) => node[member]);
    all.push(...(end === 'last' ? nodes.reverse() : nodes));
    const { hasPreviousPage, hasNextPage, startCursor, endCursor } = list.pageInfo;
    if (!(end === 'last' ? hasPreviousPage : hasNextPage)) return all;
    cursor = end === 'last' ? startCursor : endCursor;
  }
}

test.each(LOGS)('the pages of %s have numbers as well: the last one has the oldest', async (log) => {
  const entries = await entriesOf(log);
  const pages = Math.ceil(entries.length / 25);
  expect(pages).toBeGreaterThan(2);
  const first = await open(`/console/${log}`);
  expect(first.rows).toEqual(entries.slice(0, 25));
  const last = await open(hrefOf(first.text, String(pages)));
  expect(last.rows).toEqual(entries.slice((pages - 1) * 25));
  expect(last.text).toContain(`–${entries.length} of ${entries.length}<`);
  expect((await open(hrefOf(last.text, 'Previous'))).rows).toEqual(
    entries.slice((pages - 2) * 25, (pages - 1) * 25),
  );
  expect((await open(`/console/${log}?page=99`)).text).toContain('No entries this far down the list');
});
