/** Reading streams of events in tests: over fetch, event by event. */
import { onTestFinished, vi } from 'vitest';
import type { TestApp } from '../support/app.ts';
import { BODIES } from '../support/rest-routes.ts';

const PATIENCE_MS = 30_000;

/** One event of a stream. */
export interface ServerEvent {
  readonly id: string | undefined;
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into data of every shape
  readonly data: any;
}

/** A stream that is being read. */
export interface Stream {
  readonly status: number;
  readonly headers: Headers;
  /** The frame of a stream from now on that only says where now is. */
  readonly beginning: () => ServerEvent | undefined;
  /** All events so far, but for the beginning. */
  readonly events: ServerEvent[];
  /** Waits until so many events have come, or the stream has ended. */
  readonly until: (count: number | (() => boolean), ms?: number) => Promise<ServerEvent[]>;
  readonly ended: Promise<void>;
  readonly close: () => void;
}

/** @returns the events of a text, and what is left of it. */
export function parseEvents(text: string): [events: ServerEvent[], rest: string] {
  const blocks = text.split('\n\n');
  const rest = blocks.pop() ?? '';
  const events = blocks.flatMap((block) => {
    const fields = new Map(
      block
        .split('\n')
        .filter((line) => !line.startsWith(':'))
        .map((line) => {
          const colon = line.indexOf(':');
          return [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, '')];
        }),
    );
    const event = fields.get('event');
    const data = fields.get('data');
    return event ? [{ id: fields.get('id'), event, data: data ? JSON.parse(data) : undefined }] : [];
  });
  return [events, rest];
}

