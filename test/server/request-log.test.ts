/** Goal: the log of requests says what callers got (C-51). Method: the application, with a log that is read back. */
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { openLog } from '../../src/server/process/log.ts';
import { useApp } from '../support/app.ts';

const logged: Record<string, unknown>[] = [];
const app = useApp({ log: openLog('info', { write: (line) => void logged.push(JSON.parse(line)) }) });

test.each([
  '/v2/onramp',
  '/graphql',
])('a client that leaves in the middle of %s got no answer', async (path) => {
  const { port } = new URL(app.baseUrl);
  const socket = connect(Number(port), '127.0.0.1');
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: a',
    `Authorization: Bearer ${app.apiKey}`,
    'Content-Type: application/json',
    'Content-Length: 100',
    'Expect: 100-continue',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  // The gateway waits for the body now.
  await new Promise((resolve) => socket.once('data', resolve));
  socket.write('{"a"');
  socket.resetAndDestroy();
  await expect.poll(() => logged).toContainEqual(expect.objectContaining({ route: path }));
  const line = logged.find(({ route }) => route === path);
  expect(line).toMatchObject({ method: 'POST', status: 499 });
  expect(JSON.stringify(logged)).not.toContain('database away');
});

test('an answer is logged with its status', async () => {
  await app.get('/v2/balance');
  await expect
    .poll(() => logged)
    .toContainEqual(expect.objectContaining({ route: '/v2/balance', status: 200 }));
});
