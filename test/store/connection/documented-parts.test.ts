/**
 * Goal: what rests on undocumented parts of the driver stands behind one switch (decision 0064). Method: the sources as text: only these
 * files name such parts, and the way without them loads none of these files.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const SRC = fileURLToPath(new URL('../../../src/', import.meta.url));
const FOLDER = join('store', 'connection');
const FAST = [
  'connection.ts',
  'copy-query.ts',
  'full-server-pool.ts',
  'idle-connections.ts',
  'probe-server.ts',
  'lost-sessions.ts',
  'openings.ts',
  'row-connection.ts',
  'rows-query.ts',
  'shared-connections.ts',
  'watched-client.ts',
].map((name) => join(FOLDER, name));
/** Members of the driver and of its pool that its documents do not have. */
const UNDOCUMENTED =
  /\.connection\b[^;]{0,20}\bstream\b|\{ connection: \{ stream|pg\.(Connection|Query)\b|\b_(isFull|clients|idle|pendingQueue|queryQueue|activeQuery)\b|pipeline: true|getTransactionStatus/;

const SOURCES = new Map(
  readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.includes('generated'))
    .map((path) => [path, readFileSync(join(SRC, path), 'utf8')] as const),
);

/** Sources that a source loads, itself among them; types are not loaded. */
function loadedBy(path: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(path) || !SOURCES.has(path)) return found;
  found.add(path);
  const text = SOURCES.get(path) as string;
  for (const [, target] of text.matchAll(/^(?:import|export) (?!type )[^;]*?from '(\.[^']+)'/gm))
    loadedBy(relative(SRC, join(SRC, dirname(path), target as string)), found);
  return found;
}

test('only these files use undocumented parts of the driver', () => {
  const users = [...SOURCES].filter(([, text]) => UNDOCUMENTED.test(text)).map(([path]) => path);
  expect(users.filter((path) => !FAST.includes(path))).toEqual([]);
  // Each of them uses such a part, or serves those that do.
  const serving = ['idle-connections.ts', 'lost-sessions.ts'].map((name) => join(FOLDER, name));
  expect(FAST.filter((path) => !users.includes(path) && !serving.includes(path))).toEqual([]);
});

test.each([
  join(FOLDER, 'plain-connection.ts'),
  'main.ts',
  join('cli', 'main.ts'),
])('%s loads none of them before the switch is read', (path) => {
  const loaded = loadedBy(path);
  expect(loaded.size).toBeGreaterThan(5);
  expect([...loaded].filter((each) => FAST.includes(each))).toEqual([]);
});
