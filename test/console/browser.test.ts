/**
 * Goal: the console in a real browser: every screen that there is, the operator's too, fits a phone, a tablet and a laptop in
 * both languages, passes axe, asks nobody else, and works without script. Method: Chromium on the real application; the screens
 * are those of the code, and what they show is what `--demo` leaves open: one of each kind of what waits. BROWSER=full looks at
 * every size in light and dark and in both languages by axe; SCREENSHOTS=1 plays all thirty days of the demo, and makes the
 * pictures of docs/console.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { SCREENS } from '../../src/console/screens/index.ts';
import { playDemo } from '../../src/rails/sandbox/demo.ts';
import { closeDays, leaveOpen, openBusiness } from '../../src/rails/sandbox/demo-business.ts';
import { settle } from '../../src/resolvers/engine/run-jobs.ts';
import { platformAccount } from '../../src/store/account/accounts.ts';
import { findTransaction } from '../../src/store/engine/transactions.ts';
import { raiseHits } from '../../src/store/rails/screening-hits.ts';
import { useApp } from '../support/app.ts';
import { axeViolations } from '../support/axe.ts';
import { hasBrowser, useBrowser, type Visit } from '../support/browser.ts';
import { signIn } from '../support/console.ts';
import { type SignedInForTest, signInAs } from '../support/people.ts';
import { SILENT } from '../support/webhooks.ts';

const PICTURES = fileURLToPath(new URL('../../docs/console/', import.meta.url));
/** Pictures that docs/console.md shows. */
const KEPT = [
  'today-desk',
  'transactions-desk',
  'transactions-phone',
  'transaction-phone',
  'transaction-desk-dark',
  'statement-desk',
];
const SIZES = { phone: [390, 844], tablet: [768, 1024], laptop: [1280, 800], desk: [1440, 900] } as const;
/** Whether something that can be pressed in a row is out of sight: it stands where the table has to be pushed sideways. */
const OUT_OF_SIGHT = `[...document.querySelectorAll('.scroll')].flatMap((place) => {
  const { right } = place.getBoundingClientRect();
  return [...place.querySelectorAll('.acts :is(button, summary, a)')]
    .filter((each) => each.checkVisibility() && each.getBoundingClientRect().right > right + 1)
    .map((each) => each.innerText);
})`;

const app = useApp();
const browser = useBrowser();
let owner: SignedInForTest;
let operator: SignedInForTest;
let paid: string;
let endpoint: string;
let delivery: string;
let checked: string;
let hit: string;

const CREATE = `mutation ($order: String!) { createCheckout(input: { currency: "USDT_TRX", amount: { brl: "150.00" },
  externalCode: $order, clientName: "Maria Souza Prado", clientTaxId: "39053344705" }) { transaction { end2end } errors { code message path } } }`;
const PAY =
  'mutation ($end2end: String!) { sandboxTrigger(input: { end2end: $end2end, scenario: PAY }) { transaction { end2end } errors { code message path } } }';
const STATUS = 'query ($end2end: String!) { transaction(end2end: $end2end) { statusCode } }';

async function createCheckout(order: string): Promise<string> {
  const { json } = await app.graphql(CREATE, { order });
  return json.data.createCheckout.transaction.end2end;
}

/** What the demo leaves open; for pictures with the thirty days before it. */
async function playBusiness(): Promise<void> {
  const { services, accountId } = app;
  if (process.env.SCREENSHOTS) {
    await playDemo(services, accountId, { log: SILENT });
    return;
  }
  const place = await openBusiness(services, accountId);
  await app.post('/v2/sandbox/fund', { currency: 'USDT_TRX', amount: '1000' });
  await leaveOpen(place, async () => {
    await services.sandbox?.advanceClock(5_000);
    await settle(services, SILENT);
  });
  await closeDays(place);
}

beforeAll(async () => {
  await playBusiness();
  owner = await signInAs(app, app.accountId, { email: 'rita@shop.invalid', role: 'owner' });
  operator = await signInAs(app, await platformAccount(app.database, 'sandbox'), {
    email: 'olga@platform.invalid',
    role: 'platform_owner',
  });
  paid = await createCheckout('10482');
  await app.graphql(PAY, { end2end: paid });
  // What is looked at stands still: nothing is swapped while axe reads.
  const status = async () => (await app.graphql(STATUS, { end2end: paid })).json.data.transaction.statusCode;
  await vi.waitFor(async () => expect(await status()).toBe('SUCCESS'), { timeout: 15_000 });
  await giveEndpoint();
  await giveEvidence();
}, 300_000);

