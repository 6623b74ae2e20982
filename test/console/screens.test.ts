/**
 * Goal: every screen shows what its published document gives, to whom it may. Method: the real application, its pages over
 * HTTP, and the same documents over `/graphql` with a key of the same rights.
 */
import { beforeAll, expect, test } from 'vitest';
import { useApp } from '../support/app.ts';
import { visit } from '../support/console.ts';
import { type SignedInForTest, signInAs } from '../support/people.ts';

const app = useApp();
let owner: SignedInForTest;

beforeAll(async () => {
  owner = await signInAs(app, app.accountId, { email: 'rita@shop.invalid', role: 'owner' });
});

const PATHS = [
  '/console',
  '/console/transactions',
  '/console/transactions?family=ONRAMPS&status=SUCCESS&direction=IN&amountMin=10',
  '/console/transactions?awaitingMe=yes',
  '/console/search',
  '/console/search?q=order-1042',
  '/console/statement',
  '/console/approvals',
  '/console/whitelist',
  '/console/new',
  '/console/developers',
  '/console/webhook-secrets',
  '/console/events',
  '/console/requests',
  '/console/requests?status=CLIENT_ERROR&end2end=CRX01M7YZCZ9HF0JV5S6S4QWDX4RJ',
  '/console/audit',
  '/console/people',
  '/console/settings',
];

test.each(PATHS)('%s is a page in both languages, and shows its place in the navigation', async (path) => {
  for (const lang of ['en', 'pt'] as const) {
    const page = await visit(app, owner, `${path}${path.includes('?') ? '&' : '?'}lang=${lang}`);
    expect(page.status, page.text).toBe(200);
    expect(page.text).toContain(`<html lang="${lang === 'en' ? 'en' : 'pt-BR'}">`);
    expect(page.text).toMatch(/<h1>[^<]+<\/h1>/);
  }
});

test('a merchant finds a payment by its order number in one search', async () => {
  const page = await visit(app, owner, '/console/search?q=order-1042');
  expect(page.text).toContain('Ana Souza');
  expect(page.text).not.toContain('Bruno Lima');
});

test('a filter is in the address and shown as text, each with a link that removes it; none is hidden', async () => {
  const page = await visit(app, owner, '/console/transactions?status=SUCCESS&family=CHECKOUTS');
  expect(page.text).toContain('Bruno Lima');
  expect(page.text).not.toContain('Ana Souza');
  expect(page.text).toMatch(
    /<a href="\/console\/transactions\?family=CHECKOUTS" aria-label="Remove: Status Completed">/,
  );
  const wrong = await visit(app, owner, '/console/transactions?amountMin=much');
  expect([wrong.status, /amountMin/.test(wrong.text)]).toEqual([400, true]);
  // A document that comes again is compiled, which refuses variables in a way of its own.
  for (const turn of ['first', 'second', 'third']) {
    const unknown = await visit(app, owner, '/console/transactions?status=LOST');
    expect([turn, unknown.status]).toEqual([turn, 400]);
  }
});

test.each([
  ['/console/transactions?status=success', 'Status Completed'],
  ['/console/transactions?status=success,Failed', 'Status Completed, Failed'],
  ['/console/transactions?direction=in', 'In'],
  ['/console/transactions?family=onramps', 'Onramps'],
  ['/console/requests?status=client_error', 'Client error (4xx)'],
])('C-12: %s is typed by hand, in letters of either case', async (path, word) => {
  const page = await visit(app, owner, path);
  expect([page.status, page.text.includes(word)]).toEqual([200, true]);
});

test.each([
  ['/console/transactions?status=much', /status: must be one of CREATED, PENDING/],
  ['/console/transactions?direction=up', /direction: must be one of IN, OUT/],
  ['/console/transactions?waitsFor=me', /waitsFor: must be one of HELD_DEPOSIT/],
  ['/console/transactions?amountMin=much', /amountMin: Enter a number, such as 150.00/],
  ['/console/transactions?amountMax=1.000', /amountMax: Ambiguous/],
  ['/console/statement?subAccount=mine', /subAccount: must be one of available/],
  ['/console/requests?status=400', /status: must be one of SUCCESSFUL/],
  ['/console/developers?state=LATE', /state: must be one of PENDING/],
  ['/console/audit?page=x', /page: must be a whole number/],
])('C-12: %s is refused by a sentence that names the field, not shown without the filter', async (path, sentence) => {
  const page = await visit(app, owner, path);
  expect([page.status, page.text]).toEqual([400, expect.stringMatching(sentence)]);
});

