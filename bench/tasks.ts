/** Processes that do what they are told, one thing after another: tasks come as messages, answers go back. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

/** A process that does tasks, as the one that started it sees it. */
export interface Worker {
  readonly pid: number;
  // biome-ignore lint/suspicious/noExplicitAny: each task has an answer of its own
  readonly ask: (task: string, ...values: unknown[]) => Promise<any>;
  readonly stop: () => void;
}

/** Starts a file of this folder as a process. */
export function startWorker(file: string, args: readonly string[]): Worker {
  const child: ChildProcess = fork(new URL(file, import.meta.url), args, {
    execArgv: ['--expose-gc', '--disable-warning=ExperimentalWarning'],
  });
  const ended = once(child, 'exit').then(() => [{ error: 'the process has ended' }]);
  let last: Promise<unknown> = Promise.resolve();
  return {
    pid: child.pid as number,
    ask: (task, ...values) => {
      const answer = last.then(async () => {
        child.send([task, ...values]);
        const heard = once(child, 'message');
        const [reply] = (await Promise.race([heard, ended])) as [{ result?: unknown; error?: string }];
        if (reply.error) throw new Error(`${file} ${task}: ${reply.error}`);
        return reply.result;
      });
      last = answer.catch(() => {});
      return answer;
    },
    stop: () => void child.kill(),
  };
}

/** In such a process: does tasks by name. */
// biome-ignore lint/suspicious/noExplicitAny: each task has values of its own
export function answerTasks(tasks: Readonly<Record<string, (...values: any[]) => Promise<unknown>>>): void {
  process.on('message', async ([task, ...values]: [string, ...unknown[]]) => {
    try {
      process.send?.({ result: await tasks[task]?.(...values) });
    } catch (error) {
      process.send?.({ error: String(error) });
    }
  });
}

/** Waits until what nobody holds is gone from memory. */
export async function collect(): Promise<void> {
  for (let i = 0; i < 4; i++) {
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

/** @returns resident memory before and after V8 returned what it does not use, above all room for what is new: any load makes it grow. */
export async function residentMemory(): Promise<{ readonly whole: number; readonly held: number }> {
  const whole = process.memoryUsage.rss();
  await collect();
  globalThis.gc?.({ type: 'major', flavor: 'last-resort' });
  return { whole, held: process.memoryUsage.rss() };
}
