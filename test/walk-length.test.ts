/** The walks of a reader through `POST /v2/onramp` and through the report of a payment are not longer than ARCHITECTURE.md says. */
import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ProcessRow } from '../src/templates/facts.ts';
import { inboundOf, pixFor } from './resolvers/inbound/support.ts';
import { useApp } from './support/app.ts';
import { newHome } from './support/home.ts';
import { type Running, start } from './support/process.ts';
import { stopsOf, walkOf } from './support/walk-of-a-request.ts';

const app = useApp({ role: 'serve' });
const inbound = inboundOf(app);
const place = newHome();
let worker: Running;

// What the worker does meanwhile is none of the walk: it works in a process of its own.
beforeAll(async () => {
  worker = await start({ DATABASE_URL: app.url, ROLE: 'work', CROSSRAMP_HOME: place.home });
}, 60_000);
afterAll(async () => {
  await worker?.end('SIGTERM');
  place.remove();
});

const ARCHITECTURE = readFileSync(new URL('../ARCHITECTURE.md', import.meta.url), 'utf8');
const BODY = {
  amount_payment: 100,
  currency_exit_received_code: 'USDT_TRX',
  client_name: 'Ana Souza',
  client_tax_id: '52998224725',
};

it('a request goes through no more files than ARCHITECTURE.md says', async () => {
  const create = async () => expect((await app.post('/v2/onramp', BODY)).status).toBe(201);
  // Once before: what is kept after the first request is none of the walk.
  await create();
  const allowed = Number(/walk of `POST \/v2\/onramp` has (\d+) files/.exec(ARCHITECTURE)?.[1]);
  // Timers of other files of this process may come in between: the shortest of ten is the walk.
  let files = await walkOf(create);
  for (let attempts = 1; attempts < 10 && files.length > allowed; attempts++) {
    const walk = await walkOf(create);
    if (walk.length < files.length) files = walk;
  }
  expect(files.length, files.join('\n')).toBeLessThanOrEqual(allowed);
});

/** Where a rail event is matched and turned into a step. */
const OF_EVENTS = /^(resolvers\/(inbound|rails)|rails|templates)\//;
/** What every trigger passes through, also that of a creation, and the clock of the sandbox. */
const OF_ALL_TRIGGERS = /^(templates\/(machine|registry|effects)|rails\/sandbox\/clock)\.ts$/;

it('the report of a payment goes through no more functions than ARCHITECTURE.md says', async () => {
  // The first report is none of the walk, as with the request.
  await app.services.receive(pixFor(await charged()));
  const payment = pixFor(await charged());
  const all = await stopsOf(async () =>
    expect(await app.services.receive(payment)).toMatchObject({ outcome: 'step' }),
  );
  const stops = all.filter(({ path }) => OF_EVENTS.test(path) && !OF_ALL_TRIGGERS.test(path));
  const allowed = Number(/walk of a payment's report has (\d+) stops/.exec(ARCHITECTURE)?.[1]);
  const names = stops.map(({ path, name }) => `${path} ${name}`);
  expect(stops.length, names.join('\n')).toBeLessThanOrEqual(allowed);
});

async function charged(): Promise<ProcessRow> {
  const row = await inbound.onramp(app);
  for (;;) {
    const now = await inbound.rowOf(row.end2end);
    if (now.process?.brCode !== undefined) return now;
    await setTimeout(20);
  }
}
