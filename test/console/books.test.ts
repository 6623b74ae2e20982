/**
 * Goal: the books of a month are one press away, and their classes balance; a manual journal names its accounts. Method: an onramp
 * and a proposed journal, over the pages of the real application.
 */
import { beforeAll, expect, test, vi } from 'vitest';
import { brasiliaDay } from '../../src/base/time/brasilia-day.ts';
import { daysOf, PERIODS } from '../../src/base/time/period.ts';
import { platformAccount } from '../../src/store/account/accounts.ts';
import { useApp } from '../support/app.ts';
import { visit } from '../support/console.ts';
import { graphqlClient } from '../support/graphql-client.ts';
import { type SignedInForTest, signInAs } from '../support/people.ts';

const app = useApp();
let maker: SignedInForTest;
let checker: SignedInForTest;
let finance: SignedInForTest;

const books = async (search: string, person = maker) => {
  const { status, text } = await visit(app, person, `/console/books?${search}`);
  expect(status).toBe(200);
  return text;
};

beforeAll(async () => {
  const platform = await platformAccount(app.database, 'sandbox');
  maker = await signInAs(app, platform, { email: 'olga@ledger.invalid', role: 'platform_operator' });
  checker = await signInAs(app, platform, { email: 'paul@ledger.invalid', role: 'platform_operator' });
  finance = await signInAs(app, platform, { email: 'rita@ledger.invalid', role: 'platform_finance' });
  const { accountId, apiKey } = await app.addAccount();
  const own = graphqlClient(app, () => apiKey);
  const { transaction } = await own.create('createOnramp', {
    ...{ amount: { brl: '550.00' }, currency: 'USDT_TRX' },
    ...{ clientName: 'Ana Souza', clientTaxId: '529.982.247-25' },
  });
  await own.trigger(transaction.end2end, 'pay');
  await vi.waitFor(async () => expect(await own.stepNow(transaction.end2end)).toBe('success/DONE'), {
    timeout: 15_000,
  });
  // Paid twice: the second payment is unidentified.
  await own.trigger(transaction.end2end, 'pay');
  const entries = () => app.owner.query('select 1 from suspense_entry where account_id = $1', [accountId]);
  await vi.waitFor(async () => expect((await entries()).rows).toHaveLength(1), { timeout: 15_000 });
  const journal = {
    debit: 'X.loss',
    credit: 'A.pix',
    currency: 'BRL',
    amount: '12.30',
    reason: 'a bank fee',
  };
  const form = { back: '/console/books', account: String(accountId), ...journal };
  expect((await visit(app, maker, '/console/acts/ProposeJournal', { form })).status).toBe(303);
}, 60_000);

test('yesterday, this month and the last one are a link each; this month is shown first', async () => {
  const text = await books('lang=en');
  const today = brasiliaDay(await app.services.clock.nowMs());
  for (const period of PERIODS) {
    const { from, to } = daysOf(period, today);
    expect(text).toContain(`from=${from}&amp;to=${to}`);
  }
  expect(text).toMatch(/aria-current="page">This month</);
});

test('the sums of both sides of the classes are equal, and say at which rate', async () => {
  const text = await books('lang=en');
  const totalOf = (name: string) =>
    /[\d,]+\.\d\d/.exec(text.split(`>${name}<`)[1]?.split('</tr>')[0] ?? '')?.[0];
  expect(totalOf('Assets and expenses')).toMatch(/^[1-9]/);
  expect(totalOf('Assets and expenses')).toBe(totalOf('Liabilities, equity and revenue'));
  expect(text).toContain('Values in BRL use the newest rate');
});

test('classes are named alike on the screen and in its file, in both languages', async () => {
  const { text: file } = await visit(app, maker, '/export/books?format=csv-pt');
  const inFile = new Set(
    file
      .split('\r\n')
      .flatMap((line) => line.split(';')[2] || [])
      .slice(1),
  );
  const classes = (text: string) =>
    /<section[^>]*aria-labelledby="classes"[\s\S]*?<\/section>/.exec(text)?.[0] ?? '';
  const inPortuguese = classes(await books('lang=pt'));
  expect(inFile).toContain('Passivo: titulares das contas');
  for (const name of inFile) expect(inPortuguese).toContain(`>${name}<`);
  expect(classes(await books('lang=en'))).toContain('>Liabilities: account holders<');
  for (const text of [inPortuguese, classes(await books('lang=en'))])
    expect(text).not.toMatch(/Plataforma|Platform/);
});

test('the result in BRL and the result of each currency have different names', async () => {
  for (const [language, names] of [
    ['en', ['Net result, all in BRL', 'Net result by currency', 'Change in FX position']],
    ['pt', ['Resultado líquido, tudo em BRL', 'Resultado líquido por moeda', 'Variação da posição cambial']],
  ] as const) {
    const text = await books(`lang=${language}`);
    for (const name of names) expect(text.split(name)).toHaveLength(2);
  }
});

test('a manual journal names its accounts, in the list and before its approval', async () => {
  expect(await books('lang=pt')).toContain(
    'Perdas <small class="mono">X.loss</small><br>BRL no banco liquidante <small class="mono">A.pix</small>',
  );
  expect(await books('lang=en', checker)).toContain(
    'debit Losses (X.loss), credit BRL at the settlement bank (A.pix)',
  );
});

test('an unidentified payment leads to its decision only for a role that decides it; others read who does', async () => {
  const link = 'href="/console/review?kind=SUSPENSE"';
  expect(await books('lang=en')).toContain(link);
  const text = await books('lang=en', finance);
  expect(text).toContain('Unidentified payments to decide: 1');
  expect(text).not.toContain(link);
  expect(text).toContain(
    'Decided by people with the role Platform risk, Platform operator or Platform owner',
  );
});

test('the work lists say that no merchant owes anything, and where its balance is', async () => {
  const text = async (lang: string) => (await visit(app, finance, `/console/operator?lang=${lang}`)).text;
  expect(await text('en')).toContain('No merchant owes the platform anything');
  expect(await text('pt')).toContain('Nenhum lojista deve à plataforma');
});

test('the sums of classes say that each balance is rounded', async () => {
  expect(await books('lang=en')).toContain('the two sums can differ by cents');
});

test('the form of a journal names the platform’s account and the spelling of a currency', async () => {
  const form = (await books('lang=en')).split('acts/ProposeJournal')[1] ?? '';
  const platform = await platformAccount(app.database, 'sandbox');
  expect(form).toMatch(new RegExp(`name="account" value="${platform}"`));
  expect(form.split('</form>')[0]).toContain('Example: BRL, USDT_TRX, TRX');
});
