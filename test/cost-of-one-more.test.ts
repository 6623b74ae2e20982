/** What one more of a kind costs is what ARCHITECTURE.md says, and no more. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { costs } from '../scripts/cost-of-one-more.ts';

const ARCHITECTURE = readFileSync(new URL('../ARCHITECTURE.md', import.meta.url), 'utf8');

/** The figure of a row: its fourth column. */
function allowed(kind: string): number {
  const row = ARCHITECTURE.split('\n').find((line) => line.startsWith(`| ${kind} |`));
  return Number(row?.split('|')[4]);
}

it.each(costs())('one more $kind touches no more files than ARCHITECTURE.md says', ({ kind, files }) => {
  expect(files.length, files.join('\n')).toBeLessThanOrEqual(allowed(kind));
});

it('counted files still exist', () => {
  expect(costs().filter(({ files }) => files.length === 0)).toEqual([]);
});
