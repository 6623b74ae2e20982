/**
 * Goal: nothing that the gateway promised is lost, doubled or left halfway, whenever its process dies. Method: the
 * gateway as a process on a database that lives on, under load from 16 clients; it gets SIGKILL at random moments and
 * is started again. Clients ask again under the same key for what has no answer. In the end everything is let come to
 * rest, and what was promised is compared with what there is. KILLS=200 for more, SEED to choose the moments again.
 */
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PLATFORM_SCOPES, SCOPES } from '../src/base/access/api-key.ts';
import { createKey } from '../src/resolvers/account/manage-keys.ts';
import { createAccount, platformAccount } from '../src/store/account/accounts.ts';
import { REGISTRY } from '../src/templates/index.ts';
import { outlast } from './support/change-unlocked.ts';
import { advanceClock, audit, comeToRest, type Standing } from './support/crash.ts';
import { useDatabase } from './support/database.ts';
import { freePort } from './support/free-port.ts';
import { fundAccount } from './support/fund-account.ts';
import { newHome } from './support/home.ts';
import {
  allowWithdrawals,
  attempt,
  type Heard,
  type Intent,
  type Merchant,
  newIntent,
  nextAct,
  query,
  type Random,
  randomOf,
} from './support/load.ts';
import { type Running, start } from './support/process.ts';

const KILLS = Number(process.env.KILLS ?? 8);
const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
const CLIENTS = 16;
const FUNDS = ['2000', '1000000', '1000000'];
/** Mean time that a process lives, and the share of outages that outlast every lease. */
const LIFE_MS = 900;
const LIFE_MAX_MS = 4_000;
const LONG_OUTAGE_SHARE = 0.2;
/** How often an answered creation is asked for once more, and how many unanswered ones a client has at a time. */
const REPEATED_SHARE = 0.1;
const UNANSWERED_MAX = 20;
/** Turns of a client once no more is killed: far more than its unanswered ones need. */
const ATTEMPTS_MAX = 2_000;
const REST_MS = 180_000 + KILLS * 1_000;

const store = useDatabase();
const place = newHome();
const intents: Intent[] = [];
/** Answers that no creation or act should get. */
const surprises: string[] = [];
const merchants: Merchant[] = [];
let platformKey: string;
let gateway: Running;
let baseUrl: string;
let env: Record<string, string>;
let isOver = false;
/** Moment of the database before the last restart. */
let restartedAt: string;
/** Clients know when it is down, as by a health check: most that has no answer was under way at a kill. */
let isUp = true;

beforeAll(async () => {
  const port = await freePort();
  baseUrl = `http://127.0.0.1:${port}`;
  env = {
    CROSSRAMP_HOME: place.home,
    DATABASE_URL: store.url,
    SANDBOX: '1',
    PORT: String(port),
    RATE_LIMIT: 'off',
    LOG_LEVEL: 'error',
  };
  // The first one is short of money.
  for (const funds of FUNDS) merchants.push(await newMerchant(funds));
  const options = { name: 'operator', scopes: PLATFORM_SCOPES, expiresAt: null, allowedCidrs: [] };
  const platform = await platformAccount(store.database, 'sandbox');
  platformKey = (await createKey(store.database, platform, options)).apiKey;
  gateway = await start(env);
});
afterAll(async () => {
  await gateway?.end('SIGTERM');
  place.remove();
});

test(
  `${KILLS} kills under load`,
  async () => {
    process.stderr.write(`crash: SEED=${SEED} KILLS=${KILLS}\n`);
    const begun = Date.now();
    const clients = Array.from({ length: CLIENTS }, (_, n) => client(n));
    await killAndRestart(randomOf(SEED));
    await outliveTheDead();
    isOver = true;
    await Promise.all(clients);
    await comeToRest(store.owner, { baseUrl, merchants, platformKey, patienceMs: REST_MS });
    const { defects, ...counts } = await audit(store.database, store.owner, read);
    const found = [...surprises, ...defects, ...(await promiseDefects())];
    const seconds = Math.round((Date.now() - begun) / 1_000);
    const askedAgain = intents.filter(({ asked }) => asked > 1).length;
    const summary = {
      kills: KILLS,
      creations: intents.length,
      askedAgain,
      ...counts,
      defects: found.length,
      seconds,
    };
    process.stderr.write(`crash: ${JSON.stringify(summary)}\n`);
    // In full: a report of the run shortens what an assertion compares.
    for (const defect of found) process.stderr.write(`crash: SEED=${SEED} defect: ${defect}\n`);
    expect(counts.transactions).toBeGreaterThan(KILLS);
    expect(found).toEqual([]);
  },
  360_000 + KILLS * 10_000,
);

