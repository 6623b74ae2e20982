/**
 * Goal: Home says in reais, by charts, tables and sentences, what was paid, and to developers what was delivered; on paper it has its
 * figures. Method: payments in the sandbox and a receiver that fails, over the pages of the real application, and one browser.
 */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { changeText } from '../../src/console/parts/changes.ts';
import { translatorIn } from '../../src/console/words.ts';
import { platformAccount } from '../../src/store/account/accounts.ts';
import { startWebhooks, type WebhookWorker } from '../../src/webhooks/worker.ts';
import { useApp } from '../support/app.ts';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { signIn, visit } from '../support/console.ts';
import { type SignedInForTest, signInAs } from '../support/people.ts';
import { SILENT } from '../support/webhooks.ts';

const app = useApp();
const browser = useBrowser();
let worker: WebhookWorker;
let merchant: SignedInForTest;
let operator: SignedInForTest;
let viewer: SignedInForTest;

const CREATE = `mutation { createCheckout(input: { currency: "USDT_TRX", amount: { brl: "150.00" }, clientName: "Maria Souza Prado",
  clientTaxId: "39053344705" }) { transaction { end2end } errors { code message path } } }`;
const PLAY = `mutation ($end2end: String!) { sandboxTrigger(input: { end2end: $end2end, scenario: PAY }) { errors { message } } }`;

beforeAll(async () => {
  const shop = await app.addAccount();
  const send = async (query: string, variables = {}) =>
    (await app.graphql(query, variables, { key: shop.apiKey })).json.data;
  // Nothing listens at this port: each attempt fails, and its delivery waits for the next one.
  await send(
    'mutation { createWebhookEndpoint(input: { url: "http://127.0.0.1:9/hook" }) { errors { message } } }',
  );
  worker = startWebhooks(app.services, SILENT, { allowsLoopback: true });
  const { end2end } = (await send(CREATE)).createCheckout.transaction;
  await send(PLAY, { end2end });
  const status = async () =>
    (await send('query ($e: String!) { transaction(end2end: $e) { statusCode } }', { e: end2end }))
      .transaction.statusCode;
  await vi.waitFor(async () => expect(await status()).toBe('SUCCESS'), { timeout: 30_000 });
  merchant = await signInAs(app, shop.accountId, { email: 'rita@home.invalid', role: 'owner' });
  viewer = await signInAs(app, shop.accountId, { email: 'leo@home.invalid', role: 'viewer' });
  const platform = await platformAccount(app.database, 'sandbox');
  operator = await signInAs(app, platform, { email: 'olga@home.invalid', role: 'platform_owner' });
}, 60_000);
afterAll(() => worker.stop());

/** @returns the charts of a section: sentence, and rows of the table from the newest on. */
async function chartsOf(person: SignedInForTest, section: string, lang = 'en') {
  const { text } = await visit(app, person, `/console?lang=${lang}`);
  const [own = ''] = text.split('<section').filter((each) => each.includes(`<h2 id="${section}">`));
  return {
    own,
    charts: own
      .split('<figure class="chart">')
      .slice(1)
      .map((chart) => ({
        chart,
        sentence: /<figcaption>(.*?)<\/figcaption>/.exec(chart)?.[1],
        rows: [...chart.matchAll(/<tr><th scope="row">.*?<\/th>(.*?)<\/tr>/g)].map(([, cells = '']) =>
          [...cells.matchAll(/<td[^>]*>(.*?)<\/td>/g)].map(([, cell]) => cell),
        ),
      })),
  };
}

test.each([
  ['34261.46', '1501.36', '23 times as much as in the 30 days before (R$1,501.36)'],
  ['9.90', '1.00', '890% more than in the 30 days before (R$1.00)'],
  ['0.50', '1.00', '50% less than in the 30 days before (R$1.00)'],
])('the change to %s from %s is told as a multiple from ten times on', (amount, before, sentence) => {
  const context = { translate: translatorIn('en'), language: 'en' } as const;
  expect(changeText(context, amount, before, 'when30')).toBe(sentence);
});

