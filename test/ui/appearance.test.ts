/**
 * Goal: the look stays readable and light. Method: the contrast of every pair of colours by WCAG 2.2, in light and dark; the
 * weight of the sheets; the sheets put together as browsers read them.
 */
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { contrastWithWhite } from '../../src/base/pages/contrast.ts';
import { type SheetName, sheet } from '../../src/ui/sheets.ts';

const BASE = sheet('base');
const [light = {}, dark = {}] = [...BASE.matchAll(/:root\{([^}]*)\}/g)].map(([, body = '']) =>
  Object.fromEntries(
    [...body.matchAll(/--([\w-]+):(#[0-9a-f]{3,8})/g)].map(([, name, value]) => [name, value]),
  ),
);
const GROUNDS = ['ground', 'card', 'sunk'];
const STATUS = ['good', 'warn', 'bad', 'info'];

/** White on a colour is what the settings of a merchant are checked by; two colours are compared through it. */
function contrast(one: string, other: string): number {
  const [left, right] = [one, other].map((colour) => 1.05 / (contrastWithWhite(long(colour)) as number));
  return Math.max(left as number, right as number) / Math.min(left as number, right as number);
}

function long(colour: string): string {
  return colour.length === 4 ? colour.replaceAll(/[0-9a-f]/g, '$&$&') : colour;
}

describe.each([
  ['light', light],
  ['dark', { ...light, ...dark }],
])('in %s', (_name, colours) => {
  const of = (name: string) => colours[name] as string;

  test.each(GROUNDS)('text on %s reaches 4.5:1', (ground) => {
    for (const ink of ['text', 'soft']) expect(contrast(of(ink), of(ground))).toBeGreaterThanOrEqual(4.5);
    expect(contrast(of('edge'), of(ground))).toBeGreaterThanOrEqual(3);
  });

  test.each(STATUS)('%s reaches 4.5:1 on its paper and on all grounds', (name) => {
    for (const ground of [`${name}-bg`, ...GROUNDS])
      expect(contrast(of(name), of(ground))).toBeGreaterThanOrEqual(4.5);
  });
});

test('all sheets weigh less than 7 kB, those of a payment page less than 4.5 kB', () => {
  const weightOf = (...names: readonly SheetName[]) => gzipSync(sheet(...names)).length;
  expect(weightOf('base', 'parts', 'pay', 'lists', 'desk', 'needs')).toBeLessThan(7_000);
  expect(weightOf('base', 'parts', 'pay', 'needs')).toBeLessThan(4_500);
});

test('nothing in them loads anything', () => {
  expect(sheet('base', 'parts', 'pay', 'lists', 'desk', 'needs')).not.toMatch(/url\(|@import|@font-face/);
});
