/**
 * The dispatcher: leases due deliveries, sends them, and stores the outcomes in batches. Leased deliveries that it does
 * not send are released. No request is sent inside a database transaction. Due times use the process clock (virtual in
 * the sandbox); signatures use the database's clock.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { SecretKeyError } from '../base/access/secret-box.ts';
import { groupCommit } from '../base/concurrency/group-commit.ts';
import { traceCall, traceWork } from '../base/trace/spans.ts';
import { webhookId } from '../events/webhook-id.ts';
import { leaseAfterLostAnswers } from '../resolvers/engine/lost-answers.ts';
import type { Services } from '../resolvers/services/context.ts';
import { isDatabaseUnreachable, isOutOfReach } from '../store/connection/database-error.ts';
import {
  type AttemptedDelivery,
  endAttempts,
  type Leased,
  type LeasedDelivery,
  leaseDeliveries,
} from '../store/webhooks/deliveries.ts';
import {
  type EndpointKey,
  findMissedEndpoints,
  releaseUnknownDeliveries,
  releaseUnsentDeliveries,
  sendHeartbeat,
} from '../store/webhooks/endpoint-schedule.ts';
import { secretOwner } from '../store/webhooks/sealed-secrets.ts';
import { DeliveryScans } from './delivery-scans.ts';
import { EndpointQueues } from './endpoint-queues.ts';
import { retryAfterMs, type Verdict, verdictOf } from './schedule.ts';
import { sendWebhook, type WebhookOutcome } from './send.ts';
import { webhookHeaders } from './sign.ts';

/** Options of a dispatcher. */
export interface DispatcherOptions {
  /** Whether webhooks may go to loopback addresses (C-63). A function is called before each attempt. */
  readonly allowsLoopback: boolean | (() => Promise<boolean>);
  /** Maximum number of deliveries leased at the same time; default 256. */
  readonly max?: number;
  /** Time limit of a request; default 15,000. Unit: ms. */
  readonly timeoutMs?: number;
  /** After this aborts, an outcome that cannot be written is dropped. */
  readonly stop?: AbortSignal;
}

/** Sends due deliveries. */
export interface Dispatcher {
  /** Starts as many due deliveries as fit. @returns whether more may be due. */
  readonly cycle: () => Promise<boolean>;
  /**
   * Renews the heartbeat of this process, which keeps its leases; releases deliveries of dead processes; at intervals
   * scans for endpoints whose due time was missed. Call it every second until all requests have ended.
   */
  readonly tend: () => Promise<void>;
  /** Sets a listener that is called when a delivery ends, because another delivery may have waited for its slot. */
  readonly onEnded: (listener: () => void) => void;
  /** Waits until all running requests have ended. */
  readonly idle: () => Promise<void>;
}

const RUNNING_MAX = 256;
const TIMEOUT_MS = 15_000;
/** Maximum number of outcomes written by one statement. */
const BATCH_MAX = 200;
/** Number of heartbeats between two complete scans for missed endpoints. */
const SIGNS_BETWEEN_SCANS = 4;
/**
 * While the database is unreachable, the outcome of a delivery is written again every 300 ms for 30 s, which is longer
 * than a lease. Unit: ms.
 */
const END_MS = 30_000;
const END_PAUSE_MS = 300;

