/** Subscribers on bare sockets: they count what comes, and cost their own process, not the one that is measured. */
import { connect, type Socket } from 'node:net';
import { answerTasks } from './tasks.ts';

interface Client {
  readonly socket: Socket;
  /** Events so far, and the last of their cursors. */
  events: number;
  cursor: string | undefined;
  isOpen: boolean;
  /** What may be the beginning of a marker that the next chunk ends. */
  rest: string;
  seen: number[] | undefined;
}

const BODY = JSON.stringify({
  query:
    'subscription { events { cursor ... on TransactionEvent { name body: legacyBody transaction { end2end state } } } }',
});
/** Connections that are made at once. */
const PARALLEL_MAX = 200;
const QUIET_MS = 150;

/** Its own address, so that its ports are its own, too. */
const localAddress = process.argv[2] as string;
let port = 0;
let key = '';
let clients: Client[] = [];
/** The places of those who left, to come back to. */
let left: (string | undefined)[] = [];
let notify = () => {};

function open(after: string | undefined, keepSeen = false): Promise<Client> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    const client: Client = {
      socket,
      events: 0,
      cursor: after,
      isOpen: false,
      rest: '',
      seen: keepSeen ? [] : undefined,
    };
    socket.setEncoding('latin1');
    socket.on('error', reject);
    socket.on('data', (chunk: unknown) => {
      claim(client, chunk as string);
      if (client.isOpen) return;
      client.isOpen = true;
      resolve(client);
    });
    const resume = after === undefined ? '' : `Last-Event-ID: ${after}\r\n`;
    socket.write(
      `POST /graphql HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nAccept: text/event-stream\r\n${resume}Content-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`,
    );
  });
}

/** A frame with an event; heartbeats have no name. */
const MARKER = /id: ([\w-]+)\nevent: next\ndata: \{"data":\{"events":\{"cursor":"[\w-]+","name"/g;
const MARKER_MAX = 400;

function claim(client: Client, chunk: string): void {
  const text = client.rest + chunk;
  let end = 0;
  for (const match of text.matchAll(MARKER)) {
    end = match.index + match[0].length;
    client.events += 1;
    client.cursor = match[1];
    client.seen?.push(
      Number(
        Buffer.from(match[1] as string, 'base64url')
          .toString()
          .split(':')[2],
      ),
    );
  }
  client.rest = text.slice(Math.max(end, text.length - MARKER_MAX));
  notify();
}

async function openAll(places: readonly (string | undefined)[], keepSeen = false): Promise<void> {
  for (let at = 0; at < places.length; at += PARALLEL_MAX) {
    const opened = await Promise.all(
      places.slice(at, at + PARALLEL_MAX).map((after) => open(after, keepSeen)),
    );
    clients.push(...opened);
  }
}

/** Waits until every client has so many events more. @returns the moment at which the last had. */
function expectAll(events: number): Promise<bigint> {
  const wanted = clients.map((client) => client.events + events);
  let at = 0;
  return new Promise((resolve) => {
    notify = () => {
      while (at < clients.length && (clients[at] as Client).events >= (wanted[at] as number)) at += 1;
      if (at < clients.length) return;
      notify = () => {};
      resolve(process.hrtime.bigint());
    };
    notify();
  });
}

/** Until the server has done what that many clients brought about. */
const afterwards = (some: number) => pause(Math.min(1_000, 100 + some));
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

async function settle(): Promise<void> {
  for (let before = -1, now = 0; before !== now; ) {
    before = now;
    await pause(QUIET_MS);
    now = clients.reduce((sum, { events }) => sum + events, 0);
  }
}

answerTasks({
  target: async (to: number, apiKey: string) => {
    port = to;
    key = apiKey;
  },
  open: async (count: number) => {
    const started = performance.now();
    await openAll(Array.from({ length: count }, () => undefined));
    const ms = performance.now() - started;
    await afterwards(count);
    return ms;
  },
  close: async () => {
    left = clients.map(({ cursor }) => cursor);
    for (const { socket } of clients) socket.destroy();
    clients = [];
    await afterwards(left.length);
  },
  expect: async (events: number) => String(await expectAll(events)),
  settle,
  /** All come back to their places and read what they have missed. */
  return: async (missed: number) => {
    const started = performance.now();
    await openAll(left, true);
    await Promise.race([settle(), expectAllSeen(missed)]);
    const ms = performance.now() - started;
    await settle();
    const seen = clients.map((client) => client.seen ?? []);
    const distinct = seen.map((each) => new Set(each).size);
    return {
      ms,
      lost: distinct.reduce((sum, each) => sum + Math.max(0, missed - each), 0),
      twice: seen.reduce((sum, each, at) => sum + each.length - (distinct[at] as number), 0),
    };
  },
  stall: async (count: number) => {
    const from = clients.length;
    await openAll(Array.from({ length: count }, () => undefined));
    await pause(500);
    for (const { socket } of clients.slice(from)) socket.pause();
  },
});

async function expectAllSeen(missed: number): Promise<void> {
  while (clients.some((client) => (client.seen?.length ?? 0) < missed)) await pause(20);
}
