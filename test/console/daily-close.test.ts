/**
 * Goal: the daily close is a list of which each line says that it is done, or leads to where it is done; done, it is ticked, and the
 * day can be closed. Method: a payment that nobody ordered, a manual journal and a payment that the books miss, over the pages.
 */
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { brasiliaDay, dayAfter } from '../../src/base/time/brasilia-day.ts';
import type { RailStatement, ReadProgress } from '../../src/resolvers/services/statement.ts';
import { platformAccount } from '../../src/store/account/accounts.ts';
import { dayText } from '../../src/ui/times.ts';
import { useApp } from '../support/app.ts';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { signIn, visit } from '../support/console.ts';
import { graphqlClient } from '../support/graphql-client.ts';
import { type SignedInForTest, signInAs } from '../support/people.ts';
import { plantPayment } from '../support/unbooked-payment.ts';

const app = useApp();
const browser = useBrowser();
let maker: SignedInForTest;
let checker: SignedInForTest;
let day: string;

const action = (name: string, form: Record<string, string>, person = maker) =>
  visit(app, person, `/console/acts/${name}`, { form: { back: '/console/books', ...form } });

/** @returns the lines of the checklist: whether each is done, and what it says. */
async function lines(): Promise<readonly (readonly [string, string])[]> {
  const list = (await checklist()).split('<ul class="tasks">')[1]?.split('</ul>')[0] ?? '';
  return [
    ...list.matchAll(/<li class="(\w+)"><span class="dot">.*?<\/span><span>(.*?)(?:<small>|<\/span>)/g),
  ].map(([, state = '', text = '']) => [state, text] as const);
}
async function checklist(): Promise<string> {
  const { text, status } = await visit(app, maker, '/console/books?lang=en');
  expect(status).toBe(200);
  return text.slice(text.indexOf('data-live="checklist"')).split('</section>')[0] ?? '';
}
const nextDay = () =>
  app.graphql(
    'mutation { sandboxAdvanceClock(input: { by: "1d" }) { errors { message } } }',
    {},
    { key: app.platformKey },
  );

beforeAll(async () => {
  const platform = await platformAccount(app.database, 'sandbox');
  maker = await signInAs(app, platform, { email: 'olga@close.invalid', role: 'platform_operator' });
  checker = await signInAs(app, platform, { email: 'paul@close.invalid', role: 'platform_operator' });
  const today = brasiliaDay(await app.services.clock.nowMs());
  expect((await action('CloseBooks', { day: dayAfter(today, -1) })).status).toBe(303);
  day = today;
  // Paid twice: the second payment belongs to no order.
  const { accountId, apiKey } = await app.addAccount();
  const own = graphqlClient(app, () => apiKey);
  const order = {
    amount: { brl: '550.00' },
    currency: 'USDT_TRX',
    clientName: 'Ana Souza',
    clientTaxId: '529.982.247-25',
  };
  const { transaction } = await own.create('createOnramp', order);
  await own.trigger(transaction.end2end, 'pay');
  await vi.waitFor(async () => expect(await own.stepNow(transaction.end2end)).toBe('success/DONE'), {
    timeout: 15_000,
  });
  await own.trigger(transaction.end2end, 'pay');
  const entries = async () =>
    (await app.owner.query('select 1 from suspense_entry where account_id = $1', [accountId])).rows.length;
  await vi.waitFor(async () => expect(await entries()).toBe(1), { timeout: 15_000 });
  const journal = {
    debit: 'X.loss',
    credit: 'A.pix',
    currency: 'BRL',
    amount: '12.30',
    reason: 'a bank fee',
  };
  expect((await action('ProposeJournal', { account: String(accountId), ...journal })).status).toBe(303);
}, 60_000);

