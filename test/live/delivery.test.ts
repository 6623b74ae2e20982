/**
 * Goal: whoever comes back with its cursor has lost nothing and gets nothing twice, whatever the client, however often the
 * connection breaks, wherever the events are committed. Method: the clients that people use (graphql-sse, EventSource, curl,
 * a bare socket), events appended meanwhile, as by other processes and by this one.
 */
import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import { EventSource } from 'eventsource';
import { createClient } from 'graphql-sse';
import { describe, expect, test, vi } from 'vitest';
import { startApp, useApp } from '../support/app.ts';
import { heldMemory } from '../support/held-memory.ts';
import { revokeKey } from '../support/revoke-key.ts';
import { addMover, append, EVENTS, logOf, makeOnramp, parseEvents, seqOf, subscribe } from './streams.ts';

const app = useApp();
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
/** @returns the cursor of the last event before those of a test. */
const positionOf = async ({ apiKey, before }: { apiKey: string; before: number }): Promise<string> =>
  (await app.get(`/v2/events?limit=${before}`, { key: apiKey })).json.next;
const upTo = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + 1 + i);

/** Appends events in small commits, half of them with a notification as this process gives. */
async function produce(mover: Awaited<ReturnType<typeof addMover>>, commits: number): Promise<number> {
  for (let i = 0; i < commits; i++) {
    await append(app, mover, 1 + (i % 7));
    if (i % 2 === 0) app.services.notifier.notify([mover.accountId]);
    await pause(8);
  }
  return (await logOf(app, mover.accountId)).length;
}

