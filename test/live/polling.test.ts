/**
 * Goal: who polls gets the same log under the same cursors, at once or as soon as something comes. Method: `GET /v2/events`
 * and `Query.events` of the application.
 */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { BEFORE_FIRST, encodeEventCursor } from '../../src/events/cursor.ts';
import { useApp } from '../support/app.ts';
import { cursorAt } from '../support/events.ts';
import { eventually } from '../support/receiver.ts';
import { eventsOf } from '../support/rest-routes.ts';
import { addMover, append, logOf, makeOnramp, placesOf, seqOf } from './streams.ts';

/** Marks events before a number as dropped. */
const FLOOR = `insert into event_floor (account_id, seq, token)
  select account_id, seq + 1, left(token, 8) from event where account_id = $1 and seq = $2::bigint - 1`;

const app = useApp();

test('pages follow each other by `next`, bodies to the byte as they were published', async () => {
  const { accountId, apiKey: key } = await app.addAccount();
  const ids = [await makeOnramp(app, key), await makeOnramp(app, key)];
  const seen: number[] = [];
  let after = '';
  for (;;) {
    const { json, text, status } = await app.get(`/v2/events?limit=1${after && `&after=${after}`}`, { key });
    expect(status).toBe(200);
    if (json.events.length === 0) {
      expect(json.next).toBe(after);
      break;
    }
    const [event] = json.events;
    const published = await eventsOf(app, event.transaction.end2end);
    const { name, payload } = published[event.sequence - 1] as (typeof published)[number];
    expect(event.name).toBe(name);
    expect(text).toContain(`"transaction":${payload}}`);
    expect(Object.keys(event)).toEqual(['cursor', 'name', 'sequence', 'occurred_at', 'transaction']);
    expect(json.next).toBe(event.cursor);
    seen.push(seqOf(event.cursor));
    after = json.next;
  }
  expect(seen).toEqual((await logOf(app, accountId)).map(({ seq }) => seq));
  expect(ids).toHaveLength(2);
});

test('an empty log has a cursor to begin with', async () => {
  const { accountId, apiKey: key } = await app.addAccount();
  const { json } = await app.get('/v2/events', { key });
  expect(json).toEqual({ events: [], next: encodeEventCursor(accountId, BEFORE_FIRST) });
});

describe('a request that waits', () => {
  // No poll of the hub comes by itself: the test says when.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
  afterEach(() => void vi.useRealTimers());

  /** Asks, and goes on once the request waits. */
  async function wait(mover: Awaited<ReturnType<typeof addMover>>, after: string, seconds: number) {
    const answer = app.get(`/v2/events?after=${after}&wait=${seconds}`, { key: mover.apiKey });
    await eventually('a request that waits', () => app.services.events.size > 0);
    return { answer };
  }

  test('is answered when an event arrives, by a notification or else by the poll', async () => {
    const mover = await addMover(app);
    const first = await wait(mover, await cursorAt(app.owner, mover.accountId, BigInt(mover.before)), 30);
    await append(app, mover, 1);
    app.services.notifier.notify([mover.accountId]);
    const { json } = await first.answer;
    expect(json.events).toHaveLength(1);
    const later = await wait(mover, json.next, 30);
    await append(app, mover, 1);
    vi.advanceTimersByTime(1_000);
    expect((await later.answer).json.events).toHaveLength(1);
  });

  test('waits no longer than requested', async () => {
    const mover = await addMover(app);
    const { answer } = await wait(mover, await cursorAt(app.owner, mover.accountId, BigInt(mover.before)), 1);
    expect((await answer).json.events).toEqual([]);
    expect(app.services.events.size).toBe(0);
  });

  test('ends with its client, and releases its slot', async () => {
    const { accountId, apiKey: key } = await app.addAccount();
    const client = new AbortController();
    const answer = fetch(
      `${app.baseUrl}/v2/events?after=${encodeEventCursor(accountId, BEFORE_FIRST)}&wait=30`,
      {
        headers: { authorization: `Bearer ${key}` },
        signal: client.signal,
      },
    );
    await eventually('a request that waits', () => app.services.events.size > 0);
    expect(placesOf(app, accountId)).toBe(999);
    client.abort();
    await expect(answer).rejects.toThrow();
    await expect.poll(() => placesOf(app, accountId)).toBe(1_000);
    expect(app.services.events.size).toBe(0);
  });
});

test.each([
  ['wait=31', 'wait'],
  ['wait=-1', 'wait'],
  ['wait=x', 'wait'],
  ['limit=0', 'limit'],
  ['after=nothing', 'after'],
])('%s is refused', async (search, parameter) => {
  const { status, json } = await app.get(`/v2/events?${search}`);
  expect(status).toBe(400);
  expect(json).toMatchObject({ code: 'INVALID_PARAMETER', violations: [{ parameter }] });
});

test('an empty cursor is that of a client that has seen nothing yet', async () => {
  const { accountId, apiKey: key } = await app.addAccount();
  await makeOnramp(app, key);
  const { json } = await app.get('/v2/events?after=&limit=1', { key });
  expect(json.next).toBe(await cursorAt(app.owner, accountId, 1n));
});

test('a cursor of another account is refused', async () => {
  const { accountId } = await app.addAccount();
  const { json } = await app.get(`/v2/events?after=${encodeEventCursor(accountId, BEFORE_FIRST)}`);
  expect(json.code).toBe('INVALID_PARAMETER');
});

test('Query.events is a connection under the same cursors', async () => {
  const { accountId, apiKey: key } = await app.addAccount();
  await makeOnramp(app, key);
  await makeOnramp(app, key);
  const log = await logOf(app, accountId);
  const query = `query ($after: String, $first: Int) { events(after: $after, first: $first) {
    edges { cursor node { name transaction { end2end } } } pageInfo { hasNextPage endCursor } } }`;
  const first = await app.graphql(query, { first: 1 }, { key });
  const { edges, pageInfo } = first.json.data.events;
  expect(edges[0].node.name).toBe(log[0]?.name);
  expect(pageInfo).toEqual({ hasNextPage: true, endCursor: await cursorAt(app.owner, accountId, 1n) });
  const rest = await app.graphql(query, { after: pageInfo.endCursor, first: 100 }, { key });
  const cursors = rest.json.data.events.edges.map(({ cursor }: { cursor: string }) => seqOf(cursor));
  expect(cursors).toEqual(log.slice(1).map(({ seq }) => seq));
  expect(rest.json.data.events.pageInfo.hasNextPage).toBe(false);
  await app.owner.query(FLOOR, [accountId, 2]);
  const expired = await app.graphql(query, { after: encodeEventCursor(accountId, BEFORE_FIRST) }, { key });
  expect(expired.json.errors[0].extensions).toMatchObject({
    code: 'CURSOR_EXPIRED',
    earliest: await cursorAt(app.owner, accountId, 1n),
  });
});
