/**
 * Goal: one transaction shows what can be done with it and played on it now, its page, and its body as /v2 gives it.
 * Method: an offramp whose deposit is wrong, and a checkout, over the pages of the real application.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWebhooks, type WebhookWorker } from '../../src/webhooks/worker.ts';
import { useApp } from '../support/app.ts';
import { visit } from '../support/console.ts';
import { type SignedInForTest, signInAs } from '../support/people.ts';
import { SILENT } from '../support/webhooks.ts';

const app = useApp();
let worker: WebhookWorker;
let owner: SignedInForTest;

beforeAll(async () => {
  worker = startWebhooks(app.services, SILENT, { allowsLoopback: true });
  owner = await signInAs(app, app.accountId, { email: 'rita@shop.invalid', role: 'owner' });
});
afterAll(() => worker.stop());

const OFFRAMP = `mutation { createOfframp(input: { amount: { crypto: "20" }, currency: "USDT_TRX", from: EXTERNAL, pixKey: "ana@example.com",
  pixKeyType: EMAIL, clientName: "Ana Souza", clientTaxId: "52998224725", accept: true }) { transaction { end2end } errors { code message path } } }`;
const CHECKOUT = `mutation { createCheckout(input: { currency: "USDT_TRX", amount: { brl: "150.00" }, clientName: "Ana Souza",
  clientTaxId: "52998224725", accept: true }) { transaction { end2end } errors { code message path } } }`;
const ONE = `query ($end2end: String!) { transaction(end2end: $end2end) { component state legacyBody receiptUrl
  sandboxScenarios { now later } } }`;

async function make(mutation: string): Promise<string> {
  const { json } = await app.graphql(mutation);
  return (Object.values(json.data)[0] as { transaction: { end2end: string } }).transaction.end2end;
}

const find = async (end2end: string) => (await app.graphql(ONE, { end2end })).json.data.transaction;
const page = async (end2end: string, lang = 'en') =>
  (await visit(app, owner, `/console/transactions/${end2end}?lang=${lang}`)).text;
const action = (name: string, form: Record<string, string>) =>
  visit(app, owner, `/console/acts/${name}`, {
    form: { back: `/console/transactions/${form.end2end}`, ...form },
  });

describe('a deposit that is held', () => {
  test.each([
    ['KEEP', 'partial_success'],
    ['REQUOTE', 'swap_transfer'],
    ['REFUND', 'refund'],
  ])('is decided by a form: %s', async (resolution, component) => {
    const end2end = await make(OFFRAMP);
    expect(await page(end2end)).not.toContain('acts/ResolveDeposit');
    await action('SandboxTrigger', { end2end, scenario: 'DEPOSIT_WRONG', amount: '3.5' });
    const held = await page(end2end);
    expect(held).toContain('On hold: different amount');
    expect(held).toContain(`name="resolution" value="${resolution}"`);
    const done = await action('ResolveDeposit', { end2end, resolution });
    expect([done.status, done.headers.get('location')]).toEqual([
      303,
      `/console/transactions/${end2end}?done=ResolveDeposit`,
    ]);
    expect(await find(end2end)).not.toMatchObject({ component: 'crypto_deposit' });
    const { json } = await app.graphql(
      'query ($end2end: String!) { transaction(end2end: $end2end) { events { component } } }',
      { end2end },
    );
    const passed = json.data.transaction.events.map((event: { component: string }) => event.component);
    expect(passed).toContain(component);
    expect(await page(end2end)).not.toContain('acts/ResolveDeposit');
  });

  test('is sent to an address only; the error appears at its field, which stays open', async () => {
    const end2end = await make(OFFRAMP);
    await action('SandboxTrigger', { end2end, scenario: 'DEPOSIT_WRONG', amount: '3.5' });
    const refused = await action('ResolveDeposit', { end2end, resolution: 'REFUND', address: 'nowhere' });
    expect(refused.status).toBe(400);
    expect(refused.text).toMatch(
      /id="ResolveDeposit-[^"]*address"[^>]*value="nowhere"[^>]*aria-invalid="true"/,
    );
    expect(refused.text.match(/<details class="ask" open>/g)).toHaveLength(1);
  });
});

describe('a deposit of another amount', () => {
  const EFFECTS = `query ($end2end: String!) { transaction(end2end: $end2end) { payment { paid { amount } }
    ... on OfframpInstant { exactDepositAmount }
    possibleActions { action effects { kind quote money { amount } } } } }`;
  const factOf = (text: string, name: string) =>
    new RegExp(`<dt>${name}</dt><dd[^>]*>(.*?)</dd>`)
      .exec(text)?.[1]
      ?.replace(/<[^>]+>/g, '')
      .replaceAll('\u00a0', ' ');
  const plain = (text: string) => text.replaceAll('\u00a0', ' ');

  test('is shown beside the expected amount, with the difference and what each choice would do in figures', async () => {
    const end2end = await make(OFFRAMP);
    expect(factOf(await page(end2end), 'Received')).toBeUndefined();
    await action('SandboxTrigger', { end2end, scenario: 'DEPOSIT_WRONG', amount: '12.5' });
    const { transaction } = (await app.graphql(EFFECTS, { end2end })).json.data;
    const { payment, exactDepositAmount, possibleActions } = transaction;
    const text = plain(await page(end2end));
    const arrived = Number(payment.paid.amount);
    expect(factOf(text, 'Expected')).toBe(`${exactDepositAmount} USDT (TRX)`);
    expect(Number.parseFloat(factOf(text, 'Received') ?? '')).toBe(arrived);
    const difference = Number.parseFloat((factOf(text, 'Difference') ?? '').replace('−', '-'));
    expect(difference).toBeCloseTo(arrived - Number(exactDepositAmount), 6);
    const effectOf = (name: string) =>
      possibleActions
        .find((each: { action: string }) => each.action === name)
        .effects.find(({ kind }: { kind: string }) => kind === 'PAYOUT');
    const requote = effectOf('REQUOTE_DEPOSIT');
    expect([Number(requote.quote) > 1, Number(requote.money.amount) > 0]).toEqual([true, true]);
    const out = factOf(text, 'Converted now');
    expect(out).toMatch(/^R\$\s?\d/);
    // The form of each choice says its figures.
    expect(text).not.toContain('Paid out at the current rate');
    expect(text).toContain(`<li>${out} to the recipient</li>`);
    expect(text).toMatch(/<li>Available: \+ [\d.]+ USDT/);
    expect(text).toMatch(/<li>[\d.]+ USDT \(TRX\) back to the payer<\/li>/);
    expect(factOf(text, 'Rate now')).toMatch(/^\d/);
    // Performed, it pays out what the form said: the rate of the sandbox is fresh for seconds.
    await action('ResolveDeposit', { end2end, resolution: 'REQUOTE' });
    const after = (
      await app.graphql(
        'query ($end2end: String!) { transaction(end2end: $end2end) { target { amount } } }',
        { end2end },
      )
    ).json.data;
    expect(Number(after.transaction.target.amount)).toBeGreaterThan(0);
  });

  test('comes before its history: facts and actions first, webhooks folded', async () => {
    const endpoint =
      'mutation { createWebhookEndpoint(input: { url: "http://127.0.0.1:9/hook" }) { webhookEndpoint { endpointId } errors { message } } }';
    expect((await app.graphql(endpoint)).json.data.createWebhookEndpoint.errors).toEqual([]);
    const end2end = await make(OFFRAMP);
    await action('SandboxTrigger', { end2end, scenario: 'DEPOSIT_WRONG', amount: '3.5' });
    const places = (text: string) =>
      ['data-live="acts"', 'data-live="facts"', 'data-live="axis"', 'data-live="webhooks"'].map((part) =>
        text.indexOf(part),
      );
    await expect
      .poll(async () => /data-live="webhooks"><details/.test(await page(end2end)), { timeout: 15_000 })
      .toBe(true);
    const text = await page(end2end);
    expect(places(text).every((at) => at > 0)).toBe(true);
    expect(places(text)).toEqual(places(text).toSorted((one, other) => one - other));
    const folded = text.slice(text.indexOf('data-live="webhooks"'));
    expect(folded).toMatch(
      /^data-live="webhooks"><details><summary>.*?<\/svg> Webhooks <span class="count">\d/,
    );
    expect(folded).not.toMatch(/^[^>]*><details[^>]* open/);
    const alone = (await visit(app, owner, `/console/transactions/${end2end}?show=webhooks`)).text;
    expect(alone).toContain('data-live="webhooks"></div>');
  });
});

test('a finished payment shows it once, and its actions as text', async () => {
  const end2end = await make(CHECKOUT);
  expect(await page(end2end)).toMatch(/data-live="message"><p class="soft">[^<]/);
  await action('SandboxTrigger', { end2end, scenario: 'PAY' });
  await expect.poll(() => find(end2end), { timeout: 15_000 }).toMatchObject({ component: 'success' });
  const done = await page(end2end);
  expect(done).toContain('Paid');
  expect(done).not.toContain('Transaction completed successfully</p>');
  expect(done).toContain('<h2>Sandbox scenario simulated</h2>');
  expect(await page(end2end, 'pt')).toContain('<h2>Cenário do sandbox simulado</h2>');
});

test('a returned part has its own text, and the total of returns is among the facts', async () => {
  const end2end = await make(CHECKOUT);
  await action('SandboxTrigger', { end2end, scenario: 'PAY' });
  await expect.poll(() => find(end2end), { timeout: 15_000 }).toMatchObject({ component: 'success' });
  expect(await page(end2end)).not.toContain('Refunded');
  expect(await page(end2end)).toContain('Up to R$150.00 can be refunded');
  await action('RefundPayment', { end2end, amount: '10.50' });
  await action('RefundPayment', { end2end, amount: '20' });
  await expect
    .poll(() => page(end2end), { timeout: 15_000 })
    .toMatch(/<dt>Refunded<\/dt>\s*<dd><b>R\$30\.50</);
  const [en, pt] = [await page(end2end), await page(end2end, 'pt')];
  expect(en).toContain('Up to R$119.50 can be refunded');
  expect(pt).toContain('Até R$\u00a0119,50 podem ser devolvidos');
  expect(en.match(/<h2>Partial refund started<\/h2>/g)).toHaveLength(2);
  expect(en.match(/<h2>Partially refunded<\/h2>/g)).toHaveLength(2);
  expect(en.match(/<h2>Paid<\/h2>/g)).toHaveLength(1);
  expect(pt).toContain('<h2>Devolvido parcialmente</h2>');
});

test('the rate is written as the language writes numbers', async () => {
  const end2end = await make(CHECKOUT);
  expect(await page(end2end)).toMatch(/<dt>Rate<\/dt>\s*<dd>1 USDT \(TRX\) = R\$\d+\.\d+</);
  expect(await page(end2end, 'pt')).toMatch(/<dt>Cotação<\/dt>\s*<dd>1 USDT \(TRX\) = R\$\s\d+,\d+</);
});

describe('the sandbox', () => {
  test('offers the possible scenarios, in both languages, and plays them', async () => {
    const end2end = await make(CHECKOUT);
    const { now, later } = (await find(end2end)).sandboxScenarios;
    expect(now).toContain('PAY');
    expect(now).not.toContain('DEPOSIT');
    expect(later).toContain('SWAP_FAIL');
    const [en, pt] = [await page(end2end), await page(end2end, 'pt')];
    expect(en).toContain('name="scenario" value="PAY">Pay<');
    expect(pt).toContain('name="scenario" value="PAY">Pagar<');
    expect(en).not.toContain('value="DEPOSIT"');
    await action('SandboxTrigger', { end2end, scenario: 'PAY' });
    expect((await find(end2end)).sandboxScenarios.now).not.toContain('PAY');
  });

  test('offers nothing for imported history', async () => {
    const { json } = await app.graphql(
      '{ transactions(filter: { externalCode: "order-1042" }) { nodes { end2end sandboxScenarios { now } } } }',
    );
    expect(json.data.transactions.nodes).toEqual([
      { end2end: expect.stringMatching(/^CRX/), sandboxScenarios: null },
    ]);
  });
});

test('C-9: its body equals that of /v2', async () => {
  const end2end = await make(CHECKOUT);
  const { legacyBody } = await find(end2end);
  const { text } = await app.get(`/v2/crossramp_checkout/${end2end}`);
  expect(legacyBody).toBe(text);
  expect(await page(end2end)).toContain('API response (/v2)');
});

test('its page has a link to share until it is paid, and is the receipt then', async () => {
  const end2end = await make(CHECKOUT);
  const { receiptUrl } = await find(end2end);
  const before = await page(end2end);
  expect(before).toContain('Share with the payer');
  expect(before).toContain(`<code id="pay-link">${receiptUrl}</code>`);
  expect(before).toMatch(/role="img" aria-label="QR code of the payment link"><svg/);
  expect(before).toContain('Payment page');
  await action('SandboxTrigger', { end2end, scenario: 'PAY' });
  const after = await page(end2end);
  expect(after).not.toContain('Share with the payer');
  expect(after).toMatch(new RegExp(`href="${receiptUrl.replaceAll('.', '\\.')}"[^>]*>.*Receipt`));
});

test('recorded facts are shown, are recorded by a form, and an empty field removes one', async () => {
  const end2end = await make(CHECKOUT);
  expect(await page(end2end)).toContain('Regulatory record');
  const form = { end2end, walletCustody: 'CUSTODIAL', walletVasp: 'Exchange Ltda.', walletCountry: 'BR' };
  expect((await action('RecordFacts', form)).status).toBe(303);
  const shown = await page(end2end);
  expect(shown).toContain('Held by a provider');
  expect(shown).toContain('<dd>Exchange Ltda.</dd>');
  const { end2end: id, walletCountry } = form;
  const fewer = { end2end: id, walletCustody: '', walletHolder: '', walletVasp: '', walletCountry };
  expect((await action('RecordFacts', fewer)).status).toBe(303);
  const { json } = await app.graphql(
    'query ($end2end: String!) { transaction(end2end: $end2end) { record { walletCustody walletVasp walletCountry } } }',
    { end2end },
  );
  expect(json.data.transaction.record).toEqual({
    walletCustody: null,
    walletVasp: null,
    walletCountry: 'BR',
  });
  const refused = await action('RecordFacts', { ...form, walletCountry: 'Brasil' });
  expect(refused.status).toBe(400);
  expect(refused.text).toMatch(
    /id="RecordFacts-[^"]*walletCountry"[^>]*value="Brasil"[^>]*aria-invalid="true"/,
  );
});
