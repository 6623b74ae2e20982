/**
 * Goal: many operations on one connection, as graphql-sse speaks it, bounded: a client that does not read is ended, a stream
 * of another key does not exist. Method: the client of graphql-sse, and requests by hand.
 */
import { connect } from 'node:net';
import { createClient } from 'graphql-sse';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { useApp } from '../support/app.ts';
import { revokeKey } from '../support/revoke-key.ts';
import { addMover, append, holdReads, logOf, makeOnramp, placesOf, seqOf } from './streams.ts';

const app = useApp();
const PATH = '/graphql/stream';
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

function clientOf(key: string, retryAttempts = 0) {
  return createClient({
    url: app.baseUrl + PATH,
    singleConnection: true,
    headers: () => ({ authorization: `Bearer ${key}` }),
    retryAttempts,
  });
}

/** Reserves a stream by hand. */
async function reserve(key: string): Promise<string> {
  const answer = await fetch(app.baseUrl + PATH, {
    method: 'PUT',
    headers: { authorization: `Bearer ${key}` },
  });
  expect(answer.status).toBe(201);
  return answer.text();
}

const operate = (key: string, token: string, query: string, operationId: string, variables = {}) =>
  fetch(app.baseUrl + PATH, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'x-graphql-event-stream-token': token,
    },
    body: JSON.stringify({ query, variables, extensions: { operationId } }),
  });

/** Ends an operation of a stream. */
const end = (key: string, token: string, operationId: string) =>
  fetch(`${app.baseUrl}${PATH}?${new URLSearchParams({ operationId })}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${key}`, 'x-graphql-event-stream-token': token },
  });

/** Reserves a stream and opens it, so that it lasts. */
async function openStream(key: string): Promise<{ token: string; leave: () => Promise<void> }> {
  const token = await reserve(key);
  // An answer that nobody holds any more is ended when memory is collected, and its stream with it.
  const answer = await fetch(app.baseUrl + PATH, {
    headers: {
      authorization: `Bearer ${key}`,
      accept: 'text/event-stream',
      'x-graphql-event-stream-token': token,
    },
  });
  const leave = async () => {
    await answer.body?.cancel();
    await expect.poll(() => app.services.events.size).toBe(0);
  };
  return { token, leave };
}

test('subscriptions, queries and mutations share a connection, and end one by one', async () => {
  const mover = await addMover(app);
  const client = clientOf(mover.apiKey);
  const seen: number[] = [];
  const after = Buffer.from(`e1:${mover.accountId}:0`).toString('base64url');
  const events = client.iterate<{ events: { cursor: string } }>({
    query: 'subscription ($after: String) { events(after: $after) { cursor } }',
    variables: { after },
  });
  const balances = client.iterate<{ balanceChanged: { balances: unknown[] } }>({
    query: 'subscription { balanceChanged { balances { available } } }',
  });
  const first = await balances.next();
  expect(first.value?.data?.balanceChanged.balances).toEqual([]);
  const query = client.iterate<{ viewer: { account: { name: string } } }>({
    query: '{ viewer { account { name } } }',
  });
  expect((await query.next()).value?.data?.viewer.account.name).toBe('Another');
  expect((await query.next()).done).toBe(true);
  await makeOnramp(app, mover.apiKey);
  const total = (await logOf(app, mover.accountId)).length;
  for await (const { data } of events) {
    seen.push(seqOf(data?.events.cursor));
    if (seen.length === total) break;
  }
  expect(seen).toEqual(Array.from({ length: total }, (_, i) => i + 1));
  await balances.return?.(undefined);
  client.dispose();
  // The hub forgets accounts that nobody follows.
  await expect.poll(() => app.services.events.size).toBe(0);
});

describe('streams that do not exist', () => {
  test('an unknown token, and one of another key', async () => {
    const [mine, theirs] = [await app.addAccount(), await app.addAccount()];
    const token = await reserve(theirs.apiKey);
    for (const [key, given] of [
      [mine.apiKey, token],
      [mine.apiKey, 'made-up'],
      [mine.apiKey, '__proto__'],
      [mine.apiKey, ''],
    ] as const) {
      for (const method of ['GET', 'POST', 'DELETE']) {
        const answer = await fetch(`${app.baseUrl}${PATH}?operationId=1`, {
          method,
          headers: {
            authorization: `Bearer ${key}`,
            accept: method === 'GET' ? 'text/event-stream' : '*/*',
            ...(method === 'POST' && { 'content-type': 'application/json' }),
            'x-graphql-event-stream-token': given,
          },
          ...(method === 'POST' && { body: '{"query":"{ __typename }","extensions":{"operationId":"1"}}' }),
        });
        expect([method, given, answer.status]).toEqual([method, given, 404]);
      }
    }
  });

  test('no key, another method', async () => {
    expect((await app.get(PATH, { key: null })).status).toBe(401);
    const answer = await app.get(PATH, { method: 'PATCH' });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('GET, POST, PUT, DELETE');
  });
});