/** @returns a dispatcher; it sends nothing before its first cycle. */
export function createDispatcher(
  services: Pick<Services, 'database' | 'clock' | 'mode' | 'secrets'>,
  log: Logger,
  options: DispatcherOptions,
): Dispatcher {
  const { database, clock, mode } = services;
  const max = options.max ?? RUNNING_MAX;
  const worker = randomUUID();
  const running = new Map<Promise<void>, LeasedDelivery>();
  let lastScanned: EndpointKey | undefined;
  let signsUntilScan = 0;
  let ended = () => {};
  const queues = new EndpointQueues();
  const end = inBatches<AttemptedDelivery>(async (attempts) =>
    endAttempts(database, attempts, await clock.nowMs()),
  );
  const release = inBatches<LeasedDelivery>(async (unsent) =>
    releaseUnsentDeliveries(database, worker, unsent, await clock.nowMs()),
  );
  const deliver = async (delivery: LeasedDelivery, leasedAtMs: number): Promise<void> => {
    try {
      const admitted = await queues.enter(delivery);
      if (!admitted) return await writeInTime(release, delivery, options.stop);
      const attempted = await attempt(services, delivery, leasedAtMs + admitted.waitedMs, options).catch(
        (error) => {
          admitted.leave(false);
          throw error;
        },
      );
      admitted.leave(attempted.state === 'delivered');
      await writeInTime(end, attempted, options.stop);
    } catch (error) {
      // An expired lease makes the delivery available again.
      log.warn({ err: error, delivery: String(delivery.id) }, 'the outcome of a webhook could not be stored');
    }
  };
  const leaseDue = leasesOf(services, worker, { running, queues });
  return {
    cycle: async () => {
      const room = max - running.size;
      if (room <= 0) return false;
      const nowMs = await clock.nowMs();
      const { leased, isMore } = await leaseDue(room, nowMs);
      for (const delivery of leased) {
        const work = deliver(delivery, nowMs).finally(() => {
          running.delete(work);
          ended();
        });
        running.set(work, delivery);
      }
      return isMore;
    },
    tend: async () => {
      queues.tend();
      const times = { mode, nowMs: await clock.nowMs(), machineMs: database.nowMs() };
      await sendHeartbeat(database, worker, times.machineMs);
      if (signsUntilScan-- > 0) return;
      lastScanned = await findMissedEndpoints(database, times, lastScanned);
      signsUntilScan = lastScanned ? 0 : SIGNS_BETWEEN_SCANS;
    },
    onEnded: (listener) => {
      ended = listener;
    },
    idle: async () => {
      await Promise.all(running.keys());
    },
  };
}

/**
 * @returns a function that writes one delivery's outcome, together with others. A batch may hold two deliveries of
 *   one endpoint, but not one delivery twice.
 */
function inBatches<Item extends { readonly accountId: bigint; readonly id: bigint }>(
  write: (items: readonly Item[]) => Promise<void>,
): (item: Item) => Promise<null> {
  return groupCommit(
    async (items) => {
      await write(items);
      return items.map(() => null);
    },
    { max: BATCH_MAX, failsAll: isOutOfReach, keyOf: ({ accountId, id }) => `${accountId}/${id}` },
  );
}

/** @returns a function that leases due deliveries, at most `limit`. */
function leasesOf(
  { database, clock, mode }: Pick<Services, 'database' | 'clock' | 'mode'>,
  worker: string,
  { running, queues }: { running: ReadonlyMap<unknown, LeasedDelivery>; queues: EndpointQueues },
): (limit: number, nowMs: number) => Promise<Leased> {
  const lease = leaseAfterLostAnswers(async () =>
    releaseUnknownDeliveries(database, worker, [...running.values()], {
      nowMs: await clock.nowMs(),
      machineMs: database.nowMs(),
    }),
  );
  const scans = new DeliveryScans();
  return async (limit, nowMs) => {
    const since = scans.begin();
    const found = await lease.lease(() =>
      leaseDeliveries(database, {
        mode,
        nowMs,
        machineMs: database.nowMs(),
        worker,
        limit,
        since,
        ahead: (endpoint) => queues.ahead(endpoint),
      }),
    );
    scans.end(nowMs, found);
    return found;
  };
}

/**
 * Writes the outcome of a delivery, again and again while the database is unreachable. Once the lease has expired, it
 * is sent again.
 */
async function writeInTime<Item>(
  write: (item: Item) => Promise<unknown>,
  item: Item,
  stop: AbortSignal | undefined,
): Promise<void> {
  for (const untilMs = performance.now() + END_MS; ; ) {
    try {
      await write(item);
      return;
    } catch (error) {
      if (!isDatabaseUnreachable(error) || stop?.aborted || performance.now() > untilMs) throw error;
      await sleep(END_PAUSE_MS);
    }
  }
}

