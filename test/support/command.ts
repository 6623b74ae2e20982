/**
 * Commands of `crossramp` in the process of the test: a process of its own takes a second or two each time, and what is
 * special about it is tested in cli.test.ts.
 */
import { runProgram } from '../../src/cli/run-program.ts';
import type { Ended } from './process.ts';

let before: Promise<unknown> = Promise.resolve();

/** Runs `crossramp …` to its end, one command after the other. */
export function command(env: Record<string, string>, ...args: string[]): Promise<Ended> {
  const run = before.then(() => runHere(env, args));
  before = run.catch(() => {});
  return run;
}

async function runHere(env: Record<string, string>, args: readonly string[]): Promise<Ended> {
  const { stdout, stderr, exit } = process;
  const written = { stdout: '', stderr: '' };
  const saved = { env: { ...process.env }, out: stdout.write, err: stderr.write, exitCode: process.exitCode };
  // What would have ended the process ends the command: what is said after it was never said.
  let ended: number | undefined;
  const into = (name: keyof typeof written) => (chunk: string | Uint8Array, done?: unknown) => {
    if (ended === undefined)
      written[name] += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
    if (typeof done === 'function') process.nextTick(done);
    return true;
  };
  Object.assign(process.env, env);
  stdout.write = into('stdout') as typeof stdout.write;
  stderr.write = into('stderr') as typeof stderr.write;
  process.exit = ((code?: number) => {
    ended = code ?? Number(process.exitCode ?? 0);
    throw new Error('the process ends here');
  }) as typeof process.exit;
  process.exitCode = undefined;
  try {
    await runProgram(['node', 'crossramp', ...args]);
    return { code: ended ?? Number(process.exitCode ?? 0), ...written };
  } finally {
    process.env = saved.env;
    stdout.write = saved.out;
    stderr.write = saved.err;
    process.exit = exit;
    process.exitCode = saved.exitCode;
  }
}
