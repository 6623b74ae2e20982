/** Callers that ask again as soon as they have their answer, for some seconds, and what that cost. */
import { clusterCpu } from './cpu.ts';

/** Where and how long is measured. */
export interface Stage {
  readonly url: string;
  /** Pid of the first process of the PostgreSQL server. */
  readonly postmaster: number;
  readonly seconds: number;
}

/** One run. */
export interface Run {
  /** Entries or transitions that were done while it was measured. */
  readonly done: number;
  readonly seconds: number;
  /** CPU time of the client and of all processes of the server, for one of them. Unit: µs. */
  readonly nodeUs: number;
  readonly postgresUs: number;
  /** How long each call took. Unit: ms. */
  readonly times: readonly number[];
}

const WARM_UP_SECONDS = 0.4;

/**
 * @param callers - what each caller does again and again.
 * @param perCall - entries that one call posts.
 */
export async function drive(
  { postmaster, seconds }: Stage,
  callers: readonly (() => Promise<void>)[],
  perCall: number,
): Promise<Run> {
  await callFor(WARM_UP_SECONDS, callers);
  const before = { node: process.cpuUsage(), postgres: clusterCpu(postmaster), at: performance.now() };
  const times = await callFor(seconds, callers);
  const taken = (performance.now() - before.at) / 1_000;
  const node = process.cpuUsage(before.node);
  const done = times.length * perCall;
  return {
    done,
    seconds: taken,
    nodeUs: (node.user + node.system) / done,
    postgresUs: (clusterCpu(postmaster) - before.postgres) / done,
    times,
  };
}

async function callFor(seconds: number, callers: readonly (() => Promise<void>)[]): Promise<number[]> {
  const times: number[] = [];
  const until = performance.now() + seconds * 1_000;
  await Promise.all(
    callers.map(async (call) => {
      for (let started = performance.now(); started < until; ) {
        await call();
        const ended = performance.now();
        times.push(ended - started);
        started = ended;
      }
    }),
  );
  return times;
}
