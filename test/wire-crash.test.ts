/**
 * Goal: over the wire, no PIX is lost, none is paid or returned twice and none is stuck, whatever dies and whatever goes wrong: provider
 * and gateway agree in the end. Method: gateway and `crossramp psp` as processes; callbacks lost and doubled, answers that do not
 * come, 503; both get SIGKILL again and again while onramps are paid and offramps pay out. WIRE_ORDERS=2000 WIRE_KILLS=40 for
 * more, SEED to choose again.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PLATFORM_SCOPES, SCOPES } from '../src/base/access/api-key.ts';
import { createKey } from '../src/resolvers/account/manage-keys.ts';
import { createAccount, platformAccount } from '../src/store/account/accounts.ts';
import { verifyLedger } from '../src/store/ledger/verify.ts';
import { REGISTRY } from '../src/templates/index.ts';
import { changeUnlocked } from './support/change-unlocked.ts';
import { unfinished } from './support/crash.ts';
import { useDatabase } from './support/database.ts';
import { freePort } from './support/free-port.ts';
import { fundAccount } from './support/fund-account.ts';
import { newHome } from './support/home.ts';
import { cpfOf, query, randomOf } from './support/load.ts';
import { begin, ended, type Running, start } from './support/process.ts';

const ORDERS = Number(process.env.WIRE_ORDERS ?? 16);
const KILLS = Number(process.env.WIRE_KILLS ?? 1);
const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
const CLIENTS = 8;
const PRICE = '100.00';
const LESS = '60.00';
const FAULTS = [
  { on: 'callback', fault: 'lost', rate: 0.2 },
  { on: 'callback', fault: 'doubled', rate: 0.2 },
  { on: 'callback', fault: 'stranger', rate: 0.1 },
  { on: 'callback', fault: 'reordered', rate: 0.1, ms: 1_500 },
  ...['charge', 'payout', 'refund'].map((on) => ({ on, fault: 'timeout', rate: 0.1, ms: 20 })),
  { on: 'any', fault: 'unavailable', rate: 0.05 },
];
/** Mean time between kills. */
const LIFE_MS = 3_000;
const REST_MS = 60_000 + ORDERS * 200;

const store = useDatabase();
const place = newHome();
const random = randomOf(SEED);
const ports = { psp: 0, control: 0, callback: 0, gateway: 0 };
let accountId: bigint;
let key: string;
let platformKey: string;
let baseUrl: string;
let env: Record<string, string>;
let gateway: Running;
let psp: { kill: (signal: NodeJS.Signals) => Promise<unknown> };

beforeAll(async () => {
  for (const name of ['psp', 'control', 'callback', 'gateway'] as const) ports[name] = await freePort();
  psp = await startPsp();
  // As the PSP wrote it, but that the statement is read every second.
  const settings = JSON.parse(readFileSync(join(place.home, 'psp', 'rails.json'), 'utf8'));
  settings.sandbox.pix.pollSeconds = 1;
  const railsFile = join(place.home, 'psp', 'often.json');
  writeFileSync(railsFile, JSON.stringify(settings));
  const templates = REGISTRY.templates.map(({ name }) => name);
  accountId = await createAccount(store.database, 'Merchant', { templates });
  await fundAccount(store.database, accountId, { currency: 'USDT_TRX', amount: '1000000' });
  const options = { name: 'test', scopes: SCOPES, expiresAt: null, allowedCidrs: [] };
  key = (await createKey(store.database, accountId, options)).apiKey;
  const platform = await platformAccount(store.database, 'sandbox');
  platformKey = (await createKey(store.database, platform, { ...options, scopes: PLATFORM_SCOPES })).apiKey;
  baseUrl = `http://127.0.0.1:${ports.gateway}`;
  env = {
    CROSSRAMP_HOME: place.home,
    DATABASE_URL: store.url,
    SANDBOX: '1',
    PORT: String(ports.gateway),
    RATE_LIMIT: 'off',
    LOG_LEVEL: 'fatal',
    RAILS_FILE: railsFile,
  };
  gateway = await start(env);
});
afterAll(async () => {
  await gateway?.end('SIGTERM');
  await psp?.kill('SIGTERM');
  place.remove();
});

