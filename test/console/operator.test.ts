/**
 * Goal: the operator sees on the first screen what waits over all accounts, and settles it by forms (C-34, C-40); nobody else
 * opens these screens. Method: the real application: what waits is made by the sandbox, forms are sent as a browser sends them.
 */
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { type Currency, currencyOf } from '../../src/base/money/currency.ts';
import { brasiliaDay, dayAfter } from '../../src/base/time/brasilia-day.ts';
import { creditedDropped } from '../../src/ledger/journals.ts';
import { platformAccount } from '../../src/store/account/accounts.ts';
import { postJournals } from '../../src/store/ledger/posting.ts';
import { dayText } from '../../src/ui/times.ts';
import { useApp } from '../support/app.ts';
import { visit } from '../support/console.ts';
import { graphqlClient } from '../support/graphql-client.ts';
import { type SignedInForTest, signInAs } from '../support/people.ts';
import { plantPayment } from '../support/unbooked-payment.ts';

const app = useApp();
const { create, trigger, stepNow, ask } = graphqlClient(app, () => app.apiKey);
let owner: SignedInForTest;
let desk: SignedInForTest;
let books: SignedInForTest;
/** Two payments that failed to go back. */
let receivable: readonly string[];

/** A payment below the price, of which the return fails. */
async function failedReturn(): Promise<string> {
  const { transaction } = await create('createOnramp', {
    amount: { brl: '550.00' },
    currency: 'USDT_TRX',
    clientName: 'Ana Souza',
    clientTaxId: '529.982.247-25',
  });
  await trigger(transaction.end2end, 'refund-fail');
  await trigger(transaction.end2end, 'pay-under');
  const hasReceivable = async () => expect(await stepNow(transaction.end2end)).toBe('refund/ERROR');
  await vi.waitFor(hasReceivable, { timeout: 15_000 });
  return transaction.end2end;
}

beforeAll(async () => {
  const platform = await platformAccount(app.database, 'sandbox');
  owner = await signInAs(app, app.accountId, { email: 'rita@shop.invalid', role: 'owner' });
  desk = await signInAs(app, platform, { email: 'olga@platform.invalid', role: 'platform_operator' });
  books = await signInAs(app, platform, { email: 'paul@platform.invalid', role: 'platform_finance' });
  receivable = [await failedReturn(), await failedReturn()];
});

const open = async (path: string, person = desk) => {
  const page = await visit(app, person, path);
  expect(page.status, page.text).toBe(200);
  return page.text;
};

describe('Today of the operator', () => {
  test('counts waiting work of all accounts, with links to it, and shows the status of each rail', async () => {
    await expect
      .poll(() => open('/console'))
      .toMatch(/href="\/console\/review\?kind=FAILED_REFUND">Failed refund<\/a><b class="num">2</);
    const page = await open('/console');
    expect(page).toContain('Compliance screening');
    expect(page).toContain(`>${app.accountId}</td>`);
  });

  test('C-40: shows each role what its scopes allow', async () => {
    const page = await open('/console', books);
    expect(page).not.toContain('Failed refund');
    expect(page).not.toContain('href="/console/rails"');
    expect((await visit(app, books, '/console/rails')).status).toBe(403);
    for (const path of ['/console/rails', '/console/accounts', '/console/operator'])
      expect((await visit(app, owner, path)).status).toBe(403);
    expect(await open('/console', owner)).toContain('Balances');
  });
});

test.each([
  '/console',
  '/console/operator',
  '/console/operator?state=RETURNED',
  '/console/rails',
  '/console/rails?state=PENDING',
  '/console/books',
  '/console/books?from=2026-01-01&to=2026-01-31',
  '/console/reconciliation',
  '/console/reconciliation?rail=pix&day=2026-01-01',
  '/console/accounts',
])('%s is a page in both languages', async (path) => {
  for (const lang of ['en', 'pt'])
    expect(await open(`${path}${path.includes('?') ? '&' : '?'}lang=${lang}`)).toMatch(/<h1>[^<]+<\/h1>/);
});

