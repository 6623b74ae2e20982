/**
 * Goal: a person sees the forms of everything that their role may do, and no other (C-40). Method: a developer and a finance
 * person over the pages of the real application; each form is sent as its page has it.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { useApp } from '../support/app.ts';
import { visit } from '../support/console.ts';
import { graphqlClient } from '../support/graphql-client.ts';
import { type SignedInForTest, signInAs } from '../support/people.ts';

const app = useApp();
const { ask, create, stepNow } = graphqlClient(app, () => app.apiKey);
let developer: SignedInForTest;
let finance: SignedInForTest;

beforeAll(async () => {
  developer = await signInAs(app, app.accountId, { email: 'dev@shop.invalid', role: 'developer' });
  finance = await signInAs(app, app.accountId, { email: 'leo@shop.invalid', role: 'finance' });
  await ask('mutation { sandboxFund(input: { currency: "USDT_TRX", amount: "500" }) { errors { code } } }');
});

/** Sends a form of a page as it stands there, with what is typed. */
async function send(
  person: SignedInForTest,
  path: string,
  action: string,
  typed: Readonly<Record<string, string>> = {},
) {
  const { text } = await visit(app, person, path);
  return sendFrom(person, text, action, typed);
}

function sendFrom(
  person: SignedInForTest,
  page: string,
  action: string,
  typed: Readonly<Record<string, string>> = {},
) {
  const [form] = new RegExp(`<form method="post" action="/console/acts/${action}"[\\s\\S]*?</form>`).exec(
    page,
  ) ?? [''];
  expect(form, page).not.toBe('');
  const hidden = [...form.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)].map(
    ([, name = '', value = '']) => [name, value.replaceAll('&amp;', '&')],
  );
  return visit(app, person, `/console/acts/${action}`, {
    form: { ...Object.fromEntries(hidden), ...typed },
  });
}

describe('a developer', () => {
  test('C-40: cancels a checkout by the form of its screen', async () => {
    const { end2end } = (await create('createCheckout', { currency: 'USDT_TRX', amount: { brl: '100' } }))
      .transaction;
    const done = await send(developer, `/console/transactions/${end2end}`, 'CancelTransaction');
    expect(done.status, done.text).toBe(303);
    expect(await stepNow(end2end)).toMatch(/CANCELLED$/);
  });

  test('C-40: accepts the quote of an onramp by the form of its screen', async () => {
    const input = { currency: 'USDT_TRX', amount: { brl: '100' }, accept: false };
    const { end2end } = (await create('createOnramp', input)).transaction;
    const done = await send(developer, `/console/transactions/${end2end}`, 'AcceptQuote');
    expect(done.status, done.text).toBe(303);
    expect(await stepNow(end2end)).not.toMatch(/^quote\//);
  });

  test('C-40: gets the form of an offramp from a deposit, and no other source', async () => {
    const { text } = await visit(app, developer, '/console/new?kind=offramp-order');
    expect(text).toContain('action="/console/acts/CreateOfframp"');
    expect(sourcesIn(text)).toEqual(['EXTERNAL']);
  });
});

describe('a finance person', () => {
  test('C-40: reviews and creates an offramp from the balance', async () => {
    const path = '/console/new?kind=offramp-order';
    expect(sourcesIn((await visit(app, finance, path)).text)).toEqual(['BALANCE']);
    const review = await send(finance, path, 'CreateOfframp', {
      ...{ ask: 'confirm', brl: '150.00', from: 'BALANCE', currency: 'USDT_TRX' },
      ...{ pixKeyType: 'EMAIL', pixKey: 'ana@example.com' },
      ...{ clientName: 'Ana Souza', clientTaxId: '529.982.247-25' },
    });
    expect(review.text).toContain('id="confirm"');
    const done = await sendFrom(finance, review.text, 'CreateOfframp');
    expect(done.status, done.text).toBe(303);
    expect(done.headers.get('location')).toMatch(/CRX\w+/);
    const { auditLog } = await ask('{ auditLog(acts: ["balance.quote"]) { nodes { scope } } }');
    expect(auditLog.nodes).toEqual([{ scope: 'move' }]);
  });

  test.each(['onramp', 'offramp_instant'])('C-40: reserves no price of %s', async (template) => {
    const { json } = await finance.graphql(
      `mutation { createQuote(input: { template: ${template}, currency: "USDT_TRX", amount: { brl: "100" } }) { quote { id: quoteId } errors { message } } }`,
    );
    expect(json.data.createQuote.errors[0].message).toBe('this requires a role with the scope "create"');
  });
});

/** Sources that the form of an offramp offers. */
function sourcesIn(page: string): readonly (string | undefined)[] {
  const [select = ''] = /<select [^>]*name="from"[\s\S]*?<\/select>/.exec(page) ?? [];
  return [...select.matchAll(/<option value="(\w*)"/g)].map(([, value]) => value);
}
