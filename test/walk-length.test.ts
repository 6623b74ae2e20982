/** How many files a reader of `POST /v2/onramp` walks through is not more than ARCHITECTURE.md says. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { useApp } from './support/app.ts';
import { newHome } from './support/home.ts';
import { type Running, start } from './support/process.ts';
import { walkOf } from './support/walk-of-a-request.ts';

const app = useApp({ role: 'serve' });
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
  const files = await walkOf(create);
  const allowed = Number(/walk of `POST \/v2\/onramp` has (\d+) files/.exec(ARCHITECTURE)?.[1]);
  expect(files.length, files.join('\n')).toBeLessThanOrEqual(allowed);
});