describe('C-34: an unsettled rail event', () => {
  const event = {
    kind: 'dispute_opened',
    disputeId: 'CASE-9',
    endToEndId: 'E12345678202611221200abcdefghzzz',
  } as const;
  const send = (action: string, form: Record<string, string>) =>
    visit(app, desk, `/console/acts/${action}`, { form: { back: '/console/rails', ...form } });

  test('is retried, which shows its outcome, and closed with a reason', async () => {
    await app.services.receive({ ...event, amount: null });
    const [, id = ''] =
      /acts\/CloseRailEvent"[\s\S]*?name="id" value="([^"]+)"/.exec(await open('/console/rails')) ?? [];
    const retried = await send('RetryRailEvent', { id });
    expect(retried.headers.get('location')).toBe('/console/rails?done=RetryRailEvent&became=PENDING');
    expect(await open(retried.headers.get('location') ?? '')).toContain(
      'It couldn’t be processed yet. We’ll retry.',
    );
    expect((await send('CloseRailEvent', { id })).status).toBe(400);
    expect((await send('CloseRailEvent', { id, reason: 'told twice; case 4711' })).status).toBe(303);
    const closed = await open('/console/rails?state=CLOSED');
    expect(closed).toContain('told twice; case 4711');
    expect(closed).not.toContain('acts/CloseRailEvent');
  });
});

test('C-34: an undecided order of the PIX provider is shown with the form that settles it, if the role may', async () => {
  expect(await open('/console/rails')).not.toContain('id="orders"');
  await app.owner.query(
    `insert into pix_order (mode, key, kind, account_id, psp_id, amount, placed_at, sent_at)
       values ('sandbox', 'CRX1:pay:0', 'payout', $1, 'x1', 12.5, now(), now())`,
    [String(app.accountId)],
  );
  const page = await open('/console/rails?lang=pt');
  expect(page).toMatch(/id="orders"[\s\S]*CRX1:pay:0/);
  expect(page).toMatch(/acts\/SettlePixOrder"[\s\S]*?name="key" value="CRX1:pay:0"/);
  const form = { back: '/console/rails', key: 'CRX1:pay:0', outcome: 'NOT_DONE', evidence: 'the bank' };
  // The rail that is played in the process cannot be asked about it, so nothing is settled.
  expect((await visit(app, desk, '/console/acts/SettlePixOrder', { form })).status).toBe(503);
  await app.owner.query(`update pix_order set is_done = false where key = 'CRX1:pay:0'`);
});

describe('C-34: failed returns', () => {
  const caseOf = (end2end: string) =>
    `/console/review/case?id=${encodeURIComponent(`FAILED_REFUND:${app.accountId}:${end2end}`)}`;
  const send = (action: string, end2end: string, form: Record<string, string> = {}) =>
    visit(app, desk, `/console/acts/${action}`, {
      form: { back: caseOf(end2end), account: String(app.accountId), end2end, ...form },
    });
  const refunds = async (end2end: string) =>
    (await ask(`{ transaction(end2end: "${end2end}") { refunds { state } } }`)).transaction.refunds;

  test('is ordered again by its form', async () => {
    const [end2end = ''] = receivable;
    const lists = await open('/console/operator');
    expect(lists).toContain(`href="${caseOf(end2end)}"`);
    // The customer is the head of the row, which a phone shows, too.
    expect(lists).toMatch(/id="refunds"[\s\S]*?<tbody>[\s\S]*?<th scope="row"[^>]*>[A-Z]/);
    expect(await open(caseOf(end2end))).toContain('action="/console/acts/RetryRefund"');
    const done = await send('RetryRefund', end2end, { reason: 'case 4715' });
    expect([done.status, done.headers.get('location')]).toEqual([303, `${caseOf(end2end)}&done=RetryRefund`]);
    expect((await refunds(end2end))[0]).toEqual({ state: 'RETRIED' });
  });

  test('is booked as paid by hand, with the number of that payment; the form of the other one stays empty', async () => {
    const [, end2end = ''] = receivable;
    const wrong = await send('SettleRefundByHand', end2end, { reference: 'x'.repeat(201) });
    expect(wrong.status).toBe(400);
    expect(wrong.text).toMatch(new RegExp(`id="[^"]*${end2end}-reference"[^>]*value="x{201}"`));
    const done = await send('SettleRefundByHand', end2end, { reference: 'E12345678202611211205abcdef12345' });
    expect(done.status).toBe(303);
    expect(await refunds(end2end)).toEqual([{ state: 'PAID_BY_HAND' }]);
  });

  test('is refused without the scope', async () => {
    const page = await visit(app, owner, '/console/acts/RetryRefund', {
      form: {
        ...{ back: '/console', account: String(app.accountId) },
        ...{ end2end: receivable[0] ?? '', reason: 'case 4715' },
      },
    });
    expect(page.status).toBe(403);
  });
});

test('C-34: a return whose order failed too often is shown as such, with the form that returns the money again', async () => {
  const { accountId, apiKey } = await app.addAccount();
  const own = graphqlClient(app, () => apiKey);
  const { transaction } = await own.create('createOnramp', {
    amount: { brl: '550.00' },
    currency: 'USDT_TRX',
    clientName: 'Ana Souza',
    clientTaxId: '529.982.247-25',
  });
  await own.trigger(transaction.end2end, 'pay');
  await vi.waitFor(async () => expect(await own.stepNow(transaction.end2end)).toBe('success/DONE'), {
    timeout: 15_000,
  });
  await own.trigger(transaction.end2end, 'pay');
  const entryOf = async () => {
    const { rows } = await app.owner.query(
      'select id, state, isfinite(due_at) as due from suspense_entry where account_id = $1',
      [accountId],
    );
    return rows[0];
  };
  await vi.waitFor(async () => expect(await entryOf()).toBeDefined(), { timeout: 15_000 });
  const { id } = await entryOf();
  const RETURNING = '/console/operator?state=RETURNING';
  const form = { back: RETURNING, id: String(id), reason: 'case 4717' };
  const send = () => visit(app, desk, '/console/acts/ReturnSuspense', { form });
  const release = vi.spyOn(app.services.rails.pix, 'refund');
  release.mockRejectedValue(new Error('the bank does not answer'));
  expect((await send()).status).toBe(303);
  expect(await open(RETURNING)).not.toContain('acts/ReturnSuspense');
  const counted = async () =>
    Number(/Unidentified payment<\/a><b class="num">(\d+)</.exec(await open('/console'))?.[1] ?? 0);
  const before = await counted();
  await app.owner.query(`update suspense_entry set due_at = 'infinity' where id = $1`, [id]);
  release.mockRestore();
  expect(await counted()).toBe(before + 1);
  const page = await open(RETURNING);
  expect(page).toMatch(new RegExp(`acts/ReturnSuspense"[\\s\\S]*?name="id" value="${id}"`));
  expect(page).toContain('Return failed');
  expect(page).not.toContain('acts/AssignSuspense');
  expect(await open(`${RETURNING}&lang=pt`)).toContain('Falha na devolução');
  expect((await send()).status).toBe(303);
  expect(await entryOf()).toMatchObject({ state: 'returning', due: null });
  expect(await open(RETURNING)).not.toContain('acts/ReturnSuspense');
});

test('a merchant sees waiting work with links to its lists, and no links to closed screens', async () => {
  await failedReturn();
  const { transaction } = await create('createOnramp', {
    amount: { brl: '550.00' },
    currency: 'USDT_TRX',
    clientName: 'Ana Souza',
    clientTaxId: '529.982.247-25',
  });
  await trigger(transaction.end2end, 'pay');
  await vi.waitFor(async () => expect(await stepNow(transaction.end2end)).toBe('success/DONE'), {
    timeout: 15_000,
  });
  await trigger(transaction.end2end, 'pay');
  const counted = async () => expect((await ask('{ attention { suspense } }')).attention.suspense).toBe(1);
  await vi.waitFor(counted, { timeout: 15_000 });
  const today = await open('/console', owner);
  expect(today).toContain('<span>Unidentified payments</span>');
  expect(today).not.toContain('href="/console/operator');
  const link = /href="([^"]+)">Failed refunds<\/a><b class="num">(\d+)</.exec(today);
  const list = await open((link?.[1] ?? '').replaceAll('&amp;', '&'), owner);
  expect(list).toContain(`<b class="num">${link?.[2]}</b> <span class="soft">result`);
});

describe('one account', () => {
  const path = () => `/console/accounts/${app.accountId}`;

  test('C-21: price and limits of a template are changed by its form, and shown', async () => {
    const form = { back: path(), account: String(app.accountId), template: 'onramp' };
    const changed = await visit(app, desk, '/console/acts/UpdateTemplateSettings', {
      form: { ...form, feeRate: '0.015', amountMax: '9,876.50' },
    });
    expect([changed.status, changed.text]).toEqual([303, '']);
    const page = await open(`${path()}?lang=en`);
    expect(page).toContain('9,876.50');
    expect(page).toMatch(
      /<th scope="row">Onramp to the balance<\/th><td class="num"[^>]*>[\d.]+%<\/td><td class="num"[^>]*>1\.5%</,
    );
    const wrong = await visit(app, desk, '/console/acts/UpdateTemplateSettings', {
      form: { ...form, feeRate: '2' },
    });
    expect([wrong.status, /id="[^"]*onramp-feeRate"[^>]*aria-invalid="true"/.test(wrong.text)]).toEqual([
      400,
      true,
    ]);
  });

  test('C-25: a price without margin names its proposer, and another person approves it as it was proposed', async () => {
    const form = { back: path(), account: String(app.accountId), template: 'onramp' };
    const price = { spread: '0', feeRate: '0.0005' };
    const proposed = await visit(app, desk, '/console/acts/UpdateTemplateSettings', {
      form: { ...form, ...price },
    });
    expect(proposed.status, proposed.text).toBe(303);
    expect(proposed.headers.get('location')).toContain('became=PRICE_PROPOSED');
    const own = await open(`${path()}?lang=en&done=UpdateTemplateSettings&became=PRICE_PROPOSED`);
    expect(own).toContain('The price applies once another person sets the same.');
    expect(own).toContain('Waits for a second person.');
    expect(own).not.toContain('Approve price');
    const page = await open(`${path()}?lang=pt`, books);
    expect(page).toContain('Proposto por olga: spread 0%');
    const [approval = ''] =
      /<details class="ask"[^>]*><summary[^>]*>Aprovar preço…[\s\S]*?<\/form>/.exec(page) ?? [];
    const hidden = [...approval.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)].map(
      ([, name = '', value = '']) => [name, value.replaceAll('&amp;', '&')],
    );
    const done = await visit(app, books, '/console/acts/UpdateTemplateSettings', {
      form: Object.fromEntries(hidden),
      headers: { 'accept-language': 'pt' },
    });
    expect(done.status, done.text).toBe(303);
    const { viewer } = await ask('{ viewer { account { templateSettings { template spread feeRate } } } }');
    expect(viewer.account.templateSettings).toContainEqual({ template: 'onramp', ...price });
    await visit(app, desk, '/console/acts/UpdateTemplateSettings', {
      form: { ...form, spread: '0.01', feeRate: '0.015' },
    });
  });

  test('a customer is granted limits in place of those of the templates', async () => {
    const taxId = '52998224725';
    const form = {
      back: path(),
      account: String(app.accountId),
      taxId,
      limitDaily: '7654.00',
      level: 'VERIFIED',
    };
    expect((await visit(app, desk, '/console/acts/GrantCustomerLimits', { form })).status).toBe(303);
    const page = await open(`${path()}?lang=en`);
    expect(page).toContain(taxId);
    expect(page).toContain('7,654.00');
    expect(page).toContain('Identity verified');
  });

  test('C-40: facts of a transaction are recorded by a form; an empty field changes nothing, and an error appears at its field', async () => {
    const [end2end = ''] = receivable;
    const form = { back: path(), account: String(app.accountId), end2end };
    const send = (fields: Record<string, string>, person = desk) =>
      visit(app, person, '/console/acts/CorrectFacts', { form: { ...form, ...fields } });
    expect(await open(path())).toContain('acts/CorrectFacts');
    expect((await send({ walletCountry: 'BR', walletVasp: 'Exchange Ltda.' })).status).toBe(303);
    expect((await send({ walletCountry: 'PT', walletVasp: '' })).status).toBe(303);
    const { transaction } = await ask(
      `{ transaction(end2end: "${end2end}") { record { walletCountry walletVasp } } }`,
    );
    expect(transaction.record).toEqual({ walletCountry: 'PT', walletVasp: 'Exchange Ltda.' });
    const wrong = await send({ walletCountry: 'Brasil' });
    expect([
      wrong.status,
      /-walletCountry"[^>]*value="Brasil"[^>]*aria-invalid="true"/.test(wrong.text),
    ]).toEqual([400, true]);
    expect((await send({ end2end: 'CRX00', walletCountry: 'BR' })).status).toBe(404);
    expect((await send({ walletCountry: 'BR' }, books)).status).toBe(403);
    expect(await open(path(), books)).not.toContain('acts/CorrectFacts');
  });

  test('C-40: one of another mode, or an unknown one, looks missing; no one else opens it', async () => {
    const live = await app.addAccount({ mode: 'live' });
    for (const id of [String(live.accountId), '999999', 'x'])
      expect((await visit(app, desk, `/console/accounts/${id}`)).status).toBe(404);
    expect((await visit(app, owner, path())).status).toBe(403);
  });
});

