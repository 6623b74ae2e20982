/**
 * Goal: compliance, treasurer and accountant find on the screens of the desk what waits, who did what, and for whom, and only
 * links that they may open (C-25, C-33, C-40). Method: the real application; forms are sent as a browser sends them.
 */
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { brasiliaDay, dayAfter } from '../../src/base/time/brasilia-day.ts';
import { platformAccount } from '../../src/store/account/accounts.ts';
import { findTransaction } from '../../src/store/engine/transactions.ts';
import { raiseHits } from '../../src/store/rails/screening-hits.ts';
import { useApp } from '../support/app.ts';
import { visit } from '../support/console.ts';
import { graphqlClient } from '../support/graphql-client.ts';
import { type SignedInForTest, signInAs } from '../support/people.ts';
import { plantPayment } from '../support/unbooked-payment.ts';

const app = useApp();
let shop: Awaited<ReturnType<typeof app.addAccount>>;
const { ask, create } = graphqlClient(app, () => shop.apiKey);
const PATIENCE = { timeout: 60_000, interval: 200 };
const TAX_ID = '52998224725';
const UNKNOWN_TAX_ID = '11144477735';
let risk: SignedInForTest;
let second: SignedInForTest;
let books: SignedInForTest;

beforeAll(async () => {
  const platform = await platformAccount(app.database, 'sandbox');
  shop = await app.addAccount();
  risk = await signInAs(app, platform, { email: 'rosa@platform.invalid', role: 'platform_risk' });
  second = await signInAs(app, platform, { email: 'saulo@platform.invalid', role: 'platform_risk' });
  books = await signInAs(app, platform, { email: 'paul@platform.invalid', role: 'platform_finance' });
});

/** A busy machine may take more than the seconds that a page waits for: 503, and the same page again. */
async function open(path: string, person: SignedInForTest): Promise<string> {
  return vi.waitFor(async () => {
    const page = await visit(app, person, path);
    expect(page.status, page.text).toBe(200);
    return page.text;
  }, PATIENCE);
}

async function send(action: string, form: Record<string, string>, person: SignedInForTest) {
  const done = await visit(app, person, `/console/acts/${action}`, { form: { back: '/console', ...form } });
  expect(done.status, done.text).toBe(303);
}

const casePath = (key: string) => `/console/review/case?id=${encodeURIComponent(key)}`;
const headOf = (page: string) => /<h1>([\s\S]*?)<\/h1>/.exec(page)?.[1] ?? '';
const queue = async (kind: string) =>
  (await ask(
    `{ reviewQueue(kinds: [${kind}], first: 50) { nodes { caseKey account brl detail } } reviewCounts { kind count } }`,
    {},
    app.platformKey,
  )) as {
    readonly reviewQueue: { readonly nodes: readonly Readonly<Record<string, string>>[] };
    readonly reviewCounts: readonly { readonly kind: string; readonly count: number }[];
  };

async function onramp(brl: string): Promise<string> {
  const customer = { clientName: 'Ana Souza', clientTaxId: TAX_ID };
  const input = { amount: { brl }, currency: 'USDT_TRX', ...customer };
  return (await create('createOnramp', input)).transaction.end2end;
}

test('C-25: a price that waits for a second person leads from the queue to the page on which it is decided', async () => {
  const account = `/console/accounts/${shop.accountId}`;
  await ask(
    `mutation { updateTemplateSettings(input: { account: "${shop.accountId}", template: onramp, spread: "0", feeRate: "0" }) { errors { message } } }`,
    {},
    app.platformKey,
  );
  const key = `PRICE_PROPOSAL:${shop.accountId}:onramp`;
  const list = await open('/console/review?kind=PRICE_PROPOSAL', books);
  expect(list).toContain(`href="${casePath(key)}"`);
  expect(list).toContain('Onramp to the balance');
  const page = await open(casePath(key), books);
  expect(page).toContain('Price without margin: Onramp to the balance');
  expect(page).toContain(`href="${account}#settings"`);
  expect(await open(`${casePath(key)}&lang=pt`, books)).toContain('Preço sem margem');
  expect((await visit(app, risk, casePath(key))).status).toBe(404);
  expect(await open(account, books)).toContain('acts/UpdateTemplateSettings');
  await send(
    'UpdateTemplateSettings',
    { account: String(shop.accountId), template: 'onramp', spread: '0', feeRate: '0' },
    books,
  );
  expect((await queue('PRICE_PROPOSAL')).reviewQueue.nodes).toEqual([]);
  expect(await open(casePath(key), books)).toContain('This case was decided and has left the queue.');
});

