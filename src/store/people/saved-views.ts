/** Addresses of screens that people store under a name. */
import type { Instant } from '../../base/time/instant.ts';
import type { Statement, Tx } from '../connection/database.ts';

/** An address under its name. */
export interface SavedView {
  readonly name: string;
  readonly path: string;
  readonly createdAt: Instant;
}

/** Owner of the views: a person, in an account. */
export interface ViewOwner {
  readonly accountId: bigint;
  readonly personId: string;
}

const COLUMNS = 'name, path, created_at as "createdAt"';
const LIST: Statement = {
  name: 'saved_view_list',
  text: `select ${COLUMNS} from saved_view where account_id = $1 and person_id = $2 order by lower(name), name`,
};
const SAVE: Statement = {
  name: 'saved_view_save',
  text: `insert into saved_view (account_id, person_id, name, path, created_at) values ($1, $2, $3, $4, $5)
    on conflict (account_id, person_id, name) do update set path = excluded.path returning ${COLUMNS}`,
};
const REMOVE: Statement = {
  name: 'saved_view_remove',
  text: `delete from saved_view where account_id = $1 and person_id = $2 and name = $3 returning ${COLUMNS}`,
};

/** @returns the views by name. */
export function readViews(tx: Tx, { accountId, personId }: ViewOwner): Promise<SavedView[]> {
  return tx.query<SavedView>(LIST, [accountId, personId]);
}

/** Stores an address, replacing one of the same name. */
export async function storeView(
  tx: Tx,
  { accountId, personId }: ViewOwner,
  { name, path }: Pick<SavedView, 'name' | 'path'>,
  at: Date,
): Promise<SavedView | undefined> {
  const [view] = await tx.query<SavedView>(SAVE, [accountId, personId, name, path, at]);
  return view;
}

/** @returns the deleted view; undefined if there was none. */
export async function removeView(
  tx: Tx,
  { accountId, personId }: ViewOwner,
  name: string,
): Promise<SavedView | undefined> {
  const [view] = await tx.query<SavedView>(REMOVE, [accountId, personId, name]);
  return view;
}
