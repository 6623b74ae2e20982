/** Samples of a gateway: whether it reads and writes, and what it says of itself. */
import { setTimeout as sleep } from 'node:timers/promises';

const SAMPLE_MS = 250;
const PATIENCE_MS = 60_000;
/** Samples in a row after which everything works again. */
const STEADY = 8;
/** Longest time for which answers and `/readyz` may differ. Unit: ms. */
export const DISAGREEMENT_MAX_MS = 2_000;
/** Longest time until everything works again. Unit: ms. */
export const BACK_MAX_MS = 5_000;

/** A sample. */
export interface Sample {
  readonly atMs: number;
  /** Time at which all of it was answered. */
  readonly doneMs: number;
  readonly works: boolean;
  readonly isReady: boolean;
}

/** A gateway that is sampled. */
export interface Sampled {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Whether an answer that takes longer than `/readyz` may take counts as a failure. */
  readonly isTimed: boolean;
  /** Every status that was answered. */
  readonly seen: Set<number>;
}

const CHECKOUT = { amount_payment: 20, currency_exit_received_code: 'USDT_TRX' };

async function statusOf({ baseUrl, apiKey }: Sampled, path: string, body?: object): Promise<number> {
  const answer = await fetch(baseUrl + path, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${apiKey}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  await answer.body?.cancel();
  return answer.status;
}

/** Reads, writes and asks for readiness. */
export async function sample(gateway: Sampled): Promise<Sample> {
  const atMs = performance.now();
  const [read, write, ready] = await Promise.all([
    statusOf(gateway, '/v2/balance'),
    statusOf(gateway, '/v2/crossramp_checkout', CHECKOUT),
    statusOf(gateway, '/readyz'),
  ]);
  for (const status of [read, write, ready]) gateway.seen.add(status);
  const doneMs = performance.now();
  const isInTime = !gateway.isTimed || doneMs - atMs <= DISAGREEMENT_MAX_MS;
  return { atMs, doneMs, works: isInTime && read === 200 && write === 201, isReady: ready === 200 };
}

/** Takes samples until enough was seen, whether those before are answered or not. @returns them in their order. */
export async function sampleUntil(gateway: Sampled, isEnough: (done: readonly Sample[]) => boolean) {
  const requested: Promise<void>[] = [];
  const done: Sample[] = [];
  while (!isEnough(done)) {
    requested.push(sample(gateway).then((each) => void done.push(each)));
    await sleep(SAMPLE_MS);
  }
  await Promise.all(requested);
  return done.toSorted((one, other) => one.atMs - other.atMs);
}

/** Takes samples until all works again, for a minute at most. @returns them, and the time that it took. Unit: ms. */
export async function sampleUntilSteady(gateway: Sampled) {
  const healedMs = performance.now();
  const isSteady = (done: readonly Sample[]) =>
    done.length >= STEADY && done.slice(-STEADY).every(({ works, isReady }) => works && isReady);
  const samples = await sampleUntil(
    gateway,
    (done) => isSteady(done) || performance.now() > healedMs + PATIENCE_MS,
  );
  const last = samples.findLastIndex(({ works, isReady }) => !works || !isReady);
  const backMs = (samples[last + 1]?.doneMs ?? Number.POSITIVE_INFINITY) - healedMs;
  return { samples, isSteady: isSteady(samples), backMs: Math.round(backMs) };
}

/** @returns the longest time for which the answers and what the gateway said of itself differed without a break. Unit: ms. */
export function disagreementOf(samples: readonly Sample[]): number {
  let most = 0;
  let sinceMs: number | undefined;
  for (const { atMs, works, isReady } of samples) {
    sinceMs = works === isReady ? undefined : (sinceMs ?? atMs);
    if (sinceMs !== undefined) most = Math.max(most, atMs - sinceMs);
  }
  return Math.round(most);
}
