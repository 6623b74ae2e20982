/**
 * Goal: a connection on which nothing moves is closed, but for one whose request is being worked on. Method: a server whose handler
 * answers when the test says so. Connections are closed in the order in which they fell silent, so a later one is the clock.
 */
import type { Server, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { close, listen } from '../../../src/server/http/listen.ts';

const LIMITS = { total: 100, perAddress: 100, headersMs: 30_000, requestMs: 30_000, silenceMs: 200 };
const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

let server: Server;
let port: number;
/** Requests that wait for their answer. */
let asked: ServerResponse[] = [];
const sockets: Socket[] = [];

beforeEach(async () => {
  const handle = (_request: unknown, response: ServerResponse) => void asked.push(response);
  ({ server, port } = await listen(handle, { host: '127.0.0.1', port: 0, connections: LIMITS }));
});
afterEach(async () => {
  asked = [];
  for (const socket of sockets.splice(0)) socket.destroy();
  await close(server, 0);
});

/** Sends a text on a connection of its own. */
function open(text: string) {
  const socket = connect(port, '127.0.0.1');
  sockets.push(socket);
  let got = '';
  socket.setEncoding('utf8').on('data', (chunk) => (got += chunk));
  socket.on('error', () => {});
  socket.write(text);
  return { got: () => got, closed: new Promise<void>((resolve) => socket.once('close', () => resolve())) };
}

/** Sends a request. @returns its answer, to be given. */
async function query(text = GET) {
  const before = asked.length;
  const client = open(text);
  await expect.poll(() => asked.length).toBe(before + 1);
  return { ...client, response: asked[before] as ServerResponse };
}

test('an answer may begin at any time, and is cut off when it stalls', async () => {
  const [whole, half] = [await query(), await query()];
  for (let i = 0; i < 2; i++) await open('').closed;
  whole.response.end('whole');
  half.response.write('half');
  await expect.poll(whole.got).toMatch(/^HTTP\/1.1 200 OK.*whole$/s);
  await half.closed;
  expect(half.got()).toContain('half');
});

test.each([
  ['nothing was asked', async () => open('')],
  ['half of a head has come', async () => open('GET / HT')],
  ['half of a body has come', () => query('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf')],
  [
    'the answer stands still',
    async () => {
      const begun = await query();
      begun.response.write('half');
      return begun;
    },
  ],
])('a connection on which %s is closed', async (_what, begin) => {
  await (await begin()).closed;
});
