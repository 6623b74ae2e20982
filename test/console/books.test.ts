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

const books = async (search: string, person = maker) => {
  const { status, text } = await visit(app, person, `/console/books?${search}`);
  expect(status).toBe(200);
  return text;
};

beforeAll(async () => {
  const platform = await platformAccount(app.database, 'sandbox');
  maker = await signInAs(app, platform, { email: 'olga@ledger.invalid', role: 'platform_operator' });
  checker = await signInAs(app, platform, { email: 'paul@ledger.invalid', role: 'platform_operator' });
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

test('a manual journal names its accounts, in the list and before its approval', async () => {
  expect(await books('lang=pt')).toContain('Perdas (X.loss)<br>BRL no banco liquidante (A.pix)');
  expect(await books('lang=en', checker)).toContain(
    'debit Losses (X.loss), credit BRL at the settlement bank (A.pix)',
  );
});
