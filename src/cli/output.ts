/** How commands answer: text for people, or one JSON value with `--json`. */
import { Option } from 'commander';
import { findAccount } from '../store/accounts.ts';
import type { Database } from '../store/database.ts';
import { StoreError } from '../store/open-store.ts';

/** The option that every command has. */
export const jsonOption = () => new Option('--json', 'answer with one JSON value');

/** Writes the answer to standard output. */
export function answer(options: { json?: boolean }, value: unknown, text: string): void {
  process.stdout.write(options.json ? `${JSON.stringify(value)}\n` : `${text}\n`);
}

/**
 * @param named - an account's id, or `sandbox`.
 * @throws {StoreError} when there is no such account.
 */
export async function accountNamed(database: Database, named: string): Promise<bigint> {
  const id = await findAccount(database, named);
  if (id === undefined) throw new StoreError(`there is no account ${named}`);
  return id;
}
