/**
 * Goal: over the wire on both sides, nothing is paid twice, lost or stuck, whatever dies and whatever goes wrong: bank, node and gateway agree
 * in the end. Method: PSP, signer and gateway as processes that get SIGKILL while live orders are paid, delivered and paid out; callbacks
 * lost and doubled, answers that do not come, providers that fail, blocks that are made anew. LIVE_ORDERS=100 LIVE_KILLS=4 for more (the
 * funds of the stage carry no more), SEED to choose again.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { toMinor } from '../src/base/money.ts';
import { verifyLedger } from '../src/store/ledger/verify.ts';
import { unfinished } from './support/crash.ts';
import { useDatabase } from './support/database.ts';
import { newHome } from './support/home.ts';
import { CURRENCY, DECIMALS, type LiveStage, PAYER, setUpLive } from './support/live-stage.ts';
import { ask, cpfOf, randomOf } from './support/load.ts';
import { startRpcProxy } from './support/rpc-proxy.ts';

const ORDERS = Number(process.env.LIVE_ORDERS ?? 30);
const KILLS = Number(process.env.LIVE_KILLS ?? 1);
const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
const CLIENTS = 6;
const PRICE = '100.00';
const REORG_DEPTH = 1;
const LIFE_MS = 2_000;
const REST_MS = 120_000 + ORDERS * 500;
const FAULTS = [
  { on: 'callback', fault: 'lost', rate: 0.2 },
  { on: 'callback', fault: 'doubled', rate: 0.2 },
  ...['charge', 'payout', 'refund'].map((on) => ({ on, fault: 'timeout', rate: 0.1, ms: 20 })),
];

const store = useDatabase();
const { home, remove } = newHome();
const random = randomOf(SEED);
const ends: (() => unknown)[] = [remove];
/** Calls of the node fail while this is so. */
let isFaulty = false;
/** What went wrong with the node. */
const happened = { failedCalls: 0, blocksAnew: 0 };
let stage: LiveStage;

beforeAll(async () => {
  const env = { CROSSRAMP_HOME: home, DATABASE_URL: store.url, LOG_LEVEL: 'fatal', RATE_LIMIT: 'off' };
  stage = await setUpLive(env, (end) => ends.push(end), {
    providersOf: async (node) => {
      const proxies = [await startRpcProxy(node.url), await startRpcProxy(node.url)];
      for (const proxy of proxies) {
        ends.push(proxy.stop);
        proxy.fault = () => {
          if (!isFaulty || !random.chance(0.1)) return undefined;
          happened.failedCalls += 1;
          return random.pick(['before', 'after']);
        };
      }
      return proxies.map(({ url }) => url);
    },
  });
}, 180_000);
afterAll(async () => {
  for (const end of ends.toReversed()) await end();
});

test(`${ORDERS} live orders, ${KILLS} kills of each`, {
  timeout: 120_000 + REST_MS + KILLS * 60_000,
}, async () => {
  process.stderr.write(`live: SEED=${SEED} LIVE_ORDERS=${ORDERS} LIVE_KILLS=${KILLS}\n`);
  await control('PUT', '/faults', { seed: SEED, rules: FAULTS });
  isFaulty = true;
  const orders = Array.from({ length: ORDERS }, (_, n) => n);
  const client = async () => {
    for (let n = orders.shift(); n !== undefined; n = orders.shift()) await order(n);
  };
  let isOver = false;
  const chain = blocks(() => isOver);
  await Promise.all([...Array.from({ length: CLIENTS }, client), kills()]);
  isOver = true;
  await chain;
  isFaulty = false;
  await control('PUT', '/faults', { rules: [] });
  await rest();
  const { callbacks } = await control('GET', '/books');
  const found = await defects();
  const counts = { ...happened, callbacksLost: callbacks.lost, defects: found.length };
  process.stderr.write(`live: ${JSON.stringify(counts)}\n`);
  expect(found).toEqual([]);
});

const walletOf = (n: number) => `0x${(0xcc_0000 + n).toString(16).padStart(40, '0')}`;

/** One of three: delivered on the network, paid there, bought to the balance. */
async function order(n: number): Promise<void> {
  const customer = { client_name: 'Ana Souza', client_tax_id: cpfOf(n) };
  if (n % 3 === 1) {
    const payee = { pix_key: 'ana@example.com', pix_key_type: 'email' };
    const end2end = await create('/v2/offramp', n, {
      ...{ ...customer, ...payee, from: 'external' },
      ...{ amount_paid: '20', currency_entry_paid_code: CURRENCY },
    });
    return deposit(await placeOf(end2end, 'deposit_address'));
  }
  const end2end = await create('/v2/onramp', n, {
    ...{ ...customer, amount_payment: PRICE, currency_exit_received_code: CURRENCY },
    ...(n % 3 === 0 && { wallet: walletOf(n) }),
  });
  const { txid } = await placeOf(end2end, `process ->> 'txid'`);
  // Whoever pays has one PIX: asked again, it is the same.
  const endToEndId = `E99999999202611220000${String(n).padStart(11, '0')}`;
  await control('POST', '/pay', { txid, payerTaxId: cpfOf(n), amount: PRICE, endToEndId, wait: false });
}

interface Sought {
  readonly txid: string;
  readonly address: string;
  readonly amount: string;
}

/** Waits until a transaction has what it is paid by. */
async function placeOf(end2end: string, column: string): Promise<Sought> {
  for (;;) {
    const [row] = await rows(
      `select process ->> 'txid' as txid, deposit_address as address, exact_deposit_amount::text as amount
         from transaction where end2end = $1 and ${column} is not null`,
      [end2end],
    );
    if (row) return row as unknown as Sought;
    await sleep(100);
  }
}

