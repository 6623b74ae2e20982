/**
 * Goal: a payer does every act that the hosted pages have in a browser, with script and without, and the page, the transaction and
 * the audit log say what was done (C-40). Method: a row for each act of `pages/actions.ts`, walked twice in Chromium.
 */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { ACTIONS, PAGE_ACTIONS } from '../../src/pages/actions.ts';
import { useApp } from '../support/app.ts';
import { hasBrowser, useBrowser } from '../support/browser.ts';
import { signInAs } from '../support/people.ts';
import { newCpf } from '../walk/walker.ts';
import {
  checkout,
  mutate,
  offramp,
  payee,
  request,
  type Session,
  seeTitle,
  somebody,
  trigger,
  waitThrough,
} from './sessions.ts';

const app = useApp({ mail: { url: 'smtp://127.0.0.1:1', from: 'gateway@shop.invalid' } });
const browser = useBrowser();
const PAY = 'Pay with PIX';
const UPDATE_BRANDING =
  'mutation ($input: UpdateBrandingInput!) { updateBranding(input: $input) { branding { sendsReceipts } errors { code message path } } }';
const WRONG = 'We received a different amount';

/** An act on the page of a session. */
interface PayerRow {
  readonly session: () => Promise<Session>;
  /** Title of the page that has the form. */
  readonly title: string;
  /** What is done on the page before the form. */
  readonly before?: (page: Page) => Promise<unknown>;
  readonly fill?: (page: Page) => Promise<unknown>;
  /** Button, where the form has several. */
  readonly pressed?: string;
  /** Title of the page that follows. */
  readonly next: string;
  /** Creation of the session that the form makes. */
  readonly made?: string;
  /** How many entries the audit log has of it; 1 where not given. */
  readonly entries?: number;
  /** Step of the transaction afterwards. */
  readonly step: RegExp;
}

async function nameCustomer(page: Page): Promise<void> {
  await page.getByLabel('Name').fill('Maria Silva Pereira');
  await page.getByLabel('CPF or CNPJ').fill(newCpf());
}

async function wrongDeposit(): Promise<Session> {
  const session = await offramp(app, payee());
  await expect.poll(() => stepOf(session)).toBe('crypto_deposit/WAITING_DEPOSIT');
  await trigger(app, session, 'deposit-wrong');
  return session;
}

async function addressOfMember(): Promise<string> {
  const { rows } = await app.owner.query('select email from person order by created_at desc limit 1');
  return rows[0]?.email;
}

const ROWS: Readonly<Record<keyof typeof ACTIONS, PayerRow>> = {
  amount: {
    session: () => checkout(app, { amount_payment: undefined }),
    title: 'How much do you want to pay?',
    fill: (page) => page.getByLabel('Amount').fill('150.50'),
    next: 'Who is paying?',
    step: /^pre_kyc\/INFO$/,
  },
  identity: {
    session: () => checkout(app),
    title: 'Who is paying?',
    fill: nameCustomer,
    next: 'Check your details',
    step: /^pre_kyc\/CONFIRM$/,
  },
  confirm: {
    session: () => checkout(app),
    title: 'Who is paying?',
    before: async (page) => {
      await nameCustomer(page);
      await page.locator('form[action*="/identity"] button').click();
      await seeTitle(page, 'Check your details');
    },
    next: PAY,
    step: /^depositpix_v2\/QRCODE$/,
  },
  accept: {
    session: () =>
      mutate(app, 'createCheckout', {
        amount: { brl: '550' },
        currency: 'USDT_TRX',
        accept: false,
        clientName: 'Maria Silva Pereira',
        clientTaxId: newCpf(),
      }),
    title: 'Do you accept this quote?',
    next: PAY,
    step: /^depositpix_v2\/QRCODE$/,
  },
  requote: { session: wrongDeposit, title: WRONG, next: 'was sent to Maria S. P.', step: /^success\/DONE$/ },
  refund: {
    session: wrongDeposit,
    title: WRONG,
    fill: (page) => page.getByRole('checkbox').check(),
    next: 'was sent back to you',
    step: /^refund\//,
  },
  email: {
    session: async () => {
      await signInAs(app, app.accountId, { email: `${newCpf()}@shop.invalid`, role: 'viewer' });
      const input = { sendsReceipts: true };
      await request(app, UPDATE_BRANDING, { input });
      return checkout(app, somebody());
    },
    title: PAY,
    before: (page) => page.getByRole('link', { name: 'Receipt by e-mail' }).click(),
    fill: async (page) => page.getByLabel('E-mail').fill(await addressOfMember()),
    // A request for a receipt is no act.
    entries: 0,
    next: PAY,
    step: /^depositpix_v2\/QRCODE$/,
  },
  renew: {
    session: async () => {
      const session = await checkout(app, somebody());
      await trigger(app, session, 'expire');
      return session;
    },
    title: 'Time ran out. Nothing was paid',
    next: PAY,
    made: 'checkout.create',
    step: /EXPIRED|TIMEOUT/,
  },
  sandbox: {
    session: () => checkout(app, somebody()),
    title: PAY,
    pressed: 'pay',
    // Before it is played, and what came of it (decision 0022).
    entries: 2,
    next: 'Paid',
    step: /^success\/DONE$/,
  },
};

const WALKS = Object.entries(ROWS).flatMap(([action, row]) =>
  [true, false].map(
    (hasScript) =>
      [action as keyof typeof ACTIONS, hasScript ? 'with script' : 'without script', row, hasScript] as const,
  ),
);

test('every action of the pages has a row', () => {
  expect(Object.keys(ROWS).sort()).toEqual(Object.keys(ACTIONS).sort());
});

describe.runIf(hasBrowser)('an action of a payer', () => {
  test.each(WALKS)('%s, %s', async (action, _way, row, hasScript) => {
    const see = hasScript ? seeTitle : waitThrough;
    const session = await row.session();
    const page = await browser.open(session.link, { javaScriptEnabled: hasScript });
    await see(page, row.title);
    await row.before?.(page);
    const before = (await actsOfPayers()).length;
    await row.fill?.(page);
    const form = page.locator(`form[action*="/${action}"]`).filter({ visible: true }).first();
    await form.locator(row.pressed ? `button[value="${row.pressed}"]` : 'button').click();
    await see(page, row.next);
    expect((await actsOfPayers()).slice(before)).toEqual(
      Array(row.entries ?? 1).fill(row.made ?? PAGE_ACTIONS[action][0]),
    );
    await expect.poll(() => stepOf(session)).toMatch(row.step);
    expect(page.problems).toEqual([]);
  });
});

async function stepOf({ end2end }: Session): Promise<string> {
  const query = 'query ($id: String!) { transaction(end2end: $id) { component state } }';
  const { transaction } = (await app.graphql(query, { id: end2end })).json.data;
  return `${transaction.component}/${transaction.state}`;
}

/** What payers did, in the order of time. */
async function actsOfPayers(): Promise<readonly string[]> {
  const { rows } = await app.owner.query(
    `select act from audit_entry where actor_kind = 'PAYER' order by account_id, seq`,
  );
  return rows.map(({ act: action }) => action);
}
