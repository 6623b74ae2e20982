/**
 * Goal: reads stay cheap. Method: counts that are the same on every machine: statements that are sent for one request, and memory
 * that the process allocates for it, by the sampling profiler of V8, which counts what is collected at once, too. Clients are a
 * thread of their own, whose memory is not counted.
 */
import { IncomingMessage } from 'node:http';
import { Worker } from 'node:worker_threads';
import { expect, test, vi } from 'vitest';
import { allocated } from './support/allocated.ts';
import { useApp } from './support/app.ts';
import { beginCount, counted } from './support/count-statements.ts';
import { unpinned } from './support/hot-statements.ts';

// Each answer is read anew: what is kept costs less still. No worker: what it does has nothing to do with reads.
const app = useApp({ rateLimit: null, answersBytesMax: 0, role: 'serve' });

const PAGE = `{ transactions(families: ONRAMPS, first: 20) { totalCount edges { node {
  end2end state status { en pt } ... on Onramp { quote fees amountPayment amountReceived clientName } } } } }`;
const LINES = `{ statement(first: 20) { totalCount edges { node {
  number date debit credit balance ledgerAccount { name code } transaction { end2end state } } } } }`;
/** What a request may cost: statements, and the bytes that it may allocate, about two and a half times what it does now. */
const READS: readonly (readonly [
  name: string,
  path: string,
  query: string | null,
  statements: number,
  bytes: number,
])[] = [
  ['a list over REST', '/v2/onramps?limit=20', null, 1, 150_000],
  ['the statement over REST', '/v2/statement?limit=20', null, 1, 380_000],
  ['balances over REST', '/v2/balance', null, 2, 120_000],
  ['a list over GraphQL', '/graphql', PAGE, 1, 165_000],
  ['the statement over GraphQL', '/graphql', LINES, 1, 325_000],
];
/** So often before anything is counted: statements are prepared, documents compiled. */
const WARM_UPS = 100;
const REQUESTS = 100;
const CLIENT = `
const { Agent, request } = require('node:http');
const { parentPort } = require('node:worker_threads');
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const ask = (url, key, body) => new Promise((resolve, reject) => {
  const headers = { authorization: 'Bearer ' + key, ...(body && { 'content-type': 'application/json' }) };
  const call = request(url, { agent, method: body ? 'POST' : 'GET', headers }, (response) => {
    response.resume().on('end', () => response.statusCode === 200 ? resolve() : reject(new Error(String(response.statusCode))));
  });
  call.on('error', reject).end(body);
});
parentPort.on('message', async ({ url, key, body, times }) => {
  try {
    for (let n = 0; n < times; n += 1) await ask(url, key, body);
    parentPort.postMessage('done');
  } catch (error) {
    parentPort.postMessage(String(error));
  }
});`;

/** Runs work with a client of its own, which asks for something so often. */
async function withClient(
  path: string,
  query: string | null,
  work: (ask: (times: number) => Promise<void>) => Promise<void>,
): Promise<void> {
  const client = new Worker(CLIENT, { eval: true });
  const body = query === null ? undefined : JSON.stringify({ query });
  try {
    await work(async (times) => {
      const answer = new Promise((resolve) => client.once('message', resolve));
      client.postMessage({ url: `${app.baseUrl}${path}`, key: app.apiKey, body, times });
      expect(await answer).toBe('done');
    });
  } finally {
    await client.terminate();
  }
}

test.each(READS)('%s: statements and memory', (name, path, query, statements, most) =>
  withClient(path, query, async (ask) => {
    await ask(WARM_UPS);
    beginCount();
    await ask(1);
    const { statements: sent, byName } = counted();
    const bytes = (await allocated(() => ask(REQUESTS))) / REQUESTS;
    if (process.env.COUNT === '1') process.stdout.write(`${name}: ${Math.round(bytes)} bytes\n`);
    expect(sent, [...byName.keys()].join()).toBeLessThanOrEqual(statements);
    expect(unpinned(byName.keys())).toEqual([]);
    expect(bytes).toBeLessThan(most);
  }));

test('a body that arrives with its head is read immediately, and not as a stream', () =>
  withClient('/graphql', PAGE, async (ask) => {
    const emit = vi.spyOn(IncomingMessage.prototype, 'emit');
    await ask(REQUESTS);
    const ended = emit.mock.calls.filter(([event]) => event === 'end').length;
    emit.mockRestore();
    expect(ended).toBe(0);
  }));
