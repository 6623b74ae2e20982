/**
 * Goal: subscriptions tell what there is and then everything that comes, once and in order, to nobody else. Method: the
 * application on a real database, streams over fetch, transactions moved by the sandbox.
 */
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { BEFORE_FIRST, encodeEventCursor, encodeLineCursor } from '../../src/events/cursor.ts';
import { HEARTBEAT_MS } from '../../src/resolvers/events/frame-stream.ts';
import { useApp } from '../support/app.ts';
import { cursorAt } from '../support/events.ts';
import { eventually } from '../support/receiver.ts';
import { eventsOf } from '../support/rest-routes.ts';
import { EVENTS, logOf, makeOnramp, parseEvents, play, seqOf, subscribe } from './streams.ts';

/** Marks events before a number as dropped. */
const FLOOR = `insert into event_floor (account_id, seq, token)
  select account_id, seq + 1, left(token, 8) from event where account_id = $1 and seq = $2::bigint - 1`;

const app = useApp();

describe('events', () => {
  test('arrive from now on, each under its cursor, with the published body', async () => {
    const before = await makeOnramp(app);
    const stream = await subscribe(app, EVENTS);
    expect(stream.status).toBe(200);
    expect(stream.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(stream.headers.get('x-accel-buffering')).toBe('no');
    const end2end = await makeOnramp(app);
    await stream.until(() => stream.events.length >= 1);
    await play(app, end2end, 'pay');
    await eventually('the last step', async () => {
      const { json } = await app.get(`/v2/onramp/${end2end}`);
      return `${json.component}/${json.state}` === 'success/DONE';
    });
    await stream.until((await eventsOf(app, end2end)).length);
    stream.close();
    const events = stream.events.map(({ data }) => data.data.events);
    expect(events.map(({ transaction }) => transaction.end2end)).not.toContain(before);
    const expected = await eventsOf(app, end2end);
    expect(events.map(({ name, sequence, body }) => ({ name, sequence, payload: body }))).toEqual(expected);
    for (const { id, data } of stream.events) expect(id).toBe(data.data.events.cursor);
  });

  test('continue after a cursor, by argument, by variable, by Last-Event-ID, by GET; and equal the log', async () => {
    const { accountId, apiKey: key } = await app.addAccount();
    for (let i = 0; i < 3; i++) await makeOnramp(app, key);
    const log = await logOf(app, accountId);
    const after = await cursorAt(app.owner, accountId, 1n);
    const rest = log.slice(1).map(({ seq }) => seq);
    const streams = [
      await subscribe(app, EVENTS, { key, variables: { after } }),
      await subscribe(app, `subscription { events(after: "${after}") { cursor } }`, { key }),
      await subscribe(app, EVENTS, { key, lastEventId: after }),
      await subscribe(app, EVENTS, { key, lastEventId: after, method: 'GET' }),
      // What a client had last says it: it asks with the argument that it began with (a browser's EventSource).
      await subscribe(app, EVENTS, {
        key,
        variables: { after: encodeEventCursor(accountId, BEFORE_FIRST) },
        lastEventId: after,
      }),
    ];
    for (const stream of streams) {
      await stream.until(rest.length);
      expect(stream.events.map(({ id }) => seqOf(id))).toEqual(rest);
      stream.close();
    }
  });

  test('begin with the oldest event after an empty cursor, as polling does', async () => {
    const { accountId, apiKey: key } = await app.addAccount();
    for (let i = 0; i < 2; i++) await makeOnramp(app, key);
    const all = (await logOf(app, accountId)).map(({ seq }) => seq);
    const last = await cursorAt(app.owner, accountId, 1n);
    const stream = await subscribe(app, EVENTS, { key, variables: { after: '' } });
    await stream.until(all.length);
    expect(stream.events.map(({ id }) => seqOf(id))).toEqual(all);
    stream.close();
    const resumed = await subscribe(app, EVENTS, { key, variables: { after: '' }, lastEventId: last });
    await resumed.until(all.length - 1);
    expect(resumed.events.map(({ id }) => seqOf(id))).toEqual(all.slice(1));
    resumed.close();
  });

  test('can be those of a transaction, or of a family', async () => {
    const { accountId, apiKey: key } = await app.addAccount();
    const [first, second] = [await makeOnramp(app, key), await makeOnramp(app, key)];
    const start = encodeEventCursor(accountId, BEFORE_FIRST);
    const one = await subscribe(app, EVENTS, { key, variables: { after: start, end2end: second } });
    const onramps = await subscribe(app, EVENTS, { key, variables: { after: start, families: ['ONRAMPS'] } });
    const others = await subscribe(app, EVENTS, {
      key,
      variables: { after: start, families: ['OFFRAMPS'] },
    });
    const log = await logOf(app, accountId);
    await onramps.until(log.length);
    expect(onramps.events).toHaveLength(log.length);
    await one.until(1);
    const ids = one.events.map(({ data }) => data.data.events.transaction.end2end);
    expect(new Set(ids)).toEqual(new Set([second]));
    expect(ids).not.toContain(first);
    expect(others.events).toEqual([]);
    for (const stream of [one, onramps, others]) stream.close();
  });

  test('of another account are never sent', async () => {
    const [mine, theirs] = [await app.addAccount(), await app.addAccount()];
    const streams = [
      await subscribe(app, EVENTS, { key: mine.apiKey }),
      await subscribe(app, EVENTS, { key: theirs.apiKey }),
    ];
    const ids = [await makeOnramp(app, mine.apiKey), await makeOnramp(app, theirs.apiKey)];
    for (const [index, stream] of streams.entries()) {
      await stream.until(1);
      const told = new Set(stream.events.map(({ data }) => data.data.events.transaction.end2end));
      expect([...told]).toEqual([ids[index]]);
      stream.close();
    }
    // Nor can their cursor or their transaction be used.
    for (const variables of [
      { after: encodeEventCursor(theirs.accountId, BEFORE_FIRST) },
      { end2end: ids[1] },
    ]) {
      const stream = await subscribe(app, EVENTS, { key: mine.apiKey, variables });
      await stream.ended;
      expect(stream.events.map(({ event }) => event)).toEqual(['next', 'complete']);
      expect(stream.events[0]?.data.errors[0].extensions.code).toMatch(/INVALID_PARAMETER|NOT_FOUND/);
    }
  });

  test.each([
    ['not base64', '%%%'],
    ['something else', Buffer.from('hello').toString('base64url')],
  ])('a cursor that is %s is refused', async (_name, after) => {
    const stream = await subscribe(app, EVENTS, { variables: { after } });
    await stream.ended;
    expect(stream.events[0]?.data.errors[0].extensions).toMatchObject({
      code: 'INVALID_PARAMETER',
      violations: [{ parameter: 'after' }],
    });
  });

  test('a cursor whose events were dropped gets an error with the position to continue from', async () => {
    const { accountId, apiKey: key } = await app.addAccount();
    for (let i = 0; i < 4; i++) await makeOnramp(app, key);
    await app.owner.query(FLOOR, [accountId, 3]);
    const stream = await subscribe(app, EVENTS, {
      key,
      variables: { after: await cursorAt(app.owner, accountId, 1n) },
    });
    await stream.ended;
    const [frame, complete] = stream.events;
    const latest = (await logOf(app, accountId)).length;
    expect(frame?.data.data.events).toEqual({
      __typename: 'CursorExpired',
      cursor: await cursorAt(app.owner, accountId, 2n),
      earliest: await cursorAt(app.owner, accountId, 2n),
      latest: await cursorAt(app.owner, accountId, BigInt(latest)),
    });
    expect(complete?.event).toBe('complete');
    const again = await subscribe(app, EVENTS, { key, lastEventId: frame?.id });
    await again.until(1);
    expect(seqOf(again.events[0]?.id)).toBe(3);
    again.close();
    const polled = await app.get(`/v2/events?after=${await cursorAt(app.owner, accountId, 1n)}`, { key });
    expect(polled.status).toBe(410);
    expect(polled.json).toMatchObject({
      code: 'CURSOR_EXPIRED',
      earliest: await cursorAt(app.owner, accountId, 2n),
    });
  });

  test('a heartbeat is sent on a quiet stream, and its cursor is past the events outside of the filter', async () => {
    const { accountId, apiKey: key } = await app.addAccount();
    const stream = await subscribe(app, EVENTS, {
      ...{ key, variables: { families: ['OFFRAMPS'] }, keepsHeartbeats: true },
    });
    await stream.until(() => stream.beginning() !== undefined);
    await makeOnramp(app, key);
    const { length } = await logOf(app, accountId);
    // Twenty seconds later something more happens that was not asked for.
    const now = Date.now.bind(Date);
    vi.spyOn(Date, 'now').mockImplementation(() => now() + 20_000);
    onTestFinished(() => void vi.restoreAllMocks());
    await makeOnramp(app, key);
    await stream.until(1);
    stream.close();
    const beat = stream.events[0]?.data.data.events;
    expect(beat.__typename).toBe('Heartbeat');
    expect(seqOf(beat.cursor)).toBeGreaterThanOrEqual(length);
    expect(Date.parse(beat.at)).toBeGreaterThan(Date.now() - 60_000);
  });
});

describe('the others', () => {
  test('transactionChanged: the present state, then every change', async () => {
    const end2end = await makeOnramp(app);
    const query = `subscription { transactionChanged(end2end: "${end2end}") { cursor event { sequence state body: legacyBody } transaction { end2end state } } }`;
    const stream = await subscribe(app, query);
    await stream.until(1);
    const [present] = stream.events;
    expect(present?.data.data.transactionChanged).toMatchObject({ event: null, transaction: { end2end } });
    const before = (await eventsOf(app, end2end)).length;
    await play(app, end2end, 'pay');
    await expect.poll(async () => (await app.get(`/v2/onramp/${end2end}`)).json.status.en).toBe('Success');
    const expected = (await eventsOf(app, end2end)).slice(before);
    await stream.until(1 + expected.length);
    stream.close();
    const bodies = stream.events.slice(1).map(({ data }) => data.data.transactionChanged.event.body);
    expect(bodies).toEqual(expected.map(({ payload }) => payload));
    // Whoever comes back with the cursor gets only what is new.
    const last = stream.events[1]?.id;
    const again = await subscribe(app, query, { lastEventId: last });
    await again.until(expected.length - 1);
    again.close();
    expect(again.events.map(({ id }) => id)).toEqual(stream.events.slice(2).map(({ id }) => id));
  });

  test('balanceChanged: the present balances, then those after every movement, including adjustments', async () => {
    const { apiKey: key } = await app.addAccount();
    const stream = await subscribe(
      app,
      'subscription { balanceChanged { cursor balances { currency { code } available } } }',
      { key },
    );
    await stream.until(1);
    expect(stream.events[0]?.data.data.balanceChanged.balances).toEqual([]);
    await app.post('/v2/sandbox/fund', { currency: 'BRL', amount: '12.50' }, { key });
    await stream.until(2);
    expect(stream.events[1]?.data.data.balanceChanged.balances).toEqual([
      { currency: { code: 'BRL' }, available: '12.5' },
    ]);
    stream.close();
  });

  test('statementEntryAdded: lines from now on, or after a line; their order is that of their numbers', async () => {
    const { apiKey: key } = await app.addAccount();
    const query =
      'subscription ($after: String) { statementEntryAdded(after: $after) { cursor entry { number credit transaction { end2end } } } }';
    const beginning = await subscribe(app, 'subscription { statementEntryAdded { cursor } }', { key });
    await beginning.until(() => beginning.beginning() !== undefined);
    beginning.close();
    const after = beginning.beginning()?.id;
    await app.post('/v2/sandbox/fund', { currency: 'BRL', amount: '1' }, { key });
    const stream = await subscribe(app, query, { key });
    for (const amount of ['2', '3', '4'])
      await app.post('/v2/sandbox/fund', { currency: 'BRL', amount }, { key });
    await stream.until(3);
    stream.close();
    const entries = stream.events.map(({ data }) => data.data.statementEntryAdded.entry);
    expect(entries.map(({ credit }) => Number(credit))).toEqual([2, 3, 4]);
    const all = await subscribe(app, query, { key, variables: { after } });
    await all.until(4);
    all.close();
    const credits = all.events.map(({ data }) => Number(data.data.statementEntryAdded.entry.credit));
    expect(credits).toEqual([1, 2, 3, 4]);
    expect(all.events.slice(1).map(({ id }) => id)).toEqual(stream.events.map(({ id }) => id));
  });

  test('statementEntryAdded: a cursor of a line that the statement does not have, or of another account, is refused', async () => {
    const { apiKey: key, accountId } = await app.addAccount();
    await app.post('/v2/sandbox/fund', { currency: 'BRL', amount: '1' }, { key });
    const refusalOf = async (after: string) => {
      const query = `subscription { statementEntryAdded(after: "${after}") { cursor entry { credit } } }`;
      const stream = await subscribe(app, query, { key });
      await stream.ended;
      return stream.events[0]?.data.errors[0];
    };
    for (const after of ['0', '1', encodeLineCursor(app.accountId, { id: 1n, token: '' })])
      expect(await refusalOf(after)).toMatchObject({
        extensions: {
          code: 'INVALID_PARAMETER',
          violations: [{ parameter: 'after', message: 'must be a cursor of statementEntryAdded' }],
        },
      });
    for (const id of [1n, 7n]) {
      const { extensions } = await refusalOf(encodeLineCursor(accountId, { id, token: '00000000' }));
      expect(extensions).toMatchObject({
        code: 'CURSOR_EXPIRED',
        earliest: encodeLineCursor(accountId, { id: 0n, token: '' }),
      });
      const query = `subscription { statementEntryAdded(after: "${extensions.latest}") { entry { credit } } }`;
      const stream = await subscribe(app, query, { key });
      await app.post('/v2/sandbox/fund', { currency: 'BRL', amount: `${id + 1n}` }, { key });
      await stream.until(1);
      stream.close();
      expect(stream.events[0]?.data.data.statementEntryAdded.entry.credit).toBe(`${id + 1n}`);
    }
  });
});

test('“from now on” precedes the answer: a client that acts after it gets the event', async () => {
  const { apiKey: key } = await app.addAccount();
  const { events } = app.services;
  const watch = events.watch.bind(events);
  // A database that takes its time with how far the account has come.
  events.watch = (accountId) => {
    const slow = watch(accountId);
    const fresh = async () => {
      await new Promise((resolve) => setTimeout(resolve, 300));
      return slow.fresh();
    };
    return { ...slow, fresh };
  };
  const query = 'subscription { statementEntryAdded { entry { credit } } }';
  const stream = await subscribe(app, query, { key });
  events.watch = watch;
  await app.post('/v2/sandbox/fund', { currency: 'BRL', amount: '2' }, { key });
  await stream.until(1);
  stream.close();
  expect(stream.events.map(({ data }) => data.data.statementEntryAdded.entry.credit)).toEqual(['2']);
});

test('“from now on” precedes the answer on a single connection as well', async () => {
  const { apiKey: key } = await app.addAccount();
  const { events } = app.services;
  const watch = events.watch.bind(events);
  events.watch = (accountId) => {
    const slow = watch(accountId);
    return { ...slow, fresh: () => new Promise((resolve) => setTimeout(resolve, 300)).then(slow.fresh) };
  };
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const path = `${app.baseUrl}/graphql/stream`;
  const token = await (await fetch(path, { method: 'PUT', headers })).text();
  const taken = await fetch(`${path}?token=${token}`, {
    method: 'POST',
    headers,
    body: '{"query":"subscription { statementEntryAdded { cursor entry { credit } } }","extensions":{"operationId":"1"}}',
  });
  events.watch = watch;
  expect(taken.status).toBe(202);
  await app.post('/v2/sandbox/fund', { currency: 'BRL', amount: '2' }, { key });
  const control = new AbortController();
  const { body } = await fetch(`${path}?token=${token}`, {
    headers: { ...headers, accept: 'text/event-stream' },
    signal: control.signal,
  });
  let text = '';
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    text += Buffer.from(chunk).toString();
    if (text.split('event: next').length > 2) break;
  }
  control.abort();
  const frames = parseEvents(text)[0].map(({ data }) => data.payload.data.statementEntryAdded);
  expect(frames).toEqual([
    { cursor: expect.any(String), entry: null },
    { cursor: expect.any(String), entry: { credit: '2' } },
  ]);
});

