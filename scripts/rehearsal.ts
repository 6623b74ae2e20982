/**
 * The rehearsal of docs/going-live.md: a live account, with every part as a process of its own on this machine. The gateway gets its
 * rails by RAILS_FILE: `crossramp psp` over mTLS, an Ethereum node (anvil), `crossramp signer`, feeds of rates. Money goes in and out
 * on both sides; then gateway, provider and node are asked whether they agree. No real money, bank or network is touched.
 *
 * `npm run rehearsal`
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { toMinor } from '../src/base/money/money.ts';
import { decodeBrCode } from '../src/base/pix/br-code.ts';
import { brasiliaDay } from '../src/base/time/brasilia-day.ts';
import { newHome } from '../test/support/home.ts';
import {
  CURRENCY,
  DECIMALS,
  FLOAT,
  json,
  type LiveStage,
  PAYER,
  run,
  setUpLive,
  until,
} from '../test/support/live-stage.ts';

/** State at the end. */
export interface Rehearsed {
  /** A line for each transaction that ended well: its template and its id. */
  readonly done: readonly string[];
  /** Everything in which gateway, provider and node do not agree. */
  readonly differences: readonly string[];
}

const CLIENT = { client_name: 'Ana Souza', client_tax_id: '52998224725' };
const PAYOUT = { ...CLIENT, pix_key: 'ana@example.com', pix_key_type: 'email' };
/** Receiver of crypto. */
const WALLET = '0x00000000000000000000000000000000000bb002';
/** A page is asked for so often again while the gateway is too busy. */
const PAGE_ATTEMPTS = 10;

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
type Json = any;

/**
 * Starts everything, moves money, compares, and ends everything.
 *
 * @param env - settings of the gateway: `CROSSRAMP_HOME`, and `DATABASE_URL` where it is not the embedded database.
 * @param report - takes a line about what is done.
 */
export async function rehearse(
  env: Readonly<Record<string, string>>,
  report: (line: string) => void,
): Promise<Rehearsed> {
  const ends: (() => unknown)[] = [];
  try {
    const stage = await setUpLive(env, (end) => ends.push(end), { say: report });
    const done: string[] = [];
    for (const walk of [buy, checkout, deliver, sell, payOut]) {
      const transaction = await walk(stage);
      done.push(`${transaction.template} ${transaction.end2end}`);
      report(`${transaction.template}: ${transaction.statusCode} (${transaction.end2end})`);
    }
    return { done, differences: await differencesOf(stage, done) };
  } finally {
    await endAll(ends);
  }
}

