/**
 * Goal: thousands may follow an account in one process. Method: what the heap holds for each of many idle subscribers after a
 * collection, which is the same on every machine. Clients are a thread of their own, whose heap is another one.
 */
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { useApp } from './support/app.ts';
import { heldMemory } from './support/held-memory.ts';

const app = useApp({ rateLimit: null, role: 'serve' });

const WARM_UP = 200;
const SUBSCRIBERS = 800;
/** A fifth more than what each takes now. */
const BYTES_MAX = 9_000;
const QUERY =
  'subscription { events { cursor ... on TransactionEvent { name body: legacyBody transaction { end2end state } } } }';

const CLIENTS = `
const { connect } = require('node:net');
const { parentPort } = require('node:worker_threads');
let sockets = [];
const open = (port, request) => new Promise((resolve, reject) => {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  socket.setEncoding('latin1').on('error', reject).on('data', (part) => {
    text += part;
    if (text.includes('event: next')) resolve();
  });
  socket.write(request);
  sockets.push(socket);
});
parentPort.on('message', async ({ port, request, count }) => {
  try {
    if (count === 0) for (const socket of sockets.splice(0)) socket.destroy();
    for (let n = 0; n < count; n += 50) await Promise.all(Array.from({ length: 50 }, () => open(port, request)));
    parentPort.postMessage('done');
  } catch (error) {
    parentPort.postMessage(String(error));
  }
});`;

test('an idle subscriber holds little more than its connection', { timeout: 60_000 }, async () => {
  const clients = new Worker(CLIENTS, { eval: true });
  const body = JSON.stringify({ query: QUERY });
  const head = `POST /graphql HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${app.apiKey}\r\nAccept: text/event-stream`;
  const request = `${head}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const open = async (count: number) => {
    const answer = new Promise((resolve) => clients.once('message', resolve));
    clients.postMessage({ port: Number(new URL(app.baseUrl).port), request, count });
    expect(await answer).toBe('done');
  };
  try {
    await open(WARM_UP);
    await open(0);
    await expect.poll(() => app.services.events.size, { timeout: 15_000 }).toBe(0);
    const { heap: before } = await heldMemory();
    await open(SUBSCRIBERS);
    const bytes = ((await heldMemory()).heap - before) / SUBSCRIBERS;
    if (process.env.COUNT === '1') process.stdout.write(`a subscriber: ${Math.round(bytes)} bytes\n`);
    expect(bytes).toBeLessThan(BYTES_MAX);
  } finally {
    await clients.terminate();
  }
});
