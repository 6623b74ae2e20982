/**
 * How long somebody waits who used to wait for seconds: for the first frame of a stream, for the end of a stream whose key is
 * revoked, for a webhook that is sent by hand to an endpoint whose breaker is open. A gateway as a process, over HTTP.
 *
 * `npm run waits -- --times 20`
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { newHome } from '../test/support/home.ts';
import { startMortalPostgres } from '../test/support/mortal-postgres.ts';
import { start } from '../test/support/process.ts';
import { goal, publish } from './report.ts';

const { values } = parseArgs({ options: { times: { type: 'string', default: '20' } } });
const TIMES = Number(values.times);
const ms = (value: number) => value.toFixed(1);

const receiver = createServer((request, response) => request.resume().on('end', () => response.end()));
receiver.listen(0, '127.0.0.1');
await once(receiver, 'listening');
const hook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
const postgres = await startMortalPostgres();
const place = newHome();
const env = { DATABASE_URL: postgres.url, CROSSRAMP_HOME: place.home, RATE_LIMIT: 'off', LOG_LEVEL: 'warn' };
const gateway = await start(env, '--sandbox');
const client = new pg.Client({ connectionString: postgres.url });
await client.connect();
const { apiKey } = JSON.parse(readFileSync(join(place.home, 'sandbox.json'), 'utf8'));
try {
  const rows: [string, number[]][] = [];
  for (const name of ['events { cursor }', 'statementEntryAdded { cursor }', 'balanceChanged { cursor }']) {
    const query = `subscription { ${name} }`;
    rows.push([`first frame of \`${name.split(' ')[0]}\``, await each(() => firstFrame(query))]);
  }
  rows.push(['end of a stream after its key is revoked', await each(revoked)]);
  const {
    createWebhookEndpoint: { webhookEndpoint: endpoint },
  } = await query(
    `mutation { createWebhookEndpoint(input: { url: "${hook}" }) { webhookEndpoint { id: endpointId } errors { code message path } } }`,
  );
  await checkout();
  rows.push(['a test webhook while the breaker is open', await each(() => manual(endpoint.id))]);
  const told = rows.map(([what, times]) => {
    const sorted = times.toSorted((left, right) => left - right);
    return { what, median: sorted[sorted.length >> 1] as number, most: sorted.at(-1) as number };
  });
  const headings = ['What', 'Times', 'Median, ms', 'Longest, ms'];
  const lines = told.map(({ what, median, most }) => [what, String(TIMES), ms(median), ms(most)]);
  const goals = told.map(({ what, most }) => goal(10, `${what}, ms, the longest`, { most: 1_000 }, most, ms));
  publish({ goals, sections: [{ title: 'Waits', headings, rows: lines }] }, false);
} finally {
  await gateway.end('SIGTERM');
  await client.end();
  await postgres.remove();
  place.remove();
  receiver.close();
}

async function each(measure: () => Promise<number>): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < TIMES; n++) times.push(await measure());
  return times;
}

async function query(query: string) {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const answer = await fetch(`${gateway.baseUrl}/graphql`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ query }),
  });
  const { data, errors } = (await answer.json()) as { data: Record<string, { id: string }>; errors?: object };
  if (errors) throw new Error(JSON.stringify(errors));
  return data as never as {
    createWebhookEndpoint: { webhookEndpoint: { id: string } };
    createApiKey: { issuedApiKey: { apiKey: string; key: { keyId: string } } };
  };
}

/** So that there is an event. */
async function checkout(): Promise<void> {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ amount_payment: 150, currency_exit_received_code: 'USDT_TRX' });
  const { ok } = await fetch(`${gateway.baseUrl}/v2/crossramp_checkout`, { method: 'POST', headers, body });
  if (!ok) throw new Error('no checkout');
}

async function subscribe(query: string, key: string, signal: AbortSignal) {
  const headers = { authorization: `Bearer ${key}`, accept: 'text/event-stream' };
  const { body } = await fetch(`${gateway.baseUrl}/graphql?${new URLSearchParams({ query })}`, {
    headers,
    signal,
  });
  if (!body) throw new Error('a stream has a body');
  return body.getReader();
}

/** Until the frame that has an id, from which a client goes on. */
async function firstFrame(query: string): Promise<number> {
  const control = new AbortController();
  const begun = performance.now();
  const reader = await subscribe(query, apiKey, control.signal);
  for (let text = ''; !/^id: /m.test(text); )
    text += Buffer.from((await reader.read()).value ?? []).toString();
  const took = performance.now() - begun;
  control.abort();
  return took;
}

async function revoked(): Promise<number> {
  const made = await query(
    'mutation { createApiKey(input: { name: "waits", scopes: ["read"] }) { issuedApiKey { apiKey key { keyId } } errors { code message path } } }',
  );
  const { apiKey: own, key } = made.createApiKey.issuedApiKey;
  const reader = await subscribe('subscription { events { cursor } }', own, new AbortController().signal);
  await reader.read();
  await query(
    `mutation { revokeApiKey(input: { keyId: "${key.keyId}" }) { apiKey { keyId } errors { code message path } } }`,
  );
  const begun = performance.now();
  while (!(await reader.read()).done);
  return performance.now() - begun;
}

async function manual(id: string): Promise<number> {
  await client.query(
    `update webhook_endpoint set consecutive_failures = 12, failing_since = now(), blocked_until = now() + interval '1 hour' where id = $1`,
    [id],
  );
  const begun = performance.now();
  const came = once(receiver, 'request');
  await query(
    `mutation { sendTestWebhook(input: { endpointId: "${id}" }) { webhookDelivery { id: deliveryId } errors { code message path } } }`,
  );
  await came;
  return performance.now() - begun;
}
