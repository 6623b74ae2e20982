/**
 * The rehearsal of docs/going-live.md: a live account, with every part as a process of its own on this machine. The gateway gets its
 * rails by RAILS_FILE: `crossramp psp` over mTLS, an Ethereum node (anvil), `crossramp signer`, feeds of rates. Money goes in and out
 * on both sides; then gateway, provider and node are asked whether they agree. No real money, bank or network is touched.
 *
 * `npm run rehearsal`
 */
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PLATFORM_SCOPES, SCOPES } from '../src/base/api-key.ts';
import { decodeBrCode } from '../src/base/br-code.ts';
import { toMinor } from '../src/base/money.ts';
import { type EvmNode, startEvmNode } from '../test/support/evm-node.ts';
import { freePort } from '../test/support/free-port.ts';
import { newHome } from '../test/support/home.ts';
import { begin, crossramp, start } from '../test/support/process.ts';
import { newSigner, type SignerHome, startSigner } from '../test/support/signer.ts';

/** What is seen at the end. */
export interface Rehearsed {
  /** A line for each transaction that ended well: its template and its id. */
  readonly done: readonly string[];
  /** Everything in which gateway, provider and node do not agree. */
  readonly differences: readonly string[];
}

const PRICE = '5.40';
const CURRENCY = 'USDT_ETH';
const DECIMALS = 6;
const CLIENT = { client_name: 'Ana Souza', client_tax_id: '52998224725' };
const PAYOUT = { ...CLIENT, pix_key: 'ana@example.com', pix_key_type: 'email' };
/** Who pays crypto, and who gets some. */
const PAYER = '0x00000000000000000000000000000000000aa001';
const WALLET = '0x00000000000000000000000000000000000bb002';
const ETHER = 10n ** 18n;
const FLOAT = 1_000n * 10n ** BigInt(DECIMALS);
const PATIENCE_MS = 60_000;

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
type Json = any;

/** Where everything is, once it runs. */
interface Stage {
  readonly env: Readonly<Record<string, string>>;
  readonly gateway: string;
  readonly control: string;
  readonly node: EvmNode;
  readonly signer: SignerHome;
  readonly accountId: string;
  readonly apiKey: string;
}

/**
 * Starts everything, moves money, compares, and ends everything.
 *
 * @param env - settings of the gateway: `CROSSRAMP_HOME`, and `DATABASE_URL` where it is not the embedded database.
 * @param say - takes a line about what is done.
 */
export async function rehearse(
  env: Readonly<Record<string, string>>,
  say: (line: string) => void,
): Promise<Rehearsed> {
  const ends: (() => unknown)[] = [];
  try {
    const stage = await setUp(env, say, (end) => ends.push(end));
    const done: string[] = [];
    for (const walk of [buy, checkout, deliver, sell, payOut]) {
      const transaction = await walk(stage);
      done.push(`${transaction.template} ${transaction.end2end}`);
      say(`${transaction.template}: ${transaction.statusCode} (${transaction.end2end})`);
    }
    return { done, differences: await differencesOf(stage, done) };
  } finally {
    for (const end of ends.toReversed()) await end();
  }
}

/** The steps of the guide, in its order. */
async function setUp(
  given: Readonly<Record<string, string>>,
  say: (line: string) => void,
  atEnd: (end: () => unknown) => void,
): Promise<Stage> {
  const node = await startEvmNode();
  atEnd(node.stop);
  const [signer, psp, rates] = await Promise.all([newSigner(), startPsp(given), startFeed()]);
  atEnd(signer.remove);
  atEnd(psp.end);
  atEnd(rates.end);
  const running = await startSigner(signer);
  atEnd(() => running.end('SIGTERM'));
  say(running.said.trim());
  for (const holder of [PAYER, signer.facts.hot.ETH as string]) {
    await node.give(holder, ETHER);
    await node.give(holder, FLOAT, CURRENCY);
  }
  await node.mine(3);
  const file = join(psp.home, 'live.json');
  writeFileSync(file, JSON.stringify({ live: railsOf(psp.pix, node, signer, rates.url) }));
  const env = { ...given, RAILS_FILE: file };
  const gateway = await start({ ...env, PORT: String(await freePort()) });
  atEnd(() => gateway.end('SIGTERM'));
  say(`the gateway answers at ${gateway.baseUrl}`);
  const { accountId } = await run(env, 'account', 'create', '--name', 'Loja Azul', '--mode', 'live');
  const scopes = SCOPES.filter((scope) => !(PLATFORM_SCOPES as readonly string[]).includes(scope)).join();
  const { apiKey } = await run(env, 'key', 'create', '--account', accountId, '--scopes', scopes);
  const stage = { env, gateway: gateway.baseUrl, control: psp.control, node, signer, accountId, apiKey };
  await until(stage, 'rails of which doctor says that they are well', () => areWell(env, say));
  return stage;
}

