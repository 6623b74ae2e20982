/** The version of an account: every change of data in proved responses changes it (docs/decisions/0044). */
import { setImmediate } from 'node:timers/promises';
import { readManyTogether } from '../../base/concurrency/read-together.ts';
import type { Database, Statement } from '../connection/database.ts';

const VERSIONS: Statement = {
  name: 'account_versions',
  isQuick: true,
  isGathered: true,
  text: `select account_id as "accountId", version from account_head where account_id = any ($1::bigint[])`,
};

/**
 * Number of turns of the event loop during which a statement gathers callers, because waking PostgreSQL costs more than
 * answering from memory.
 */
const TICKS = 3;

async function gather(): Promise<void> {
  for (let tick = 0; tick < TICKS; tick += 1) await setImmediate();
}

/**
 * @returns a function that reads the version of an account; undefined without such an account. The read begins after
 * the call; one statement serves all callers that arrive while another is under way, or at about the same time.
 */
export function versionReader(
  database: Pick<Database, 'query'>,
): (accountId: bigint) => Promise<bigint | undefined> {
  return readManyTogether(async (accountIds: readonly bigint[]) => {
    const ids = [...new Set(accountIds)];
    const rows = await database.query<{ accountId: bigint; version: bigint }>(VERSIONS, [ids]);
    const versions = new Map(rows.map(({ accountId, version }) => [accountId, version]));
    return accountIds.map((accountId) => versions.get(accountId));
  }, gather);
}