describe('every stream reports its start position immediately', () => {
  test.each([
    ['events', 'subscription { events { __typename cursor } }'],
    ['balanceChanged', 'subscription { balanceChanged { cursor } }'],
    ['statementEntryAdded', 'subscription { statementEntryAdded { cursor entry { number } } }'],
    ['transactionChanged', 'subscription { transactionChanged(end2end: "END2END") { cursor } }'],
  ])('%s: the id of its first frame, which can be come back with', async (field, document) => {
    const { apiKey: key } = await app.addAccount();
    const end2end = await makeOnramp(app, key);
    const query = document.replace('END2END', end2end);
    const stream = await subscribe(app, query, { key });
    // Before a heartbeat can come, which would have one too.
    const isThere = () => stream.beginning() !== undefined || stream.events.length > 0;
    await stream.until(isThere, HEARTBEAT_MS / 2);
    const first = stream.beginning() ?? stream.events[0];
    stream.close();
    expect(first?.id).toBe(first?.data.data[field].cursor);
    expect(first?.id).toMatch(/./);
    // What falls between two connections comes on the second.
    await app.post('/v2/sandbox/fund', { currency: 'BRL', amount: '2' }, { key });
    await play(app, end2end, 'pay', key);
    const again = await subscribe(app, query, { key, lastEventId: first?.id });
    await again.until(1);
    expect(again.events[0]?.data.data[field].cursor).toBeDefined();
    again.close();
  });

  test('paymentSession, whose stream always begins with the present state', async () => {
    const checkout = { amount_payment: 150, currency_exit_received_code: 'USDT_TRX' };
    const { json } = await app.post('/v2/crossramp_checkout', checkout);
    const key = json.payment_link.split('/').at(-1);
    const stream = await subscribe(app, 'subscription { paymentSession { sequence } }', { key });
    await stream.until(1);
    stream.close();
    expect(stream.events[0]).toMatchObject({ id: 'present', data: { data: { paymentSession: {} } } });
  });
});

