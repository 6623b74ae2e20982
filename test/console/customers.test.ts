/**
 * Goal: an account sees its own customers, finds one by CPF, and sets limits within those of the platform (C-21). Method: pages and
 * forms of the real application.
 */
import { beforeAll, expect, test } from 'vitest';
import { useApp } from '../support/app.ts';
import { visit } from '../support/console.ts';
import { type SignedInForTest, signInAs } from '../support/people.ts';

const app = useApp();
const CPF = '52998224725';
let owner: SignedInForTest;

beforeAll(async () => {
  owner = await signInAs(app, app.accountId, { email: 'rita@shop.invalid', role: 'owner' });
  await app.graphql(`mutation { createCheckout(input: { currency: "USDT_TRX", amount: { brl: "150.00" }, clientName: "Ana Souza",
    clientTaxId: "${CPF}", accept: true }) { transaction { end2end } errors { code message path } } }`);
});

const open = async (path: string, person = owner) => (await visit(app, person, path)).text;

test('customers are listed in both languages, each links to its transactions, and one is found by CPF', async () => {
  expect(await open('/console/customers?lang=pt')).toContain('<h1>Clientes</h1>');
  const page = await open('/console/customers?lang=en');
  expect(page).toContain(`href="/console/transactions?clientTaxId=${CPF}"`);
  expect(await open('/console/customers?q=529.982.247-25')).toContain('>529.982.247-25</a>');
  expect(await open('/console/customers?q=39053344705')).toContain('No results');
  expect((await visit(app, owner, '/console/customers?q=x')).status).toBe(400);
});

test('C-40: a tighter limit applies immediately; a viewer has no form', async () => {
  const form = { back: '/console/customers', taxId: CPF, limitDaily: '90.50' };
  expect((await visit(app, owner, '/console/acts/UpdateCustomer', { form })).status).toBe(303);
  expect(await open('/console/customers')).toContain('R$90.50');
  const viewer = await signInAs(app, app.accountId, { email: 'leo@shop.invalid', role: 'viewer' });
  const seen = await open('/console/customers', viewer);
  expect([seen.includes(CPF), seen.includes('acts/UpdateCustomer')]).toEqual([true, false]);
});

test('the clock of the sandbox is shown, and Today shows its time', async () => {
  await app.graphql(
    'mutation { sandboxAdvanceClock(input: { by: "48h" }) { now errors { code message path } } }',
    {},
    { key: app.platformKey },
  );
  const { json } = await app.graphql('{ viewer { account { now } } }');
  const ahead = Date.parse(json.data.viewer.account.now) - Date.now();
  expect(Math.round(ahead / 3_600_000)).toBe(48);
  const day = new Intl.DateTimeFormat('en', { timeZone: 'America/Sao_Paulo', dateStyle: 'full' });
  expect(await open('/console?lang=en')).toContain(day.format(Date.now() + ahead));
});
