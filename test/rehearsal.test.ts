/**
 * Goal: a rehearsal that fails leaves nothing running. Method: the rehearsal of docs/going-live.md, with a setting
 * that its gateway refuses after provider, node, signer and feed have started.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { endAll, rehearse } from '../scripts/rehearsal.ts';
import { newHome } from './support/home.ts';

const { home, remove } = newHome();
afterAll(remove);

/** @returns the command lines of the processes below this one. */
function descendants(): string[] {
  const found = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const processes = found.flatMap((id) => {
    try {
      const [, parent = ''] = /\) [A-Z] (\d+)/.exec(readFileSync(`/proc/${id}/stat`, 'utf8')) ?? [];
      return [{ id, parent, words: readFileSync(`/proc/${id}/cmdline`, 'utf8').replaceAll('\0', ' ') }];
    } catch {
      return [];
    }
  });
  const below = new Set([String(process.pid)]);
  for (let size = 0; size < below.size; ) {
    size = below.size;
    for (const { id, parent } of processes) if (below.has(parent)) below.add(id);
  }
  below.delete(String(process.pid));
  return processes.filter(({ id }) => below.has(id)).map(({ id, words }) => `${id} ${words}`);
}

test('a failed rehearsal reports the reason, and ends everything that it started', async () => {
  const before = descendants();
  const lines: string[] = [];
  let most = 0;
  const note = (line: string) => {
    lines.push(line);
    most = Math.max(most, descendants().length - before.length);
  };
  await expect(rehearse({ CROSSRAMP_HOME: home, RATE_LIMIT: 'sometimes' }, note)).rejects.toThrow(
    /RATE_LIMIT/,
  );
  // Provider, node and signer ran when the signer told its limits.
  expect(lines.join('\n')).toContain('hourly limit');
  expect(most).toBeGreaterThanOrEqual(3);
  await expect.poll(() => descendants().filter((each) => !before.includes(each))).toEqual([]);
}, 120_000);

test('everything is ended, the last first, though one end fails; the first failure is reported', async () => {
  const ended: string[] = [];
  const end =
    (name: string, fails = false) =>
    () => {
      ended.push(name);
      if (fails) throw new Error(name);
    };
  const ends = [end('node'), end('psp', true), async () => end('signer', true)(), end('gateway')];
  await expect(endAll(ends)).rejects.toThrow('signer');
  expect(ended).toEqual(['gateway', 'signer', 'psp', 'node']);
});
