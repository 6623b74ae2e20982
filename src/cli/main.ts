/** `crossramp`: the commands of the operator. Commands work with or without a running gateway. */
import { setImmediate } from 'node:timers/promises';
import { flushOutput, outliveLostOutput } from './output.ts';
import { runProgram } from './run-program.ts';

outliveLostOutput();
await runProgram(process.argv);
// An exit drops output that a slow reader of a pipe has not read yet.
await flushOutput();
// A failed write of the answer is reported in a later tick.
await setImmediate();
// The migration engine leaves a timer that would keep the process alive for ten seconds.
process.exit();
