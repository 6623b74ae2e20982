/** Runs a command to its end and says in words and by its exit code what came of it. */
import { GatewayError } from '../base/errors.ts';
import { EXIT } from '../server/command-line.ts';
import { describeFailure, isBadInput, isUnreachable } from '../server/describe-failure.ts';
import { OutputClosed } from './output.ts';
import { crossrampProgram } from './program.ts';
import { Interrupted } from './until-interrupted.ts';
import { hasRailsFile } from './with-store.ts';

/** @param argv - as `process.argv` has it. Sets `process.exitCode`; a failure is told on stderr. */
export async function runProgram(argv: readonly string[]): Promise<void> {
  try {
    await crossrampProgram().parseAsync(argv);
  } catch (error) {
    if (error instanceof OutputClosed) return;
    const isInterrupted = error instanceof Interrupted;
    process.stderr.write(
      `crossramp: ${isInterrupted ? error.message : describeFailure(error, 'choose another port')}${hintOf(error)}\n`,
    );
    if (isInterrupted) process.exitCode = error.exitCode;
    else if (isBadInput(error)) process.exitCode = EXIT.usage;
    else process.exitCode = isUnreachable(error) ? EXIT.unreachable : EXIT.failed;
  }
}

/** A command has its own environment: the gateway beside it may well have rails. */
function hintOf(error: unknown): string {
  const isMissing = error instanceof GatewayError && error.code === 'RAILS_MISSING';
  return isMissing && !hasRailsFile() ? '; RAILS_FILE, which names them, is not set here' : '';
}
