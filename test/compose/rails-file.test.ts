/**
 * Goal: a file of rails that is not right ends the start with one line that names the member and the accepted form. Method:
 * files as an operator would write them, each with one slip.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readRailsFile } from '../../src/compose/rails-file.ts';
import { ConfigError, readConfig } from '../../src/config.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'rails-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Reads a file of this text, or of this value as JSON. */
function read(given: unknown) {
  const file = join(folder, 'rails.json');
  writeFileSync(file, typeof given === 'string' ? given : JSON.stringify(given));
  return readRailsFile(file);
}

test('there are only configured rails', async () => {
  const { live, sandbox } = await read({ live: { identity: 'off' } });
  expect(sandbox).toBeUndefined();
  expect(live).toMatchObject({ identity: 'off', screening: undefined, pix: undefined });
});

test.each([
  ['not JSON', '{', /rails\.json: not JSON/],
  ['not an object', '[]', /the file: expected an object, got \[\]/],
  ['an unknown mode', { production: {} }, /production: there is no such setting; known here: .*live/],
  ['an unknown rail', { live: { pixx: {} } }, /live\.pixx: there is no such setting; known here: .*pix/],
  [
    'an unknown kind',
    { live: { pix: { kind: 'carrier pigeon' } } },
    /live\.pix\.kind: expected .*, got "carrier pigeon"/,
  ],
  [
    'a network that is none',
    { live: { networks: { DOGE: {} } } },
    /live\.networks\.DOGE: expected a network of TRX, ETH/,
  ],
  [
    'a check that is neither on nor off',
    { live: { identity: true } },
    /live\.identity: expected "off" or an object with a kind, got true/,
  ],
  [
    'one place to listen at for both modes',
    Object.fromEntries(
      ['live', 'sandbox'].map((mode) => [mode, { pix: { callback: { listen: '[::]:8443' } } }]),
    ),
    /pix\.callback\.listen: expected different addresses for the two modes/,
  ],
  [
    'a provider that is played, for live accounts',
    { live: { pspControl: 'http://127.0.0.1:4101' } },
    /live\.pspControl: expected it in sandbox only, together with pix/,
  ],
])('%s is refused', async (_what, given, message) => {
  const refused = await read(given).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(ConfigError);
  expect((refused as Error).message).toMatch(message);
  expect((refused as Error).message).toMatch(/^RAILS_FILE .*rails\.json/);
});

test('a file that is not there is named', async () => {
  const { railsFile = '' } = readConfig({ RAILS_FILE: join(folder, 'none.json') });
  await expect(readRailsFile(railsFile)).rejects.toThrow(/^RAILS_FILE: cannot read .*none\.json \(ENOENT\)$/);
  expect(readConfig({}).railsFile).toBeUndefined();
});