test(`${ORDERS} orders, ${KILLS} kills of each`, {
  timeout: 120_000 + REST_MS + KILLS * 30_000,
}, async () => {
  process.stderr.write(`wire: SEED=${SEED} WIRE_ORDERS=${ORDERS} WIRE_KILLS=${KILLS}\n`);
  const begun = Date.now();
  await control('PUT', '/faults', { seed: SEED, rules: FAULTS });
  const orders = Array.from({ length: ORDERS }, (_, n) => n);
  const client = async () => {
    for (let n = orders.shift(); n !== undefined; n = orders.shift())
      await (n % 2 === 0 ? onramp(n) : offramp(n));
  };
  await Promise.all([...Array.from({ length: CLIENTS }, client), killBoth()]);
  await control('PUT', '/faults', { rules: [] });
  await rest();
  const books = (await control('GET', '/books')) as Books;
  const defects = await defectsOf(books);
  const counts = {
    received: books.received.length,
    payouts: books.payouts.length,
    refunds: books.refunds.length,
    lost: books.callbacks.lost,
    seconds: Math.round((Date.now() - begun) / 1_000),
  };
  process.stderr.write(`wire: ${JSON.stringify({ ...counts, defects: defects.length })}\n`);
  expect(defects).toEqual([]);
  expect(counts).toMatchObject({ received: ORDERS / 2, payouts: ORDERS / 2 });
});

interface Books {
  readonly received: readonly { readonly endToEndId: string; readonly txid: string }[];
  readonly refunds: readonly Moved[];
  readonly payouts: readonly Moved[];
  readonly callbacks: { readonly lost: number; readonly strangersTaken: number };
}

interface Moved {
  readonly id: string;
  readonly amount: string;
  readonly status: string;
}

/** Everything in which provider and gateway do not agree, and everything that is not over. */
async function defectsOf(books: Books): Promise<string[]> {
  const defects: string[] = [];
  const compare = (what: string, there: readonly string[], here: readonly string[]) => {
    for (const each of there)
      if (!here.includes(each)) defects.push(`${what}: the gateway does not have ${each}`);
    for (const each of here)
      if (!there.includes(each)) defects.push(`${what}: the provider does not have ${each}`);
    if (new Set(there).size !== there.length) defects.push(`${what}: twice at the provider`);
  };
  const known = await rows(
    `select substr(key, 5) as key from rail_news where kind = 'payment' and mode = 'sandbox'`,
  );
  compare(
    'payments',
    books.received.map(({ endToEndId }) => endToEndId),
    known.map(({ key: name }) => name as string),
  );
  for (const kind of ['payout', 'return'] as const) {
    const ours = await rows(
      `select psp_id, amount::text, is_done from pix_order where kind = $1 and mode = 'sandbox'`,
      [kind],
    );
    const [there, done] = kind === 'payout' ? [books.payouts, 'REALIZADO'] : [books.refunds, 'DEVOLVIDO'];
    compare(
      kind,
      there.map(({ id, amount, status }) => `${id} ${amount} ${status === done}`),
      ours.map(({ psp_id, amount, is_done }) => `${psp_id} ${amount} ${is_done}`),
    );
  }
  for (const { end2end, step } of await unfinished(store.owner))
    defects.push(`${end2end} stands still at ${step}`);
  const { strangersTaken } = books.callbacks;
  if (strangersTaken > 0) defects.push(`${strangersTaken} callbacks of a stranger were taken`);
  const open = await rows(
    `select kind, key, outcome, last_error from rail_news where outcome in ('pending', 'failed')`,
  );
  for (const event of open) defects.push(`a rail event is not settled: ${JSON.stringify(event)}`);
  for (const defect of (await verifyLedger(store.database, accountId)).defects)
    defects.push(JSON.stringify(defect));
  return defects;
}

/** An onramp that somebody pays, sometimes too little: then it goes back. */
async function onramp(n: number): Promise<void> {
  const end2end = await create('/v2/onramp', n, {
    amount_payment: PRICE,
    currency_exit_received_code: 'USDT_TRX',
  });
  const [row] = await rows(`select process ->> 'txid' as txid from transaction where end2end = $1`, [
    end2end,
  ]);
  const amount = random.chance(0.3) ? LESS : PRICE;
  // Whoever pays has one PIX: asked again, it is the same.
  const endToEndId = `E99999999202611220000${String(n).padStart(11, '0')}`;
  await control('POST', '/pay', { txid: row?.txid, amount, payerTaxId: cpfOf(n), endToEndId, wait: false });
}

