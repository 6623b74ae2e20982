/** Home folders of the embedded server for tests, removed whole. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** @returns a new home folder; `remove` deletes it. */
export function newHome(): { home: string; remove: () => void } {
  const home = mkdtempSync(join(tmpdir(), 'crossramp-home-'));
  // As root the server runs as another user: what that user could not enter would be placed elsewhere and outlive the test.
  chmodSync(home, 0o711);
  return { home, remove: () => rmSync(home, { recursive: true, force: true }) };
}
