/** Commands that move a transaction of any account, found by its id, and show its step. */
import type { Command } from 'commander';
import type { Target } from '../resolvers/engine/advance-for-caller.ts';
import type { Context, Services } from '../resolvers/services/context.ts';
import { StoreError } from '../store/connection/check-server.ts';
import type { Tx } from '../store/connection/database.ts';
import { findAnywhere } from '../store/engine/processes.ts';
import type { ProcessRow } from '../templates/facts.ts';
import type { Registry } from '../templates/registry.ts';
import { labelOf } from '../wire/envelope.ts';
import { uses } from './command.ts';
import { onServices, operatorContext } from './with-store.ts';

/** Gives a command the argument `<end2end>`, and the action on that transaction. */
export function moves<Options>(
  command: Command,
  work: (context: Context, target: Target, options: Options) => Promise<ProcessRow>,
): void {
  uses(command.argument('<end2end>', 'id of the transaction'), {
    on: onServices,
    run: async (services: Services, options: Options, end2end: string) => {
      const { accountId } = await transactionNamed(services.database, end2end);
      const context = await operatorContext(services, accountId);
      return stepOf(services.registry, await work(context, { end2end }, options));
    },
    text: stepText,
  });
}

/** @throws {StoreError} when no account has a transaction with this id. */
export async function transactionNamed(database: Tx, end2end: string): Promise<ProcessRow> {
  const row = await findAnywhere(database, end2end);
  if (!row) throw new StoreError(`there is no transaction ${end2end}`);
  return row;
}

/** State of a transaction, as commands print it. */
type ShownStep = ReturnType<typeof stepOf>;

/** @returns the state of a transaction. */
export function stepOf(registry: Registry, row: ProcessRow) {
  return {
    end2end: row.end2end,
    template: row.template,
    component: row.component,
    state: row.state,
    status: labelOf(registry, row, 'status'),
    substatus: labelOf(registry, row, 'substatus'),
  };
}

/** @returns the state of a transaction, as text. */
export function stepText({ end2end, component, state, status, substatus }: ShownStep): string {
  return `${end2end}: ${component}/${state} (${status.en}: ${substatus.en})`;
}
