/** Long commands that stop on Ctrl-C. */

/** A command that was stopped by a signal; the message is one line. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  /** The exit code is 128 plus the number of the signal, as shells expect. */
  readonly exitCode: number;
  constructor(signal: NodeJS.Signals, consequence: string) {
    super(`stopped by ${signal}: ${consequence}`);
    this.exitCode = signal === 'SIGINT' ? 130 : 143;
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/**
 * Runs the work and aborts its signal at the first SIGINT or SIGTERM. A second signal ends the process immediately.
 * @param consequence - message about the interrupted work.
 * @throws {Interrupted} when the work failed because of the signal.
 */
export async function untilInterrupted<Result>(
  consequence: string,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const stop = (signal: NodeJS.Signals) => controller.abort(new Interrupted(signal, consequence));
  for (const signal of SIGNALS) process.once(signal, stop);
  try {
    return await work(controller.signal);
  } catch (error) {
    controller.signal.throwIfAborted();
    throw error;
  } finally {
    for (const signal of SIGNALS) process.removeListener(signal, stop);
  }
}

/** Waits for the first SIGINT or SIGTERM. */
export async function untilStopped(): Promise<void> {
  await new Promise<void>((resolve) => {
    for (const signal of SIGNALS) process.once(signal, () => resolve());
  });
}