/** The rails of live accounts: what a bank, a node and a wallet give, as in docs/rails.md. */
function railsOf(pix: object, node: EvmNode, { socket, facts }: SignerHome, feed: string): object {
  const prices = [
    { asset: 'USDT', path: '$.usdt' },
    { asset: 'ETH', path: '$.eth' },
  ];
  return {
    pix: { ...pix, pollSeconds: 1 },
    networks: {
      ETH: {
        kind: 'evm',
        providers: [node.url],
        confirmations: 2,
        pollSeconds: 1,
        xpub: facts.xpub.ETH,
        hotAddress: facts.hot.ETH,
        networkFees: { [CURRENCY]: '0.50' },
      },
    },
    signer: { socket },
    rates: { kind: 'feeds', everySeconds: 1, feeds: [{ name: 'alpha', url: feed, prices }] },
    liquidity: { kind: 'inventory', positions: { [CURRENCY]: { long: '1000', short: '1000' } } },
    identity: 'off',
    screening: 'off',
  };
}

/** What `doctor` says of the rails; at first some of them may not have answered yet. */
async function areWell(env: Stage['env'], say: (line: string) => void): Promise<boolean> {
  const { stdout } = await crossramp(env, 'doctor', '--json');
  const checks: { check: string; ok: boolean; detail: string }[] = JSON.parse(stdout).checks;
  const bad = checks.filter(({ check, ok }) => check.startsWith('live ') && !ok);
  for (const { check, detail } of bad) say(`${check}: ${detail}`);
  return bad.length === 0;
}

/** An onramp to the balance. */
async function buy(stage: Stage): Promise<Json> {
  const { end2end } = await post(stage, '/v2/onramp', {
    ...CLIENT,
    amount_payment: '300.00',
    currency_exit_received_code: CURRENCY,
  });
  await payPix(stage, end2end, '300.00');
  return finished(stage, end2end);
}

