/**
 * Callers who create and pay onramps at a steady rate under idempotency keys, and clients who follow the events of the account, at
 * gateways that come and go. A call without success is repeated elsewhere.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseEvents } from '../live/streams.ts';
import { cpfOf } from './load.ts';

/** Gateways that a call can be sent to. */
export interface Places {
  /** @returns the base URL for the next call. */
  readonly next: () => string;
  readonly key: string;
}

/** Callers at work. */
export interface SteadyCallers {
  /** `end2end` of each onramp whose creation was acknowledged, by its idempotency key. */
  readonly told: ReadonlyMap<string, string>;
  /** Acknowledged creations: when, by `performance.now()`, and how long the last call took. Unit: ms. */
  readonly answers: readonly { readonly atMs: number; readonly tookMs: number }[];
  /** Answers other than success, by status and code, with their numbers. */
  readonly refused: ReadonlyMap<string, number>;
  /** Begins nothing new, and waits until everything that was begun is acknowledged and paid. */
  readonly stop: () => Promise<void>;
}

const ANSWER_MS = 10_000;
const AGAIN_MS = 400;
/** Onramps under way at once: where nothing is answered, no more are begun. */
const OPEN_MAX = 30;

/** @param rate - onramps a second. @param webhook - receives the events of each. */
export function startSteadyCallers({ next, key }: Places, rate: number, webhook: string): SteadyCallers {
  const told = new Map<string, string>();
  const answers: { atMs: number; tookMs: number }[] = [];
  const refused = new Map<string, number>();
  const open = new Set<Promise<void>>();
  let isOver = false;
  const succeed = async (
    path: string,
    idempotencyKey: string,
    body: object,
  ): Promise<{ end2end: string }> => {
    for (;;) {
      const sentMs = performance.now();
      const answer = await post(next() + path, key, idempotencyKey, body);
      const atMs = performance.now();
      if (answer?.status === 201) answers.push({ atMs, tookMs: atMs - sentMs });
      if (answer?.status === 200 || answer?.status === 201) return answer.json as { end2end: string };
      const why = answer ? `${answer.status} ${answer.json.code}` : 'no answer';
      // Paid by a call whose answer was lost.
      if (path.endsWith('/trigger') && why === '409 STEP_CONFLICT') return { end2end: '' };
      refused.set(why, (refused.get(why) ?? 0) + 1);
      await sleep(AGAIN_MS);
    }
  };
  const order = async (n: number) => {
    const name = `order-${n}`;
    const { end2end } = await succeed('/v2/onramp', name, {
      ...{ amount_payment: 20, currency_exit_received_code: 'USDT_TRX', webhook },
      ...{ client_name: 'Ana', client_tax_id: cpfOf(n), external_code: name },
    });
    told.set(name, end2end);
    await succeed('/v2/sandbox/trigger', `${name}-paid`, { scenario: 'pay', end2end });
  };
  const ended = (async () => {
    for (let n = 0; !isOver; n++) {
      if (open.size < OPEN_MAX) {
        const one: Promise<void> = order(n).finally(() => open.delete(one));
        open.add(one);
      }
      await sleep(1_000 / rate);
    }
  })();
  return {
    told,
    answers,
    refused,
    stop: async () => {
      isOver = true;
      await ended;
      await Promise.all(open);
    },
  };
}

/** @returns the answer; undefined when none came in time. */
async function post(
  url: string,
  key: string,
  idempotencyKey: string,
  body: object,
): Promise<{ status: number; json: { code?: string } } | undefined> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'idempotency-key': idempotencyKey,
    },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(ANSWER_MS),
  }).catch(() => undefined);
  const json = await answer?.json().catch(() => undefined);
  return answer && json ? { status: answer.status, json } : undefined;
}

/** A client that follows the events of an account. */
export interface Follower {
  /** Cursors that it got, in order. */
  readonly cursors: readonly string[];
  /** @returns once the first stream has said where it begins. */
  readonly begun: Promise<void>;
  readonly stop: () => Promise<void>;
}

/** A stream without any sign of life for so long is given up: one comes every 15 seconds. */
const SILENCE_MS = 40_000;

/** Follows the events of the account from now on; a stream that ends is opened again, after the last cursor. */
export function followEvents({ next, key }: Places): Follower {
  const cursors: string[] = [];
  const stopping = new AbortController();
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  let last: string | undefined;
  const read = async () => {
    const silence = new AbortController();
    const giveUp = () => silence.abort();
    let timer = setTimeout(giveUp, ANSWER_MS);
    try {
      const response = await fetch(`${next()}/graphql`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          accept: 'text/event-stream',
          ...(last !== undefined && { 'last-event-id': last }),
        },
        body: JSON.stringify({ query: 'subscription { events { __typename cursor } }' }),
        signal: AbortSignal.any([stopping.signal, silence.signal]),
      });
      let rest = '';
      const decoder = new TextDecoder();
      for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
        clearTimeout(timer);
        timer = setTimeout(giveUp, SILENCE_MS);
        const [frames, left] = parseEvents(rest + decoder.decode(chunk, { stream: true }));
        rest = left;
        for (const { id, data } of frames) take(id, data?.data?.events?.__typename);
      }
    } finally {
      clearTimeout(timer);
    }
  };
  const take = (id: string | undefined, type: string | undefined) => {
    if (id === undefined || type === undefined) return;
    if (type === 'TransactionEvent') cursors.push(id);
    last = id;
    begin();
  };
  const following = (async () => {
    while (!stopping.signal.aborted) {
      await read().catch(() => {});
      await sleep(AGAIN_MS);
    }
  })();
  return {
    cursors,
    begun,
    stop: async () => {
      stopping.abort();
      await following;
    },
  };
}
