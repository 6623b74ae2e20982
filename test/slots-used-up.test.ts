/**
 * Goal: a server without a free slot for a connection makes answers and `/readyz` agree, and the gateway works again without a restart as
 * soon as there is one (C-51). Method: the gateway as a process on PostgreSQL, whose slots others take: those that are free, or all, also
 * those that the gateway had. SLOTS_SECONDS=30 for the full run, which has limits of time.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  BACK_MAX_MS,
  DISAGREEMENT_MAX_MS,
  disagreementOf,
  type Sampled,
  sample,
  sampleUntil,
  sampleUntilSteady,
} from './support/availability.ts';
import { newHome } from './support/home.ts';
import { type MortalPostgres, startMortalPostgres } from './support/mortal-postgres.ts';
import { type Running, start } from './support/process.ts';

const SECONDS = Number(process.env.SLOTS_SECONDS ?? 5);
const IS_FULL = SECONDS >= 30;
const TAKER = 'taker';
const RETRY_MS = 5;
/** Attempts of the takers side by side: more than the gateway makes. */
const ABREAST = 16;

const place = newHome();
let postgres: MortalPostgres;
let gateway: Running;
let apiKey = '';

beforeAll(async () => {
  postgres = await startMortalPostgres();
  gateway = await start({
    DATABASE_URL: postgres.url,
    DATABASE_CONNECTIONS: '10',
    SANDBOX: '1',
    CROSSRAMP_HOME: place.home,
    RATE_LIMIT: 'off',
    LOG_LEVEL: 'fatal',
  });
  apiKey = JSON.parse(readFileSync(join(place.home, 'sandbox.json'), 'utf8')).apiKey;
}, 180_000);
afterAll(async () => {
  gateway?.child.kill('SIGKILL');
  await postgres?.remove();
  place.remove();
}, 60_000);

/** Others, who take each slot that is free, also one that becomes free later. */
class Takers {
  readonly #url: string;
  readonly #open = new Set<pg.Client>();
  #isOver = false;
  #wasRefused = false;
  readonly #loops: Promise<void>[];

  constructor(url: string) {
    this.#url = url;
    this.#loops = Array.from({ length: ABREAST }, () => this.#take());
  }

  get size(): number {
    return this.#open.size;
  }

  /** Whether the server has refused a connection. */
  get isFull(): boolean {
    return this.#wasRefused;
  }

  /** Ends sessions that are not of theirs until none comes back. */
  async endOthers(): Promise<void> {
    const [any] = this.#open;
    for (let quiet = 0; quiet < 5; ) {
      const found = await any?.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where backend_type = 'client backend' and application_name <> '${TAKER}'`,
      );
      quiet = found?.rowCount === 0 ? quiet + 1 : 0;
      await sleep(RETRY_MS);
    }
  }

  async leave(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#loops);
    await Promise.all([...this.#open].map((client) => client.end()));
  }

  async #take(): Promise<void> {
    while (!this.#isOver) {
      const client = new pg.Client({ connectionString: this.#url, application_name: TAKER });
      client.on('error', () => this.#open.delete(client));
      const isIn = await client.connect().then(
        () => true,
        () => false,
      );
      if (isIn) this.#open.add(client);
      else {
        this.#wasRefused = true;
        await sleep(RETRY_MS);
      }
    }
  }
}

test.each([
  ['those that are free', false],
  ['all, also those of the gateway', true],
])(
  'C-51: when others take the slots of the server (%s), answers and /readyz agree, and all works again after it',
  async (which, takesAll) => {
    const sampled: Sampled = { baseUrl: gateway.baseUrl, apiKey, isTimed: IS_FULL, seen: new Set() };
    expect(await sample(sampled)).toMatchObject({ works: true, isReady: true });
    const takers = new Takers(postgres.url);
    await expect.poll(() => takers.isFull).toBe(true);
    if (takesAll) await takers.endOthers();
    const untilMs = performance.now() + SECONDS * 1_000;
    const during = await sampleUntil(sampled, () => performance.now() >= untilMs);
    const taken = takers.size;
    await takers.leave();
    const { samples: after, isSteady, backMs } = await sampleUntilSteady(sampled);
    const disagreementMs = disagreementOf([...during, ...after]);
    const failed = during.filter(({ works }) => !works).length;
    const summary = {
      which,
      seconds: SECONDS,
      taken,
      samples: during.length,
      failed,
      disagreementMs,
      backMs,
    };
    process.stderr.write(`slots used up: ${JSON.stringify(summary)}\n`);
    expect(isSteady).toBe(true);
    if (takesAll) expect(during.some(({ works, isReady }) => !works && !isReady)).toBe(true);
    expect([...sampled.seen].filter((status) => ![200, 201, 503].includes(status))).toEqual([]);
    expect(gateway.child.exitCode).toBeNull();
    if (!IS_FULL) return;
    expect(disagreementMs).toBeLessThanOrEqual(DISAGREEMENT_MAX_MS);
    expect(backMs).toBeLessThanOrEqual(BACK_MAX_MS);
  },
  SECONDS * 1_000 + 180_000,
);