async function newMerchant(amount: string): Promise<Merchant> {
  const templates = REGISTRY.templates.map(({ name }) => name);
  const accountId = await createAccount(store.database, 'Merchant', { templates });
  for (const currency of ['USDT_TRX', 'BRL'])
    await fundAccount(store.database, accountId, { currency, amount });
  const groups = await allowWithdrawals(store.owner, accountId, '250');
  const keys = await Promise.all(
    ['first', 'second'].map((name) =>
      createKey(store.database, accountId, {
        name,
        scopes: SCOPES,
        expiresAt: null,
        allowedCidrs: [],
      }),
    ),
  );
  const [first, second] = keys.map(({ apiKey }) => apiKey) as [string, string];
  return { accountId, keys: [first, second], groups };
}

async function killAndRestart(random: Random): Promise<void> {
  for (let kill = 1; kill <= KILLS; kill++) {
    await setTimeout(Math.min(-Math.log(1 - random.next()) * LIFE_MS, LIFE_MAX_MS));
    const ended = gateway.end('SIGKILL');
    isUp = false;
    await ended;
    restartedAt = await clockOfDatabase();
    if (random.chance(LONG_OUTAGE_SHARE)) await outlastLeases();
    gateway = await start(env);
    isUp = true;
  }
}

/** What the dead hold is held for a while: what should come after it comes first. Then their leases are over. */
async function outliveTheDead(): Promise<void> {
  for (const _ of Array.from({ length: 5 })) {
    await advanceClock(baseUrl, platformKey, '3s');
    await setTimeout(500);
  }
  await outlastLeases();
}

async function clockOfDatabase(): Promise<string> {
  const { rows } = await store.owner.query('select clock_timestamp()::text as now');
  return rows[0].now;
}

/** As if the leases that were taken before the last start had ended. */
function outlastLeases(): Promise<void> {
  return outlast(
    store.owner,
    [
      ['job', 'true', 6],
      ['idempotency_key', 'answer is null', 15],
    ],
    restartedAt,
  );
}

/** Creates, acts on what it created, and asks again for what was not answered, until it is over and all is answered. */
async function client(n: number): Promise<void> {
  const random = randomOf(SEED + 1 + n);
  const merchant = merchants[n % merchants.length] as Merchant;
  const unanswered: Intent[] = [];
  const made: { path: string; end2end: string }[] = [];
  let attempts = 0;
  while (!isOver || unanswered.length > 0) {
    if (isOver && ++attempts > ATTEMPTS_MAX)
      throw new Error(`${unanswered.length} are not answered: ${JSON.stringify(unanswered[0])}`);
    if (!isUp) {
      await setTimeout(20);
      continue;
    }
    const again = unanswered.length > 0 && (isOver || random.chance(0.4)) ? unanswered.shift() : undefined;
    const isFull = isOver || unanswered.length >= UNANSWERED_MAX;
    if (!again && !isFull && random.chance(0.35)) intents.push(newIntent(random, merchant));
    const intent = again ?? (intents.at(-1)?.asked === 0 ? intents.at(-1) : undefined);
    if (intent) {
      if (await attempt(baseUrl, intent)) noteCreation(intent, made);
      else {
        unanswered.push(intent);
        await setTimeout(50);
      }
    } else if (made.length > 0) {
      await action(random, merchant, random.pick(made));
    } else await setTimeout(20);
    const last = intents.at(-1);
    if (last?.heard && random.chance(REPEATED_SHARE)) await repeat(last);
  }
}

const REFUSALS = ['INSUFFICIENT_BALANCE', 'LIMIT_EXCEEDED'];
/** Where an onramp is while it cannot be paid yet: nobody is answered there. */
const UNREADY = /^(valida_id|valida_id_v2|kyc_payee)\/INITIAL$/;