test('C-34: a paused network is on the screen of the rails, with its person, reason and time, until it is resumed', async () => {
  expect(await open('/console/rails', risk)).not.toContain('Paused networks');
  await send('PauseNetwork', { network: 'TRX', reason: 'node is behind' }, risk);
  const page = await open('/console/rails', risk);
  expect(page).toMatch(
    /Paused networks[\s\S]*<th scope="row"[^>]*>TRX<[\s\S]*<time[\s\S]*rosa[\s\S]*node is behind[\s\S]*acts\/ResumeNetwork/,
  );
  expect(await open('/console/rails?lang=pt', risk)).toContain('Redes pausadas');
  await send('ResumeNetwork', { network: 'TRX' }, risk);
  expect(await open('/console/rails', risk)).not.toContain('Paused networks');
});

describe('C-40: a customer who was frozen by tax id and has no transaction', () => {
  let caseId: string;
  const account = () => `/console/accounts/${shop.accountId}`;

  beforeAll(async () => {
    const form = { account: String(shop.accountId), taxId: UNKNOWN_TAX_ID, reason: 'court order' };
    await send('FreezeCustomer', form, risk);
    const [found] = (await queue('CUSTOMER_CASE')).reviewQueue.nodes;
    caseId = found?.caseKey?.split(':').at(-1) ?? '';
  });

  test('is on the page of the account, with the link to the case', async () => {
    const page = await open(account(), risk);
    expect(page).toMatch(/Frozen customers[\s\S]*111\.444\.777-35/);
    expect(page).toContain(`href="${casePath(`CUSTOMER_CASE:${shop.accountId}:${caseId}`)}"`);
    expect(await open(`${account()}?lang=pt`, risk)).toContain('Clientes bloqueados');
  });

  test('is named in the title of the case by a masked tax id', async () => {
    const path = casePath(`CUSTOMER_CASE:${shop.accountId}:${caseId}`);
    expect(headOf(await open(path, risk))).toContain('***.444.777-**');
    expect(await open('/console/review?kind=CUSTOMER_CASE', risk)).toContain('***.444.777-**');
  });

  test('leaves the queue when two people have unfrozen the customer', async () => {
    const path = casePath(`CUSTOMER_CASE:${shop.accountId}:${caseId}`);
    await send('UnfreezeCase', { id: caseId, reason: 'lifted' }, risk);
    expect(await open(`${path}&lang=pt`, risk)).toContain('(pedido: outra pessoa decide)');
    await send('UnfreezeCase', { id: caseId, reason: 'lifted' }, second);
    expect((await queue('CUSTOMER_CASE')).reviewQueue.nodes).toEqual([]);
    expect(await open(path, risk)).toContain('This case was decided and has left the queue.');
    expect(await open(account(), risk)).not.toContain('Frozen customers');
  });
});

test('C-40: the operator searches the customers of an account by tax id', async () => {
  await onramp('150.00');
  const path = `/console/accounts/${shop.accountId}`;
  expect(await open(path, books)).toContain('type="search"');
  expect(await open(`${path}?q=529.982.247-25`, books)).toContain('529.982.247-25');
  expect(await open(`${path}?q=${TAX_ID}`, books)).toContain('Ana Souza');
  const missed = await open(`${path}?q=${UNKNOWN_TAX_ID}`, books);
  expect(missed).not.toContain('Ana Souza');
  expect(missed).toContain('No results');
});

test('C-6: a currency is accepted in any case where a person types it', async () => {
  const booked = { direction: 'IN', currency: 'brl', amount: '4711.23' };
  await send('BookCapital', booked, books);
  await send('BookCapital', { ...booked, currency: 'usdt (trx)' }, books);
  const { manualJournals } = await ask(
    '{ manualJournals(state: PROPOSED) { amount currency } }',
    {},
    app.platformKey,
  );
  for (const currency of ['BRL', 'USDT_TRX'])
    expect(manualJournals).toContainEqual({ amount: expect.stringMatching(/^4711\.23/), currency });
});

describe('C-33: a report', () => {
  let day: string;

  beforeAll(async () => {
    const { nowMs } = await plantPayment(app);
    day = brasiliaDay(nowMs);
    await send('Reconcile', { day, rail: 'pix' }, books);
  });

  test('names the person who made it, and so does a closed day', async () => {
    await vi.waitFor(async () => {
      const page = await open('/console/reconciliation', books);
      expect(page).toMatch(/id="reports"[\s\S]*paul/);
      expect(page).not.toContain(books.personId);
    }, PATIENCE);
    await send('CloseBooks', { day: dayAfter(brasiliaDay(await app.services.clock.nowMs()), -1) }, books);
    const page = await open('/console/books', books);
    expect(page).toMatch(/id="closes"[\s\S]*paul/);
    expect(page).not.toContain(books.personId);
  });

  test('gives the reason of a finding in the language of the reader, and no link that the role may not open', async () => {
    const page = await open(`/console/reconciliation?rail=pix&day=${day}&lang=pt`, books);
    expect(page).toContain('Falta na contabilidade');
    expect(page).toContain('Informado pelo provedor e ainda não processado');
    expect(page).not.toContain('<small class="soft" lang="en"');
    expect(page).not.toContain('href="/console/rails"');
  });
});

