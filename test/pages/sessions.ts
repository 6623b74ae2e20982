/** Payment sessions for tests of their pages: made through the API, moved by what happens outside. */

import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Answer, TestApp } from '../support/app.ts';
import { postPatiently } from '../support/post-patiently.ts';
import { errorsIn } from '../support/refusals.ts';
import { newCpf } from '../walk/walker.ts';

/** A session that was begun. */
export interface Session {
  readonly end2end: string;
  /** URL of its page. */
  readonly link: string;
}

/** @returns somebody who has not paid anything yet, as bodies of `/v2` name a customer. */
export function somebody() {
  return { client_name: 'Maria Silva Pereira', client_tax_id: newCpf() };
}

/** Makes a session on a path of `/v2`. */
export async function make(app: TestApp, path: string, body: object): Promise<Session> {
  const { json } = await claimed(postPatiently(app, path, body));
  const { end2end, payment_link: link } = json;
  if (link) return { end2end, link };
  const query = 'query ($id: String!) { transaction(end2end: $id) { payment { link } } }';
  const { transaction } = await request(app, query, { id: end2end });
  return { end2end, link: transaction.payment.link };
}

/** Makes a session by a mutation that is named like its input. */
export async function mutate(app: TestApp, mutation: string, input: object): Promise<Session> {
  const type = `${mutation[0]?.toUpperCase()}${mutation.slice(1)}Input`;
  const query = `mutation ($input: ${type}!) { ${mutation}(input: $input) { transaction { end2end payment { link } } } }`;
  const { end2end, payment } = (await request(app, query, { input }))[mutation].transaction;
  return { end2end, link: payment.link };
}

/** Makes a checkout session of R$ 550.00, or as the body says. */
export function checkout(app: TestApp, body: object = {}): Promise<Session> {
  const given = { amount_payment: '550', currency_exit_received_code: 'USDT_TRX', ...body };
  return make(app, '/v2/crossramp_checkout', given);
}

/** Makes an offramp that is paid by a deposit; without a payee its page asks for one. */
export function offramp(app: TestApp, input: object = {}): Promise<Session> {
  return mutate(app, 'createOfframp', {
    amount: { brl: '500' },
    currency: 'USDT_TRX',
    from: 'EXTERNAL',
    ...input,
  });
}

/** The payee of an offramp. */
export function payee() {
  const { client_name: clientName, client_tax_id: clientTaxId } = somebody();
  return { clientName, clientTaxId, pixKey: 'maria@example.com', pixKeyType: 'EMAIL' };
}

/** Asks the API. @returns the data. */
export async function request(app: TestApp, query: string, variables: Record<string, unknown> = {}) {
  const { json } = await app.graphql(query, variables);
  expect(errorsIn(json)).toBeUndefined();
  return json.data;
}

/** Lets something happen in the outside world. */
export async function trigger(app: TestApp, { end2end }: Session, scenario: string): Promise<void> {
  await claimed(app.post('/v2/sandbox/trigger', { scenario, end2end }));
}

/** Sets the clock ahead. */
export async function advanceClock(app: TestApp, by: string): Promise<void> {
  await claimed(app.post('/v2/sandbox/clock', { advance: by }));
}

/** Waits until the page has a title. */
export async function seeTitle(page: Page, title: string): Promise<void> {
  await page.locator('h1', { hasText: title }).waitFor();
}

/** @returns what stands in the main part; Intl writes amounts with spaces that do not break. */
export async function textOf(page: Page, selector = 'main'): Promise<string> {
  return spaced(await page.innerText(selector));
}

/** @returns the text with plain spaces. */
export function spaced(text: string): string {
  return text.replaceAll(/[\u00a0\u202f]/g, ' ');
}

/** Goes on by a form or a link, as a browser without script does. @returns the status of the first answer. */
export async function goOn(page: Page, selector: string): Promise<number> {
  const [response] = await Promise.all([
    page.waitForResponse((each) => each.request().isNavigationRequest()),
    page.waitForEvent('domcontentloaded'),
    page.click(selector),
  ]);
  return response.status();
}

/** @returns whether a browser without script loads the page again from time to time. */
export async function isRefreshed(page: Page): Promise<boolean> {
  return (await page.locator('noscript meta[http-equiv=refresh]').count()) === 1;
}

/** Asks by the link "check now", which every page that waits has, until the title has come. */
export async function waitThrough(page: Page, title: string): Promise<void> {
  for (let looks = 0; !(await textOf(page, 'h1')).includes(title); looks += 1) {
    expect(looks, `the title "${title}" does not come`).toBeLessThan(200);
    expect(await isRefreshed(page)).toBe(true);
    await goOn(page, 'main p > a[href^="/pay/"]');
  }
}

/** @returns what a row of the summary says. */
export function rowOf(page: Page, term: string): Promise<string> {
  return textOf(page, `main dl div:has(dt:text-is("${term}")) dd`);
}

/** The source of prices has nothing to say meanwhile, and what it said before is too old. */
export async function withoutRates({ services, owner }: TestApp, work: () => Promise<void>): Promise<void> {
  const { rails } = services as { rails: { rates: unknown } };
  const { rates } = rails;
  await owner.query(`update rate set observed_at = now() - interval '2 minutes'`);
  rails.rates = { observe: async () => undefined };
  try {
    await work();
  } finally {
    rails.rates = rates;
  }
}

async function claimed(answering: Promise<Answer>): Promise<Answer> {
  const answer = await answering;
  expect([answer.status, answer.text]).toEqual([expect.toBeOneOf([200, 201]), expect.anything()]);
  return answer;
}
