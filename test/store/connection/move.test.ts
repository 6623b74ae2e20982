/**
 * Goal: when another server takes writes, all connections to the one before fail, however far they have come, and its silence delays none to the new
 * one. Method: servers that never answer.
 */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { NoAnswerError } from '../../../src/store/connection/database-error.ts';
import { watchedClients } from '../../../src/store/connection/watched-client.ts';

/** More than are opened at the same time: some wait, and have no connection yet. */
const CLIENTS = 6;

/** Longer than an opening may be silent before the next ones have to wait. Unit: ms. */
const CONNECT_MAX_MS = 700;

const sockets: Readonly<Record<'former' | 'next', Set<Socket>>> = { former: new Set(), next: new Set() };
const servers: Record<'former' | 'next', Server> = {
  former: createServer((socket) => sockets.former.add(socket.on('error', () => {}))),
  next: createServer((socket) => sockets.next.add(socket.on('error', () => {}))),
};
const urlOf = (name: 'former' | 'next') =>
  `postgres://a:b@127.0.0.1:${(servers[name].address() as AddressInfo).port}/shop`;

beforeAll(async () => {
  for (const server of Object.values(servers)) await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterAll(() => {
  for (const socket of Object.values(sockets).flatMap((each) => [...each])) socket.destroy();
  for (const server of Object.values(servers)) server.close();
});

test('closes connections that are being opened, and those that wait for it, without ending the process', async () => {
  const closes: ((reason: Error) => void)[] = [];
  const Client = watchedClients({
    url: () => urlOf('former'),
    statementMaxMs: 0,
    primary: {
      ...{ url: () => '', suspect: () => {}, close: () => {} },
      watch: (_, close) => closes.push(close),
    },
  });
  const opened = Promise.allSettled(Array.from({ length: CLIENTS }, () => new Client().connect()));
  await expect.poll(() => sockets.former.size).toBeGreaterThan(0);
  for (const close of closes) close(new NoAnswerError('another server is the primary now'));
  expect((await opened).map(({ status }) => status)).toEqual(Array(CLIENTS).fill('rejected'));
});

test('opens a connection to another server without the pauses that the silence of the former one causes', async () => {
  let name: 'former' | 'next' = 'former';
  const Client = watchedClients({
    url: () => urlOf(name),
    statementMaxMs: 0,
    connectMaxMs: CONNECT_MAX_MS,
  });
  await Promise.allSettled(Array.from({ length: CLIENTS }, () => new Client().connect()));
  name = 'next';
  await expect(new Client().connect()).rejects.toThrow();
  // On a busy machine a connection is accepted after its client has given up.
  await expect.poll(() => sockets.next.size).toBe(1);
});
