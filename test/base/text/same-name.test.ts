/** Goal: a bank writes the customer's name in its own way, and that is no other person. Method: pairs of names. */
import { expect, test } from 'vitest';
import { isSameName } from '../../../src/base/text/same-name.ts';

test.each([
  ['ANTONIO CONCEICAO', 'Antônio  Conceição ', true],
  ['ANA SOUZA PRADO', 'Ana Souza', false],
  ['SOUZA ANA', 'Ana Souza', false],
  ['ANA SOUZA', null, false],
])('the name %s is the same as %s: %s', (name, other, expected) => {
  expect(isSameName(name, other)).toBe(expected);
});