describe('the checklist of a day', () => {
  test('says of each line what is missing, and leads to where it is done; a running day is not closed', async () => {
    expect(await lines()).toEqual([
      ['warn', 'The day is not over yet (Brasília time)'],
      ['warn', 'PIX: not reconciled yet'],
      ['warn', 'Unidentified payments to decide: 1'],
      ['warn', 'Manual journals to approve: 1'],
    ]);
    const text = await checklist();
    expect(text).toContain('href="/console/review?kind=SUSPENSE">Decide<');
    expect(text).toContain('href="#manual">Decide<');
    expect(text).toMatch(/acts\/Reconcile"[\s\S]*?name="rail" value="pix"[\s\S]*?>Reconcile now</);
    expect(text).not.toContain('acts/CloseBooks');
    expect(text).toContain('4 open');
  });

  test.runIf(hasBrowser)('shows that a statement is being read, until the answer is there', async () => {
    const page = await browser.open(`${app.baseUrl}/console/books`, {
      prepare: (opened) => signIn(opened.context(), app, maker),
    });
    const running = page.locator('form[action$="/Reconcile"] progress');
    expect(await running.isVisible()).toBe(false);
    // A form that is on its way, once the script of the page is there; the page of its answer never comes.
    const isShown = () =>
      running.evaluate((progress) => {
        const form = progress.closest('form') as HTMLFormElement;
        form.addEventListener('submit', (event) => event.preventDefault());
        form.requestSubmit();
        return progress.checkVisibility();
      });
    await expect.poll(isShown).toBe(true);
    expect(await running.getAttribute('aria-label')).toBe('PIX: reading the statement');
    await page.reload();
    expect(await running.isVisible()).toBe(false);
  });

  test('shows how many rows of the statement are read and compared, to whoever looks, while it runs', async () => {
    const { statement } = app.services.rails.pix;
    const gate = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<(progress: ReadProgress) => void>();
    const read = vi.spyOn(statement as RailStatement, 'read').mockImplementation(async (_, report) => {
      begun.resolve(report as never);
      await gate.promise;
      return [];
    });
    const running = action('Reconcile', { day, rail: 'pix' });
    const report = await begun.promise;
    const RUN = '{ closeChecklist { rails { rail run { phase done total } } } }';
    const runOf = async () =>
      (await app.graphql(RUN, {}, { key: app.platformKey })).json.data.closeChecklist.rails[0].run;
    const shows = async (...texts: string[]) => {
      const page = await checklist();
      for (const text of texts) expect(page).toContain(text);
    };
    expect(await runOf()).toEqual({ phase: 'ROWS', done: 0, total: null });
    report({ phase: 'rows', done: 1_200, total: null });
    await vi.waitFor(() => shows('<progress data-run aria-label', '1,200 rows read'), { timeout: 60_000 });
    report({ phase: 'blocks', done: 500, total: 7_200 });
    await vi.waitFor(() => shows('max="7200" value="500"', '500 of 7,200 blocks read'), { timeout: 60_000 });
    expect(await runOf()).toEqual({ phase: 'BLOCKS', done: 500, total: 7_200 });
    gate.resolve();
    expect((await running).status).toBe(303);
    expect(await runOf()).toBeNull();
    read.mockRestore();
    expect(await checklist()).not.toContain('data-run');
  });

  test('ticks what was done', async () => {
    expect((await action('Reconcile', { day, rail: 'pix' })).status).toBe(303);
    const { rows } = await app.owner.query(`select id from suspense_entry where state = 'open'`);
    for (const { id } of rows)
      expect((await action('ReturnSuspense', { id: String(id), reason: 'checked' })).status).toBe(303);
    const manualOf = async (person: SignedInForTest) =>
      (await visit(app, person, '/console/books?lang=en')).text.split('id="manual"')[1] ?? '';
    const [own, other] = [await manualOf(maker), await manualOf(checker)];
    expect([own.includes('acts/ApproveJournal'), own.includes('Waits for a second person.')]).toEqual([
      false,
      true,
    ]);
    expect([other.includes('acts/ApproveJournal'), other.includes('Waits for a second person.')]).toEqual([
      true,
      false,
    ]);
    const { text } = await visit(app, checker, '/console/books');
    const [, id = ''] = /acts\/RejectJournal"[\s\S]*?name="id" value="([^"]+)"/.exec(text) ?? [];
    expect((await action('RejectJournal', { id }, checker)).status).toBe(303);
    await nextDay();
    await action('Reconcile', { day, rail: 'pix' });
    const done = await lines();
    expect(done.map(([, what]) => what)).toEqual([
      'The day is over (Brasília time)',
      expect.stringMatching(/^PIX: (?:statement and books agree|\d+ differences)$/),
      'No unidentified payments',
      'No manual journals to approve',
    ]);
    expect(done.filter(([state]) => state !== 'good')).toEqual([]);
    expect(await checklist()).toContain('Ready to close');
  });

  test('closes the day, and begins the next, on which a payment that the books miss leads to its findings', async () => {
    expect(await checklist()).toContain(`Close ${dayText(day, 'en')}…`);
    expect((await action('CloseBooks', { day })).status).toBe(303);
    const next = dayAfter(day);
    expect(await checklist()).toContain(dayText(next, 'en'));
    await plantPayment(app);
    await nextDay();
    expect((await action('Reconcile', { day: next, rail: 'pix' })).status).toBe(303);
    expect(await lines()).toContainEqual(['warn', 'PIX: 1 differences']);
    const text = await checklist();
    expect(text).toContain(`href="/console/reconciliation?rail=pix&amp;day=${next}">See differences<`);
    expect(text).toContain('>Run again<');
    // Open items do not stop the close, and are named there.
    expect(text).toMatch(/Still open: \d\. You can close anyway[\s\S]*acts\/CloseBooks/);
  });
});
