/** The version of an account: it moves with everything that proved answers are made of (docs/decisions/0044). */
import { setImmediate } from 'node:timers/promises';
import { readManyTogether } from '../../base/concurrency/read-together.ts';
import type { Database, Statement } from '../connection/database.ts';

const VERSIONS: Statement = {
  name: 'account_versions',
  isQuick: true,
  isGathered: true,
  text: `select account_id as "accountId", version from account_head where account_id = any ($1::bigint[])`,
};

/** To wake PostgreSQL costs more than to answer a request from memory, so a statement waits for whoever comes in so many turns of the event loop. */
const TURNS = 3;

async function gather(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn += 1) await setImmediate();
}

/**
 * @returns a read of the version of an account, undefined where there is none. It begins after it was asked for; one
 *   statement reads for all who ask while another is under way, or whose requests have come at about the same time.
 */
export function versionReader(
  database: Pick<Database, 'query'>,
): (accountId: bigint) => Promise<bigint | undefined> {
  return readManyTogether(async (asked: readonly bigint[]) => {
    const ids = [...new Set(asked)];
    const rows = await database.query<{ accountId: bigint; version: bigint }>(VERSIONS, [ids]);
    const versions = new Map(rows.map(({ accountId, version }) => [accountId, version]));
    return asked.map((accountId) => versions.get(accountId));
  }, gather);
}