/** The identity check of the payer, frozen and asked to be unfrozen; and a hit of the payment. */
async function giveEvidence(): Promise<void> {
  const decide = async (name: string, input: string) =>
    (
      await app.graphql(
        `mutation { ${name}(input: { ${input}, reason: "court order 4711" }) { customerCase { caseId } } }`,
        {},
        { key: app.platformKey },
      )
    ).json.data[name].customerCase.caseId;
  checked = await decide('freezeCustomer', `account: "${app.accountId}", taxId: "39053344705"`);
  await decide('unfreezeCase', `caseId: "${checked}"`);
  const row = await findTransaction(app.database, app.accountId, paid);
  const place = { mode: 'sandbox', accountId: app.accountId, transactionId: row?.id ?? null } as const;
  const found = {
    ...{ role: 'customer', subject: 'tax_id:39053344705', subjectName: 'Maria Souza Prado', address: null },
    ...{ taxId: '39053344705', list: 'un', entry: 'QDi.7', entryName: 'Maria Sousa Prado', score: '0.96' },
    ...({ strength: 'strong', answer: 'frozen', version: '2026-11-28' } as const),
  };
  await app.database.withTx((tx) => raiseHits(tx, place, [found], new Date()));
  const { rows } = await app.owner.query('select max(id)::text as id from screening_hit');
  hit = rows[0].id;
}

const caseOf = (kind: string, id: string) => `/console/review/case?id=${kind}:${app.accountId}:${id}`;

/** An endpoint that chose some events and failed, with a test that was answered. */
async function giveEndpoint(): Promise<void> {
  const { json } = await app.graphql(
    'mutation { createWebhookEndpoint(input: { url: "https://hooks.invalid/crossramp", eventNames: ["onramp.*"] }) { webhookEndpoint { endpointId } errors { code message path } } }',
  );
  endpoint = json.data.createWebhookEndpoint.webhookEndpoint.endpointId;
  const { rows } = await app.owner.query(
    `with made as (insert into webhook_delivery (account_id, endpoint_id, event_seq, transaction_id, state, due_at, created_at, ended_at, attempts)
        select account_id, $2, seq, transaction_id, 'dead', now(), now(), now(), 1 from event where account_id = $1 order by seq desc limit 3 returning *),
      tried as (insert into webhook_attempt (account_id, delivery_id, attempt, at, duration_ms, status, answer)
        select account_id, id, 1, now(), 212, 500, 'out of order' from made)
      select max(id)::text as id from made`,
    [String(app.accountId), endpoint],
  );
  delivery = rows[0].id;
  await app.owner.query(
    `insert into webhook_sample (account_id, endpoint_id, event_name, token, payload, requested_at, attempted_at, duration_ms, status, answer)
      values ($1, $2, 'onramp.depositpix.paid', '0123456789abcdef', '{}', now(), now(), 40, 200, 'thanks')`,
    [String(app.accountId), endpoint],
  );
}

/** What stands in the paths of screens. */
const named = (path: string) =>
  `/console${path}`
    .replace(':end2end', paid)
    .replace(':account', String(app.accountId))
    .replace(':endpoint', endpoint)
    .replace(':delivery', delivery)
    .replace('/books/entries', '/books/entries?ledgerAccount=A.pix&currency=BRL')
    .replace('/review/case', `/review/case?id=HOLD:${app.accountId}:${paid}`);
/** Every screen under the name of its document, with who opens it; and what else a screen shows. */
const PLACES: readonly (readonly [name: string, path: () => string, person: () => SignedInForTest])[] = [
  ...SCREENS.map(({ path, operation, scope }) => {
    const isOfPlatform = [scope ?? []].flat().some((each) => each.startsWith('platform:'));
    const name = operation.name.toLowerCase();
    return [name, () => named(path), () => (isOfPlatform ? operator : owner)] as const;
  }),
  ['review-platform', () => '/console/review', () => operator],
  ['reviewcase-platform', () => named('/review/case'), () => operator],
  ['reviewcase-customer', () => caseOf('CUSTOMER_CASE', checked), () => operator],
  ['reviewcase-hit', () => caseOf('SCREENING_HIT', hit), () => operator],
  ['found', () => '/console/search?q=10482', () => owner],
  ['filtered', () => '/console/transactions?status=SUCCESS&family=CHECKOUTS&amountMin=10', () => owner],
  ['code', () => '/console/transactions?code=graphql', () => owner],
  ['missing', () => '/console/transactions/CRX00', () => owner],
];

const open = (path: string, person: SignedInForTest, visit: Visit = {}) =>
  browser.open(app.baseUrl + path, { ...visit, prepare: (page) => signIn(page.context(), app, person) });