describe('Home', () => {
  test('of a merchant has takings in figures, a chart, a sentence about the change, and a table', async () => {
    await vi.waitFor(async () => expect((await chartsOf(merchant, 'takings')).charts).toHaveLength(1), {
      timeout: 15_000,
    });
    const { own, charts } = await chartsOf(merchant, 'takings');
    expect(own).toMatch(/<dt>Today<\/dt><dd><b class="figure num">R\$150\.00<\/b><small>1 payment\. /);
    expect(charts[0]?.sentence).toMatch(/^Last 30 days: R\$150\.00\. .+\.$/);
    expect(charts[0]?.chart).toMatch(/<svg class="bars"[^>]* aria-hidden="true">.*<path d="M\d+ 48v-48/);
    expect(charts[0]?.rows).toHaveLength(30);
    expect(charts[0]?.rows[0]).toEqual(['R$150.00', 'R$0.00']);
    expect((await chartsOf(merchant, 'takings', 'pt')).charts[0]?.sentence).toMatch(
      /^Últimos 30 dias: R\$\s150,00\. /,
    );
  });

  test('of the operator has volume and margin of the days of the house', async () => {
    const { own, charts } = await chartsOf(operator, 'volume');
    expect(charts).toHaveLength(2);
    expect(own).toContain('R$150.00');
    expect(charts[0]?.sentence).toMatch(/^PIX in, last 30 days: R\$150\.00\. .+\.$/);
    expect(charts[1]?.sentence).toMatch(/^Margin, last 30 days: R\$\d/);
    for (const { rows } of charts) expect(rows).toHaveLength(30);
    expect(charts[0]?.rows[0]?.[0]).toBe('R$150.00');
  });

  test('of a developer has deliveries by outcome; of a viewer none', async () => {
    const failed = async () => (await chartsOf(merchant, 'webhooks')).charts[0];
    await vi.waitFor(async () => expect((await failed())?.chart).toContain('<path class="bad" d="M'), {
      timeout: 30_000,
    });
    const chart = await failed();
    expect(chart?.chart).toMatch(/>Delivered<\/th>.*>Not delivered<\/th>/);
    const sums = chart?.rows.map(([, value]) => Number(value)) ?? [];
    expect([sums.length, Math.max(...sums) > 0]).toEqual([24, true]);
    expect(chart?.sentence).toMatch(/^Last 24 hours: 0 delivered, 0 given up, \d+ of \d+ attempts failed\.$/);
    expect((await chartsOf(viewer, 'webhooks')).own).toBe('');
  });

  test('names every kind of case that the queue counts', async () => {
    const needs = async () => {
      const { text } = await visit(app, merchant, '/console?lang=en');
      const part = text.slice(text.indexOf('<h2 id="needs">'));
      const counts = [...part.slice(0, part.indexOf('</section>')).matchAll(/<b class="num">(\d+)<\/b>/g)];
      const queue = Number(/Review queue \((\d+)\)/.exec(part)?.[1] ?? 0);
      return { queue, listed: counts.reduce((all, [, count]) => all + Number(count), 0), part };
    };
    await vi.waitFor(async () => expect((await needs()).part).toContain('Failing webhook endpoint'), {
      timeout: 30_000,
    });
    const { queue, listed } = await needs();
    expect(listed).toBe(queue);
  });

  test.runIf(hasBrowser)('cuts no amount at the edge of a phone', async () => {
    const page = await browser.open(`${app.baseUrl}/console`, {
      prepare: (page) => signIn(page.context(), app, merchant),
    });
    for (const id of ['balances', 'flows']) {
      const region = page.locator(`section:has(#${id}) .scroll`);
      const widths = await region.evaluate(({ scrollWidth, clientWidth }) => ({ scrollWidth, clientWidth }));
      expect(widths.scrollWidth).toBe(widths.clientWidth);
    }
  });

  test.runIf(hasBrowser)(
    'has its figures on paper, in the colours of paper, also from a dark screen',
    async () => {
      const page = await browser.open(`${app.baseUrl}/console`, {
        colorScheme: 'dark',
        prepare: (page) => signIn(page.context(), app, merchant),
      });
      const figures = page.locator('.chart .figures').first();
      expect(await figures.isVisible()).toBe(false);
      await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
      expect(await figures.locator('td').first().isVisible()).toBe(true);
      const fill = await page
        .locator('.bars')
        .first()
        .evaluate((bars) => getComputedStyle(bars).fill);
      expect(fill).toBe('rgb(12, 92, 108)');
    },
  );
});
