/** Refuses a home that a restore would harm, or that would lead the restore elsewhere. */
import { existsSync, statSync } from 'node:fs';
import { access, constants, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isFolderOf } from '../embedded-home.ts';
import { EmbeddedPostgresError } from '../postgres-binaries.ts';

/** Content of the mark of a restore. */
interface Restoring {
  readonly place: string;
}

/**
 * Every user who can write to a home can name files of other databases in it.
 * @throws {EmbeddedPostgresError} when the home is of another user, or others can write to it.
 */
export function refuseForeignHome(home: string): void {
  const { uid, mode } = statSync(home);
  if (process.getuid && uid !== process.getuid())
    throw new EmbeddedPostgresError(
      `${home} belongs to another user (uid ${uid}): run the command as this user, or set CROSSRAMP_HOME to a new folder`,
    );
  if (process.getuid && (mode & 0o022) !== 0)
    throw new EmbeddedPostgresError(
      `others can write to ${home}: run chmod go-w on it, or set CROSSRAMP_HOME to a new folder`,
    );
}

/**
 * Checks the key file before a copy that may take hours.
 * @throws {EmbeddedPostgresError} when the key file is missing and cannot be created.
 */
export async function refuseUnwritable(keyFile: string | undefined): Promise<void> {
  if (keyFile === undefined || existsSync(keyFile)) return;
  await access(dirname(keyFile), constants.R_OK | constants.W_OK | constants.X_OK).catch(
    ({ message }: Error) => {
      throw new EmbeddedPostgresError(
        `the key file of the backup cannot be put back to ${keyFile}: ${message}: make its folder, or change SECRETS_KEY_FILE`,
      );
    },
  );
}

/**
 * @throws {EmbeddedPostgresError} when the mark cannot be read, or names a folder that does not belong to this home.
 */
export async function readMark(home: string, mark: string): Promise<Restoring> {
  const text = await readFile(mark, 'utf8');
  try {
    const { place: folder }: { readonly place: unknown } = JSON.parse(text);
    if (typeof folder === 'string' && (await isFolderOf(home, folder))) return { place: folder };
  } catch {
    // Refused below.
  }
  throw new EmbeddedPostgresError(
    `${mark} is damaged: move the folder away, or set CROSSRAMP_HOME to a new one`,
  );
}
