/** `crossramp`: the commands of the operator. They work with or without a running gateway. */
import { EXIT } from '../server/command-line.ts';
import { describeFailure, isBadInput, isUnreachable } from '../server/describe-failure.ts';
import { crossrampProgram } from './program.ts';
import { Interrupted } from './until-interrupted.ts';

try {
  await crossrampProgram().parseAsync();
} catch (error) {
  const isInterrupted = error instanceof Interrupted;
  process.stderr.write(`crossramp: ${isInterrupted ? error.message : describeFailure(error)}\n`);
  if (isInterrupted) process.exitCode = error.exitCode;
  else if (isBadInput(error)) process.exitCode = EXIT.usage;
  else process.exitCode = isUnreachable(error) ? EXIT.unreachable : EXIT.failed;
}
// The migration engine leaves a timer that would keep the process alive for ten seconds.
process.exit();