test.each([
  [
    'mutation',
    'mutation { updateAllowedOrigins(input: { origins: ["https://shop.example.com"] }) { allowedOrigins errors { code message path } } }',
  ],
  ['query', '{ __typename }'],
  ['subscription', 'subscription { balanceChanged { cursor } }'],
])('a GET opens the stream, and executes no %s', async (_kind, query) => {
  const { apiKey: key } = await app.addAccount();
  const { token, leave } = await openStream(key);
  const search = new URLSearchParams({ token, query, extensions: '{"operationId":"1"}' });
  const refused = await app.get(`${PATH}?${search}`, { key });
  expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'POST, PUT, DELETE']);
  expect(refused.json).toMatchObject({
    code: 'METHOD_NOT_ALLOWED',
    detail: expect.stringContaining('Accept: text/event-stream'),
  });
  const opening = await app.get(`${PATH}?${search}`, { key, headers: { accept: 'text/event-stream' } });
  expect(opening.status).toBe(409);
  const { json } = await app.graphql('{ viewer { account { allowedOrigins } } }', {}, { key });
  expect(json.data.viewer.account.allowedOrigins).toEqual([]);
  expect(app.services.events.size).toBe(0);
  await leave();
});

test('documents that are not fit, and operations beyond the limit, are refused', async () => {
  const { apiKey: key } = await app.addAccount();
  const token = await reserve(key);
  for (const [query, message] of [
    ['{ nothing }', /Cannot query field "nothing"/],
    ['{ balances', /Syntax Error/],
    ['query A { balances { blocked } } query B { balances { blocked } }', /operationName/],
  ] as const) {
    const refused = await operate(key, token, query, query);
    expect(refused.status).toBe(400);
    expect(await refused.json()).toEqual({
      errors: [
        expect.objectContaining({
          message: expect.stringMatching(message),
          extensions: { code: 'BAD_REQUEST', requestId: refused.headers.get('x-request-id') },
        }),
      ],
    });
  }
  const subscription = 'subscription { balanceChanged { cursor } }';
  for (let i = 0; i < 100; i++) expect((await operate(key, token, subscription, `s${i}`)).status).toBe(202);
  const over = await operate(key, token, subscription, 'over');
  expect([over.status, over.headers.get('retry-after')]).toEqual([429, '5']);
  // What was asked for before the stream is open comes once it is.
  const control = new AbortController();
  const { body } = await fetch(app.baseUrl + PATH, {
    headers: {
      authorization: `Bearer ${key}`,
      accept: 'text/event-stream',
      'x-graphql-event-stream-token': token,
    },
    signal: control.signal,
  });
  let text = '';
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    text += Buffer.from(chunk).toString();
    if (text.split('event: next').length > 100) break;
  }
  control.abort();
  await expect.poll(() => app.services.events.size).toBe(0);
});

test('operations count among the streams of their account, on any number of connections', async () => {
  const { apiKey: key, keyId, accountId } = await app.addAccount();
  const subscription = 'subscription { balanceChanged { cursor } }';
  const streams = [await openStream(key), await openStream(key)];
  const places = Array.from({ length: 996 }, () =>
    app.services.streamLimit.acquire({ id: keyId, accountId }),
  );
  for (const { token } of streams) expect((await operate(key, token, subscription, '1')).status).toBe(202);
  for (const { token } of streams) expect((await operate(key, token, subscription, '2')).status).toBe(429);
  const [first, second] = streams.map(({ token }) => token) as [string, string];
  expect((await end(key, first, '1')).status).toBe(200);
  await expect.poll(async () => (await operate(key, second, '{ __typename }', '3')).status).toBe(202);
  // A query gives its place back by itself.
  await expect.poll(async () => (await operate(key, second, subscription, '2')).status).toBe(202);
  expect((await operate(key, first, subscription, '2')).status).toBe(429);
  await Promise.all(streams.map(({ leave }) => leave()));
  for (const leave of places) leave();
  await expect.poll(() => placesOf(app, accountId)).toBe(1_000);
});

