/** Shared parts of the command lines of the gateway and of `crossramp`: version, usage errors, exit codes. */
import { Command } from 'commander';
import { VERSION } from '../../base/process/version.ts';

/** Exit codes of a process; docs/cli.md lists them. */
export const EXIT = {
  done: 0,
  /** Refused or failed; also `verify` with defects, and `doctor` with a failed check. */
  failed: 1,
  /** An unknown command or option, a missing argument, a value that is not accepted. */
  usage: 2,
  /** The database or the gateway cannot be reached: the same command may succeed later. */
  unreachable: 3,
} as const;

/** @returns a program with `--version` and `--help`. */
export function newProgram(name: string): Command {
  return new Command(name).version(VERSION, '-V, --version', 'print the version');
}

/** Makes a program and its commands report a wrong command line and exit with `EXIT.usage`. */
export function endOnBadUsage(program: Command): void {
  program
    .helpOption('-h, --help', 'print this help')
    .showHelpAfterError('(add --help to see what is accepted)')
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? EXIT.done : EXIT.usage))
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'crossramp: ')) });
  for (const command of program.commands) endOnBadUsage(command as Command);
}