async function offramp(n: number): Promise<void> {
  await create('/v2/offramp', n, {
    amount_paid: '10',
    currency_entry_paid_code: 'USDT_TRX',
    pix_key: 'ana@example.com',
    pix_key_type: 'email',
  });
}

/** How often is asked for an answer, ten times a second: far longer than processes are away. */
const ATTEMPTS_MAX = 900;

/** Asks under one key until there is an answer. */
async function create(path: string, n: number, body: object): Promise<string> {
  const whole = { client_name: 'Ana Souza', client_tax_id: cpfOf(n), ...body };
  let heard: Awaited<ReturnType<typeof query>>;
  for (let attempts = 0; attempts < ATTEMPTS_MAX; attempts++) {
    heard = await query(baseUrl + path, key, { body: whole, idempotencyKey: `wire-${n}` });
    if (heard?.status === 201) return heard.json.end2end;
    if (heard && heard.status < 500 && heard.status !== 409 && heard.status !== 429)
      throw new Error(`${path} is answered ${heard.status}: ${heard.text}`);
    await setTimeout(100);
  }
  throw new Error(`${path} is not answered; the last answer was ${heard?.status}: ${heard?.text}`);
}

/** One after the other, while the clients go on. */
async function killBoth(): Promise<void> {
  for (let kill = 0; kill < KILLS; kill++) {
    await setTimeout(-Math.log(1 - random.next()) * LIFE_MS);
    await psp.kill('SIGKILL');
    psp = await startPsp();
    await setTimeout(-Math.log(1 - random.next()) * LIFE_MS);
    await gateway.end('SIGKILL');
    // What the dead hold is held for a while; that while has gone by.
    await store.owner.query('update job set leased_until = null');
    await store.owner.query(
      'update idempotency_key set leased_until = clock_timestamp() where answer is null',
    );
    await store.owner.query('update pix_cursor set free_at = least(free_at, clock_timestamp())');
    gateway = await start(env);
  }
}

/** Waits until nothing is left to be done. What waits for minutes, of the sandbox's clock or the machine's, has them gone by. */
async function rest(): Promise<void> {
  const until = Date.now() + REST_MS;
  const isOpen = async () => {
    const orders = await rows(`select 1 from pix_order where is_done is null`);
    const event = await rows(`select 1 from rail_news where outcome = 'pending'`);
    return orders.length + event.length + (await unfinished(store.owner)).length > 0;
  };
  do {
    await changeUnlocked(store.owner, {
      table: 'pix_order',
      set: `sent_at = sent_at - interval '61 seconds', ask_at = least(ask_at, clock_timestamp())`,
      where: 'is_done is null',
    });
    await changeUnlocked(store.owner, {
      table: 'rail_news',
      set: 'due_at = least(due_at, clock_timestamp())',
      where: `outcome = 'pending'`,
    });
    await query(`${baseUrl}/v2/sandbox/clock`, platformKey, { body: { advance: '5m' } });
    await setTimeout(2_000);
  } while ((await isOpen()) && Date.now() < until);
}

async function rows(sql: string, values: readonly unknown[] = []): Promise<Record<string, unknown>[]> {
  return (await store.owner.query(sql, [...values])).rows;
}

/** Asks the control server until it is there. */
async function control(method: string, path: string, body?: object): Promise<unknown> {
  for (;;) {
    try {
      const response = await fetch(`http://127.0.0.1:${ports.control}${path}`, {
        method,
        ...(body && { body: JSON.stringify(body) }),
      });
      const json = (await response.json()) as { readonly error?: string };
      if (response.ok) return json;
      throw new Error(`${path}: ${response.status} ${json.error}`);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      await setTimeout(50);
    }
  }
}

async function startPsp() {
  const options = [
    '--port',
    ports.psp,
    '--control-port',
    ports.control,
    '--callback-port',
    ports.callback,
  ].map(String);
  const home = join(place.home, 'psp');
  const { child } = begin({}, 'psp', '--home', home, ...options, '--json');
  const end = ended(child);
  await new Promise<void>((resolve, reject) => {
    child.stdout?.once('data', () => resolve());
    end.then(({ stderr }) => reject(new Error(stderr)));
  });
  return {
    kill: (signal: NodeJS.Signals) => {
      child.kill(signal);
      return end;
    },
  };
}
