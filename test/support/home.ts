/** Home folders of the embedded server for tests, removed whole. */
import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
const FREE_MIN = 8 * 2 ** 30;

/** The memory of a machine that has plenty, where a flush costs nothing: a backup flushes a thousand files. Otherwise the disk. */
function fastFolder(): string {
  if (!existsSync(MEMORY) || freemem() < FREE_MIN) return tmpdir();
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize < FREE_MIN ? tmpdir() : MEMORY;
}

/** @returns a new home folder; `remove` deletes it. */
export function newHome(): { home: string; remove: () => void } {
  const home = mkdtempSync(join(fastFolder(), 'crossramp-home-'));
  // As root the server runs as another user: what that user could not enter would be placed elsewhere and outlive the test.
  chmodSync(home, 0o711);
  return { home, remove: () => rmSync(home, { recursive: true, force: true }) };
}
