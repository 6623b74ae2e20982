/** The manifest of a backup. A backup writes it last, so a folder without a manifest is no complete backup. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { EmbeddedPostgresError } from '../postgres-binaries.ts';

/** Name of the file. */
export const MANIFEST = 'manifest.json';

/** A file of a backup. */
export interface BackedUpFile {
  /** Relative path, with `/` between folders. */
  readonly path: string;
  /** Unit: bytes. */
  readonly size: number;
  readonly sha256: string;
}

/** Origin and files of a backup. */
export interface Manifest {
  readonly format: 1;
  /** Version of the gateway. */
  readonly gateway: string;
  /** Version of PostgreSQL, such as `18.4`. */
  readonly postgres: string;
  /** Identity from initdb, which a restored database shares with its original. */
  readonly systemIdentifier: string;
  readonly timeline: number;
  readonly startLsn: string;
  readonly stopLsn: string;
  /** First and last file of the log that the backup needs. */
  readonly startWal: string;
  readonly stopWal: string;
  /** Time of the database's clock, RFC 3339. A restore can reach any time from `endedAt` on. */
  readonly startedAt: string;
  readonly endedAt: string;
  /** Whether the key file of secrets is among the files. */
  readonly hasSecretsKey: boolean;
  readonly files: readonly BackedUpFile[];
  /** Files of the log from `startWal` to `stopWal`, under their names in the archive. */
  readonly wal: readonly BackedUpFile[];
}

/** @returns the text of the file: the manifest with a checksum of itself. */
export function manifestText(manifest: Manifest): string {
  return `${JSON.stringify({ ...manifest, sha256: digestOf(manifest) }, null, 1)}\n`;
}

/** @throws {EmbeddedPostgresError} when the file is missing, is no manifest of this form, or was changed. */
export async function readManifest(path: string): Promise<Manifest> {
  const text = await readFile(path, 'utf8').catch(({ code }: NodeJS.ErrnoException) => {
    throw new EmbeddedPostgresError(
      `the manifest ${path} cannot be read (${code}): the backup is not complete`,
    );
  });
  const parsed = parse(text);
  if (parsed === undefined) throw new EmbeddedPostgresError(`the manifest ${path} is damaged`);
  const { sha256, ...manifest } = parsed;
  if (manifest.format !== 1)
    throw new EmbeddedPostgresError(`the backup of ${path} was made by a later version of the gateway`);
  if (sha256 !== digestOf(manifest as Manifest))
    throw new EmbeddedPostgresError(`the manifest ${path} is damaged: its checksum differs`);
  return manifest as Manifest;
}

function parse(text: string): (Partial<Manifest> & { readonly sha256?: string }) | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function digestOf(manifest: Manifest): string {
  return createHash('sha256').update(JSON.stringify(manifest)).digest('hex');
}
