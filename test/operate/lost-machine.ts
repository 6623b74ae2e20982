/** A machine that is lost: its database server ends with SIGKILL, and nothing of it is shut down. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';

/** Ends the embedded server of a home, where one runs, and waits until all its processes are gone. */
export async function killPostgresOf(home: string): Promise<void> {
  const pidFile = join(home, 'postgres', 'postmaster.pid');
  if (!existsSync(pidFile)) return;
  const postmaster = Number(readFileSync(pidFile, 'utf8').split('\n')[0]);
  const pids = [postmaster, ...childrenOf(postmaster)];
  for (const pid of pids) signal(pid, 'SIGSTOP');
  for (const pid of pids) signal(pid, 'SIGKILL');
  await vi.waitFor(
    () => {
      if (pids.some((pid) => stateOf(pid) !== undefined)) throw new Error('the server is still there');
    },
    { timeout: 20_000 },
  );
}

function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => fieldsOf(pid)[1] === String(parent));
}

/** @returns undefined for a process that has ended. */
function stateOf(pid: number): string | undefined {
  const [state] = fieldsOf(pid);
  return state === 'Z' ? undefined : state;
}

/** proc(5): the name in brackets may hold anything; the state follows, then the parent. */
function fieldsOf(pid: number): string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
