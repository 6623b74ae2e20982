/** `crossramp`: the commands of the operator. They work with or without a running gateway. */
import { outliveReaders } from './output.ts';
import { runProgram } from './run-program.ts';

outliveReaders();
await runProgram(process.argv);
// The migration engine leaves a timer that would keep the process alive for ten seconds.
process.exit();
