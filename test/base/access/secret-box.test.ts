/** Goal: a stored secret opens only with its key and for its record, and names its key. */
import { afterEach, expect, test, vi } from 'vitest';
import {
  NO_SECRET_KEYS,
  newSecretKey,
  parseSecretKey,
  type SecretKey,
  SecretKeyError,
  secretBox,
} from '../../../src/base/access/secret-box.ts';

afterEach(() => vi.restoreAllMocks());

const newKey = () => parseSecretKey(newSecretKey()) as SecretKey;
const [key, other] = [newKey(), newKey()];
const box = secretBox(() => [key]);
const sealed = box.seal('whsec_abc', 'webhook 1/e');

test('opens a sealed text, and returns an unsealed one unchanged', () => {
  expect(sealed).toMatch(new RegExp(`^s1\\.${key.id}\\.[\\w-]+$`));
  expect(sealed).not.toContain('abc');
  expect(box.open(sealed, 'webhook 1/e')).toBe('whsec_abc');
  expect(box.seal('whsec_abc', 'webhook 1/e')).not.toBe(sealed);
  expect(box.open('whsec_plain', 'webhook 1/e')).toBe('whsec_plain');
});

test.each([
  ['another record', () => box.open(sealed, 'webhook 2/e'), /was changed/],
  ['a changed text', () => box.open(`${sealed.slice(0, -2)}AA`, 'webhook 1/e'), /was changed/],
  ['a short text', () => box.open(`s1.${key.id}.AAAA`, 'webhook 1/e'), /was changed/],
  ['another key', () => secretBox(() => [other]).open(sealed, 'webhook 1/e'), /which the key file lacks/],
  ['no key', () => NO_SECRET_KEYS.seal('whsec_abc', 'webhook 1/e'), /no key file/],
])('refuses %s, without naming the secret', (_, open, message) => {
  expect(open).toThrow(SecretKeyError);
  expect(open).toThrow(message);
  expect(open).not.toThrow(/abc/);
});

test('seals with the first key, and opens with any key', () => {
  const keys = [key];
  const growing = secretBox(() => keys);
  expect(growing.open(sealed, 'webhook 1/e')).toBe('whsec_abc');
  keys.unshift(other);
  const later = secretBox(() => keys).seal('whsec_new', 'webhook 1/e');
  expect(later).toContain(other.id);
  expect(growing.open(later, 'webhook 1/e')).toBe('whsec_new');
});

test('seals with the keys read before while the file cannot be read, and fails if it never read any', () => {
  let keys: readonly SecretKey[] | undefined;
  const passing = secretBox(() => {
    if (!keys) throw new SecretKeyError('the key file cannot be read');
    return keys;
  });
  expect(() => passing.seal('whsec_abc', 'webhook 1/e')).toThrow('cannot be read');
  const clock = vi.spyOn(performance, 'now');
  const later = () => clock.mockReturnValue(performance.now() + 2_000);
  keys = [key];
  passing.seal('whsec_abc', 'webhook 1/e');
  keys = undefined;
  later();
  expect(passing.seal('whsec_abc', 'webhook 1/e')).toContain(key.id);
  keys = [other, key];
  later();
  expect(passing.seal('whsec_abc', 'webhook 1/e')).toContain(other.id);
});

test.each(['', 'short', 'A'.repeat(44), `${newSecretKey()} `])('takes no key from %j', (text) => {
  expect(parseSecretKey(text)).toBeUndefined();
});
