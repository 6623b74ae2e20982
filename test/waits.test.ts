/**
 * Goal: no test ends because the machine does much else meanwhile. Method: the waits of all tests, read from their text: what is
 * waited for is there in milliseconds, and a wait that gives up after a few seconds fails for nothing.
 */
import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const LEAST_MS = 15_000;
const FILES = globSync('test/**/*.ts').filter(
  (path) => path !== 'test/waits.test.ts' && !path.includes('node_modules'),
);

/** @returns what the files have of this form: the file, and the first group of the form. */
function all(form: RegExp): { path: string; text: string }[] {
  return FILES.flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(form)].map(([, text = '']) => ({ path, text })),
  );
}

const number = (text: string) => Number(text.replaceAll('_', ''));

test('no wait, and no test, gives up in less than a quarter of a minute', () => {
  const limits = [...all(/\btimeout: ([\d_]+)/g), ...all(/^ *\}, (\d+_\d{3})\);$/gm)];
  expect(limits.length).toBeGreaterThan(20);
  expect(limits.filter(({ text }) => number(text) < LEAST_MS)).toEqual([]);
});

test('a wait has a time limit: vi.waitFor gives up after a second; expect.poll has its limit from vitest.config.ts', () => {
  const waits = FILES.flatMap((path) =>
    [
      ...readFileSync(path, 'utf8')
        .split(/\bvi\s*\.wait(?:For|Until)(?=\()/)
        .slice(1),
    ].map((text) => ({
      path,
      call: upToItsEnd(text),
    })),
  );
  expect(waits.length).toBeGreaterThan(10);
  expect(waits.filter(({ call }) => !/timeout: |\b(?:PATIENCE|soon),?\s*\)$/.test(call))).toEqual([]);
});

/** @returns the text up to the bracket that closes the first one. */
function upToItsEnd(text: string): string {
  let open = 0;
  for (const [at, character] of [...text].entries()) {
    if (character === '(') open += 1;
    if (character === ')') open -= 1;
    if (open === 0) return text.slice(0, at + 1);
  }
  return text;
}