/**
 * Makes one attempt. Every failure is an outcome, so that the retry schedule continues.
 *
 * @throws {SecretKeyError} when a secret of the endpoint does not open.
 */
async function attempt(
  services: Pick<Services, 'secrets' | 'database'>,
  delivery: LeasedDelivery,
  atMs: number,
  options: DispatcherOptions,
): Promise<AttemptedDelivery> {
  const { name, endpointId, attempt: n, round } = delivery;
  const attributes = { 'crossramp.event': name, 'crossramp.endpoint': endpointId, 'crossramp.attempt': n };
  const sending = traceWork('webhook', attributes, () => send(services, delivery, options));
  const outcome = await sending.catch((error: Error): WebhookOutcome => {
    // A secret that does not open is a fault of this installation, not of the receiver.
    if (error instanceof SecretKeyError) throw error;
    return {
      status: null,
      error: `FAILED: ${error.message}`,
      durationMs: 0,
      answer: null,
      retryAfter: null,
    };
  });
  const endedAt = new Date(services.database.nowMs());
  const verdict = verdictOf(outcome, { attempt: n, at: endedAt, random: Math.random() });
  return attempted(delivery, outcome, isTest(round) ? asTest(verdict) : verdict, {
    atMs,
    endedMs: atMs + outcome.durationMs,
    blockedMs: verdict.isThrottling ? retryAfterMs(outcome.retryAfter ?? '', endedAt) : undefined,
  });
}

async function send(
  { secrets: box, database }: Pick<Services, 'secrets' | 'database'>,
  delivery: LeasedDelivery,
  options: DispatcherOptions,
): Promise<WebhookOutcome> {
  const { url, payload, name, sequence, attempt: n, eventSeq, token, round } = delivery;
  const { secretsId, signingKey, accountId, endpointId } = delivery;
  const headers = webhookHeaders({
    id: webhookId(eventSeq, token),
    at: new Date(database.nowMs()),
    secrets: delivery.secrets.map((secret) => box.open(secret, secretOwner(accountId, secretsId))),
    signingKey: signingKey === null ? undefined : box.open(signingKey, secretOwner(accountId, endpointId)),
    body: payload,
    eventName: name,
    sequence,
    attempt: n,
  });
  const { allowsLoopback: rule, timeoutMs = TIMEOUT_MS } = options;
  const allowsLoopback = typeof rule === 'boolean' ? rule : await rule();
  return traceCall('POST webhook', {}, (traced) =>
    sendWebhook({
      url,
      headers: { ...headers, ...traced, ...(isTest(round) && { 'crossramp-test': 'true' }) },
      body: payload,
      timeoutMs,
      allowsLoopback,
    }),
  );
}

function isTest(round: number): boolean {
  return round < 0;
}

/** A test is attempted once, and never disables its endpoint. */
function asTest(verdict: Verdict): Verdict {
  return verdict.kind === 'delivered' ? verdict : { kind: 'dead', isThrottling: false };
}

const STATES = { delivered: 'delivered', dead: 'dead', gone: 'skipped', retry: 'pending' } as const;

function attempted(
  delivery: LeasedDelivery,
  outcome: WebhookOutcome,
  verdict: Verdict,
  times: { readonly atMs: number; readonly endedMs: number; readonly blockedMs: number | undefined },
): AttemptedDelivery {
  const { accountId, id, endpointId, eventSeq, attempt: n, round } = delivery;
  const { atMs, endedMs, blockedMs } = times;
  return {
    accountId,
    id,
    endpointId,
    eventSeq,
    attempt: n,
    isTest: isTest(round),
    atMs,
    durationMs: outcome.durationMs,
    status: outcome.status,
    error: outcome.error,
    answer: outcome.answer,
    state: STATES[verdict.kind],
    dueMs: verdict.kind === 'retry' ? endedMs + verdict.nextDelayMs : null,
    blockedUntilMs: blockedMs === undefined ? null : endedMs + blockedMs,
    isGone: verdict.kind === 'gone',
  };
}
