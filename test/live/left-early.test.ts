/**
 * Goal: a client that has left before its request is let in holds nothing. Method: the look-up of keys is held up by a lock until the
 * server has seen that the client is gone; then the request goes on by itself.
 */
import { connect } from 'node:net';
import { pino } from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import { useApp } from '../support/app.ts';
import { placesOf } from './streams.ts';

const closed: { status: number; route: string }[] = [];
const app = useApp({
  log: pino({ level: 'info' }, { write: (line) => void closed.push(JSON.parse(line)) }),
});
const PLACES = 1_000;
const SUBSCRIPTION = 'subscription { events { cursor } }';
const IS_HELD_UP = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;

/** Asks by a stream token, which is looked up each time, and leaves. Resolves when the request has been let in all the same. */
async function leaveEarly(key: string, target: string): Promise<void> {
  const query =
    'mutation { createStreamToken(input: {}) { streamToken { token } errors { code message path } } }';
  const { token } = (await app.graphql(query, {}, { key })).json.data.createStreamToken.streamToken;
  const holder = await app.owner.connect();
  const admitted = vi.spyOn(app.services, 'forAccount');
  onTestFinished(() => admitted.mockRestore());
  try {
    await holder.query('begin; lock table api_key in access exclusive mode');
    const socket = connect(Number(new URL(app.baseUrl).port), '127.0.0.1');
    socket.write(
      `GET ${target} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\nAccept: text/event-stream\r\n\r\n`,
    );
    await expect.poll(async () => (await holder.query(IS_HELD_UP)).rows.length).toBe(1);
    socket.destroy();
    await expect.poll(() => closed.some(({ status }) => status === 499)).toBe(true);
    expect(admitted).not.toHaveBeenCalled();
  } finally {
    await holder.query('rollback');
    holder.release();
    closed.length = 0;
  }
  await expect.poll(() => admitted.mock.settledResults.length).toBe(1);
}

test('a subscription releases its slot', async () => {
  const { apiKey: key, accountId } = await app.addAccount();
  const taken = vi.spyOn(app.services.streamLimit, 'acquire');
  onTestFinished(() => taken.mockRestore());
  await leaveEarly(key, `/graphql?${new URLSearchParams({ query: SUBSCRIPTION })}`);
  await expect.poll(() => taken.mock.results.length).toBe(1);
  await expect.poll(() => placesOf(app, accountId)).toBe(PLACES);
  await expect.poll(() => app.services.events.size).toBe(0);
});

test('a single connection is not opened: it can be opened by the next request, and releases its slot then', async () => {
  const { apiKey: key, accountId } = await app.addAccount();
  const { text: token } = await app.get('/graphql/stream', { key, method: 'PUT' });
  const target = `/graphql/stream?token=${token}`;
  await leaveEarly(key, target);
  const control = new AbortController();
  const opened = await fetch(app.baseUrl + target, {
    headers: { authorization: `Bearer ${key}`, accept: 'text/event-stream' },
    signal: control.signal,
  });
  expect(opened.status).toBe(200);
  control.abort();
  await expect.poll(() => placesOf(app, accountId)).toBe(PLACES);
});
