/** Current names of an account's keys and of people. */
import type { Statement, Tx } from '../connection/database.ts';

/** A key or a person. */
export interface NamedActor {
  readonly id: string;
  readonly name: string;
}

const NAMES: Statement = {
  name: 'actor_names',
  text: `select id, name from api_key where account_id = $1 and id = any ($2::text[])
    union all select id, name from person where id = any ($2::text[])`,
};

/** @returns the names of those ids that belong to a key of the account, or to a person. */
export function readActorNames(tx: Tx, accountId: bigint, ids: readonly string[]): Promise<NamedActor[]> {
  return tx.query<NamedActor>(NAMES, [accountId, ids]);
}