test('balances of an earlier time are shown alone: waiting work and flows are as of now', async () => {
  const { text } = await visit(app, owner, '/console?at=2026-05-03T12:00');
  expect(text).toContain('<h1>Balances</h1>');
  expect(text).toMatch(/Balances at [^<]*May 3, 2026/);
  expect(text).not.toMatch(/Needs attention|In, last 24 h|Recent transactions/);
  const zoned = await visit(app, owner, '/console?at=2026-05-03t15:00:00z');
  expect(zoned.text).toMatch(/Balances at [^<]*May 3, 2026/);
  for (const at of ['soon', '5', 'May 3, 2026 12:00', '2026-05-03']) {
    const refused = await visit(app, owner, `/console?at=${encodeURIComponent(at)}&lang=pt`);
    expect([at, refused.status, refused.text]).toEqual([
      at,
      400,
      expect.stringContaining('at: Informe data e hora'),
    ]);
  }
});

test('a custom choice is in the export and the filter form', async () => {
  const { text } = await visit(app, owner, '/console/transactions?status=success,failed&amountMin=1234,5');
  expect(text).toMatch(/format=csv&amp;status_codes=SUCCESS%2CFAILED&amp;amount_min=1234.5"/);
  expect(text).toContain('<option value="SUCCESS,FAILED" selected>Completed, Failed</option>');
});

test('every selectable status has a fitting name', async () => {
  const page = await visit(app, owner, '/console/transactions');
  const words = [...page.text.matchAll(/<option value="([A-Z_]+)"[^>]*>([^<]+)</g)].map(([, , word]) => word);
  expect(words).toEqual(expect.arrayContaining(['Pending', 'Failed', 'Processing']));
  expect(words.filter((word) => !/^[A-Z][a-z]/.test(word ?? ''))).toEqual([]);
});

test('C-40: a list that a role may not see is not reported as empty', async () => {
  const viewer = await signInAs(app, app.accountId, { email: 'leo@shop.invalid', role: 'viewer' });
  const [ours, theirs] = [
    await visit(app, owner, '/console/developers'),
    await visit(app, viewer, '/console/developers'),
  ];
  expect(ours.text).toContain('API keys');
  expect([theirs.status, /API keys|No API keys yet|No endpoints/.test(theirs.text)]).toEqual([200, false]);
});

test('a shown list is exported by its own link, with the same filters', async () => {
  const page = await visit(app, owner, '/console/transactions?status=SUCCESS&family=CHECKOUTS&direction=IN');
  const link = /href="(\/export\/transactions\?format=csv&amp;[^"]+)"/.exec(page.text)?.[1];
  const file = await visit(app, owner, (link ?? '').replaceAll('&amp;', '&'));
  expect([file.status, file.text.includes('Bruno Lima'), file.text.includes('Ana Souza')]).toEqual([
    200,
    true,
    false,
  ]);
  const statement = await visit(app, owner, '/console/statement?currency=USDT_TRX&subAccount=available');
  const journal = /href="(\/export\/statement\?format=hledger[^"]+)"/.exec(statement.text)?.[1];
  expect(journal).toBe(
    '/export/statement?format=hledger&amp;currency=USDT_TRX&amp;sub_account=available&amp;zone=America%2FSao_Paulo',
  );
  expect((await visit(app, owner, (journal ?? '').replaceAll('&amp;', '&'))).status).toBe(200);
});

test('visitors who are not signed in are asked to sign in', async () => {
  const page = await visit(app, null, '/console');
  expect([page.status, page.headers.get('location')]).toEqual([303, '/console/sign-in']);
});
