/**
 * Goal: the console needs no script, and with it shows what happens meanwhile, moves by keys, and jumps under nobody's pointer.
 * Method: Chromium on the real application; what happens is done by the API.
 */
import type { Page, Request } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { useApp } from '../support/app.ts';
import { hasBrowser, useBrowser, type Visit } from '../support/browser.ts';
import { signIn } from '../support/console.ts';
import { type SignedInForTest, signInAs } from '../support/people.ts';

const app = useApp();
const browser = useBrowser();
let owner: SignedInForTest;

const CREATE = `mutation ($order: String!) { createCheckout(input: { currency: "USDT_TRX", amount: { brl: "150.00" },
  externalCode: $order, clientName: "Maria Souza Prado", clientTaxId: "52998224725" }) { transaction { end2end } errors { code message path } } }`;
const PAY =
  'mutation ($end2end: String!) { sandboxTrigger(input: { end2end: $end2end, scenario: PAY }) { transaction { end2end } errors { code message path } } }';

async function createCheckout(order: string): Promise<string> {
  const { json } = await app.graphql(CREATE, { order });
  return json.data.createCheckout.transaction.end2end;
}

beforeAll(async () => {
  owner = await signInAs(app, app.accountId, { email: 'rita@shop.invalid', role: 'owner' });
});

const DESK = { viewport: { width: 1440, height: 900 } };
const open = (path: string, visit: Visit = {}) =>
  browser.open(app.baseUrl + path, {
    ...DESK,
    ...visit,
    prepare: (page) => signIn(page.context(), app, owner),
  });
const title = (page: Page) => page.locator('h1').innerText();

describe.runIf(hasBrowser)('without script', () => {
  test('a payment is created, looked at, cancelled', async () => {
    const page = await open('/console/new', { javaScriptEnabled: false });
    await page.getByLabel('Amount in BRL').fill('150.50');
    await page.getByLabel('Order number').fill('20001');
    await page.getByRole('button', { name: 'Review' }).click();
    await page.getByRole('button', { name: 'Create' }).click();
    expect(await title(page)).toBe('Order 20001');
    await page.getByText('Cancel…').click();
    await page.getByRole('button', { name: 'Cancel transaction' }).click();
    expect(await page.locator('.top .badge').innerText()).toContain('Cancelled');
    expect(page.url()).toContain('done=CancelTransaction');
  });

  test('a list is filtered by a form whose values are in the address', async () => {
    const page = await open('/console/transactions', { javaScriptEnabled: false });
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.locator('#filter').getByLabel('Order').fill('order-1001');
    await page.getByRole('button', { name: 'Apply' }).click();
    expect(new URL(page.url()).searchParams.get('externalCode')).toBe('order-1001');
    expect(await page.locator('tbody tr').count()).toBe(1);
    await page.getByRole('link', { name: 'Remove: Order order-1001' }).click();
    expect(await page.locator('tbody tr').count()).toBeGreaterThan(1);
  });
});