const LOCALES = ['en', 'pt-BR'] as const;
const SCHEMES = ['light', 'dark'] as const;
const VIEWS = LOCALES.flatMap((locale) =>
  Object.keys(SIZES).flatMap((size) => SCHEMES.map((scheme) => [locale, size, scheme] as const)),
);
/** What axe looks at without BROWSER=full: one view of each language. */
const FEW = ['en desk light', 'pt-BR phone dark'];
const isLookedAt = (view: readonly string[]) =>
  process.env.BROWSER === 'full' || FEW.includes(view.join(' '));

describe.runIf(hasBrowser)('every screen', () => {
  test.each(PLACES)(
    '%s fits each size in both languages, passes axe and requests nothing from other hosts',
    async (name, path, person) => {
      const strangers: string[] = [];
      const wrong: unknown[] = [];
      for (const locale of LOCALES) {
        const page = await open(path(), person(), { strangers, locale });
        for (const view of VIEWS.filter(([its]) => its === locale)) {
          const [, size, colorScheme] = view;
          const [width, height] = SIZES[size as keyof typeof SIZES];
          await page.setViewportSize({ width, height });
          await page.emulateMedia({ colorScheme });
          if (locale === 'en') await picture(page, `${name}-${size}${colorScheme === 'dark' ? '-dark' : ''}`);
          const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
          if (overflow !== 0) wrong.push([view, overflow]);
          const hidden = (await page.evaluate(OUT_OF_SIGHT)) as string[];
          if (hidden.length > 0) wrong.push(`${view.join(' ')}: out of sight: ${hidden.join(', ')}`);
          const found = isLookedAt(view) ? await axeViolations(page) : [];
          if (found.length > 0) wrong.push([view, found]);
        }
        // A record that there is not is an answer that a browser notes as an error.
        wrong.push(...page.problems.filter((each) => !/status of 404/.test(each)));
      }
      expect([wrong, strangers]).toEqual([[], []]);
    },
    60_000,
  );

  test.each(
    PLACES,
  )('%s is a page without script, which offers nothing that only script does', async (_name, path, person) => {
    const page = await open(path(), person(), { javaScriptEnabled: false });
    expect(await page.locator('h1').innerText()).not.toBe('');
    const offered = page.locator('[data-script]:visible, [data-copy]:visible, [data-print]:visible');
    expect(await offered.allInnerTexts()).toEqual([]);
    await page.context().close();
  });
});

test.runIf(hasBrowser)(
  'on a phone a line of the statement shows its reason, its time, and all of its amounts',
  async () => {
    const page = await open('/console/statement', owner, {});
    const [width, height] = SIZES.phone;
    await page.setViewportSize({ width, height });
    const cut = `[...document.querySelectorAll('[aria-labelledby=lines] td.cut')].filter((cell) =>
    cell.querySelector('a')?.getBoundingClientRect().right > cell.getBoundingClientRect().right).length`;
    expect(await page.evaluate(cut)).toBe(0);
    const lines = page.locator('[aria-labelledby=lines] tbody');
    const shown = await lines.innerText();
    for (const word of ['Checkout 10482', 'Available', 'Maria Souza Prado', 'USDT (TRX)', '27.627814'])
      expect(shown).toContain(word);
    const aside = "document.querySelector('[aria-labelledby=lines] .scroll')";
    expect(await page.evaluate(`${aside}.scrollWidth - ${aside}.clientWidth`)).toBe(0);
    await page.context().close();
  },
);

/** SCREENSHOTS names a folder for pictures of everything, or is 1 for those of the documents. */
async function picture(page: Page, name: string): Promise<void> {
  const wanted = process.env.SCREENSHOTS;
  if (!wanted || (wanted === '1' && !KEPT.includes(name))) return;
  const folder = wanted === '1' ? PICTURES : wanted;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: false });
}

test('budgets: the first view of every screen is at most 40 kB with all its files, a later one 15 kB', async () => {
  const sizes = new Map<string, number>();
  const sizeOf = async (path: string) => {
    if (!sizes.has(path)) sizes.set(path, gzipSync(await (await fetch(app.baseUrl + path)).text()).length);
    return sizes.get(path) as number;
  };
  const wrong: unknown[] = [];
  for (const [name, path, person] of PLACES) {
    const page = await fetch(app.baseUrl + path(), { headers: person().headers });
    const html = await page.text();
    const files = [...html.matchAll(/(?:href|src)="(\/console\/assets\/[^"]+)"/g)].map((match) => match[1]);
    const own = gzipSync(html).length;
    let all = own;
    for (const each of files) all += await sizeOf(each as string);
    if (own > 15_000 || all > 40_000) wrong.push([name, own, all]);
    // What there is no record of has no script.
    if (page.ok && files.length !== 2) wrong.push([name, files]);
  }
  expect(wrong).toEqual([]);
});
