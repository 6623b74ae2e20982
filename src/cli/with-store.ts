/** The database that commands work on. */
import { readConfig } from '../config.ts';
import { openStore, type Store } from '../store/open-store.ts';

/** Few: a command does one thing at a time, beside a gateway that needs the others. */
const CONNECTIONS = 4;

/** Runs the work on the database that the environment names, and closes it again. */
export async function withStore<Result>(work: (store: Store) => Promise<Result>): Promise<Result> {
  const store = await openStore({
    ...readConfig(process.env),
    databaseConnections: CONNECTIONS,
    patient: true,
  });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