const deposit = async ({ address, amount }: Pick<Sought, 'address' | 'amount'>) =>
  void (await stage.node.pay(PAYER, address, toMinor(amount, DECIMALS), CURRENCY));

/** Whose transfer was lost with its block sends it again. */
async function depositAgain(): Promise<void> {
  const open = await rows(
    `select deposit_address as address, exact_deposit_amount::text as amount from transaction where deposit_address is not null`,
  );
  for (const each of open as unknown as Sought[])
    if ((await stage.node.balance(each.address, CURRENCY)) === 0n) await deposit(each);
}

/** Asks under one key until there is an answer. */
async function create(path: string, n: number, body: object): Promise<string> {
  for (;;) {
    const heard = await ask(stage.gateway + path, stage.apiKey, { body, idempotencyKey: `live-${n}` });
    if (heard?.status === 201) return heard.json.end2end;
    if (heard && heard.status < 500 && heard.status !== 409 && heard.status !== 429)
      throw new Error(`${path} is answered ${heard.status}: ${heard.text}`);
    await sleep(100);
  }
}

/** Blocks come, and some are made anew without what was in them. */
async function blocks(isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    await stage.node.mine();
    if (random.chance(0.1)) {
      await stage.node.call('anvil_reorg', REORG_DEPTH, []);
      happened.blocksAnew += 1;
    }
    await sleep(200);
  }
}

/** One after the other, while the clients go on. */
async function kills(): Promise<void> {
  for (let kill = 0; kill < KILLS; kill++)
    for (const name of ['psp', 'signer', 'gateway'] as const) {
      await sleep(-Math.log(1 - random.next()) * LIFE_MS);
      // What a dead gateway holds is held for a while; that while has gone by when the next one starts.
      const killed = stage.kill(name);
      if (name === 'gateway') await forgetLeases();
      await killed;
    }
}

async function forgetLeases(): Promise<void> {
  await sleep(200);
  await store.owner.query('update job set leased_until = null');
  await store.owner.query('update idempotency_key set leased_until = clock_timestamp() where answer is null');
  await store.owner.query('update pix_cursor set free_at = least(free_at, clock_timestamp())');
  await store.owner.query(`update chain_network set leased_until = '2020-01-01'`);
}

/** Waits until nothing is left to be done. What waits for minutes has them gone by. */
async function rest(): Promise<void> {
  const until = Date.now() + REST_MS;
  const isOpen = async () => {
    const open = await rows(`select 1 from pix_order where is_done is null union all
      select 1 from rail_news where outcome = 'pending' union all select 1 from chain_order where ended_at is null`);
    return open.length + (await unfinished(store.owner)).length > 0;
  };
  do {
    await stage.node.mine(3);
    await depositAgain();
    await store.owner.query(`update pix_order set sent_at = sent_at - interval '61 seconds', ask_at = least(ask_at, clock_timestamp())
      where is_done is null`);
    await store.owner.query(
      `update rail_news set due_at = least(due_at, clock_timestamp()) where outcome = 'pending'`,
    );
    await store.owner.query(`update chain_order set due_at = '2020-01-01' where ended_at is null`);
    await sleep(1_500);
  } while ((await isOpen()) && Date.now() < until);
}

/** Everything in which bank, node and gateway do not agree, and everything that is not over. */
async function defects(): Promise<string[]> {
  const found: string[] = [];
  const agree = (what: string, here: readonly string[], there: readonly string[]) => {
    const [one, other] = [here.toSorted().join(), there.toSorted().join()];
    if (one !== other) found.push(`${what}: ${one} here, ${other} there`);
  };
  const books = await control('GET', '/books');
  const listed = async (sql: string) => (await rows(sql)).map(({ value }) => value as string);
  agree(
    'payments',
    await listed(`select substr(key, 5) as value from rail_news where kind = 'payment' and mode = 'live'`),
    books.received.map(({ endToEndId }: { endToEndId: string }) => endToEndId),
  );
  agree(
    'payouts',
    await listed(
      `select psp_id || ' ' || amount::numeric(20, 2)::text as value from pix_order where is_done`,
    ),
    books.payouts.map(({ id, amount }: { id: string; amount: string }) => `${id} ${amount}`),
  );
  const delivered = await rows(`select wallet as address, target_amount::text as amount
    from transaction where template = 'onramp_instant'`);
  const deposited = await rows(`select deposit_address as address, exact_deposit_amount::text as amount
    from transaction where template = 'offramp_instant'`);
  for (const { address, amount } of [...delivered, ...deposited]) {
    const there = await stage.node.balance(String(address), CURRENCY);
    if (there !== toMinor(String(amount), DECIMALS)) found.push(`${address}: ${amount} here, ${there} there`);
  }
  agree('orders', [String(ORDERS)], await listed('select count(*)::text as value from transaction'));
  for (const { end2end, step } of await unfinished(store.owner)) found.push(`${end2end} stands at ${step}`);
  const bad = await rows(`select end2end, component, state from transaction where component <> 'success'`);
  for (const each of bad) found.push(`not a success: ${JSON.stringify(each)}`);
  for (const each of (await verifyLedger(store.database, BigInt(stage.accountId))).defects)
    found.push(JSON.stringify(each));
  return found;
}

async function rows(sql: string, values: readonly unknown[] = []): Promise<Record<string, unknown>[]> {
  return (await store.owner.query(sql, [...values])).rows;
}

/** Asks the control server until it is there. */
// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
async function control(method: string, path: string, body?: object): Promise<any> {
  for (;;) {
    try {
      const response = await fetch(stage.control + path, {
        method,
        ...(body && { body: JSON.stringify(body) }),
      });
      if (response.ok) return await response.json();
      throw new Error(`${path}: ${response.status} ${await response.text()}`);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      await sleep(50);
    }
  }
}
