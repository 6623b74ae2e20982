/**
 * Goal: a key that follows its account by many costly operations executes no more of them at once than it executes queries; all frames
 * come, in their order, other keys do not wait, and nothing is read for streams that have ended meanwhile. Method: what frames read is held up, and counted.
 */
import { expect, onTestFinished, test, vi } from 'vitest';
import { OperationGate } from '../../src/server/graphql/operation-gate.ts';
import { useApp } from '../support/app.ts';
import { addMover, append, holdReads, parseEvents, subscribe } from './streams.ts';

const app = useApp();
const SINGLE = '/graphql/stream';
/** Costs 3,224 points, so that three fit into the 10,000 that a key may have under way. */
const COSTLY =
  '... on TransactionEvent { sequence transaction { ledgerLines { transaction { ledgerLines { transaction { ledgerLines { number credit debit } } } } } } }';
const PARALLEL_MAX = 3;
const FOLLOWERS = 10;
/** Each frame reads the transaction of its event, once. */
const READ = 'transactions_by_ids';

interface Followers {
  /** What each was told of, in order. */
  readonly sequences: () => number[][];
  readonly close: () => void;
}

/** Each a group of its own: what differs is the text of the document. */
async function followApart(key: string): Promise<Followers> {
  const streams = await Promise.all(
    Array.from({ length: FOLLOWERS }, (_, n) =>
      subscribe(app, `subscription Follow${n} { events { cursor ${COSTLY} } }`, { key }),
    ),
  );
  for (const stream of streams) await stream.until(() => stream.beginning() !== undefined);
  const close = () => {
    for (const stream of streams) stream.close();
  };
  onTestFinished(close);
  return { sequences: () => streams.map(({ events }) => sequencesOf(events.map(({ data }) => data))), close };
}

/** Operations of one connection. */
async function followTogether(key: string): Promise<Followers> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const token = await (await fetch(app.baseUrl + SINGLE, { method: 'PUT', headers })).text();
  const control = new AbortController();
  const close = () => control.abort();
  onTestFinished(close);
  const { body } = await fetch(`${app.baseUrl}${SINGLE}?token=${token}`, {
    headers: { ...headers, accept: 'text/event-stream' },
    signal: control.signal,
  });
  let text = '';
  const read = async () => {
    for await (const chunk of body as unknown as AsyncIterable<Uint8Array>)
      text += Buffer.from(chunk).toString();
  };
  read().catch(() => {});
  const told = () => parseEvents(text)[0].filter(({ event }) => event === 'next');
  const query = `subscription { events { cursor ${COSTLY} } }`;
  for (let operationId = 0; operationId < FOLLOWERS; operationId++) {
    const operation = {
      method: 'POST',
      headers,
      body: JSON.stringify({ query, extensions: { operationId } }),
    };
    expect((await fetch(`${app.baseUrl}${SINGLE}?token=${token}`, operation)).status).toBe(202);
  }
  await expect.poll(() => told().length).toBe(FOLLOWERS);
  const framesOf = (operationId: number) =>
    told()
      .filter(({ data }) => data.id === String(operationId))
      .map(({ data }) => data.payload);
  return { sequences: () => Array.from({ length: FOLLOWERS }, (_, n) => sequencesOf(framesOf(n))), close };
}

/** Frames that only say where the stream is have none. */
function sequencesOf(results: { data: { events: { sequence?: number } } }[]): number[] {
  return results.flatMap(({ data }) => data.events.sequence ?? []);
}

const WAYS = [
  ['of many connections', followApart],
  ['of one connection', followTogether],
] as const;

test.each(
  WAYS,
)('frames of operations %s wait for each other, and all arrive in order', async (_what, follow) => {
  const mover = await addMover(app);
  const other = await app.addAccount();
  const { sequences } = await follow(mover.apiKey);
  const { asked, letGo } = holdReads(app, READ);
  await append(app, mover, 2);
  app.services.notifier.notify([mover.accountId]);
  await expect.poll(asked).toBeGreaterThanOrEqual(PARALLEL_MAX);
  // By the time that another key is answered, those that could begin have begun.
  const name = await app.graphql('{ viewer { account { name } } }', {}, { key: other.apiKey });
  expect(name.json.data.viewer.account.name).toBe('Another');
  expect(asked()).toBe(PARALLEL_MAX);
  letGo();
  const expected = [1_001 + mover.before, 1_002 + mover.before];
  await expect.poll(sequences).toEqual(Array(FOLLOWERS).fill(expected));
});

test.each(
  WAYS,
)('frames of operations %s that have ended meanwhile are not executed', async (_what, follow) => {
  const mover = await addMover(app);
  const { close } = await follow(mover.apiKey);
  const { asked, letGo } = holdReads(app, READ);
  const enter = vi.spyOn(OperationGate.prototype, 'enter');
  onTestFinished(() => enter.mockRestore());
  await append(app, mover, 1);
  app.services.notifier.notify([mover.accountId]);
  await expect.poll(() => enter.mock.calls.length).toBeGreaterThanOrEqual(FOLLOWERS);
  await expect.poll(asked).toBe(PARALLEL_MAX);
  close();
  await expect.poll(() => app.services.events.size).toBe(0);
  letGo();
  // The last one is let in when others have ended: those before it have read by then whatever they read.
  await expect.poll(() => enter.mock.settledResults.every(({ type }) => type === 'fulfilled')).toBe(true);
  expect(asked()).toBe(PARALLEL_MAX);
});