test('the trial balance adds up each currency: the balances to nothing, debits to credits', async () => {
  const page = await open('/console/books');
  const [, trial = ''] = /id="trial"[\s\S]*?<tfoot>([\s\S]*?)<\/tfoot>/.exec(page) ?? [];
  const lines = [...trial.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, line = '']) =>
    [...line.matchAll(/<td[^>]*>(.*?)<\/td>/gs)].map(([, cell = '']) => cell.replace(/<[^>]*>/g, '')),
  );
  expect(lines.map(([what, currency]) => [what, currency])).toEqual(
    expect.arrayContaining([
      ['Total', 'BRL'],
      ['Total', 'USDT (TRX)'],
    ]),
  );
  for (const [, , opening, debits, credits, closing] of lines) {
    expect([opening, closing].map(Number)).toEqual([0, 0]);
    expect(debits).toBe(credits);
  }
});

test('profit and loss have their sum in BRL', async () => {
  const { transaction } = await create('createOnramp', {
    amount: { brl: '55.00' },
    currency: 'USDT_TRX',
    clientName: 'Ana Souza',
    clientTaxId: '529.982.247-25',
  });
  await trigger(transaction.end2end, 'pay');
  const paid = async () => expect(await stepNow(transaction.end2end)).toBe('success/DONE');
  await vi.waitFor(paid, { timeout: 15_000 });
  const page = await open('/console/books');
  expect(page).toMatch(
    /id="result"[\s\S]*?<tfoot><tr><td>Net result, all in BRL<.*?<span[^>]*>-?[\d,]+\.\d\d</,
  );
});

