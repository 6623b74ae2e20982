/**
 * Goal: a static link opens a new checkout session at each visit, of a fixed or an open amount (C-20). Method: links by
 * GraphQL, visits as the hosted page makes them, sessions played on to their end.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { isSessionToken } from '../../src/base/access/session-token.ts';
import { assert } from '../../src/base/errors/assert.ts';
import { GatewayError } from '../../src/base/errors/errors.ts';
import { enterAmount } from '../../src/resolvers/orders/enter-amount.ts';
import { findOpenLink, openStaticLink } from '../../src/resolvers/payer/open-static-link.ts';
import { findSession, payerContext, readSession } from '../../src/resolvers/payer/payment-session.ts';
import { renewSession } from '../../src/resolvers/payer/renew-session.ts';
import type { ProcessRow } from '../../src/templates/facts.ts';
import { useApp } from '../support/app.ts';
import { graphqlClient, parametersOf, stepOf } from '../support/graphql-client.ts';
import { ORIGIN } from '../support/origin.ts';

const app = useApp();
const LINK =
  'slug url name currency { code } amount externalCode returnUrl webhook expiresIn createdAt disabledAt';
const MAKE = `mutation($input: CreateStaticLinkInput!) { createStaticLink(input: $input) { staticLink { ${LINK} } errors { code message path } } }`;

let shop: Awaited<ReturnType<typeof app.addAccount>>;
const { ask, refusal, perform, trigger, until } = graphqlClient(app, () => shop.apiKey);

beforeAll(async () => {
  shop = await app.addAccount();
});

const make = async (input: Record<string, unknown>) =>
  (await ask(MAKE, { input: { name: 'Shop', currency: 'USDT_TRX', ...input } })).createStaticLink.staticLink;
const disable = (slug: string) =>
  ask(
    'mutation($slug: String!) { disableStaticLink(input: { slug: $slug }) { staticLink { slug disabledAt } errors { code message path } } }',
    { slug },
  );
const find = (slug: string) => findOpenLink(app.services, slug);
const visit = async (slug: string, services = app.services) => {
  const link = await find(slug);
  assert(link, 'a link that is visited exists');
  return openStaticLink(services, link, ORIGIN);
};
const payerOf = (row: ProcessRow, services = app.services) => payerContext(services, row, 'create', ORIGIN);
const codeOf = (refused: Promise<unknown>) =>
  refused.then(
    () => 'nothing was refused',
    (error) => (error instanceof GatewayError ? error.code : error),
  );
const amount = (value: string) => ({ name: 'amount', value });

describe('links', () => {
  test('a link has the inputs of its sessions', async () => {
    const given = {
      amount: '80',
      externalCode: 'table 4',
      returnUrl: 'https://shop.example/thanks',
      webhook: 'https://shop.example/hook',
      expiresIn: 600,
    };
    const link = await make({ ...given, name: ' Table 4 ', currency: 'USDT (TRX)' });
    expect(link).toEqual({
      ...given,
      name: 'Table 4',
      currency: { code: 'USDT_TRX' },
      slug: expect.stringMatching(/^[\w-]{16}$/),
      url: `${app.baseUrl}/pay/l/${link.slug}`,
      createdAt: expect.any(String),
      disabledAt: null,
    });
    const open = await make({});
    expect(open).toMatchObject({ amount: null, externalCode: null, expiresIn: 1_800 });
    const { viewer } = await ask(`{ viewer { account { staticLinks { ${LINK} } } } }`);
    expect(viewer.account.staticLinks).toEqual([open, link]);
    const other = await app.addAccount();
    const theirs = await ask('{ viewer { account { staticLinks { slug } } } }', {}, other.apiKey);
    expect(theirs.viewer.account.staticLinks).toEqual([]);
  });

  test.each([
    [{ name: '' }, 'INVALID_PARAMETER', ['input.name']],
    [{ currency: 'BRL' }, 'INVALID_PARAMETER', ['input.currency']],
    [{ currency: 'USDT' }, 'CURRENCY_AMBIGUOUS', ['input.currency']],
    [
      { amount: '0', returnUrl: 'x', webhook: 'http://shop.example', expiresIn: 1 },
      'INVALID_PARAMETER',
      ['input.amount', 'input.expiresIn', 'input.returnUrl', 'input.webhook'],
    ],
    [{ amount: '50000.01' }, 'LIMIT_EXCEEDED', []],
    [{ amount: '0.99' }, 'LIMIT_EXCEEDED', []],
  ])('a link of %j is refused with %s and names %j', async (input, code, parameters) => {
    const refused = await refusal(MAKE, { input: { name: 'Shop', currency: 'USDT_TRX', ...input } });
    expect(refused.code).toBe(code);
    expect(refused.violations ? parametersOf(refused) : []).toEqual(parameters);
  });
});

describe('visits', () => {
  test('C-20: a fixed amount is priced, and the session succeeds', async () => {
    const link = await make({ amount: '80', externalCode: 'table 4', expiresIn: 600 });
    const visitedMs = Date.now();
    const [first, second] = await Promise.all([visit(link.slug), visit(link.slug)]);
    expect(first.end2end).not.toBe(second.end2end);
    expect(first.process?.session).not.toBe(second.process?.session);
    expect(first).toMatchObject({
      accountId: shop.accountId,
      component: 'pre_kyc',
      state: 'INFO',
      sourceAmount: '80',
      fixedLink: `/pay/l/${link.slug}`,
      externalCode: 'table 4',
      process: { createdBy: null },
    });
    const rest = await app.get(`/v2/crossramp_checkout/${first.end2end}`, { key: shop.apiKey });
    expect(rest.json.attributes.fixed_link).toBe(`/pay/l/${link.slug}`);
    const { created_at: createdAt, attributes } = rest.json;
    // Both are told in whole seconds, and the session began between the visit and the first step.
    expect(Date.parse(attributes.expiration) + 1_000).toBeGreaterThan(visitedMs + 600_000);
    expect(Date.parse(attributes.expiration)).toBeLessThanOrEqual(Date.parse(createdAt) + 600_000);
    await perform('provideIdentity', first.end2end, 'clientName: "Ana", clientTaxId: "52998224725",');
    await perform('confirmIdentity', first.end2end);
    await until(first.end2end, 'depositpix_v2/QRCODE');
    await trigger(first.end2end, 'pay');
    await until(first.end2end, 'success/DONE');
  });

  test('an open amount is collected and priced', async () => {
    const { slug } = await make({});
    const row = await visit(slug);
    expect(stepOf(row)).toBe('static_entry/AMOUNT');
    expect(await codeOf(enterAmount(payerOf(row), row, amount('80.001')))).toBe('INVALID_PARAMETER');
    const priced = await enterAmount(payerOf(row), row, amount('80.00'));
    expect(stepOf(priced)).toBe('pre_kyc/INFO');
    expect(priced).toMatchObject({ sourceAmount: '80', refQuote: '5.3218', fees: '0.8' });
    expect(await codeOf(enterAmount(payerOf(priced), priced, amount('90')))).toBe('STEP_CONFLICT');
    // What the page still holds from before is judged by where the session stands now.
    expect(await codeOf(enterAmount(payerOf(row), row, amount('90')))).toBe('STEP_CONFLICT');
  });

  test('an amount that has no price ends the session', async () => {
    const { slug } = await make({});
    const open = await visit(slug);
    const beyond = await enterAmount(payerOf(open), open, amount('50000.01'));
    expect(stepOf(beyond)).toBe('quote/ERROR');
    const dark = {
      ...app.services,
      rails: { ...app.services.rails, rates: { observe: async () => undefined } },
    };
    await ask('mutation { sandboxAdvanceClock(input: { by: "2m" }) { now errors { code message path } } }');
    const opened = await visit(slug);
    expect(stepOf(await enterAmount(payerOf(opened, dark), opened, amount('80')))).toBe('quote/ERROR');
  });

  test('a fixed amount without a price opens nothing', async () => {
    const { slug } = await make({ amount: '80' });
    await ask('mutation { sandboxAdvanceClock(input: { by: "2m" }) { now errors { code message path } } }');
    const dark = {
      ...app.services,
      rails: { ...app.services.rails, rates: { observe: async () => undefined } },
    };
    const count = async () =>
      (await ask('{ transactions(families: CHECKOUTS) { totalCount } }')).transactions;
    const before = await count();
    expect(await codeOf(visit(slug, dark))).toBe('QUOTE_UNAVAILABLE');
    await ask(
      `mutation { updateTemplateSettings(input: { account: "${shop.accountId}", template: crossramp_checkout, amountMax: "79" }) { templateSetting { template } errors { code message path } } }`,
    );
    expect(await codeOf(visit(slug))).toBe('LIMIT_EXCEEDED');
    await ask(
      `mutation { updateTemplateSettings(input: { account: "${shop.accountId}", template: crossramp_checkout, amountMax: "50000" }) { templateSetting { template } errors { code message path } } }`,
    );
    expect(await count()).toEqual(before);
  });

  test('a reference that names a plan of the sandbox applies it to every session', async () => {
    const { slug } = await make({ amount: '80', externalCode: 'sandbox:identity-irregular' });
    const { end2end } = await visit(slug);
    await perform('provideIdentity', end2end, 'clientName: "Ana", clientTaxId: "52998224725",');
    await perform('confirmIdentity', end2end);
    await until(end2end, 'valida_id_v2/IRREGULAR');
  });

  test('a reference that names the plan quote-fail leaves every session without a price', async () => {
    const { slug } = await make({ amount: '80', externalCode: 'sandbox:quote-fail' });
    expect(stepOf(await visit(slug))).toBe('quote/ERROR');
  });

  test('a disabled link opens nothing more; its open sessions continue', async () => {
    const { slug } = await make({});
    const row = await visit(slug);
    const {
      disableStaticLink: { staticLink: disabled },
    } = await disable(slug);
    expect(disabled).toEqual({ slug, disabledAt: expect.any(String) });
    expect((await disable(slug)).disableStaticLink.staticLink).toEqual(disabled);
    expect(await find(slug)).toBeUndefined();
    expect(stepOf(await enterAmount(payerOf(row), row, amount('80')))).toBe('pre_kyc/INFO');
  });

  test('sessions of a disabled link cannot be renewed', async () => {
    const { slug } = await make({});
    const [row, before] = [await visit(slug), await visit(slug)];
    for (const { end2end } of [row, before]) {
      await trigger(end2end, 'expire');
      await until(end2end, 'quote/EXPIRED');
    }
    const renew = async ({ process }: ProcessRow) => {
      const ended = await findSession(app.services, process?.session ?? '');
      assert(ended, 'a session');
      return renewSession(app.services, await readSession(app.services, ended), ORIGIN);
    };
    expect(isSessionToken(await renew(before))).toBe(true);
    await disable(slug);
    expect(await codeOf(renew(row))).toBe('STEP_CONFLICT');
  });

  test.each([
    '',
    'AAAAAAAAAAAAAAAA',
    `AAAAAAAAAAAAAAA\u0000`,
    'x'.repeat(10_000),
  ])('an unknown link %j', async (slug) => {
    expect(await find(slug)).toBeUndefined();
  });
});

test('C-40: a visitor of a link is in the audit log as a payer, by the link', async () => {
  const { slug } = await make({ amount: '80' });
  const { end2end } = await visit(slug);
  const { auditLog } = await ask(`{ auditLog(objectId: "${end2end}") { nodes { act actorKind actorId } } }`);
  expect(auditLog.nodes).toEqual([{ act: 'checkout.create', actorKind: 'PAYER', actorId: `link:${slug}` }]);
});
