/** Makes a folder. Node's own `recursive` never returns below a folder that accepts no folders, such as `/proc`. */
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Creates a folder and the missing folders above it. @throws the system's error. */
export function makeFolder(path: string, mode?: number): void {
  if (!existsSync(dirname(path))) makeFolder(dirname(path), mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // The folder existed, or another process made it first.
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}
