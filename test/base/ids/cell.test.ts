/**
 * Goal: cells never issue the same, and everything says its cell. Method: 100,000 of each kind in each of two
 * cells and some of the first, compared with each other and routed back; `end2end`, which says no cell, by two processes. Numbers that
 * databases give are in test/cells/numbers.test.ts.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { isApiKey, newApiKey, newKeyId } from '../../../src/base/access/api-key.ts';
import { isPersonToken, newPersonToken } from '../../../src/base/access/person-token.ts';
import { isSessionToken, isSlug, newSessionToken, newSlug } from '../../../src/base/access/session-token.ts';
import { isStreamToken, signStreamToken } from '../../../src/base/access/stream-token.ts';
import { cellOf, cellOfNumber, FIRST_CELL, isCellCode, numbersBefore } from '../../../src/base/ids/cell.ts';
import { txidOf } from '../../../src/base/pix/end-to-end-id.ts';

/** How many of each kind a cell makes. */
const CELLS = [
  [FIRST_CELL, 1_000],
  ['a1', 100_000],
  ['zz', 100_000],
] as const;
const KEY_HASH = Buffer.alloc(32, 7);
const streamToken = (cell: string, n: number) =>
  signStreamToken({ accountId: 1n, keyId: newKeyId(cell), expiresAt: 1_800_000_000 + n }, KEY_HASH);

/** Each kind with what makes one, and its published form. */
const KINDS: readonly [string, (cell: string, n: number) => string, (text: string) => boolean][] = [
  ['key', (cell, n) => newApiKey(n % 2 === 0 ? 'live' : 'test', cell), isApiKey],
  ['id of a key', newKeyId, (text) => /^key_[0-9A-Za-z]{16,18}$/.test(text)],
  ['stream token', streamToken, isStreamToken],
  ['payment session', newSessionToken, isSessionToken],
  ['static link', newSlug, isSlug],
  ['session or link of a person', newPersonToken, isPersonToken],
  ['txid', (cell, n) => txidOf(`order ${n}`, cell), (text) => /^[a-zA-Z0-9]{26,35}$/.test(text)],
];

describe.each(KINDS)('100,000 of each cell: %s', (_name, make, isOfForm) => {
  test('has the published form, is unique, and contains its cell', () => {
    const made = new Set<string>();
    const wrong: string[] = [];
    for (const [cell, count] of CELLS)
      for (let n = 0; n < count; n++) {
        const text = make(cell, n);
        made.add(text);
        if (!isOfForm(text) || cellOf(text) !== cell) wrong.push(text);
      }
    expect(wrong).toEqual([]);
    expect(made.size).toBe(201_000);
  }, 120_000);
});

test('two processes make 100,000 end2ends each, all unique', async () => {
  const module = new URL('../../../src/base/ids/end2end.ts', import.meta.url);
  const program = `const { newEnd2end } = await import('${module}');
    for (let n = 0; n < 100_000; n++) console.log(newEnd2end(new Date(1_800_000_000_000 + (n % 100))));`;
  const make = () =>
    promisify(execFile)(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', program],
      { maxBuffer: 2 ** 24 },
    );
  const made = (await Promise.all([make(), make()])).flatMap(({ stdout }) => stdout.trim().split('\n'));
  expect(made).toHaveLength(200_000);
  expect(new Set(made).size).toBe(200_000);
}, 120_000);

test('numbers of each cell are unique, show their cell, and are exact in JSON', () => {
  const codes = Array.from({ length: 36 * 36 - 1 }, (_, n) => (n + 1).toString(36).padStart(2, '0'));
  for (const cell of [FIRST_CELL, ...codes]) {
    const before = numbersBefore(cell);
    for (const number of [before + 1n, before + 10n ** 12n - 1n]) {
      expect(cellOfNumber(number)).toBe(cell);
      expect(cellOfNumber(-number)).toBe(cell);
      expect(number).toBeLessThan(BigInt(Number.MAX_SAFE_INTEGER));
    }
  }
});

test.each(['a1', 'zz', '01'])('%j is a code', (code) => expect(isCellCode(code)).toBe(true));
test.each(['', '00', 'a', 'A1', 'abc', 'á1', 'a-'])('%j is no code', (code) =>
  expect(isCellCode(code)).toBe(false));
test.each([
  '',
  'crx_test_',
  'key_x',
  `crx_test_${'0'.repeat(36)}`,
  'CRX01ARZ3NDEKTSV4RRFFQ69G5FAV',
])('%j belongs to the first cell', (text) => expect(cellOf(text)).toBe(FIRST_CELL));