describe('no loss and nothing twice over reconnects', () => {
  test('over fetch, cut off again and again, with Last-Event-ID', async () => {
    const mover = await addMover(app);
    const seen: number[] = [];
    let lastEventId: string | undefined;
    let isDone = false;
    const follow = async () => {
      while (!isDone) {
        const stream = await subscribe(app, EVENTS, {
          key: mover.apiKey,
          lastEventId,
          method: seen.length % 2 ? 'GET' : 'POST',
        });
        await stream.until(1 + Math.floor(Math.random() * 20), 60 + Math.random() * 100);
        stream.close();
        await stream.ended;
        // The first frame says where the stream began, so nothing depends on how long it stood.
        lastEventId ??= stream.beginning()?.id;
        for (const { id, data } of stream.events) {
          lastEventId = id;
          if (data.data.events.__typename === 'TransactionEvent') seen.push(seqOf(id));
        }
      }
    };
    const following = [follow()];
    await expect.poll(() => lastEventId).toBeDefined();
    const total = await produce(mover, 150);
    // As many connections as a slow machine needs for all of them.
    await expect.poll(() => seen.at(-1), { timeout: 120_000 }).toBe(total);
    isDone = true;
    await Promise.all(following);
    expect(seen).toEqual(upTo(mover.before, total));
  }, 180_000);

  test('bare sockets that are destroyed at any byte', async () => {
    const mover = await addMover(app);
    const seen: number[] = [];
    let last = await positionOf(mover);
    let isDone = false;
    const once = () =>
      new Promise<void>((resolve) => {
        const socket = connect(Number(new URL(app.baseUrl).port), '127.0.0.1');
        let text = '';
        const limit = 200 + Math.random() * 6_000;
        const timer = setTimeout(() => socket.destroy(), 400);
        socket.setEncoding('utf8').on('data', (chunk) => {
          text += chunk;
          if (text.length > limit) socket.destroy();
        });
        socket
          .on('error', () => {})
          .on('close', () => {
            clearTimeout(timer);
            // Chunks of HTTP/1.1: their sizes stand on lines of their own.
            const body = text
              .slice(text.indexOf('\r\n\r\n') + 4)
              .replaceAll(/\r\n[0-9a-f]+\r\n|^[0-9a-f]+\r\n/g, '');
            for (const { id } of parseEvents(body)[0]) {
              if (!id) continue;
              last = id;
              seen.push(seqOf(id));
            }
            resolve();
          });
        const body = JSON.stringify({ query: 'subscription { events { cursor } }' });
        socket.write(
          [
            'POST /graphql HTTP/1.1',
            'Host: localhost',
            `Authorization: Bearer ${mover.apiKey}`,
            'Accept: text/event-stream',
            `Last-Event-ID: ${last}`,
            'Content-Type: application/json',
            `Content-Length: ${body.length}`,
            '',
            body,
          ].join('\r\n'),
        );
      });
    const following = (async () => {
      while (!isDone) await once();
    })();
    const total = await produce(mover, 150);
    await expect.poll(() => seen.at(-1)).toBe(total);
    isDone = true;
    await following;
    expect(seen).toEqual(upTo(mover.before, total));
  });

  test('EventSource reconnects with its Last-Event-ID', async () => {
    const mover = await addMover(app);
    const seen: number[] = [];
    let cut: AbortController | undefined;
    let connections = 0;
    const source = new EventSource(
      `${app.baseUrl}/graphql?${new URLSearchParams({ query: 'subscription { events { cursor } }' })}`,
      {
        fetch: (url, init) => {
          connections += 1;
          cut = new AbortController();
          const signal = AbortSignal.any([cut.signal, init.signal as AbortSignal]);
          const headers = {
            ...(init.headers as Record<string, string>),
            authorization: `Bearer ${mover.apiKey}`,
          };
          return fetch(url, { ...init, headers, signal });
        },
      },
    );
    source.addEventListener('next', ({ lastEventId }) => seen.push(seqOf(lastEventId)));
    await expect.poll(() => source.readyState).toBe(1);
    const cutting = setInterval(() => cut?.abort(new TypeError('cut')), 700);
    const total = await produce(mover, 250);
    clearInterval(cutting);
    await expect.poll(() => seen.at(-1)).toBe(total);
    source.close();
    expect(connections).toBeGreaterThan(1);
    // The first frame says where the stream began.
    expect(seen).toEqual([mover.before, ...upTo(mover.before, total)]);
  });

  test('graphql-sse, which sends its position at every connection; the process is drained meanwhile', async () => {
    const mover = await addMover(app);
    let other = await startApp(app.database);
    const drained: Promise<unknown>[] = [];
    const seen: number[] = [];
    let last = await positionOf(mover);
    const client = createClient({
      url: () => `${other.publicUrl}/graphql`,
      headers: () => ({ authorization: `Bearer ${mover.apiKey}`, 'last-event-id': last }),
      retryAttempts: 1_000,
      retry: () => pause(5),
    });
    const dispose = client.subscribe<{ events: { __typename: string; cursor: string } }>(
      { query: 'subscription { events { __typename cursor } }' },
      {
        next: ({ data }) => {
          if (data?.events.__typename === 'Heartbeat') return;
          last = data?.events.cursor ?? last;
          seen.push(seqOf(last));
        },
        error: () => {},
        complete: () => {},
      },
    );
    let isProduced = false;
    const producing = produce(mover, 120).finally(() => {
      isProduced = true;
    });
    for (let i = 0; i < 3; i++) {
      const had = seen.length;
      await expect.poll(() => isProduced || seen.length > had).toBe(true);
      const before = other;
      other = await startApp(app.database);
      before.drain();
      drained.push(before.close());
    }
    const total = await producing;
    await expect.poll(() => seen.at(-1)).toBe(total);
    dispose();
    expect(seen).toEqual(upTo(mover.before, total));
    other.drain();
    await Promise.all([...drained, other.close()]);
  });

  test('curl', async () => {
    const mover = await addMover(app);
    const curl = spawn('curl', [
      ...['-sSN', '-H', `authorization: Bearer ${mover.apiKey}`, '-H', 'accept: text/event-stream'],
      ...['-H', 'content-type: application/json', '-d', '{"query":"subscription { events { cursor } }"}'],
      `${app.baseUrl}/graphql`,
    ]);
    let text = '';
    curl.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    const isThere = new Promise<boolean>((resolve) => {
      curl.on('spawn', () => resolve(true)).on('error', () => resolve(false));
    });
    if (!(await isThere)) return;
    await expect.poll(() => text).toContain('id: ');
    const total = await produce(mover, 5);
    await expect.poll(() => parseEvents(text)[0].length).toBe(1 + total - mover.before);
    curl.kill();
  });
});

test('members of a group join, leave and fall behind at any time: each gets the log from its position', async () => {
  const mover = await addMover(app);
  const { apiKey: key } = mover;
  const after = await positionOf(mover);
  const members = await Promise.all(
    Array.from({ length: 40 }, async (_, index) => {
      await pause(index * 25);
      return subscribeSurely({ key, ...(index % 3 && { variables: { after } }) });
    }).concat([produce(mover, 120).then(() => undefined as never)]),
  );
  const total = (await logOf(app, mover.accountId)).length;
  for (const [index, member] of members.slice(0, -1).entries()) {
    const seen: number[] = [];
    if (index % 3 === 0) await member.until(() => member.beginning() !== undefined);
    // Whoever begins now may have come last of all: the first frame says where it began.
    let place = index % 3 ? after : member.beginning()?.id;
    const before = seqOf(place);
    for (let stream = member; ; stream = await subscribeSurely({ key, lastEventId: place })) {
      await stream.until(() => seqOf(stream.events.at(-1)?.id ?? place) === total);
      stream.close();
      const ids = stream.events.flatMap(({ id }) => id ?? []);
      seen.push(...ids.map(seqOf));
      place = ids.at(-1) ?? place;
      // A database that is very busy ends streams: who follows comes back.
      if (seqOf(place) === total) break;
    }
    expect(seen).toEqual(upTo(before, total));
  }
});