describe('ids of operations', () => {
  const subscription = 'subscription { balanceChanged { cursor } }';

  test('one of a refused operation can be used again', async () => {
    const { apiKey: key } = await app.addAccount();
    const { token, leave } = await openStream(key);
    for (let i = 0; i < 2; i++) expect((await operate(key, token, '{', '1')).status).toBe(400);
    for (let i = 0; i < 100; i++) expect((await operate(key, token, subscription, `s${i}`)).status).toBe(202);
    for (let i = 0; i < 2; i++) expect((await operate(key, token, subscription, '1')).status).toBe(429);
    expect((await operate(key, token, '{', 's1')).status).toBe(409);
    expect((await end(key, token, 's1')).status).toBe(200);
    await expect.poll(async () => (await operate(key, token, subscription, '1')).status).toBe(202);
    await leave();
  });

  test.each([
    ['too long', 'x'.repeat(129)],
    ['not well-formed', '\ud800'],
    ['no text', { toString: 0 }],
    ['a list', ['1']],
  ])('one that is %s is refused by its name', async (_what, id) => {
    const { apiKey: key } = await app.addAccount();
    const token = await reserve(key);
    for (let i = 0; i < 2; i++) {
      const refused = await operate(key, token, subscription, id as string);
      expect(refused.status).toBe(400);
      expect(await refused.json()).toMatchObject({
        violations: [
          {
            parameter: 'extensions.operationId',
            message: 'must be well-formed text of at most 128 characters',
          },
        ],
      });
    }
  });

  test('one of 128 characters is accepted, and a number', async () => {
    const { apiKey: key } = await app.addAccount();
    const { token, leave } = await openStream(key);
    for (const id of ['x'.repeat(128), 7])
      expect((await operate(key, token, subscription, id as string)).status).toBe(202);
    await leave();
  });

  test('operations that are ended while they begin do not count', async () => {
    const { apiKey: key } = await app.addAccount();
    const { token, leave } = await openStream(key);
    const holder = await app.owner.connect();
    const isHeldUp = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    try {
      await holder.query('begin; lock table account_head, event, ledger_balance in access exclusive mode');
      const begun = Array.from({ length: 100 }, (_, i) => operate(key, token, subscription, `s${i}`));
      await expect.poll(async () => (await holder.query(isHeldUp)).rows.length).toBeGreaterThan(0);
      for (let i = 0; i < 100; i++) expect((await end(key, token, `s${i}`)).status).toBe(200);
      await holder.query('rollback');
      const statuses = (await Promise.all(begun)).map(({ status }) => status);
      expect(new Set(statuses)).toEqual(new Set([204]));
    } finally {
      holder.release(true);
    }
    expect((await operate(key, token, subscription, 'last')).status).toBe(202);
    await leave();
  });

  test('an operation that is ended while it begins is not followed', async () => {
    const { apiKey: key } = await app.addAccount();
    const { token, leave } = await openStream(key);
    const { asked, letGo } = holdReads(app, 'event_marks');
    const begun = operate(key, token, subscription, '1');
    await expect.poll(asked).toBeGreaterThan(0);
    expect((await end(key, token, '1')).status).toBe(200);
    letGo();
    expect((await begun).status).toBe(204);
    await expect.poll(() => app.services.events.size).toBe(0);
    await leave();
  });

  test('an operation that is ended while it begins is not followed under its id, which is used again', async () => {
    const { apiKey: key } = await app.addAccount();
    const { token, leave } = await openStream(key);
    const { asked, letGo } = holdReads(app, 'event_marks');
    const watch = vi.spyOn(app.services.events, 'watch');
    onTestFinished(() => watch.mockRestore());
    const first = operate(key, token, subscription, '1');
    await expect.poll(asked).toBeGreaterThan(0);
    expect((await end(key, token, '1')).status).toBe(200);
    const second = operate(key, token, subscription, '1');
    await expect.poll(() => watch.mock.calls.length).toBe(2);
    letGo();
    expect([(await first).status, (await second).status]).toEqual([204, 202]);
    expect((await end(key, token, '1')).status).toBe(200);
    await expect.poll(() => app.services.events.size).toBe(0);
    await leave();
  });

  test('one that is used again while the earlier one begins does not hide it: the maximum is 100 operations', async () => {
    const { apiKey: key } = await app.addAccount();
    const { token, leave } = await openStream(key);
    for (let i = 0; i < 100; i++) {
      const both = [operate(key, token, subscription, `s${i}`)];
      await end(key, token, `s${i}`);
      both.push(operate(key, token, subscription, `s${i}`));
      await Promise.all(both);
    }
    await expect.poll(() => app.services.events.size).toBe(1);
    const more = await Promise.all(
      Array.from({ length: 100 }, (_, i) => operate(key, token, subscription, `t${i}`)),
    );
    expect(more.map(({ status }) => status)).toContain(429);
    await leave();
  });
});

