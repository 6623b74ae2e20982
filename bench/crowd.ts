/** Many subscribers of one process, as several processes with an address each: one alone has not files or ports enough. */
import { readFileSync } from 'node:fs';
import { startWorker } from './tasks.ts';

/** Subscribers that are opened, waited for and closed together. */
export interface Crowd {
  readonly target: (port: number, apiKey: string) => Promise<void>;
  /** @returns how long it took. Unit: ms. */
  readonly open: (count: number) => Promise<number>;
  readonly close: () => Promise<void>;
  /** Waits until each has so many events more. @returns the moment at which the last had, on the clock of the machine. */
  readonly expect: (events: number) => Promise<bigint>;
  /** Waits until nothing comes any more. */
  readonly settle: () => Promise<void>;
  /** All come back to their places. */
  readonly comeBack: (missed: number) => Promise<{ ms: number; lost: number; twice: number }>;
  /** Opens subscribers that never read. */
  readonly stall: (count: number) => Promise<void>;
  readonly stop: () => void;
}

const PROCESSES = 2;
/** Files that a process has open besides its subscribers: the database, libraries, its own ends of pipes. */
const OTHER_FILES = 150;

/** @returns how many subscribers one process can have on this machine: each is an open file. */
export function mostSubscribers(): number {
  const [, most] = /Max open files\s+(\d+)/.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  return Number(most) - OTHER_FILES;
}

/** Starts the processes of a crowd. */
export function startCrowd(): Crowd {
  const workers = Array.from({ length: PROCESSES }, (_, n) =>
    startWorker('fanout-clients.ts', [`127.0.0.${2 + n}`]),
  );
  const all = <Answer>(task: string, ...values: unknown[]): Promise<Answer[]> =>
    Promise.all(workers.map((worker) => worker.ask(task, ...values)));
  /** So many in all: each process has its part, the first one what is left over. */
  const divided = <Answer>(task: string, count: number): Promise<Answer[]> =>
    Promise.all(
      workers.map((worker, n) =>
        worker.ask(task, Math.floor(count / PROCESSES) + (n === 0 ? count % PROCESSES : 0)),
      ),
    );
  return {
    target: async (port, apiKey) => void (await all('target', port, apiKey)),
    open: async (count) => Math.max(...(await divided<number>('open', count))),
    close: async () => void (await all('close')),
    expect: async (events) =>
      (await all<string>('expect', events)).map(BigInt).reduce((last, at) => (at > last ? at : last)),
    settle: async () => void (await all('settle')),
    comeBack: async (missed) => {
      const parts = await all<{ ms: number; lost: number; twice: number }>('return', missed);
      const sum = (name: 'lost' | 'twice') => parts.reduce((total, part) => total + part[name], 0);
      return { ms: Math.max(...parts.map(({ ms }) => ms)), lost: sum('lost'), twice: sum('twice') };
    },
    stall: async (count) => void (await divided('stall', count)),
    stop: () => {
      for (const worker of workers) worker.stop();
    },
  };
}