/** Subscribes, again and again while the database is too busy to say whose key it is. */
function subscribeSurely(options: Parameters<typeof subscribe>[2]) {
  return vi.waitFor(
    async () => {
      const stream = await subscribe(app, EVENTS, options);
      expect(stream.status, 'the database is too busy to say whose key it is').not.toBe(503);
      return stream;
    },
    { timeout: 30_000, interval: 500 },
  );
}

test('commits of one process reach subscribers of another', async () => {
  const other = await startApp(app.database);
  const { apiKey: key } = await app.addAccount();
  const stream = await subscribe({ baseUrl: other.publicUrl, apiKey: key }, EVENTS);
  await makeOnramp(app, key);
  await stream.until(1);
  expect(stream.events.length).toBeGreaterThan(0);
  stream.close();
  other.drain();
  await other.close();
});

test('a client that does not read gets everything once it reads, and costs next to nothing until then', {
  timeout: 120_000,
}, async () => {
  const mover = await addMover(app);
  const chunks: string[] = [];
  const socket = connect(Number(new URL(app.baseUrl).port), '127.0.0.1');
  socket.setEncoding('utf8').on('data', (chunk: string) => chunks.push(chunk));
  const body = JSON.stringify({
    query: 'subscription { events { __typename cursor ... on TransactionEvent { body: legacyBody } } }',
  });
  socket.write(
    `POST /graphql HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${mover.apiKey}\r\nAccept: text/event-stream\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  await expect.poll(() => chunks.length).toBeGreaterThan(0);
  socket.pause();
  const other = await subscribe(app, 'subscription { events { cursor } }', { key: mover.apiKey });
  const bytes = 100_000;
  const { external: before } = await heldMemory();
  for (let i = 0; i < 200; i++) {
    await append(app, mover, 2, bytes);
    app.services.notifier.notify([mover.accountId]);
    await pause(2);
  }
  const committed = (await logOf(app, mover.accountId)).length;
  await other.until(() => other.events.length > 0 && seqOf(other.events.at(-1)?.id) === committed);
  other.close();
  // 40 MB were committed, and another subscriber has been told of all. What waits for the client is on no heap: what the kernel took, and one frame.
  await expect
    .poll(async () => (await heldMemory()).external - before, { interval: 200 })
    .toBeLessThan(1_000_000);
  const total = (await logOf(app, mover.accountId)).length;
  const seen = () =>
    [
      ...chunks
        .join('')
        .matchAll(/id: ([\w-]+)\nevent: next\ndata: (?!\{"data":\{"events":\{"__typename":"Heartbeat")/g),
    ].map(([, id]) => seqOf(id));
  socket.resume();
  // Each look reads the 40 MB that came so far: on a machine that does much else, seldom and for long.
  await expect.poll(() => seen().length, { interval: 2_000, timeout: 60_000 }).toBe(total - mover.before);
  socket.destroy();
  expect(seen()).toEqual(upTo(mover.before, total));
});

describe('limits', () => {
  test('an account has at most 1,000 streams and waiting requests, by whichever of its keys', async () => {
    const { apiKey: key, accountId } = await app.addAccount();
    const { keyId } = await app.addKey(accountId, ['read']);
    const places = Array.from({ length: 999 }, () =>
      app.services.streamLimit.acquire({ id: keyId, accountId }),
    );
    const stream = await subscribe(app, EVENTS, { key });
    const over = await subscribe(app, EVENTS, { key });
    expect(over.status).toBe(429);
    expect(over.headers.get('retry-after')).toBe('5');
    expect((await app.get('/v2/events?wait=1', { key })).status).toBe(429);
    expect((await app.get('/v2/events', { key })).status).toBe(200);
    stream.close();
    await expect.poll(async () => (await app.get('/v2/events?wait=1', { key })).status).toBe(200);
    for (const leave of places) leave();
  });

  test('a revoked key ends its streams', async () => {
    const { apiKey: key, keyId } = await app.addAccount();
    const streams = [await subscribe(app, EVENTS, { key }), await subscribe(app, EVENTS, { key })];
    await revokeKey(app.database, keyId);
    await Promise.all(streams.map(({ ended }) => ended));
    for (const { events } of streams) {
      expect(events.map(({ event }) => event)).toEqual(['next', 'complete']);
      expect(events[0]?.data.errors[0].extensions.code).toBe('UNAUTHORIZED');
    }
  });
});
