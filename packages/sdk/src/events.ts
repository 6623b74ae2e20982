/** The event log as an async iterator that continues by cursor after a lost connection. */
import type { EventName, EventPage, GatewayEvent } from './event.ts';
import { parseExact } from './exact.ts';
import { answered, type Gateway, open, readValue } from './http.ts';
import { NoAnswer, problemOf, Refused, refuse } from './refusal.ts';
import { isPassing, pauseAfter } from './retry.ts';

/** Options of a listener. */
export interface EventOptions<Name extends EventName> {
  /** Cursor of the last event that you have processed. Default: from the first `next()` on; an empty text begins with the oldest event. */
  readonly after?: string | undefined;
  /** Events to yield; default: all. */
  readonly names?: readonly Name[] | undefined;
  /** Ends the iteration. */
  readonly signal?: AbortSignal | undefined;
  /** `stream` changes to `poll` by itself where no stream comes through. */
  readonly transport?: 'stream' | 'poll' | undefined;
}

/** A place in the log, and the event there, if it is one. */
interface Step {
  readonly cursor: string;
  readonly event?: GatewayEvent;
}

type Follow = (gateway: Gateway, after: string | undefined, signal: AbortSignal) => AsyncGenerator<Step>;

/** The gateway sends a frame every 20 seconds: a stream that is silent for longer is dead. */
const SILENCE_MAX_MS = 60_000;
const WAIT_SECONDS = 25;
const STREAM =
  'subscription($after: String) { events(after: $after) { __typename cursor ... on TransactionEvent { name sequence occurred_at: occurredAt legacyBody } ... on CursorExpired { earliest latest } } }';
const NEWEST = '{ events(last: 1) { nodes { cursor } } }';

/** No stream comes through, as behind a proxy that holds answers back. */
class NoStream extends NoAnswer {}

/**
 * Yields every event once, in order, for as long as the caller iterates; reconnects without end.
 *
 * @throws {Refused} for errors that no repetition helps against; with `CURSOR_EXPIRED`, the refusal has the cursors to go on with.
 */
export async function* eventsOf<Name extends EventName>(
  gateway: Gateway,
  { after, names, signal = new AbortController().signal, transport = 'stream' }: EventOptions<Name>,
): AsyncGenerator<GatewayEvent<Name>, void, undefined> {
  let follow: Follow = transport === 'poll' ? poll : stream;
  let cursor = after;
  for (let failures = 0; !signal.aborted; ) {
    try {
      for await (const step of follow(gateway, cursor, signal)) {
        failures = 0;
        cursor = step.cursor;
        if (step.event && (!names || names.includes(step.event.name as Name)))
          yield step.event as GatewayEvent<Name>;
      }
    } catch (error) {
      if (signal.aborted) return;
      // A token that worked has ended: the next connection gets another.
      const { code } = error as Partial<Refused>;
      const hasExpired = code === 'UNAUTHORIZED' && typeof gateway.key === 'function' && failures === 0;
      if (!isPassing(error) && !hasExpired) throw error;
      if (error instanceof NoStream) follow = poll;
      await pauseAfter(error, failures++, signal);
    }
  }
}

async function* stream(
  gateway: Gateway,
  after: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<Step> {
  const own = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const listen = () => {
    clearTimeout(timer);
    timer = setTimeout(() => own.abort(new DOMException('silence', 'TimeoutError')), SILENCE_MAX_MS);
  };
  try {
    const call = {
      path: '/graphql',
      body: { query: STREAM, variables: { after } },
      headers: { accept: 'text/event-stream' },
      signal: AbortSignal.any([signal, own.signal]),
    };
    listen();
    const { body, headers } = await open(gateway, call);
    if (!body || !headers.get('content-type')?.startsWith('text/event-stream'))
      throw new NoStream('no stream');
    const decoder = new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>;
    const reader = body.pipeThrough(decoder).getReader();
    for (let rest = '', Failure: typeof NoAnswer = NoStream; ; Failure = NoAnswer) {
      const { done, value } = await answered(call, () => reader.read(), Failure);
      if (done) throw new Failure('the stream ended');
      listen();
      const frames = (rest + value).split('\n\n');
      rest = frames.pop() ?? '';
      for (const frame of frames) {
        const [, data] = /^data: (.+)$/m.exec(frame) ?? [];
        if (data) yield stepOf(data);
      }
    }
  } finally {
    clearTimeout(timer);
    own.abort();
  }
}

/** A frame of the subscription. */
interface Frame {
  readonly __typename: string;
  readonly cursor: string;
  readonly name: EventName;
  readonly sequence: number;
  readonly occurred_at: string;
  readonly legacyBody: string;
}

function stepOf(data: string): Step {
  const { data: result, errors } = JSON.parse(data);
  refuse(errors);
  const frame = result.events as Frame;
  if (frame.__typename === 'CursorExpired')
    throw new Refused([
      problemOf(410, { ...frame, code: 'CURSOR_EXPIRED', message: 'the cursor is too old' }),
    ]);
  if (frame.__typename !== 'TransactionEvent') return frame;
  const { __typename, legacyBody, ...facts } = frame;
  return { cursor: facts.cursor, event: { ...facts, transaction: parseExact(legacyBody) } as GatewayEvent };
}

async function* poll(gateway: Gateway, after: string | undefined, signal: AbortSignal): AsyncGenerator<Step> {
  let cursor = after ?? (await newestCursor(gateway, signal));
  if (after === undefined) yield { cursor };
  for (;;) cursor = yield* page(gateway, { after: cursor, wait: WAIT_SECONDS }, signal);
}

/** Yields the events of a page. @returns the cursor behind it. */
async function* page(
  gateway: Gateway,
  { after, wait }: { readonly after: string; readonly wait: number },
  signal: AbortSignal,
): AsyncGenerator<Step, string> {
  const path = `/v2/events?${new URLSearchParams({ after, limit: '100', wait: `${wait}` })}`;
  const { events, next } = (await readValue(
    gateway,
    { path, signal },
    parseExact,
    wait * 1_000,
  )) as EventPage;
  for (const event of events) yield { cursor: event.cursor, event };
  yield { cursor: next };
  return next;
}

/** @returns the place from now on; an empty text where the log is empty. */
async function newestCursor(gateway: Gateway, signal: AbortSignal): Promise<string> {
  const call = { path: '/graphql', body: { query: NEWEST }, signal };
  return (await readValue(gateway, call, JSON.parse)).data?.events.nodes[0]?.cursor ?? '';
}