test('media types are compared without case', async () => {
  const { apiKey: key } = await app.addAccount();
  const accept = 'Application/JSON, text/plain;q=0.9, */*;q=0.1';
  const authorization = `Bearer ${key}`;
  const url = app.baseUrl + PATH;
  const put = await fetch(url, { method: 'PUT', headers: { authorization, accept } });
  expect(put.status).toBe(201);
  const token = await put.text();
  const headers = { authorization, 'x-graphql-event-stream-token': token };
  const post = await fetch(url, {
    method: 'POST',
    headers: { ...headers, accept, 'content-type': 'Application/JSON' },
    body: JSON.stringify({ query: '{ __typename }', extensions: { operationId: '1' } }),
  });
  expect(post.status).toBe(202);
  const control = new AbortController();
  const stream = await fetch(url, {
    headers: { ...headers, accept: 'Text/Event-Stream' },
    signal: control.signal,
  });
  expect(stream.headers.get('content-type')).toContain('text/event-stream');
  control.abort();
  await expect.poll(() => app.services.events.size).toBe(0);
});

test('a client that does not read is disconnected when too much waits for it', async () => {
  const mover = await addMover(app);
  const token = await reserve(mover.apiKey);
  const socket = connect(Number(new URL(app.baseUrl).port), '127.0.0.1');
  socket.on('error', () => {});
  let isClosed = false;
  socket.on('close', () => {
    isClosed = true;
  });
  let bytes = 0;
  socket.on('data', (chunk) => {
    bytes += chunk.length;
  });
  socket.write(
    `GET ${PATH} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${mover.apiKey}\r\nAccept: text/event-stream\r\nx-graphql-event-stream-token: ${token}\r\n\r\n`,
  );
  await expect.poll(() => bytes).toBeGreaterThan(0);
  const query = 'subscription { events { cursor ... on TransactionEvent { body: legacyBody } } }';
  expect((await operate(mover.apiKey, token, query, '1')).status).toBe(202);
  await pause(100);
  socket.pause();
  for (let i = 0; i < 200; i++) {
    await append(app, mover, 1, 100_000);
    app.services.notifier.notify([mover.accountId]);
    await pause(2);
  }
  await expect.poll(() => app.services.events.size).toBe(0);
  expect((await operate(mover.apiKey, token, query, '2')).status).toBe(404);
  socket.resume();
  await expect.poll(() => isClosed).toBe(true);
  expect(bytes).toBeLessThan(20_000_000);
});

test('operations of a reserved, unopened stream are limited as well', async () => {
  const mover = await addMover(app);
  const token = await reserve(mover.apiKey);
  const query = 'subscription { events { cursor ... on TransactionEvent { body: legacyBody } } }';
  expect((await operate(mover.apiKey, token, query, '1')).status).toBe(202);
  await expect.poll(() => app.services.events.size).toBe(1);
  await append(app, mover, 30, 100_000);
  app.services.notifier.notify([mover.accountId]);
  await expect.poll(() => app.services.events.size).toBe(0);
  expect((await operate(mover.apiKey, token, query, '2')).status).toBe(404);
});

test('a reservation that is not opened is given up after 30 seconds; an open stream stays', async () => {
  const { apiKey: key } = await app.addAccount();
  const control = new AbortController();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const [idle, opened] = [await reserve(key), await reserve(key)];
    const stream = await fetch(app.baseUrl + PATH, {
      headers: {
        authorization: `Bearer ${key}`,
        accept: 'text/event-stream',
        'x-graphql-event-stream-token': opened,
      },
      signal: control.signal,
    });
    const reader = (stream.body as ReadableStream<Uint8Array>).getReader();
    await reader.read();
    vi.advanceTimersByTime(31_000);
    vi.useRealTimers();
    const query = 'subscription { balanceChanged { cursor } }';
    expect((await operate(key, idle, query, '1')).status).toBe(404);
    expect((await operate(key, opened, query, '1')).status).toBe(202);
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toContain('event: next');
  } finally {
    vi.useRealTimers();
    control.abort();
  }
  await expect.poll(() => app.services.events.size).toBe(0);
});

test('a revoked key ends its stream', async () => {
  const { apiKey: key, keyId } = await app.addAccount();
  const client = clientOf(key);
  const balances = client.iterate({ query: 'subscription { balanceChanged { cursor } }' });
  await balances.next();
  await revokeKey(app.database, keyId);
  await expect(balances.next()).rejects.toThrow();
  await expect.poll(() => app.services.events.size).toBe(0);
});
