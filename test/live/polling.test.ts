/**
 * Goal: who polls gets the same log under the same cursors, at once or as soon as something comes. Method: `GET /v2/events`
 * and `Query.events` of the application.
 */
import { expect, test } from 'vitest';
import { encodeEventCursor } from '../../src/events/cursor.ts';
import { useApp } from '../support/app.ts';
import { eventsOf } from '../support/rest-routes.ts';
import { addMover, append, logOf, makeOnramp, seqOf } from './streams.ts';

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
  expect(json).toEqual({ events: [], next: encodeEventCursor(accountId, 0n) });
});

test('a request waits for what comes, and no longer than it says', async () => {
  const mover = await addMover(app);
  const after = encodeEventCursor(mover.accountId, BigInt(mover.before));
  const path = (wait: number) => `/v2/events?after=${after}&wait=${wait}`;
  const started = performance.now();
  expect((await app.get(path(1), { key: mover.apiKey })).json.events).toEqual([]);
  expect(performance.now() - started).toBeGreaterThan(950);
  const waiting = app.get(path(20), { key: mover.apiKey });
  await new Promise((resolve) => setTimeout(resolve, 100));
  const committed = performance.now();
  await append(app, mover, 1);
  app.services.doorbell.hear([mover.accountId]);
  const { json } = await waiting;
  expect(performance.now() - committed).toBeLessThan(900);
  expect(json.events).toHaveLength(1);
  // Without a ring it is the poll of the hub that sees it.
  const later = app.get(`/v2/events?after=${json.next}&wait=20`, { key: mover.apiKey });
  await append(app, mover, 1);
  expect((await later).json.events).toHaveLength(1);
});

test.each([
  ['wait=31', 'wait'],
  ['wait=-1', 'wait'],
  ['wait=x', 'wait'],
  ['limit=0', 'limit'],
  ['after=nothing', 'after'],
  ['after=', 'after'],
])('%s is refused', async (search, parameter) => {
  const { status, json } = await app.get(`/v2/events?${search}`);
  expect(status).toBe(400);
  expect(json).toMatchObject({ code: 'INVALID_PARAMETER', violations: [{ parameter }] });
});

test('a cursor of another account is refused', async () => {
  const { accountId } = await app.addAccount();
  const { json } = await app.get(`/v2/events?after=${encodeEventCursor(accountId, 0n)}`);
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
  expect(pageInfo).toEqual({ hasNextPage: true, endCursor: encodeEventCursor(accountId, 1n) });
  const rest = await app.graphql(query, { after: pageInfo.endCursor, first: 100 }, { key });
  const cursors = rest.json.data.events.edges.map(({ cursor }: { cursor: string }) => seqOf(cursor));
  expect(cursors).toEqual(log.slice(1).map(({ seq }) => seq));
  expect(rest.json.data.events.pageInfo.hasNextPage).toBe(false);
  await app.owner.query('insert into event_floor (account_id, seq) values ($1, 2)', [accountId]);
  const expired = await app.graphql(query, { after: encodeEventCursor(accountId, 0n) }, { key });
  expect(expired.json.errors[0].extensions).toMatchObject({
    code: 'CURSOR_EXPIRED',
    earliest: encodeEventCursor(accountId, 1n),
  });
});