describe('refusals', () => {
  test('a key without the scope read', async () => {
    const { apiKey: key } = await app.addAccount({ scopes: ['create'] });
    for (const query of [
      EVENTS,
      'subscription { balanceChanged { cursor } }',
      'subscription { statementEntryAdded { cursor } }',
      'subscription { transactionChanged(end2end: "x") { cursor } }',
    ]) {
      const stream = await subscribe(app, query, { key });
      await stream.ended;
      expect(stream.events[0]?.data.errors[0].extensions.code).toBe('FORBIDDEN');
    }
  });

  test('a subscription without Accept: text/event-stream', async () => {
    const { json } = await app.graphql('subscription { balanceChanged { cursor } }');
    expect(json.errors[0]).toMatchObject({
      message: expect.stringContaining('text/event-stream'),
      extensions: { code: 'BAD_REQUEST' },
    });
  });

  test('documents over the bounds of queries', async () => {
    const aliases = Array.from({ length: 31 }, (_, i) => `a${i}: cursor`).join(' ');
    const deep = `{ transactionChanged(end2end: "x") { transaction ${'{ ledgerLines { transaction '.repeat(10)} { end2end } ${'} }'.repeat(10)} } }`;
    for (const query of [`subscription { balanceChanged { ${aliases} } }`, `subscription ${deep}`]) {
      const stream = await subscribe(app, query);
      await stream.ended;
      expect(JSON.stringify(stream.events[0]?.data ?? stream.status)).toMatch(/limit|400/);
    }
  });

  test('a query is answered as before', async () => {
    const stream = await subscribe(app, '{ balances { available } }');
    await stream.ended;
    expect(stream.events.map(({ event }) => event)).toEqual(['next', 'complete']);
  });
});