test.each([
  'transactions',
  'customers',
  'search?q=CRX00',
])('the empty %s of the platform says where those of merchants are', async (path) => {
  expect(await open(`/console/${path}`)).toContain('This account is the platform’s own.');
});

test('a manual journal is proposed by a form, and not approved by its proposer', async () => {
  const action = (name: string, form: Record<string, string>) =>
    visit(app, desk, `/console/acts/${name}`, { form: { back: '/console/books', ...form } });
  const account = (await open('/console/accounts')).match(/\/console\/accounts\/(\d+)/)?.[1] ?? '';
  const proposed = await action('ProposeJournal', {
    account,
    debit: 'X.loss',
    credit: 'A.pix',
    currency: 'BRL',
    amount: '12.30',
    reason: 'a bank fee',
  });
  expect(proposed.headers.get('location')).toMatch(/^\/console\/books\?done=ProposeJournal/);
  const nothing = await action('ProposeJournal', {
    account,
    debit: 'X.loss',
    credit: 'A.pix',
    amount: '1.00',
  });
  expect(nothing.status).toBe(400);
  expect(nothing.text).toMatch(/Check the highlighted fields\.[\s\S]*Enter a value/);
  expect(nothing.text).toMatch(/id="ProposeJournal-reason"[^>]*aria-invalid="true"/);
  const page = await open('/console/books');
  expect(page).toContain('a bank fee');
  expect(page).toContain('>R$12.30<');
  const [, id = ''] = /acts\/ApproveJournal"[\s\S]*?name="id" value="([^"]+)"/.exec(page) ?? [];
  const refused = await action('ApproveJournal', { id });
  expect(refused.status).not.toBe(303);
  const day = dayAfter(brasiliaDay(await app.services.clock.nowMs()), -1);
  const closed = await action('CloseBooks', { day });
  expect(closed.headers.get('location')).toMatch(/^\/console\/books\?done=CloseBooks/);
  expect(await open('/console/books')).toContain(dayText(day, 'en'));
});

test('C-33: the screen of reconciliation shows open findings with their remedies; only with the scope', async () => {
  const { endToEndId, nowMs } = await plantPayment(app);
  const day = brasiliaDay(nowMs);
  const made = await app.graphql(
    `mutation { reconcile(input: { day: "${day}" }) { reconciliation { isOpen } errors { code message path } } }`,
    {},
    { key: app.platformKey },
  );
  expect(made.json.data.reconcile.reconciliation).toEqual({ isOpen: true });
  const page = await open('/console/reconciliation', books);
  expect(page).toContain(endToEndId);
  expect(page).toContain('Missing in the books');
  expect(page).toContain(`PIX on ${dayText(day, 'en')}`);
  expect(page).not.toMatch(/href="\/console\/rails"/);
  expect(await open('/console/reconciliation')).toMatch(/<main[\s\S]*href="\/console\/rails"/);
  expect(page).toContain(`href="/console/reconciliation?rail=pix&amp;day=${day}"`);
  expect(await open('/console/reconciliation?lang=pt', books)).toContain('Falta na contabilidade');
  expect((await visit(app, owner, '/console/reconciliation')).status).toBe(403);
});

test('C-10: with more than a page of debts the screen shows their number, and links to all of them', async () => {
  const usdt = currencyOf('USDT_TRX') as Currency;
  const debtors: string[] = [];
  for (let each = 1n; each <= 27n; each++) {
    const { accountId } = await app.addAccount();
    const journal = creditedDropped(usdt, each * 1_000_000n);
    await app.database.withTx((tx) =>
      postJournals(tx, [{ accountId, ref: 'dropped', transactionId: null, journal }], new Date()),
    );
    debtors.push(String(accountId));
  }
  const section = async (path: string) => {
    const page = await open(path, books);
    return /<section[^>]*aria-labelledby="receivables"[\s\S]*?<\/section>/.exec(page)?.[0] ?? '';
  };
  const shown = (text: string) => [...text.matchAll(/Another \((\d+)\)/g)].map(([, account]) => account);
  const hrefOf = (text: string, rel: string) =>
    new RegExp(`rel="${rel}" href="([^"#]+)#receivables"`).exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '';
  const first = await section('/console/operator?state=RETURNED');
  expect([shown(first), first.includes('1–25 of 27<')]).toEqual([debtors.slice(0, 25), true]);
  expect(first).not.toContain('rel="prev"');
  const second = await section(hrefOf(first, 'next'));
  expect([shown(second), second.includes('26–27 of 27<')]).toEqual([debtors.slice(25), true]);
  expect(second).not.toContain('rel="next"');
  expect(hrefOf(second, 'prev')).toBe('/console/operator?state=RETURNED');
  expect(shown(await section(hrefOf(second, 'prev')))).toEqual(debtors.slice(0, 25));
  const past = await section('/console/operator?owedPage=9');
  expect([shown(past), past.includes('No entries this far down the list')]).toEqual([[], true]);
  expect(hrefOf(past, 'prev')).toBe('/console/operator?owedPage=2');
  const wrong = await visit(app, books, '/console/operator?owedPage=x');
  expect([wrong.status, wrong.text]).toEqual([
    400,
    expect.stringMatching(/owedPage: must be a whole number/),
  ]);
});
