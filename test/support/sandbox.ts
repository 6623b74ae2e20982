/** The sandbox account that applications of tests begin with, made once for the whole run. */
import { readFileSync } from 'node:fs';
import { importAccount } from '../../src/resolvers/history/import-account.ts';
import { provisionSandbox } from '../../src/resolvers/sandbox/provision-sandbox.ts';
import { openDatabase } from '../../src/store/connection/connection.ts';
import { REGISTRY } from '../../src/templates/index.ts';

/** The lines of the example history. */
export const HISTORY = readFileSync(new URL('../../docs/examples/history.ndjson', import.meta.url), 'utf8');

/** Makes the account with the example history. @param url - a migrated database. */
export async function addSandbox(url: string): Promise<void> {
  // A setup that fails ends the whole run.
  const database = openDatabase(url, { patient: true });
  try {
    const accountId = await provisionSandbox(database, REGISTRY);
    await importAccount(database, REGISTRY, accountId, 'history.ndjson', HISTORY.split('\n'));
  } finally {
    await database.close();
  }
}
