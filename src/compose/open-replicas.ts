/** Opens the standbys of `REPLICA_URLS`. */
import { followReplicas, type ReadReplicas } from '../store/account/read-replicas.ts';
import { opening, type Store, type StoreSettings } from './open-store.ts';

/**
 * @param store - store of the primary.
 * @returns the standbys, which are monitored; undefined if the settings name none. None of them has to be reachable.
 */
export async function openReplicas(
  settings: Omit<StoreSettings, 'home'> & { readonly replicaUrls: readonly string[] },
  { database, url }: Pick<Store, 'database' | 'url'>,
): Promise<ReadReplicas | undefined> {
  const { replicaUrls, databaseConnections: connections, databaseSchema: schema = 'public' } = settings;
  if (replicaUrls.length === 0) return undefined;
  const open = await opening(settings);
  const replicas = replicaUrls.map((each) => ({
    url: each,
    database: open(each, { connections, schema, cell: database.cell }),
  }));
  return followReplicas({ primary: database, primaryUrl: url, replicas });
}