test('a line of revenue leads from the books to its journals, and to the accounts that they are about', async () => {
  await ask(
    `mutation { proposeJournal(input: { account: "${shop.accountId}", debit: "A.pix", credit: "R.fee", currency: "BRL", amount: "12.34", reason: "a fee" }) { manualJournal { proposalId } errors { message } } }`,
    {},
    app.platformKey,
  );
  const { manualJournals } = await ask(
    '{ manualJournals(state: PROPOSED) { proposalId credit } }',
    {},
    app.platformKey,
  );
  const found = manualJournals.find(({ credit }: { readonly credit: string }) => credit === 'R.fee');
  await send('ApproveJournal', { id: found?.proposalId ?? '' }, books);
  const page = await open('/console/books', books);
  const [, href = ''] =
    /href="(\/console\/books\/entries\?ledgerAccount=R\.fee&amp;currency=BRL[^"]*)"/.exec(page) ?? [];
  expect(href).not.toBe('');
  const entries = await open(href.replaceAll('&amp;', '&'), books);
  expect(entries).toMatch(new RegExp(`12\\.34[\\s\\S]*href="/console/accounts/${shop.accountId}"`));
  expect(await open(`${href.replaceAll('&amp;', '&')}&lang=pt`, books)).toContain('Lançamentos');
  const line = '/console/books/entries?currency=BRL&ledgerAccount=';
  expect(await open(`${line}R.fee&from=2020-01-01&to=2020-01-31`, books)).toContain(
    'No journal in this period',
  );
  expect((await visit(app, books, `${line}R.none`)).status).toBe(400);
  expect((await visit(app, risk, `${line}R.fee`)).status).toBe(403);
});

test('C-40: open hits of one subject and entry are one case of the queue, as one decision ends them', async () => {
  const ids: bigint[] = [];
  for (const brl of ['100.00', '20.00', '3.00']) {
    const row = await findTransaction(app.database, shop.accountId, await onramp(brl));
    ids.push(row?.id as bigint);
  }
  const hit = {
    ...{
      role: 'customer',
      subject: `tax_id:${TAX_ID}`,
      subjectName: 'Ana Souza',
      taxId: TAX_ID,
      address: null,
    },
    ...{ list: 'own', entry: '7', entryName: 'Ana Sousa', score: '0.9', version: '1' },
    ...({ strength: 'review', answer: 'held' } as const),
  };
  for (const transactionId of ids) {
    const place = { mode: 'sandbox', accountId: shop.accountId, transactionId } as const;
    await app.database.withTx((tx) => raiseHits(tx, place, [hit], new Date()));
  }
  const place = { mode: 'sandbox', accountId: shop.accountId, transactionId: ids[0] as bigint } as const;
  await app.database.withTx((tx) => raiseHits(tx, place, [{ ...hit, entry: '8' }], new Date()));
  const { reviewQueue, reviewCounts } = await queue('SCREENING_HIT');
  expect(reviewQueue.nodes.map(({ brl }) => Number(brl))).toEqual([123, 100]);
  expect(reviewCounts).toContainEqual({ kind: 'SCREENING_HIT', count: 2 });
  const { nodes } = (
    await ask('{ screeningHits(state: OPEN, first: 9) { nodes { hitId entry } } }', {}, app.platformKey)
  ).screeningHits;
  const same = nodes.filter(({ entry }: { entry: string }) => entry === '7');
  expect(same).toHaveLength(3);
  // The list is newest first; the other cases are the one about entry 8, and for later hits that of the first.
  const others = [];
  for (const { hitId } of same) {
    const page = await open(casePath(`SCREENING_HIT:${shop.accountId}:${hitId}`), risk);
    expect(page).not.toContain('This case was decided');
    others.push(page.match(/Screening hit: Ana Sousa/g)?.length);
  }
  expect(others).toEqual([2, 2, 1]);
  await send('DismissScreeningHit', { id: same[0].hitId, reason: 'another person' }, risk);
  expect((await queue('SCREENING_HIT')).reviewQueue.nodes).toHaveLength(1);
});
