/** Backups of a small embedded server that runs all the time, each test file with its own. */
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, vi } from 'vitest';
import {
  type BackupOptions,
  type BackupReport,
  createBackup,
} from '../../src/postgres/backup/create-backup.ts';
import { type RestoreReport, restoreBackup } from '../../src/postgres/backup/restore-backup.ts';
import {
  acquireEmbeddedPostgres,
  type EmbeddedPostgres,
  EmbeddedPostgresError,
} from '../../src/postgres/embedded-postgres.ts';
import { newHome } from '../support/home.ts';

const SETTINGS = { fsync: 'off', full_page_writes: 'off' };

/** What tests of backups work with. */
export interface Backups {
  /** Home of the server that runs. */
  readonly home: string;
  /** @returns a path at which nothing is. */
  readonly newFolder: () => string;
  /** @returns the values of the answer, one after the other. */
  readonly query: (text: string) => Promise<readonly unknown[]>;
  readonly write: (note: string) => Promise<unknown>;
  readonly backUp: (options: Partial<BackupOptions> & { readonly folder: string }) => Promise<BackupReport>;
  /** Ends the file of the log that is being written. @returns its name. */
  readonly switchLog: () => Promise<string>;
  /** The same, and waits until it is in the archive. */
  readonly archive: (folder: string) => Promise<string>;
  /** @param options.home - default: a new one. */
  readonly restore: (options: Restore) => Promise<RestoreReport>;
  /** @returns the notes of a home whose server does not run. */
  readonly notesIn: (home: string) => Promise<readonly unknown[]>;
  /** Restores into a new home, and reads its notes. */
  readonly restoredNotes: (options: Restore) => Promise<readonly unknown[]>;
}

interface Restore {
  readonly folder: string;
  readonly home?: string;
  readonly until?: string;
  readonly secretsKeyFile?: string;
}

/** A backup and a restore flush a thousand files each to the disk. Unit: ms. */
const TEST_MAX_MS = 180_000;

/** Starts the server before the tests of a file, and removes everything after them. */
export function useBackups(): Backups {
  vi.setConfig({ testTimeout: TEST_MAX_MS });
  const machine = newHome();
  const home = join(machine.home, 'home');
  let server: EmbeddedPostgres;
  let folders = 0;
  beforeAll(async () => {
    server = await acquireEmbeddedPostgres({ home, settings: SETTINGS });
    await query('create table note (text text not null)');
  });
  afterAll(async () => {
    await server?.release();
    machine.remove();
  });

  const newFolder = () => join(machine.home, `new-${folders++}`);
  const query = (text: string) => queryAt(server.url, text);
  const switchLog = async () => {
    // A file in which nothing was written is not ended.
    await query(`select pg_logical_emit_message(false, 'test', '')`);
    return String((await query('select pg_walfile_name(pg_switch_wal())'))[0]);
  };
  const restore = (options: Restore) => restoreBackup({ home: newFolder(), ...options });
  const notesIn = async (path: string) => {
    const restored = await acquireEmbeddedPostgres({ home: path, settings: SETTINGS });
    return queryAt(restored.url, 'select text from note order by text').finally(() => restored.release());
  };
  return {
    home,
    newFolder,
    query,
    write: (note) => query(`insert into note values ('${note}')`),
    backUp: (options) => createBackup({ home, archiveSeconds: 3_600, ...options }),
    switchLog,
    archive: async (folder) => {
      const name = await switchLog();
      await expect.poll(() => existsSync(join(folder, 'wal', `${name}.gz`))).toBe(true);
      return name;
    },
    restore,
    notesIn,
    restoredNotes: async (options) => {
      const path = newFolder();
      await restore({ ...options, home: path });
      return notesIn(path);
    },
  };
}

async function queryAt(url: string, text: string): Promise<readonly unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  return client
    .query({ text, rowMode: 'array' })
    .then(({ rows }) => rows.flat())
    .finally(() => client.end());
}

/** @returns the one line by which something is refused. */
export const refusal = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'no refusal',
    (error: unknown) => (error instanceof EmbeddedPostgresError ? error.message : `unexpected ${error}`),
  );

/** @returns names of the backups in a folder, and of drafts. */
export const setsIn = async (folder: string): Promise<string[]> =>
  (await readdir(join(folder, 'base'))).sort();
