/** Goal: a refusal of bad input says in its message what to do. Method: errors as they are made. */
import { expect, test } from 'vitest';
import { invalidParameters } from '../../../src/base/errors/errors.ts';

test('C-50: the message describes the error of each parameter', () => {
  const last = { parameter: 'last', message: 'must not be given together with first' };
  expect(invalidParameters([last]).message).toBe('last: must not be given together with first');
  const name = { parameter: 'client_name', message: 'is required' };
  expect(invalidParameters([last, name]).message).toBe(
    'last: must not be given together with first; client_name: is required',
  );
});

test('C-50: a message about many bad parameters stays short, and says where the others are listed', () => {
  const violations = Array.from({ length: 10_000 }, (_, at) => ({
    parameter: `p${at}`,
    message: 'is no member of this body',
  }));
  const { message, violations: all } = invalidParameters(violations);
  expect(message).toMatch(/^p0: is no member of this body; p1: .+; and 9990 more in `violations`$/);
  expect(message.length).toBeLessThan(500);
  expect(all).toHaveLength(10_000);
});
