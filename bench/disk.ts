/**
 * Disk that a whole onramp takes, by table with its indexes: made over REST, paid by the sandbox's customer, credited, and its
 * events delivered to a webhook of this machine. On a fresh database, after `vacuum full`.
 *
 * `npm run disk -- --onramps 500`
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { newHome } from '../test/support/home.ts';
import { startMortalPostgres } from '../test/support/mortal-postgres.ts';
import { start } from '../test/support/process.ts';
import { goal, publish } from './report.ts';
import { count } from './table.ts';

const { values } = parseArgs({ options: { onramps: { type: 'string', default: '500' } } });
const ONRAMPS = Number(values.onramps);
const CALLERS = 8;
const LEFT = `select (select count(*) from transaction where component <> 'success')
  + (select count(*) from event e where not exists (select from webhook_delivery d
       where d.account_id = e.account_id and d.event_seq = e.seq and d.state = 'delivered')) as n`;
const SIZES = `select split_part(relid::regclass::text, '_2', 1) as name, sum(pg_relation_size(relid))::int as heap,
    sum(pg_indexes_size(relid))::int as indexes, sum(pg_total_relation_size(relid))::int as total
  from pg_stat_user_tables group by 1 order by total desc`;

const receiver = createServer((request, response) => request.resume().on('end', () => response.end()));
receiver.listen(0, '127.0.0.1');
await once(receiver, 'listening');
const webhook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
const postgres = await startMortalPostgres();
const place = newHome();
const env = { DATABASE_URL: postgres.url, CROSSRAMP_HOME: place.home, RATE_LIMIT: 'off', LOG_LEVEL: 'warn' };
const gateway = await start(env, '--sandbox');
const client = new pg.Client({ connectionString: postgres.url });
await client.connect();
try {
  await sizes();
  const before = await sizes();
  const { apiKey } = JSON.parse(readFileSync(join(place.home, 'sandbox.json'), 'utf8'));
  const post = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${apiKey}`, 'idempotency-key': randomUUID() };
    const init = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' } };
    const answer = await fetch(`${gateway.baseUrl}${path}`, { ...init, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as { end2end: string };
  };
  const order = { amount_payment: 20, currency_exit_received_code: 'USDT_TRX', client_name: 'Ana Souza' };
  const caller = async (_: unknown, n: number) => {
    for (let at = n; at < ONRAMPS; at += CALLERS) {
      const { end2end } = await post('/v2/onramp', { ...order, client_tax_id: '52998224725', webhook });
      await post('/v2/sandbox/trigger', { scenario: 'pay', end2end });
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  while (Number((await client.query(LEFT)).rows[0].n) > 0) await delay(200);
  const after = await sizes();
  const rows = [...after].map(([name, size]) => {
    const old = before.get(name);
    const of = (kind: 'heap' | 'indexes' | 'total') => (size[kind] - (old?.[kind] ?? 0)) / ONRAMPS;
    return { name, heap: of('heap'), indexes: of('indexes'), total: of('total') };
  });
  const shown = rows.filter(({ total }) => total >= 1);
  const sum = shown.reduce((all, { total }) => all + total, 0);
  const headings = ['Table', 'Rows, bytes', 'Indexes, bytes', 'All, bytes'];
  const lines = [
    ...shown.map(({ name, heap, indexes, total }) => [name, ...[heap, indexes, total].map(count)]),
    ['all', '', '', count(sum)],
  ];
  const title = 'Disk of an onramp';
  const most = { most: 9_450 };
  const goals = [goal(10, 'disk of a whole onramp, bytes', most, sum, count)];
  publish({ goals, sections: [{ title, headings, rows: lines }] }, false);
} finally {
  await gateway.end('SIGTERM');
  await client.end();
  await postgres.remove();
  place.remove();
  receiver.close();
}

async function sizes() {
  await client.query('vacuum full');
  const { rows } = await client.query<{ name: string; heap: number; indexes: number; total: number }>(SIZES);
  return new Map(rows.map((row) => [row.name, row]));
}
