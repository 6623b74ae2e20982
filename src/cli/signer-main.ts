/**
 * `crossramp-signer`: the signer as a program of its own; its package has only the signer's libraries (decision 0063).
 */
import { setImmediate } from 'node:timers/promises';
import { VERSION } from '../base/process/version.ts';
import { EXIT, endOnBadUsage } from '../server/process/command-line.ts';
import { describeSystemError } from '../server/process/describe-system-error.ts';
import { SignerError } from '../signer/signer-error.ts';
import { outliveLostOutput } from './output.ts';
import { signerCommand } from './signer.ts';
import { Interrupted } from './until-interrupted.ts';

outliveLostOutput();
const program = signerCommand()
  .name('crossramp-signer')
  .version(VERSION, '-V, --version', 'print the version');
endOnBadUsage(program);
try {
  await program.parseAsync(process.argv);
} catch (error) {
  const isExpected = error instanceof SignerError || error instanceof Interrupted;
  const message = isExpected ? error.message : describeSystemError(error as Error, 'choose another port');
  process.stderr.write(`crossramp-signer: ${message}\n`);
  process.exitCode = error instanceof Interrupted ? error.exitCode : EXIT.failed;
}
// A failed write of the answer is reported in a later tick.
await setImmediate();
process.exit();