/** Ends everything, the last first: one that cannot be ended does not stop the rest. @throws the first failure. */
export async function endAll(ends: readonly (() => unknown)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const end of ends.toReversed()) await Promise.try(end).catch((error) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

/** An onramp to the balance. */
async function buy(stage: LiveStage): Promise<Json> {
  const { end2end } = await post(stage, '/v2/onramp', {
    ...CLIENT,
    amount_payment: '300.00',
    currency_exit_received_code: CURRENCY,
  });
  await payPix(stage, end2end, '300.00');
  return finished(stage, end2end);
}

/** A checkout: the payer opens its page, says who they are, and pays. */
async function checkout(stage: LiveStage): Promise<Json> {
  const order = { amount_payment: '150.00', currency_exit_received_code: CURRENCY };
  const { end2end, payment_link } = await post(stage, '/v2/crossramp_checkout', order);
  const page = `${stage.gateway}${new URL(payment_link).pathname}`;
  const identity = { name: CLIENT.client_name, taxId: CLIENT.client_tax_id };
  await sendForm(`${page}/identity`, identity);
  await sendForm(`${page}/confirm`, {});
  await payPix(stage, end2end, '150.00');
  return finished(stage, end2end);
}

/** An onramp that delivers to a wallet on the network. */
async function deliver(stage: LiveStage): Promise<Json> {
  const { end2end } = await post(stage, '/v2/onramp', {
    ...CLIENT,
    amount_payment: '100.00',
    currency_exit_received_code: CURRENCY,
    wallet: WALLET,
  });
  await payPix(stage, end2end, '100.00');
  return finished(stage, end2end);
}

/** An offramp that somebody pays on the network. */
async function sell(stage: LiveStage): Promise<Json> {
  const { end2end } = await post(stage, '/v2/offramp', {
    ...PAYOUT,
    from: 'external',
    amount_paid: '20',
    currency_entry_paid_code: CURRENCY,
  });
  const row = await until(stage.node, 'a deposit address', async () => {
    const { attributes } = await read(stage, `/v2/offramp/${end2end}`);
    return attributes.deposit_address && attributes;
  });
  const amount = toMinor(String(row.exact_deposit_amount), DECIMALS);
  await stage.node.pay(PAYER, row.deposit_address, amount, CURRENCY);
  return finished(stage, end2end);
}

/** An offramp from the balance. */
async function payOut(stage: LiveStage): Promise<Json> {
  const order = { ...PAYOUT, amount_paid: '10', currency_entry_paid_code: CURRENCY };
  const { end2end } = await post(stage, '/v2/offramp', order);
  return finished(stage, end2end);
}

/** Pays the code of a transaction, as the bank of a payer does: it asks the location in the code what is to be paid. */
async function payPix(stage: LiveStage, end2end: string, amount: string): Promise<void> {
  const query = 'query ($id: String!) { transaction(end2end: $id) { payment { pixCopyPaste } } }';
  const text = await until(stage.node, 'a PIX code', async () => {
    const { transaction } = await graphql(stage, query, { id: end2end });
    return transaction.payment.pixCopyPaste as string | null;
  });
  const code = decodeBrCode(text);
  if (code?.kind !== 'dynamic') throw new Error(`not the code of a charge: ${text}`);
  const charge = await json(await fetch(stage.control + code.url.slice(code.url.indexOf('/'))));
  const paid = { txid: charge.txid, amount, payerTaxId: CLIENT.client_tax_id };
  await json(await fetch(`${stage.control}/pay`, { method: 'POST', body: JSON.stringify(paid) }));
}

const TRANSACTION = `query ($id: String!) { transaction(end2end: $id) {
  end2end template statusCode pixE2e legacyBody target { amount } status { en } } }`;

/** Waits for the end of a transaction, while the node makes blocks. */
async function finished(stage: LiveStage, end2end: string): Promise<Json> {
  return until(stage.node, `the end of ${end2end}`, async () => {
    const { transaction } = await graphql(stage, TRANSACTION, { id: end2end });
    return transaction.statusCode === 'SUCCESS' && transaction;
  });
}

/** A gateway that is too busy to answer says when to come again. */
async function pageOf(url: string, cookie: string): Promise<Response> {
  for (let left = PAGE_ATTEMPTS; ; left--) {
    const page = await fetch(url, { headers: { cookie } });
    if (page.status !== 503 || left === 0) return page;
    await page.body?.cancel();
    await sleep(1_000 * Number(page.headers.get('retry-after') ?? 1));
  }
}

/** Compares `/v2`, GraphQL, the console, the provider, the node and the ledger. */
async function differencesOf(stage: LiveStage, done: readonly string[]): Promise<string[]> {
  const differences: string[] = [];
  const agree = (what: string, one: unknown, other: unknown) => {
    const [here, there] = [JSON.stringify(one), JSON.stringify(other)];
    if (here !== there) differences.push(`${what}: ${here} here, ${there} there`);
  };
  const cookie = await signIn(stage);
  const paid: Record<'in' | 'out', string[]> = { in: [], out: [] };
  for (const line of done) {
    const [template, end2end] = line.split(' ') as [string, string];
    const family = template.replace('_instant', '');
    const { transaction } = await graphql(stage, TRANSACTION, { id: end2end });
    agree(
      `${line} by /v2`,
      JSON.parse(transaction.legacyBody),
      await read(stage, `/v2/${family}/${end2end}`),
    );
    const page = await pageOf(`${stage.gateway}/console/transactions/${end2end}`, cookie);
    agree(`${line} in the console`, page.status, 200);
    agree(`${line} in the console`, (await page.text()).includes(transaction.status.en), true);
    paid[family === 'offramp' ? 'out' : 'in'].push(transaction.pixE2e);
    if (template === 'onramp_instant')
      agree(
        'what the wallet has',
        toMinor(transaction.target.amount, DECIMALS).toString(),
        (await stage.node.balance(WALLET, CURRENCY)).toString(),
      );
  }
  const books = await json(await fetch(`${stage.control}/books`));
  const idsOf = (list: readonly Json[]) => list.map(({ endToEndId }) => endToEndId).toSorted();
  agree('PIX that came in', paid.in.toSorted(), idsOf(books.received));
  agree('PIX that went out', paid.out.toSorted(), idsOf(books.payouts));
  agree('PIX that went back', [], books.refunds);
  const { lines } = await run(stage.env, 'treasury', '--live');
  const booked = (house: string, currency: string) =>
    lines.find((line: Json) => line.house === house && line.currency === currency).balance;
  agree('the account at the provider', booked('A.pix', 'BRL'), books.saldo);
  // The difference between the payer's loss and the wallet's gain belongs to the house.
  const outside = (await stage.node.balance(PAYER, CURRENCY)) + (await stage.node.balance(WALLET, CURRENCY));
  const custody = toMinor(booked('A.custody', CURRENCY), DECIMALS);
  agree('custody on the network', custody.toString(), (FLOAT - outside).toString());
  const today = brasiliaDay(Date.now());
  const { matched, findings } = await run(stage.env, 'reconcile', '--live', '--day', today);
  agree('the statement of the provider', findings, []);
  agree('the statement of the provider', matched, paid.in.length + paid.out.length);
  const { defects } = await run(stage.env, 'verify');
  agree('the ledger', defects ?? [], []);
  return differences;
}

/** Somebody comes in to the console by an invitation. @returns their cookie. */
async function signIn({ env, accountId, gateway }: LiveStage): Promise<string> {
  const who = ['rita@example.com', '--name', 'Rita', '--role', 'owner', '--account', accountId];
  const link = gateway + new URL((await run(env, 'person', 'invite', ...who)).url).pathname;
  const form = await fetch(link);
  const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec(await form.text()) ?? [];
  const sent = await sendForm(link, { csrf }, cookiesOf(form));
  return cookiesOf(sent);
}

const cookiesOf = (response: Response) =>
  response.headers
    .getSetCookie()
    .map((cookie) => cookie.slice(0, cookie.indexOf(';')))
    .join('; ');

async function sendForm(url: string, form: Record<string, string>, cookie = ''): Promise<Response> {
  const body = new URLSearchParams(form);
  const headers = { cookie, 'accept-language': 'en' };
  const response = await fetch(url, { method: 'POST', body, headers, redirect: 'manual' });
  if (response.status >= 400) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return response;
}

async function post(stage: LiveStage, path: string, body: object): Promise<Json> {
  return request(stage, path, { method: 'POST', body: JSON.stringify(body) });
}

async function read(stage: LiveStage, path: string): Promise<Json> {
  return request(stage, path, {});
}

async function graphql(stage: LiveStage, query: string, variables: object): Promise<Json> {
  const { data, errors } = await post(stage, '/graphql', { query, variables });
  if (errors) throw new Error(JSON.stringify(errors));
  return data;
}

async function request({ gateway, apiKey }: LiveStage, path: string, init: RequestInit): Promise<Json> {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  return json(await fetch(gateway + path, { ...init, headers }));
}

if (process.argv[1]?.endsWith('scripts/rehearsal.ts')) {
  const { home, remove } = newHome();
  try {
    const { differences } = await rehearse({ CROSSRAMP_HOME: home }, console.log);
    console.log(differences.length === 0 ? 'gateway, provider and node agree' : differences.join('\n'));
    process.exitCode = differences.length === 0 ? 0 : 1;
  } finally {
    remove();
  }
}
