/**
 * Goal: with everything going wrong between the gateway and its provider, both agree in the end: nothing paid twice, nothing lost,
 * nothing stuck (C-33, C-34). Method: payments, returns and payouts over the wire, with answers and callbacks that are lost, late, doubled,
 * refused; then the provider's books against the gateway's. `PIX_FAULTS=500` plays as many.
 */
import { afterAll, expect, test } from 'vitest';
import type { ProcessRow } from '../../../src/templates/facts.ts';
import { depositFor, type Merchant } from '../../resolvers/inbound/support.ts';
import { useStand } from './harness.ts';

const stand = useStand({ sendAgainSeconds: 1, timeoutSeconds: 2 }, { works: true });
const COUNT = Number(process.env.PIX_FAULTS ?? 15);
const PARALLEL_MAX = 8;
const PER_MERCHANT = 60;
const CUSTOMER = { client_name: 'Ana Souza', client_tax_id: '52998224725' };
const RULES = [
  { on: 'callback', fault: 'lost', rate: 0.2, ms: 0 },
  { on: 'callback', fault: 'doubled', rate: 0.2, ms: 0 },
  { on: 'callback', fault: 'reordered', rate: 0.1, ms: 400 },
  { on: 'any', fault: 'timeout', rate: 0.1, ms: 20 },
  { on: 'any', fault: 'unavailable', rate: 0.1, ms: 0 },
  { on: 'any', fault: 'unauthorized', rate: 0.05, ms: 0 },
];
const calm = () => stand.psp.control('PUT', '/faults', { seed: 1, rules: [] });

afterAll(calm);

/** Waits for what happens by itself; what is tried again later is tried again now. */
async function reaches(row: ProcessRow, steps: readonly string[]) {
  let step = '';
  for (let turn = 0; turn < 600; turn++) {
    step = await stand.inbound.stepOf(row);
    if (steps.includes(step)) return;
    if (turn % 10 === 9)
      await stand.app.owner.query(
        `update job set due_at = now() where account_id = $1 and last_error is not null and due_at > now() + interval '1 second'`,
        [String(row.accountId)],
      );
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const { rows: open } = await stand.app.owner.query(
    `select kind, last_error, attempts, due_at - now() as due_in, (select jsonb_agg(o) from pix_order o where o.account_id = j.account_id and o.is_done is null) as orders
       from job j where account_id = $1 and transaction_id = $2`,
    [String(row.accountId), String(row.id)],
  );
  expect(steps, `${row.end2end} stands at ${step}: ${JSON.stringify(open)}`).toContain(step);
}

let created = 0;

/** The rail may be away when the charge is made: then whoever asks repeats the request. */
async function create({ apiKey }: Merchant, path: string, body: object): Promise<ProcessRow> {
  created += 1;
  const options = { key: apiKey, headers: { 'idempotency-key': `order-${created}` } };
  let answer = await stand.app.post(path, body, options);
  await stand.until(async () => {
    if (answer.status === 503) answer = await stand.app.post(path, body, options);
    return answer.status === 201;
  });
  return stand.inbound.rowOf(answer.json.end2end);
}

async function paid(merchant: Merchant, payerTaxId: string): Promise<void> {
  const row = await create(merchant, '/v2/onramp', {
    currency_exit_received_code: 'USDT_TRX',
    amount_payment: '100.00',
    ...CUSTOMER,
  });
  await reaches(row, ['depositpix/QRCODE']);
  const { process } = await stand.inbound.rowOf(row.end2end);
  await stand.psp.control('POST', '/pay', { txid: process?.txid, payerTaxId, wait: false });
  await reaches(row, payerTaxId === row.clientTaxId ? ['success/DONE'] : ['refund/DONE']);
}

async function paidOut(merchant: Merchant): Promise<void> {
  const row = await create(merchant, '/v2/offramp', {
    from: 'external',
    currency_entry_paid_code: 'USDT_TRX',
    amount_paid: '20',
    ...CUSTOMER,
    pix_key: CUSTOMER.client_tax_id,
    pix_key_type: 'cpf',
  });
  await stand.tools.receive(depositFor(await stand.inbound.rowOf(row.end2end)));
  await reaches(row, ['success/DONE']);
}

test(`${COUNT} transactions end, and the books of gateway and provider agree`, {
  timeout: 50_000 + COUNT * 2_000,
}, async () => {
  await stand.psp.control('PUT', '/faults', { seed: 20261122, rules: RULES });
  // The limits of an account count its customers: one account for so many.
  const merchants: Merchant[] = [];
  for (let made = 0; made < COUNT; made += PER_MERCHANT)
    merchants.push(await stand.app.addAccount({ mode: 'live' }));
  const work = Array.from({ length: COUNT }, (_, index) => {
    const merchant = merchants[Math.floor(index / PER_MERCHANT)] as Merchant;
    if (index % 3 === 2) return () => paidOut(merchant);
    return () => paid(merchant, index % 3 === 1 ? '11144477735' : CUSTOMER.client_tax_id);
  });
  await Promise.all(
    Array.from({ length: PARALLEL_MAX }, async () => {
      for (let next = work.shift(); next; next = work.shift()) await next();
    }),
  );
  const { json: books } = await stand.psp.control('GET', '/books');
  const { rows } = await stand.app.owner.query(
    `select pix_e2e, component || '/' || state as step, process -> 'paid' as paid from transaction where account_id = any ($1)`,
    [merchants.map(({ accountId }) => String(accountId))],
  );
  const own = (isPaid: boolean) =>
    rows.filter(({ paid: is }) => (is !== null) === isPaid).map((row) => row.pix_e2e);
  const theirs = (list: readonly { readonly endToEndId: string }[]) =>
    list.map(({ endToEndId }) => endToEndId);
  expect(theirs(books.received).toSorted()).toEqual(own(true).toSorted());
  expect(theirs(books.payouts).toSorted()).toEqual(own(false).toSorted());
  expect(books.payouts.every(({ status }: { status: string }) => status === 'REALIZADO')).toBe(true);
  const returned = rows.filter(({ step }) => step === 'refund/DONE').map(({ pix_e2e: id }) => id);
  expect(theirs(books.refunds).toSorted()).toEqual(returned.toSorted());
  for (const { accountId } of merchants) {
    expect(await stand.inbound.suspenseOf(accountId)).toEqual([]);
    await stand.inbound.verified(accountId);
  }
});
