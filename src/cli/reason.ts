/** The reason that a decision of a person needs, as an option of the command. */
import type { Command } from 'commander';
import type { Named } from '../base/errors/violations.ts';

/** Options of a command with `withReason`. */
export interface Reasoned {
  readonly reason: string;
}

/** @returns the command with its required option `--reason`. */
export function withReason(command: Command): Command {
  return command.requiredOption(
    '--reason <text>',
    'reason of the decision, for the audit log; 1 to 200 characters',
  );
}

/** @returns the reason under its name. */
export function namedReason(value: string): Named {
  return { name: '--reason', value };
}
