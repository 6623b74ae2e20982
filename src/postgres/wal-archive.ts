/**
 * The archive of the write-ahead log: every server of this project can archive into the folder that a link next to its
 * data names. Archiving therefore begins and ends without a restart, whichever process starts the server.
 */
import { lstatSync } from 'node:fs';
import { readlink, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';

/** Folder of a backup folder that holds the log. */
export const WAL_FOLDER = 'wal';
/** Size of a file of the log: initdb's default. */
const SEGMENT_BYTES = 16 * 1024 * 1024;
/** Number of files of the log in 4 GiB: the last eight digits of a name count up to this. */
const SEGMENTS_PER_LOG = 0x100000000 / SEGMENT_BYTES;
/** Name of a file of the log: timeline, and two halves of its number, in hexadecimal. */
const SEGMENT = /^([0-9A-F]{8})([0-9A-F]{8})([0-9A-F]{8})$/;

/**
 * @returns the settings by which a server archives into the folder that the link names; without a link it stores
 * nothing.
 */
export function archiveSettings(clusterFolder: string): Record<string, string> {
  return { archive_mode: 'on', archive_command: archiveCommand(linkIn(clusterFolder)) };
}

/**
 * A file has its final name only when it is complete and on the disk. An existing file is compared: after a crash,
 * PostgreSQL may archive a file twice, and the first attempt may have ended before it was flushed; another server's
 * file is never overwritten. A link to a missing folder fails, so that nothing is lost while a disk is not mounted.
 */
function archiveCommand(link: string): string {
  return [
    `link=${quoted(link)}; test -L "$link" || exit 0`,
    `umask 077; to="$link/${WAL_FOLDER}"; name="$to/%f.gz"; draft="$to/.%f.draft"`,
    `if test -f "$name"; then gzip -dc "$name" | cmp -s - "%p" && sync "$name" && sync "$to"; exit; fi`,
    'gzip -1 -c "%p" > "$draft" && sync "$draft" && mv "$draft" "$name" && sync "$to"',
  ].join('\n');
}

/**
 * @param folder - folder of the archived files.
 * @returns the command by which recovery reads the archived files. A missing file ends the log; an unreadable one ends
 * the recovery.
 */
export function restoreCommand(folder: string): string {
  return `name=${quoted(folder)}/%f.gz; test -f "$name" || exit 1; gzip -dc "$name" > "%p" || exit 200`;
}

/** Quotes a text for the shell, in a setting in which `%` is special. */
function quoted(path: string): string {
  return `'${path.replaceAll("'", "'\\''").replaceAll('%', '%%')}'`;
}

/** @returns the folder of the archive; undefined for none. */
export async function archiveFolder(clusterFolder: string): Promise<string | undefined> {
  return lstatSync(linkIn(clusterFolder), { throwIfNoEntry: false })
    ? readlink(linkIn(clusterFolder))
    : undefined;
}

/** Archives into this backup folder, beginning with the next file of the log. */
export async function archiveInto(clusterFolder: string, folder: string): Promise<void> {
  if ((await archiveFolder(clusterFolder)) === folder) return;
  const draft = `${linkIn(clusterFolder)}.draft`;
  await rm(draft, { force: true });
  await symlink(folder, draft);
  await rename(draft, linkIn(clusterFolder));
}

/** Ends archiving. */
export async function archiveNowhere(clusterFolder: string): Promise<void> {
  await rm(linkIn(clusterFolder), { force: true });
}

/** @returns path of the link to the folder of the archive. */
export function linkIn(clusterFolder: string): string {
  return join(clusterFolder, 'postgres.archive');
}

/** @returns whether this is the name of a file of the log. */
export function isSegment(name: string): boolean {
  return SEGMENT.test(name);
}

/** @returns the name of the next file of the log, on the same timeline. */
export function segmentAfter(name: string): string {
  const [, timeline = '', high = '', low = ''] = SEGMENT.exec(name) ?? [];
  const number = Number.parseInt(high, 16) * SEGMENTS_PER_LOG + Number.parseInt(low, 16) + 1;
  const hex = (value: number) => value.toString(16).toUpperCase().padStart(8, '0');
  return `${timeline}${hex(Math.floor(number / SEGMENTS_PER_LOG))}${hex(number % SEGMENTS_PER_LOG)}`;
}

/** @returns the position in the log at which a file begins. */
export function startOfSegment(name: string): string {
  const [, , high = '', low = ''] = SEGMENT.exec(name) ?? [];
  return `${high}/${(Number.parseInt(low, 16) * SEGMENT_BYTES).toString(16)}`;
}

/** @returns a text that sorts files of the log, whatever their timeline. */
export function segmentOrder(name: string): string {
  return name.slice(8, 24);
}
