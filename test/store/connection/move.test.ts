/** Goal: when another server takes writes, all connections to the one before fail, however far they have come. Method: a server that never answers. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { NoAnswerError } from '../../../src/store/connection/database-error.ts';
import { watchedClients } from '../../../src/store/connection/watched-client.ts';

/** More than are opened at the same time: some wait, and have no connection yet. */
const CLIENTS = 6;

const accepted = new Set<Socket>();
const silent = createServer((socket) => accepted.add(socket.on('error', () => {})));

beforeAll(async () => {
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
});
afterAll(() => {
  for (const socket of accepted) socket.destroy();
  silent.close();
});

test('closes connections that are being opened, and those that wait for it, without ending the process', async () => {
  const closes: ((reason: Error) => void)[] = [];
  const Client = watchedClients({
    url: () => `postgres://a:b@127.0.0.1:${(silent.address() as AddressInfo).port}/shop`,
    statementMaxMs: 0,
    primary: {
      ...{ url: () => '', suspect: () => {}, close: () => {} },
      watch: (_, close) => closes.push(close),
    },
  });
  const opened = Promise.allSettled(Array.from({ length: CLIENTS }, () => new Client().connect()));
  await expect.poll(() => accepted.size).toBeGreaterThan(0);
  for (const close of closes) close(new NoAnswerError('another server takes writes now'));
  expect((await opened).map(({ status }) => status)).toEqual(Array(CLIENTS).fill('rejected'));
});
