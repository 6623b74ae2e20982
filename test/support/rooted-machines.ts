/**
 * Machines for tests whose programs are in a root folder of another system (docs/operations.md says how to make it). Each has its own processes, of which
 * none survives the machine, and a small disk that does. Their network is the loopback interface of the test.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, closeSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/** Folder of the tests in the root. */
export const MOUNT = '/mnt';
const DISK_MB = 400;
/** Options of setpriv(1): the program ends with the test, however that ends. */
const WITH_TEST = ['--pdeathsig', 'KILL'] as const;

/** Root folder with a home folder and disks mounted in it. The mounts are seen by its own machines only, and end with it. */
export interface Root {
  /** @returns a machine that runs a program; it is started by that. @param disk - of a name that the root was opened with. */
  readonly machine: (name: string, user: 'root' | 'postgres', ...command: string[]) => Machine;
  /** Runs a program to its end. @returns its output. @throws {Error} with the output if the program fails. */
  readonly run: (user: 'root' | 'postgres', ...command: string[]) => Promise<string>;
  /** Fills the disk of a name. @returns what frees it again. */
  readonly fillDisk: (name: string) => () => void;
  readonly close: () => void;
}

/** Processes that are killed, paused and resumed together, as those of a machine. */
export interface Machine {
  /** Starts it, if it does not run. */
  readonly start: () => void;
  /** Ends all its processes at the same time. */
  readonly kill: () => Promise<void>;
  readonly pause: () => void;
  readonly resume: () => void;
  /** Ends one process with SIGKILL. @param pattern - of its command line; the process that was started first counts. */
  readonly killOne: (pattern: RegExp) => void;
}

/** @param home - folder for logs, readable at `MOUNT` by the machines. @param disks - names of disks, folders of `MOUNT` that belong to `postgres`. */
export async function openRoot(folder: string, home: string, disks: readonly string[]): Promise<Root> {
  chmodSync(home, 0o755);
  const mounts = [
    `mount --rbind /dev '${folder}/dev'`,
    `mount --bind '${home}' '${folder}${MOUNT}'`,
    `owner=$(sed -n 's/^postgres:[^:]*:\\([0-9]*\\):\\([0-9]*\\):.*/uid=\\1,gid=\\2/p' '${folder}/etc/passwd')`,
    ...disks.flatMap((disk) => [
      `mkdir -p '${folder}${MOUNT}/${disk}'`,
      `mount -t tmpfs -o "size=${DISK_MB}m,mode=700,$owner" tmpfs '${folder}${MOUNT}/${disk}'`,
    ]),
    'echo mounted',
    'exec sleep infinity',
  ];
  const keeper = spawn('setpriv', [...WITH_TEST, 'unshare', '--mount', 'sh', '-ec', mounts.join('\n')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [answer] = await Promise.race([once(keeper.stdout, 'data'), once(keeper, 'close')]);
  if (!String(answer).includes('mounted')) throw new Error(`cannot mount in ${folder}: see above`);
  const machines: Machine[] = [];
  return {
    machine: (name, user, ...command) => {
      const machine = new RootedMachine(keeper, folder, join(home, `${name}.log`), user, command);
      machines.push(machine);
      machine.start();
      return machine;
    },
    run: async (user, ...command) => {
      const [program = '', ...args] = commandIn(keeper, folder, user, command);
      const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], cwd: '/' });
      const closed = once(child, 'close');
      const output = (await Promise.all([text(child.stdout), text(child.stderr)])).join('');
      const [code] = await closed;
      if (code !== 0) throw new Error(`${command.join(' ')} ends with ${code}: ${output}`);
      return output;
    },
    fillDisk: (name) => {
      const file = `/proc/${keeper.pid}/root${folder}${MOUNT}/${name}/filler`;
      const filler = openSync(file, 'w');
      const block = Buffer.alloc(2 ** 16);
      try {
        for (;;) writeFileSync(filler, block);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      } finally {
        closeSync(filler);
      }
      return () => writeFileSync(file, '');
    },
    close: () => {
      for (const each of machines) void each.kill();
      keeper.kill('SIGKILL');
    },
  };
}

/** @returns the command that runs a program in the root, with processes of its own. */
function commandIn(
  keeper: ChildProcess,
  folder: string,
  user: string,
  command: readonly string[],
): readonly string[] {
  return [
    ...['setpriv', ...WITH_TEST, 'nsenter', `--target=${keeper.pid}`, '--mount', '--'],
    // The first process of a PID namespace takes all others with it.
    ...['unshare', '--pid', '--fork', '--kill-child', `--mount-proc=${folder}/proc`, '--'],
    ...['chroot', `--userspec=${user}:${user}`, folder, ...command],
  ];
}

class RootedMachine implements Machine {
  readonly #command: readonly string[];
  readonly #logFile: string;
  #child: ChildProcess | undefined;

  constructor(keeper: ChildProcess, folder: string, logFile: string, user: string, command: string[]) {
    this.#logFile = logFile;
    this.#command = commandIn(keeper, folder, user, command);
  }

  start(): void {
    if (this.#child && this.#child.exitCode === null && this.#child.signalCode === null) return;
    const log = openSync(this.#logFile, 'a');
    const [program = '', ...args] = this.#command;
    this.#child = spawn(program, args, { stdio: ['ignore', log, log], cwd: '/' });
    closeSync(log);
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'close');
    const [first] = this.#pids();
    if (first) signal(first, 'SIGKILL');
    else child.kill('SIGKILL');
    await gone;
  }

  pause(): void {
    for (const pid of this.#pids()) signal(pid, 'SIGSTOP');
  }

  resume(): void {
    for (const pid of this.#pids()) signal(pid, 'SIGCONT');
  }

  killOne(pattern: RegExp): void {
    const pid = this.#pids().find((each) => pattern.test(commandOf(each)));
    if (!pid) throw new Error(`no process of ${pattern}`);
    signal(pid, 'SIGKILL');
  }

  /** @returns ids of its processes as the test sees them, those that were started first in front. */
  #pids(): number[] {
    const parents = new Map(
      readdirSync('/proc')
        .filter((name) => /^\d+$/.test(name))
        .map((name) => [Number(name), parentOf(name)]),
    );
    const found: number[] = [];
    for (let above = [this.#child?.pid]; above.length > 0; ) {
      const below = [...parents].filter(([, parent]) => above.includes(parent)).map(([pid]) => pid);
      found.push(...below.toSorted((a, b) => a - b));
      above = below;
    }
    return found;
  }
}

/** proc(5): the name in brackets may hold anything; the state follows, then the parent. */
function parentOf(pid: string): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
