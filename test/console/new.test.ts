/**
 * Goal: whoever makes a payment knows its price and its limits before, and has a link to hand over after. Method:
 * forms as a browser without script sends them.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { useApp } from '../support/app.ts';
import { visit } from '../support/console.ts';
import { type SignedInForTest, signInAs } from '../support/people.ts';

const app = useApp();
let owner: SignedInForTest;

beforeAll(async () => {
  owner = await signInAs(app, app.accountId, { email: 'rita@shop.invalid', role: 'owner' });
});

const ask = (action: string, kind: string, form: Record<string, string>, headers?: Record<string, string>) =>
  visit(app, owner, `/console/acts/${action}`, {
    form: { back: `/console/new?kind=${kind}`, ask: 'price', currency: 'USDT_TRX', accept: 'true', ...form },
    ...(headers && { headers }),
  });
const total = async () =>
  (await app.graphql('{ transactions(families: [CHECKOUTS, ONRAMPS, OFFRAMPS]) { totalCount } }')).json.data
    .transactions.totalCount;

describe('the price', () => {
  test.each([
    ['CreateCheckout', 'checkout', { brl: '150.50' }, 'crossramp_checkout'],
    ['CreateOnramp', 'onramp-order', { brl: '150.50' }, 'onramp'],
    ['CreateOfframp', 'offramp-order', { brl: '150.50', from: 'EXTERNAL' }, 'offramp_instant'],
    ['CreateStaticLink', 'link', { amount: '150.50', name: 'Tips' }, 'crossramp_checkout'],
  ])('C-21: of %s is that of the query, and nothing is made', async (action, kind, form, template) => {
    const before = await total();
    const page = await ask(action, kind, form);
    expect(page.status, page.text).toBe(200);
    const { json } = await app.graphql(
      `{ quote(input: { template: ${template}, currency: "USDT_TRX", amount: { brl: "150.50" } }) { fees } }`,
    );
    const place = /<div id="price"[\s\S]*?<\/div><p/.exec(page.text)?.[0] ?? page.text;
    expect(place).toContain('R$150.50');
    expect(place).toContain(`R$${Number(json.data.quote.fees).toFixed(2)}`);
    // What was written stays.
    expect(page.text).toContain('value="150.50"');
    expect(await total()).toBe(before);
  });

  test('is requested with an amount in the format of the language; an ambiguous one is refused', async () => {
    const page = await ask('CreateCheckout', 'checkout', { brl: '1.234,50' }, { 'accept-language': 'pt' });
    expect(page.text).toContain('R$\u00a01.234,50');
    const refused = await ask('CreateCheckout', 'checkout', { brl: '1.000' });
    expect([refused.status, /Ambiguous/.test(refused.text)]).toEqual([400, true]);
  });
});

test('the limits are shown before they are exceeded, the tighter of both', async () => {
  const page = async () => (await visit(app, owner, '/console/new?kind=checkout')).text;
  const hint = async () => /id="CreateCheckout-brl-hint">(\S+) to ([^<]+)</.exec(await page())?.slice(1);
  const [min, max] = (await hint()) ?? [];
  expect([min, max].every((each) => each?.startsWith('R$'))).toBe(true);
  await app.graphql(
    'mutation { updateTemplateLimits(input: { template: crossramp_checkout, amountMax: "90" }) { templateLimits { amountMax } errors { code message path } } }',
  );
  expect(await hint()).toEqual([min, 'R$90.00']);
});

test('a withdrawal offers the currencies with a balance, with the available amount', async () => {
  const shop = await app.addAccount();
  const holder = await signInAs(app, shop.accountId, { email: 'new@shop.invalid', role: 'owner' });
  const offered = async () =>
    [
      ...(await visit(app, holder, '/console/new?kind=withdrawal')).text.matchAll(
        /<option value="([A-Z_]*)"[^>]*>([^<]*avail[^<]*)</g,
      ),
    ].map(([, code, text]) => [code, text]);
  expect(await offered()).toEqual([['', 'No available balance']]);
  await app.post('/v2/sandbox/fund', { currency: 'USDT_TRX', amount: '12.5' }, { key: shop.apiKey });
  expect(await offered()).toEqual([['USDT_TRX', 'USDT (TRX): 12.500000 available']]);
});

test('a payment link is shown as text and as a QR image once it is created', async () => {
  const form = {
    back: '/console/new?kind=link',
    name: 'Tips',
    currency: 'USDT_TRX',
    idempotencyKey: 'link-1',
  };
  const made = await visit(app, owner, '/console/acts/CreateStaticLink', { form });
  const location = made.headers.get('location') ?? '';
  expect(location).toMatch(/^\/console\/new\?kind=link&done=CreateStaticLink&link=[\w-]+$/);
  const page = await visit(app, owner, location);
  const slug = new URLSearchParams(location.split('?')[1]).get('link');
  expect(page.text).toMatch(new RegExp(`<code id="pay-link">[^<]*${slug}</code>`));
  expect(page.text).toContain('aria-label="QR code of the payment link"');
});
