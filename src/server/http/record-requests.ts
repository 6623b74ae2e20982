/**
 * Records answered requests for the request log of their account. No request waits for the recording: entries stay in
 * memory for half a second at most and are written in batches. Entries that cannot be written are dropped and counted
 * in the log.
 */
import type { Logger } from 'pino';
import { actorKindOf } from '../../resolvers/services/context.ts';
import { type AnsweredRequest, REQUEST_BATCH, RequestBatch } from '../../store/account/request-batches.ts';
import type { Database } from '../../store/connection/database.ts';
import type { Exchange } from './http.ts';

/** Recorder of the requests of a process. */
export interface RequestRecorder {
  /** Records a request whose response has ended; skips requests without a caller. */
  readonly record: (exchange: Exchange, status: number, durationMs: number) => void;
  /** Writes the remaining entries; records nothing afterwards. */
  readonly end: () => Promise<void>;
}

/** Maximum number of batches that wait in memory: 10,000 entries. */
const BATCHES_MAX = 10;
const WRITE_EVERY_MS = 500;
/** Pause after a failed batch, in which the database gets no entries. Unit: ms. */
const AFTER_FAILURE_MS = 5_000;
/** Minimum interval between log lines about dropped entries. */
const WARN_EVERY_MS = 10_000;

/** @returns the recorder of this process. */
export function requestRecorder(
  database: Pick<Database, 'copyWithin' | 'nowMs'>,
  log: Pick<Logger, 'warn'>,
): RequestRecorder {
  let waiting: RequestBatch[] = [];
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();
  let hasEnded = false;
  const drops = dropCounter(log);

  /** Writes all waiting entries until a batch fails: later ones wait for the next run. */
  const writeAll = async (): Promise<void> => {
    while (waiting.length > 0) {
      const [batch, ...rest] = waiting as [RequestBatch, ...RequestBatch[]];
      waiting = rest;
      try {
        await batch.write(database);
      } catch (error) {
        // The database may have stored a batch without an answer: a second attempt could write it twice.
        drops.add(batch.count, error);
        return plan(AFTER_FAILURE_MS);
      }
    }
    timer = undefined;
  };
  /** Only one run exists at a time: its end plans the next one. */
  const plan = (delayMs: number): void => {
    timer = setTimeout(() => {
      writing = writeAll();
    }, delayMs).unref();
  };
  return {
    record: (exchange, status, durationMs) => {
      const request = requestOf(exchange, { status, durationMs, atMs: database.nowMs() });
      if (!request || hasEnded) return;
      let last = waiting.at(-1);
      if (!last || last.count === REQUEST_BATCH) {
        if (waiting.length === BATCHES_MAX) return drops.add(1);
        last = new RequestBatch();
        waiting.push(last);
      }
      last.add(request);
      if (timer === undefined) plan(WRITE_EVERY_MS);
    },
    end: async () => {
      hasEnded = true;
      await writing;
      clearTimeout(timer);
      await writeAll();
      clearTimeout(timer);
      for (const batch of waiting) drops.add(batch.count);
      drops.tell();
    },
  };
}

/** Counts dropped entries, and logs their number from time to time. */
function dropCounter(log: Pick<Logger, 'warn'>) {
  let dropped = 0;
  let warned = 0;
  let warnedAt = Number.NEGATIVE_INFINITY;
  let err: unknown;
  const warn = () => {
    if (dropped === warned) return;
    log.warn({ dropped, ...(err !== undefined && { err }) }, 'the request log lacks requests');
    warned = dropped;
    warnedAt = performance.now();
  };
  const add = (count: number, error?: unknown): void => {
    dropped += count;
    err = error ?? err;
    if (performance.now() - warnedAt > WARN_EVERY_MS) warn();
  };
  return { add, tell: warn };
}

function requestOf(
  { caller, request, requestId, route, noted }: Exchange,
  { status, durationMs, atMs }: Pick<AnsweredRequest, 'status' | 'durationMs' | 'atMs'>,
): AnsweredRequest | undefined {
  if (!caller) return undefined;
  return {
    accountId: caller.accountId,
    atMs,
    actorKind: actorKindOf(caller),
    actorId: caller.id,
    method: request.method ?? '',
    route,
    operation: noted.operation ?? null,
    status,
    durationMs,
    requestId,
    end2end: noted.end2end ?? null,
    errorCode: noted.errorCode ?? null,
  };
}
