/** `crossramp`: what the operator does from a shell, beside a running gateway or without one. */
import { EXIT } from '../server/command-line.ts';
import { describeFailure, isUnreachable } from '../server/describe-failure.ts';
import { crossrampProgram } from './program.ts';

try {
  await crossrampProgram().parseAsync();
} catch (error) {
  process.stderr.write(`crossramp: ${describeFailure(error)}\n`);
  process.exitCode = isUnreachable(error) ? EXIT.unreachable : EXIT.failed;
}
// The migration engine leaves a timer behind that would keep the process for ten seconds.
process.exit();