/** Opens a subscription over fetch. */
export async function subscribe(
  app: Pick<TestApp, 'baseUrl' | 'apiKey'>,
  query: string,
  options: {
    variables?: Record<string, unknown>;
    key?: string;
    lastEventId?: string | undefined;
    method?: 'GET' | 'POST';
    path?: string;
    /** Also frames that only say that the stream lives: on a slow machine they come between others. */
    keepsHeartbeats?: boolean;
  } = {},
): Promise<Stream> {
  const control = new AbortController();
  const headers: Record<string, string> = {
    authorization: `Bearer ${options.key ?? app.apiKey}`,
    accept: 'text/event-stream',
    ...(options.lastEventId !== undefined && { 'last-event-id': options.lastEventId }),
  };
  const { variables } = options;
  const search = new URLSearchParams({ query, ...(variables && { variables: JSON.stringify(variables) }) });
  const response =
    options.method === 'GET'
      ? await fetch(`${app.baseUrl}/graphql?${search}`, { headers, signal: control.signal })
      : await fetch(`${app.baseUrl}/graphql`, {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json' },
          body: JSON.stringify({ query, variables }),
          signal: control.signal,
        });
  const events: ServerEvent[] = [];
  let beginning: ServerEvent | undefined;
  let isBeginningDue =
    /\{\s*(events|statementEntryAdded)\b(?!\(after: ")/.test(query) &&
    variables?.after === undefined &&
    !options.lastEventId;
  let isEnded = false;
  let notify = () => {};
  const read = async () => {
    let rest = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
      const [parsed, left] = parseEvents(rest + decoder.decode(chunk, { stream: true }));
      rest = left;
      for (const event of parsed) {
        const isHeartbeat = event.data?.data?.events?.__typename === 'Heartbeat';
        if (isBeginningDue && event.event === 'next' && !event.data.errors) beginning = event;
        else if (!isHeartbeat || options.keepsHeartbeats) events.push(event);
        isBeginningDue = false;
      }
      notify();
    }
  };
  const ended = read()
    .catch(() => {})
    .then(() => {
      isEnded = true;
      notify();
    });
  const until: Stream['until'] = async (count, ms = PATIENCE_MS) => {
    const isThere = typeof count === 'number' ? () => events.length >= count : count;
    const deadline = Date.now() + ms;
    while (!isThere() && !isEnded && Date.now() < deadline) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.max(1, deadline - Date.now()));
        notify = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    return events;
  };
  return {
    status: response.status,
    headers: response.headers,
    beginning: () => beginning,
    events,
    until,
    ended,
    close: () => control.abort(),
  };
}

/** Makes an onramp. @returns its id; it has at least one event then. */
export async function makeOnramp(app: TestApp, key?: string): Promise<string> {
  const { json, status } = await app.post('/v2/onramp', BODIES['/v2/onramp'], key ? { key } : {});
  if (status !== 201) throw new Error(JSON.stringify(json));
  return json.end2end;
}

/** Plays a scenario. */
export async function play(app: TestApp, end2end: string, scenario: string, key?: string): Promise<void> {
  const { status, text } = await app.post('/v2/sandbox/trigger', { scenario, end2end }, key ? { key } : {});
  if (status !== 200) throw new Error(text);
}

/** @returns the places of the account's events in the log, in order. */
export async function logOf(app: TestApp, accountId: bigint): Promise<{ seq: number; name: string }[]> {
  const { rows } = await app.owner.query(
    'select seq::int, name from event where account_id = $1 order by seq',
    [accountId],
  );
  return rows;
}

/** A document that asks for the log. */
export const EVENTS = `subscription ($after: String, $end2end: String, $families: [TransactionFamily!]) {
  events(after: $after, end2end: $end2end, families: $families) {
    __typename cursor
    ... on TransactionEvent { name sequence occurredAt body: legacyBody status { en } transaction { end2end state } }
    ... on Heartbeat { at }
    ... on CursorExpired { earliest latest }
  }
}`;

/**
 * Appends events of a transaction as another process would: in one commit, and nobody is notified here.
 *
 * @param bytes - size of each body.
 */
export async function append(
  app: TestApp,
  account: { readonly accountId: bigint; readonly transactionId: bigint },
  count: number,
  bytes = 20,
): Promise<void> {
  const body = JSON.stringify({ filler: 'x'.repeat(bytes) });
  await app.owner.query(
    `with head as (
       update account_head set event_seq = event_seq + $3 where account_id = $1 returning event_seq - $3 as before
     )
     insert into event (account_id, seq, transaction_id, sequence, name, component, state, occurred_at, payload)
     select $1, before + n, $2, 1000 + before + n, 'onramp.test.moved', 'TEST', 'ADVANCED', now(), $4 from head, generate_series(1, $3::int) n`,
    [account.accountId, account.transactionId, count, body],
  );
}

/** @returns another account with a key and one transaction. */
export async function addMover(app: TestApp) {
  const account = await app.addAccount();
  const end2end = await makeOnramp(app, account.apiKey);
  const { rows } = await app.owner.query<{ id: string }>('select id from transaction where end2end = $1', [
    end2end,
  ]);
  const before = (await logOf(app, account.accountId)).length;
  return { ...account, end2end, transactionId: BigInt(rows[0]?.id ?? 0), before };
}

/**
 * Counts the reads of a statement, and holds them up before they are sent, for as long as a test takes: a lock of the database would let them fail
 * after some seconds.
 *
 * @param name - of the statement.
 * @returns how many were asked for, and what lets them go on.
 */
export function holdReads({ database }: Pick<TestApp, 'database'>, name: string) {
  const { query } = database;
  const { promise: released, resolve: letGo } = Promise.withResolvers<void>();
  let asked = 0;
  const spy = vi.spyOn(database, 'query').mockImplementation(async (statement, values) => {
    if (statement.name === name) {
      asked += 1;
      await released;
    }
    return query(statement, values);
  });
  onTestFinished(() => {
    letGo();
    spy.mockRestore();
  });
  return { asked: () => asked, letGo };
}

/** @returns the place that a cursor stands for. */
export function seqOf(cursor: string | undefined): number {
  return Number(
    Buffer.from(cursor ?? '', 'base64url')
      .toString()
      .split(':')[2],
  );
}

/** @returns how many streams the account may still open. */
export function placesOf({ services }: Pick<TestApp, 'services'>, accountId: bigint): number {
  const taken: (() => void)[] = [];
  try {
    for (;;) taken.push(services.streamLimit.acquire({ id: 'another', accountId }));
  } catch {
    for (const leave of taken) leave();
  }
  return taken.length;
}
