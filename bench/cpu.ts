/** CPU time of processes, from /proc: what a request costs whatever else runs on the machine. */
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg } from 'node:os';

/** Linux has counted in hundredths of a second on every platform that Node runs on. */
const TICK_US = 10_000;

/** Fields of proc(5) `stat`. */
interface ProcessTimes {
  readonly parent: number;
  /** Of children that ended and were waited for, and of their children. Unit: µs. */
  readonly ended: number;
}

/**
 * @returns the CPU time that the threads of a process have used. `stat` counts hundredths of a second for each process, which is as much as
 *   servers differ by in a turn; the scheduler's own figures are exact. Unit: µs.
 */
export function processCpu(pid: number): number {
  let sum = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) sum += threadCpu(`/proc/${pid}/task/${thread}`);
  return sum;
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
  let sum = processCpu(postmaster) + timesOf(postmaster).ended;
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = textOrNothing(`/proc/${name}/stat`);
    if (stat === undefined || timesIn(stat).parent !== postmaster) continue;
    // Each is one thread.
    sum += threadCpu(`/proc/${name}`);
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

// Where the kernel does not count so, this throws: 0 would be no figure.
readFileSync('/proc/self/schedstat');

/** @returns what the thread of a folder has used; nothing of one that ended meanwhile. Unit: µs. */
function threadCpu(folder: string): number {
  return Number(textOrNothing(`${folder}/schedstat`)?.split(' ', 1)[0] ?? 0) / 1_000;
}

function textOrNothing(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined; // ended meanwhile
  }
}

function timesOf(pid: number): ProcessTimes {
  return timesIn(readFileSync(`/proc/${pid}/stat`, 'utf8'));
}

function timesIn(stat: string): ProcessTimes {
  // The name in brackets may hold anything; field 3 comes after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = (field: number) => Number(fields[field - 3]);
  return { parent: ticks(4), ended: (ticks(16) + ticks(17)) * TICK_US };
}
