/** One event to many subscribers of one operation: all have it, it is made once for each key, and other work has its turn in between. */
import { connect, Socket } from 'node:net';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { SCOPES } from '../../src/base/access/api-key.ts';
import { OperationGate } from '../../src/server/graphql/operation-gate.ts';
import { useApp } from '../support/app.ts';
import {
  addMover,
  append,
  EVENTS,
  holdReads,
  logOf,
  parseEvents,
  type ServerEvent,
  seqOf,
} from './streams.ts';

const app = useApp({ rateLimit: null });
const SUBSCRIBERS = 400;
/** Most events that may be written before others have their turn: the last ones of an event, and the first ones of the next. */
const SLICES_MAX = 2 * 16;

const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

interface Subscriber {
  readonly told: () => ServerEvent[];
  readonly text: () => string;
}

/** A subscriber on a bare socket, which sees the bytes of HTTP itself. */
function subscriber(key: string, version = '1.1'): Subscriber {
  const body = JSON.stringify({ query: EVENTS });
  const socket = connect(Number(new URL(app.baseUrl).port), '127.0.0.1');
  sockets.push(socket);
  let text = '';
  socket.setEncoding('latin1').on('data', (part: unknown) => {
    text += part;
  });
  const head = `POST /graphql HTTP/${version}\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nAccept: text/event-stream`;
  socket.write(`${head}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
  // Lines of chunk sizes are no fields, and fall away.
  const lines = () => text.replace(/\r\n(?:[0-9a-f]+\r\n)?/g, '\n').replace(/\n{3,}/g, '\n\n');
  return {
    told: () => parseEvents(lines())[0].filter(({ data }) => data?.data?.events?.body),
    text: () => text,
  };
}

/** Counts the events that the server writes in one turn of the loop. @returns the most so far. */
function watchTurns(): { readonly most: () => number; readonly end: () => void } {
  const { write } = Socket.prototype;
  let inTurn = 0;
  let most = 0;
  let isOver = false;
  Socket.prototype.write = function (this: Socket, ...args: never[]) {
    if (String(args[0]).includes('event: next')) most = Math.max(most, ++inTurn);
    return write.apply(this, args as unknown as Parameters<typeof write>);
  } as typeof write;
  const turn = () => {
    inTurn = 0;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  return {
    most: () => most,
    end: () => {
      isOver = true;
      Socket.prototype.write = write;
    },
  };
}

test('an event goes to all subscribers, with the same bytes, and in slices', {
  timeout: 60_000,
}, async () => {
  const mover = await addMover(app);
  const all = Array.from({ length: SUBSCRIBERS }, (_, n) =>
    subscriber(mover.apiKey, n === 0 ? '1.0' : '1.1'),
  );
  await expect
    .poll(() => all.every(({ text }) => text().includes('event: next')), { timeout: 30_000 })
    .toBe(true);
  const turns = watchTurns();
  try {
    await append(app, mover, 2);
    app.services.notifier.notify([mover.accountId]);
    await expect.poll(() => all.every(({ told }) => told().length === 2), { timeout: 30_000 }).toBe(true);
  } finally {
    turns.end();
  }
  expect(turns.most()).toBeGreaterThan(0);
  expect(turns.most()).toBeLessThan(SLICES_MAX);
  const last = (await logOf(app, mover.accountId)).length;
  for (const { told } of all) expect(told().map(({ id }) => seqOf(id))).toEqual([last - 1, last]);
  expect(new Set(all.map(({ told }) => JSON.stringify(told()))).size).toBe(1);
});

/** The frame that is asked for first does not begin until it is let go. @returns a function that lets it go. */
function holdFirst(): () => void {
  const { enter } = OperationGate.prototype;
  const { promise: released, resolve: letGo } = Promise.withResolvers<void>();
  const spy = vi.spyOn(OperationGate.prototype, 'enter').mockImplementationOnce(async function (
    this: OperationGate,
    ...given
  ) {
    await released;
    return enter.apply(this, given);
  });
  onTestFinished(() => {
    letGo();
    spy.mockRestore();
  });
  return letGo;
}

test('subscribers of a key share its frames, and do not wait for those of another key of the account', async () => {
  const mover = await addMover(app);
  const other = await app.addKey(mover.accountId, SCOPES);
  const own: Subscriber[] = [];
  const open = async (key: string) => {
    const opened = subscriber(key);
    await expect.poll(() => opened.text().includes('event: next')).toBe(true);
    return opened;
  };
  for (let n = 0; n < 3; n++) own.push(await open(mover.apiKey));
  const another = await open(other.apiKey);
  const letGo = holdFirst();
  const reads = holdReads(app, 'transactions_by_ids');
  reads.letGo();
  await append(app, mover, 1);
  app.services.notifier.notify([mover.accountId]);
  await expect.poll(() => another.told().length).toBe(1);
  expect(own.map(({ told }) => told().length)).toEqual([0, 0, 0]);
  letGo();
  await expect.poll(() => own.map(({ told }) => told().length)).toEqual([1, 1, 1]);
  // Each key has read the transaction of the event once.
  expect(reads.asked()).toBe(2);
});