/** A checkout: the payer opens its page, says who they are, and pays. */
async function checkout(stage: Stage): Promise<Json> {
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
async function deliver(stage: Stage): Promise<Json> {
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
async function sell(stage: Stage): Promise<Json> {
  const { end2end } = await post(stage, '/v2/offramp', {
    ...PAYOUT,
    from: 'external',
    amount_paid: '20',
    currency_entry_paid_code: CURRENCY,
  });
  const row = await until(stage, 'a deposit address', async () => {
    const { attributes } = await read(stage, `/v2/offramp/${end2end}`);
    return attributes.deposit_address && attributes;
  });
  const amount = toMinor(String(row.exact_deposit_amount), DECIMALS);
  await stage.node.pay(PAYER, row.deposit_address, amount, CURRENCY);
  return finished(stage, end2end);
}

/** An offramp from the balance. */
async function payOut(stage: Stage): Promise<Json> {
  const order = { ...PAYOUT, amount_paid: '10', currency_entry_paid_code: CURRENCY };
  const { end2end } = await post(stage, '/v2/offramp', order);
  return finished(stage, end2end);
}

/** Pays the code of a transaction, as the bank of a payer does: it asks the location in the code what is to be paid. */
async function payPix(stage: Stage, end2end: string, amount: string): Promise<void> {
  const query = 'query ($id: String!) { transaction(end2end: $id) { payment { pixCopyPaste } } }';
  const text = await until(stage, 'a PIX code', async () => {
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
async function finished(stage: Stage, end2end: string): Promise<Json> {
  return until(stage, `the end of ${end2end}`, async () => {
    const { transaction } = await graphql(stage, TRANSACTION, { id: end2end });
    return transaction.statusCode === 'SUCCESS' && transaction;
  });
}

/** Compares `/v2`, GraphQL, the console, the provider, the node and the ledger. */
async function differencesOf(stage: Stage, done: readonly string[]): Promise<string[]> {
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
    const page = await fetch(`${stage.gateway}/console/transactions/${end2end}`, { headers: { cookie } });
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
  // What the payer lost and the wallet did not get is the house's.
  const outside = (await stage.node.balance(PAYER, CURRENCY)) + (await stage.node.balance(WALLET, CURRENCY));
  const custody = toMinor(booked('A.custody', CURRENCY), DECIMALS);
  agree('custody on the network', custody.toString(), (FLOAT - outside).toString());
  const { defects } = await run(stage.env, 'verify');
  agree('the ledger', defects ?? [], []);
  return differences;
}

/** Somebody comes in to the console by an invitation. @returns their cookie. */
async function signIn({ env, accountId, gateway }: Stage): Promise<string> {
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

/** Lets blocks come until there is something. */
async function until<Found>(
  { node }: Pick<Stage, 'node'>,
  what: string,
  look: () => Promise<Found | null | undefined | false | ''>,
): Promise<Found> {
  const endMs = Date.now() + PATIENCE_MS;
  while (Date.now() < endMs) {
    const found = await look();
    if (found) return found;
    await node.mine();
    await sleep(300);
  }
  throw new Error(`did not come: ${what}`);
}

async function post(stage: Stage, path: string, body: object): Promise<Json> {
  return ask(stage, path, { method: 'POST', body: JSON.stringify(body) });
}

async function read(stage: Stage, path: string): Promise<Json> {
  return ask(stage, path, {});
}

async function graphql(stage: Stage, query: string, variables: object): Promise<Json> {
  const { data, errors } = await post(stage, '/graphql', { query, variables });
  if (errors) throw new Error(JSON.stringify(errors));
  return data;
}

async function ask({ gateway, apiKey }: Stage, path: string, init: RequestInit): Promise<Json> {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  return json(await fetch(gateway + path, { ...init, headers }));
}

async function json(response: Response): Promise<Json> {
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.url}: ${response.status} ${text}`);
  return JSON.parse(text);
}

/** Runs a command that prints JSON. */
async function run(env: Readonly<Record<string, string>>, ...args: string[]): Promise<Json> {
  const { code, stdout, stderr } = await crossramp(env, ...args, '--json');
  if (code !== 0) throw new Error(`crossramp ${args.join(' ')}: ${stderr}${stdout}`);
  return JSON.parse(stdout);
}

/** `crossramp psp`, and the member `pix` of the settings that it writes. */
async function startPsp(env: Readonly<Record<string, string>>) {
  const { home, remove } = newHome();
  const ports = ['--port', '0', '--control-port', '0', '--callback-port', String(await freePort())];
  const { child, ended } = begin(env, 'psp', '--home', home, ...ports, '--json');
  const first = once(child.stdout as NodeJS.ReadableStream, 'data');
  const said = await Promise.race([first, ended.then(({ stderr }) => Promise.reject(new Error(stderr)))]);
  const { controlUrl: control, railsFile } = JSON.parse(String(said));
  const { pix } = JSON.parse(readFileSync(railsFile, 'utf8')).sandbox;
  const end = async () => {
    child.kill('SIGTERM');
    await ended;
    remove();
  };
  return { home, control, pix, end };
}

/** A feed of rates. */
async function startFeed() {
  const server = createServer((_request, response) => {
    response.end(JSON.stringify({ usdt: PRICE, eth: '25000' }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const end = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}/`, end };
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
