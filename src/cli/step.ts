/** Transactions of any account, which commands find by their id and show by their step. */
import { StoreError } from '../store/check-server.ts';
import type { Tx } from '../store/database.ts';
import { findAnywhere } from '../store/engine/processes.ts';
import type { ProcessRow } from '../templates/facts.ts';
import type { Registry } from '../templates/registry.ts';
import { labelOf } from '../wire/envelope.ts';
import { answer } from './output.ts';

/** @throws {StoreError} when no account has a transaction with this id. */
export async function transactionNamed(database: Tx, end2end: string): Promise<ProcessRow> {
  const row = await findAnywhere(database, end2end);
  if (!row) throw new StoreError(`there is no transaction ${end2end}`);
  return row;
}

/** Where a transaction stands, as commands answer it. */
export type ShownStep = ReturnType<typeof stepOf>;

/** @returns where a transaction stands. */
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

/** Writes where a transaction stands. */
export function answerStep(options: { json?: boolean }, shown: ShownStep): void {
  const { end2end, component, state, status, substatus } = shown;
  answer(options, shown, `${end2end}: ${component}/${state} (${status.en}: ${substatus.en})`);
}
