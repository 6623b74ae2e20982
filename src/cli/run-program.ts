/** Runs a command to its end, and reports the outcome in words and by the exit code. */
import { EXIT } from '../server/process/command-line.ts';
import { OutputClosed } from './output.ts';
import { crossrampProgram } from './program.ts';
import { Interrupted } from './until-interrupted.ts';

/** @param argv - as `process.argv`. Sets `process.exitCode`; reports a failure on standard error. */
export async function runProgram(argv: readonly string[]): Promise<void> {
  try {
    const program = await crossrampProgram(argv[2]);
    await program.parseAsync(argv);
  } catch (error) {
    if (error instanceof OutputClosed) return;
    // Loaded on failure only: the module has the errors of the whole gateway, and nearly all commands succeed.
    const { describeFailure, isBadInput, isUnreachable } = await import(
      '../server/process/describe-failure.ts'
    );
    const isInterrupted = error instanceof Interrupted;
    const text = isInterrupted ? error.message : describeFailure(error, 'choose another port');
    process.stderr.write(`crossramp: ${text}${await hintOf(error)}\n`);
    if (isInterrupted) process.exitCode = error.exitCode;
    else if (isBadInput(error)) process.exitCode = EXIT.usage;
    else process.exitCode = isUnreachable(error) ? EXIT.unreachable : EXIT.failed;
  }
}

/** A command has its own environment: the gateway on the same machine may have rails all the same. */
async function hintOf(error: unknown): Promise<string> {
  if ((error as { code?: unknown }).code !== 'RAILS_MISSING') return '';
  const { hasRailsFile } = await import('./with-store.ts');
  return hasRailsFile() ? '' : '; RAILS_FILE, which names them, is not set here';
}
