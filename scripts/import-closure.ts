/** The files that a program consists of, and the packages of npm that it imports; imports of types alone are left out. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Imports of a program, at its start or later. */
export interface ImportClosure {
  /** Files of the program, in their order. */
  readonly files: readonly string[];
  /** Names of packages, in their order. */
  readonly packages: readonly string[];
}

const IMPORT = /^(?:import|export)(?! type\b)(?: [^'";]*? from)? '([^']+)'|\bimport\('([^']+)'\)/gm;

/** @param entry - file of TypeScript or JavaScript that the program begins with. */
export function importClosure(entry: string): ImportClosure {
  const files = new Set([entry]);
  const packages = new Set<string>();
  // A set is walked with what is added meanwhile.
  for (const file of files)
    for (const [, first, later] of readFileSync(file, 'utf8').matchAll(IMPORT)) {
      const name = first ?? later ?? '';
      if (name.startsWith('.')) files.add(join(dirname(file), name));
      else if (!name.startsWith('node:')) packages.add(packageOf(name));
    }
  return { files: [...files].sort(), packages: [...packages].sort() };
}

/** @returns the package of a module: `@noble/hashes` of `@noble/hashes/sha2.js`. */
function packageOf(module: string): string {
  return module.split('/', module.startsWith('@') ? 2 : 1).join('/');
}
