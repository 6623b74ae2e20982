/** CPU time of processes, from /proc: what a request costs whatever else runs on the machine. */
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg } from 'node:os';

/** Linux has counted in hundredths of a second on every platform that Node runs on. */
const TICK_US = 10_000;

/** Fields of proc(5) `stat`. */
interface ProcessTimes {
  readonly parent: number;
  /** Of the process itself. Unit: µs. */
  readonly own: number;
  /** Of children that ended and were waited for, and of their children. Unit: µs. */
  readonly ended: number;
}

/** @returns the CPU time that a process has used, all threads together. Unit: µs. */
export function processCpu(pid: number): number {
  return timesOf(pid).own;
}

/** @returns the CPU time of children of this process that ended. Unit: µs. */
export function endedChildrenCpu(): number {
  return timesOf(process.pid).ended;
}

/**
 * @param postmaster - pid of the server's first process.
 * @returns the CPU time of all processes of a PostgreSQL server, ended ones too. Unit: µs.
 */
export function clusterCpu(postmaster: number): number {
  const first = timesOf(postmaster);
  let sum = first.own + first.ended;
  for (const name of readdirSync('/proc')) {
    const times = /^\d+$/.test(name) ? timesOrNothing(Number(name)) : undefined;
    if (times?.parent === postmaster) sum += times.own;
  }
  return sum;
}

/** @returns the pid of the process that started it. */
export function parentOf(pid: number): number {
  return timesOf(pid).parent;
}

/** @returns one line on the machine and what else it does. */
export function machine(): string {
  const load = loadavg()
    .map((value) => value.toFixed(2))
    .join(' ');
  return `${availableParallelism()} cores (${cpus()[0]?.model ?? 'unknown'}), load ${load}, Node ${process.version}`;
}

function timesOrNothing(pid: number): ProcessTimes | undefined {
  try {
    return timesOf(pid);
  } catch {
    return undefined; // ended meanwhile
  }
}

function timesOf(pid: number): ProcessTimes {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name in brackets may hold anything; field 3 comes after it.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const ticks = (field: number) => Number(fields[field - 3]);
  return {
    parent: ticks(4),
    own: (ticks(14) + ticks(15)) * TICK_US,
    ended: (ticks(16) + ticks(17)) * TICK_US,
  };
}