describe.runIf(hasBrowser)('with script', () => {
  test('changes between the page and its stream are shown as well', async () => {
    const end2end = await createCheckout('20012');
    let hasEnded: () => void = () => {};
    const ended = new Promise<void>((done) => {
      hasEnded = done;
    });
    const page = await browser.open(`${app.baseUrl}/console/transactions/${end2end}`, {
      ...DESK,
      prepare: async (given) => {
        await signIn(given.context(), app, owner);
        await given.route(/\/graphql\?query=subscription/, (route) => ended.then(() => route.continue()));
      },
    });
    expect(await page.locator('.top .badge').innerText()).toContain('Waiting for payment');
    await app.graphql(PAY, { end2end });
    await expect
      .poll(
        async () =>
          (await app.graphql(`{ transaction(end2end: "${end2end}") { statusCode } }`)).json.data.transaction
            .statusCode,
        {
          timeout: 15_000,
        },
      )
      .toBe('SUCCESS');
    hasEnded();
    await expect.poll(() => page.locator('.top .badge').innerText()).toContain('Paid');
  });

  test('a changed row shows it in place; new ones are announced, and shown on request', async () => {
    const end2end = await createCheckout('20010');
    const page = await open('/console/transactions');
    const row = page.locator(`[data-row="${end2end}"]`);
    expect(await row.innerText()).toContain('Waiting for payment');
    const before = await page.locator('tbody tr').count();
    await createCheckout('20011');
    await app.graphql(PAY, { end2end });
    await expect.poll(() => row.innerText()).toContain('Paid');
    const pill = page.locator('[data-fresh]');
    await expect.poll(() => pill.innerText()).toContain('1 new');
    expect(await page.locator('tbody tr').count()).toBe(before);
    await pill.click();
    await page.waitForLoadState();
    expect(await page.locator('tbody tr').first().innerText()).toContain('20011');
    expect(page.problems).toEqual([]);
  });

  test('C-52: a rejected form is sent again neither by an event nor by reloading its page', async () => {
    const address = '/console/developers?state=DEAD';
    const page = await open(address);
    const sent: string[] = [];
    page.on(
      'request',
      (request) => request.method() === 'POST' && sent.push(new URL(request.url()).pathname),
    );
    const amount = page.locator('form[action$="/SandboxFund"]').getByLabel('Amount');
    await amount.fill('much');
    await page.getByRole('button', { name: 'Add funds' }).click();
    const refused = page.getByRole('alert').filter({ hasText: 'Check the highlighted fields' });
    await refused.waitFor();
    const isOwn = (request: Request) => request.method() === 'GET' && request.url().endsWith(address);
    const asked = page.waitForRequest(isOwn);
    await createCheckout('20015');
    await (await (await asked).response())?.finished();
    expect([await refused.count(), await amount.inputValue()]).toEqual([1, 'much']);
    await page.reload();
    expect([await refused.count(), await page.getByLabel('Amount').inputValue()]).toEqual([0, '']);
    expect([page.url(), sent]).toEqual([app.baseUrl + address, ['/console/acts/SandboxFund']]);
  });

  test('C-52: a secret that is shown once is not made again by loading its page again', async () => {
    const page = await open('/console/developers');
    await page.locator('summary', { hasText: 'Create API key' }).click();
    await page.getByRole('textbox', { name: 'Name' }).first().fill('Till 20016');
    await page.getByLabel('read', { exact: true }).check();
    await page.getByRole('button', { name: 'Create API key' }).click();
    await page.getByRole('heading', { level: 1, name: 'Save your API key' }).waitFor();
    await page.reload();
    expect(await title(page)).toBe('Developers');
    expect(await page.getByRole('rowheader', { name: 'Till 20016' }).count()).toBe(1);
  });

  test('one of two tabs has the stream, and both follow', async () => {
    const end2end = await createCheckout('20020');
    const first = await open('/console/transactions');
    const second = await first.context().newPage();
    await second.goto(`${app.baseUrl}/console/transactions/${end2end}`);
    await app.graphql(PAY, { end2end });
    const row = first.locator(`[data-row="${end2end}"]`);
    await expect.poll(() => row.innerText()).toContain('Paid');
    const status = second.locator('[data-live="status"]');
    await expect.poll(() => status.innerText()).toContain('Paid');
  });

  test('keys move, open and navigate; the palette navigates and searches', async () => {
    await createCheckout('20030');
    const page = await open('/console');
    await page.keyboard.press('g');
    await page.keyboard.press('t');
    await page.waitForURL('**/console/transactions');
    await page.keyboard.press('j');
    expect(await page.locator('[aria-selected="true"]').innerText()).toContain('20030');
    await page.keyboard.press('o');
    await page.waitForURL('**/console/transactions/CRX*');
    expect(await title(page)).toBe('Order 20030');
    await page.keyboard.press('?');
    expect(await page.getByRole('dialog').innerText()).toContain('g t');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('statem');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/console/statement');
    await page.keyboard.press('/');
    await page.keyboard.type('order-1001');
    // What is found takes the place of what was offered at once.
    await page
      .getByRole('group', { name: 'Result' })
      .getByRole('option')
      .first()
      .waitFor({ timeout: 15_000 });
    await page.getByRole('option', { name: 'Search “order-1001”' }).click();
    await page.waitForURL('**/console/search?q=order-1001');
    expect(await page.locator('tbody tr').count()).toBe(1);
    expect(page.problems).toEqual([]);
  });

  test('the palette finds a payment by its order number, and opens it', async () => {
    await createCheckout('20035');
    const page = await open('/console/whitelist');
    await page.keyboard.press('/');
    await page.keyboard.type('20035');
    const hit = page.getByRole('group', { name: 'Result' }).getByRole('option');
    await hit.waitFor({ timeout: 15_000 });
    expect(await hit.innerText()).toMatch(/Checkout 20035[\s\S]*R\$/);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/console/transactions/CRX*');
    expect(await title(page)).toBe('Order 20035');
  });

  test('the palette performs the screen’s actions, and creates what the role may create', async () => {
    const end2end = await createCheckout('20040');
    const page = await open(`/console/transactions/${end2end}`);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('cancel');
    // Something happened meanwhile, and the screen shows it.
    await page.evaluate(
      `document.querySelectorAll('[data-live]').forEach((each) => { each.innerHTML = each.innerHTML })`,
    );
    await page.keyboard.press('Enter');
    // It asks before it acts, as it does without the palette.
    const sure = page.getByRole('button', { name: 'Cancel transaction' });
    await sure.waitFor();
    expect(await sure.evaluate((each) => each === document.activeElement)).toBe(true);
    await page.keyboard.press('Enter');
    await page.waitForURL('**done=CancelTransaction');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('payment link');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/console/new?kind=link');
    expect(page.problems).toEqual([]);
  });

  test('the statement is printed whole; the page that is shown says on paper that it is a part', async () => {
    const fund =
      'mutation { sandboxFund(input: { currency: "USDT_TRX", amount: "1" }) { funding { journalId } errors { code message path } } }';
    for (let each = 0; each < 60; each++) await app.graphql(fund);
    const { json } = await app.graphql('{ statement { totalCount } }');
    const page = await open('/console/statement?subAccount=all');
    await page.evaluate(
      'window.print = () => { window.printed = document.querySelectorAll("[data-whole] tr").length }',
    );
    expect(await page.locator('[data-whole] tbody tr').count()).toBe(50);
    const isCut = () => page.getByText('only part of the period').isVisible();
    await page.emulateMedia({ media: 'print' });
    expect(await isCut()).toBe(true);
    await page.emulateMedia({ media: 'screen' });
    expect(await isCut()).toBe(false);
    await page.getByRole('button', { name: 'Print' }).click();
    await expect.poll(() => page.evaluate('window.printed - 1')).toBe(json.data.statement.totalCount);
    await page.emulateMedia({ media: 'print' });
    expect(await isCut()).toBe(false);
  });

  test('a recent time is shown in everyday words; the exact time appears on hover', async () => {
    const page = await open('/console/people');
    const time = page.locator('time[data-ago]').first();
    expect(await time.innerText()).toMatch(/^(?:now|\d+ minutes? ago)$/);
    expect(await time.getAttribute('title')).toMatch(/^[A-Z][a-z]{2} \d/);
  });

  test('a session that has ended leads to signing in', async () => {
    const gone = await signInAs(app, app.accountId, { email: 'gone@shop.invalid', role: 'viewer' });
    const page = await browser.open(`${app.baseUrl}/console`, {
      prepare: (each) => signIn(each.context(), app, gone),
    });
    await gone.graphql(
      'mutation ($id: String!) { revokeSession(input: { sessionId: $id }) { sessionId errors { code message path } } }',
      { id: gone.sessionId },
    );
    await page.goto(`${app.baseUrl}/console/transactions`);
    expect(new URL(page.url()).pathname).toBe('/console/sign-in');
  });
});
