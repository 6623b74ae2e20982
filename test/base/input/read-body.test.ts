/** C-51: a body is read whole, up to 1 MiB, however it comes. Method: a real server, and bytes on a bare connection. */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BODY_MAX_BYTES, readBody } from '../../../src/base/input/read-body.ts';

/** What is done before the body is read. */
let before: (request: IncomingMessage) => Promise<unknown> = async () => {};
let outcome = Promise.withResolvers<string>();
const server = createServer({ optimizeEmptyRequests: true }, async (request, response) => {
  await before(request);
  const said = await readBody(request).then(
    (body) => `${body.length} ${body.subarray(0, 20)}`,
    (error: { code?: string }) => String(error.code),
  );
  outcome.resolve(said);
  response.end(said);
});

beforeAll(() => once(server.listen(0, '127.0.0.1'), 'listening'));
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** Opens a connection and sends a head, and what comes after it. */
function send(headers: string, ...parts: string[]): Socket {
  before = async () => {};
  outcome = Promise.withResolvers();
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write(`POST / HTTP/1.1\r\nHost: a\r\n${headers}\r\n`);
  for (const part of parts) socket.write(part);
  return socket;
}

const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
const CHUNKED = 'Transfer-Encoding: chunked\r\n';

test.each([
  ['one piece', 'Content-Length: 3\r\n', ['abc'], '3 abc'],
  ['several chunks', CHUNKED, [chunk('ab'), chunk('c'), chunk('de'), '0\r\n\r\n'], '5 abcde'],
  ['no bytes', 'Content-Length: 0\r\n', [], '0 '],
  ['no body announced', '', [], '0 '],
  ['a chunked body that is empty', CHUNKED, ['0\r\n\r\n'], '0 '],
  ['a compressed one', 'Content-Length: 3\r\nContent-Encoding: gzip\r\n', ['abc'], 'UNSUPPORTED_MEDIA_TYPE'],
  ['one announced as too large', `Content-Length: ${BODY_MAX_BYTES + 1}\r\n`, [], 'PAYLOAD_TOO_LARGE'],
  ['1 MiB', CHUNKED, [chunk('x'.repeat(BODY_MAX_BYTES)), '0\r\n\r\n'], `${BODY_MAX_BYTES} ${'x'.repeat(20)}`],
  ['a byte more', CHUNKED, [chunk('x'.repeat(BODY_MAX_BYTES)), chunk('x')], 'PAYLOAD_TOO_LARGE'],
] as const)('%s', async (_name, headers, parts, expected) => {
  const socket = send(headers, ...parts);
  expect(await outcome.promise).toBe(expected);
  socket.destroy();
});

test('a body without end: the rest is passed over for a while, then the connection is closed', async () => {
  const socket = send(CHUNKED);
  const piece = chunk('x'.repeat(65_536));
  for (let sent = 0; !socket.destroyed && sent < 64 * BODY_MAX_BYTES; sent += piece.length)
    await new Promise((resolve) => socket.write(piece, resolve));
  expect([await outcome.promise, socket.destroyed]).toEqual(['PAYLOAD_TOO_LARGE', true]);
});

test('a body that arrived before the read', async () => {
  const socket = send('Content-Length: 3\r\n', 'abc');
  before = async (request) => {
    while (!request.complete) await setImmediate();
  };
  expect(await outcome.promise).toBe('3 abc');
  socket.destroy();
});

test('a body that arrived in one piece with its head is read immediately; also two such requests of one connection', async () => {
  const emitted: (string | symbol)[] = [];
  before = async (request) => {
    const { emit } = request;
    request.emit = (event: string | symbol, ...details: unknown[]) => {
      emitted.push(event);
      return emit.call(request, event, ...details);
    };
  };
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  let answers = '';
  socket.on('data', (bytes) => {
    answers += bytes;
  });
  socket.write(
    ['abc', 'def'].map((body) => `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n${body}`).join(''),
  );
  while (!answers.includes('3 def')) await setImmediate();
  expect([answers.includes('3 abc'), emitted]).toEqual([true, ['data', 'data']]);
  socket.destroy();
});

test('a small body in pieces, and the next request of its connection', async () => {
  const socket = send('Content-Length: 3\r\n', 'a');
  let answers = '';
  socket.on('data', (bytes) => {
    answers += bytes;
  });
  // The rest is sent while the first piece is read.
  before = async () => void setImmediate().then(() => socket.write('bc'));
  expect(await outcome.promise).toBe('3 abc');
  before = async () => {};
  outcome = Promise.withResolvers();
  socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\ndefg');
  expect(await outcome.promise).toBe('4 defg');
  while (!answers.includes('defg')) await setImmediate();
  expect(answers.match(/HTTP\/1.1 200 OK/g)).toHaveLength(2);
  socket.destroy();
});

test('the client disconnects in the middle, before or during the read', async () => {
  for (const waits of [true, false]) {
    const socket = send('Content-Length: 3\r\n', 'a');
    before = async (request) => {
      if (!waits) return void setImmediate().then(() => socket.destroy());
      socket.destroy();
      while (!request.destroyed) await setImmediate();
    };
    expect(await outcome.promise).toBe('BAD_REQUEST');
  }
});