function noteCreation({ path, body, heard }: Intent, made: { path: string; end2end: string }[]): void {
  const { status, text, json } = heard as Heard;
  if (status === 201) {
    made.push({ path, end2end: json.end2end });
    if (made.length > 30) made.shift();
    const step = `${json.component}/${json.state}`;
    if (body.from !== 'balance' && UNREADY.test(step))
      surprises.push(`${json.end2end} is answered at ${step}, before it can be paid`);
  } else if (!REFUSALS.includes(json.code)) surprises.push(`${path} answers ${status}: ${text}`);
}

async function action(random: Random, merchant: Merchant, made: { path: string; end2end: string }) {
  if (random.chance(0.02)) {
    await query(`${baseUrl}/v2/sandbox/clock`, platformKey, {
      body: { advance: `${random.integer(1, 30)}s` },
    });
    return;
  }
  const { path, body, keyIndex } = nextAct(random, made);
  const heard = await query(baseUrl + path, merchant.keys[keyIndex], { body });
  if (heard && ![200, 409, 503].includes(heard.status) && !REFUSALS.includes(heard.json.code))
    surprises.push(`${path} ${JSON.stringify(body)} answers ${heard.status}: ${heard.text}`);
}

/** The same key gives the same answer, however often the process died since. */
async function repeat(intent: Intent): Promise<void> {
  const { merchant, path, body, key, heard } = intent;
  const again = await query(baseUrl + path, merchant.keys[0], { body, idempotencyKey: key });
  if (!again || again.status === 503) return;
  const isSame = heard?.status === 201 ? again.text === heard.text : again.json.code === heard?.json.code;
  if (!isSame || again.headers.get('idempotent-replayed') !== 'true')
    surprises.push(`${key} answered ${heard?.text}, and then ${again.status} ${again.text}`);
}

async function read({ accountId, end2end, template }: Standing): Promise<string> {
  const single = PATHS[REGISTRY.find(template)?.family ?? ''];
  const key = merchants.find((merchant) => merchant.accountId === accountId)?.keys[0] as string;
  for (let attempts = 0; attempts < 10; attempts++) {
    const heard = await query(`${baseUrl}/v2/${single}/${end2end}`, key);
    if (heard && heard.status !== 503) return heard.text;
    await setTimeout(200);
  }
  return 'nothing';
}

const PATHS: Readonly<Record<string, string>> = {
  checkouts: 'crossramp_checkout',
  onramps: 'onramp',
  offramps: 'offramp',
  withdrawals: 'withdrawal',
};

/** I9: what was acknowledged is there once, what was refused is not there, and every key made one thing at most. */
async function promiseDefects(): Promise<string[]> {
  const { rows } = await store.owner.query<{ marker: string; account_id: string; end2ends: string[] }>(
    `select substring(coalesce(external_code, notes) from '^load-[0-9a-f-]+') as marker, account_id::text,
            array_agg(end2end) as end2ends
       from transaction group by 1, 2`,
  );
  const found: string[] = [];
  const madeOf = new Map(rows.map((row) => [row.marker, row]));
  for (const { marker, key, heard, merchant } of intents) {
    const made = madeOf.get(marker)?.end2ends ?? [];
    const promised = heard?.status === 201 ? [heard.json.end2end] : [];
    if (!heard) found.push(`${key} was never answered`);
    else if (String(made) !== String(promised))
      found.push(`${key} answered ${heard.status} ${promised}, there is ${made.length ? made : 'nothing'}`);
    if (made.length > 0 && madeOf.get(marker)?.account_id !== String(merchant.accountId))
      found.push(`${key} made something for another account`);
  }
  const known = new Set(intents.map(({ marker }) => marker));
  found.push(
    ...rows.filter(({ marker }) => !known.has(marker)).map(({ end2ends }) => `${end2ends}: of nobody`),
  );
  const bound = await store.owner.query<{ key: string }>(
    `select k.key from idempotency_key k left join transaction t on t.account_id = k.account_id and t.end2end = k.end2end
      where k.status = 201 and (k.end2end is null or t.id is null or k.answer not like '%' || k.end2end || '%')`,
  );
  found.push(...bound.rows.map(({ key }) => `${key} is bound to something else than its answer`));
  return found;
}
