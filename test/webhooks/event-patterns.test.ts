/** Goal: patterns of names of events match in linear time (C-61). Method: patterns that match, that do not, and that have as many `*` as fit. */
import { expect, test } from 'vitest';
import { isNamedBy, wholePattern } from '../../src/events/event-name.ts';

test.each([
  ['onramp.depositpix.paid', 'onramp.depositpix.paid', true],
  ['onramp.depositpix.paid', 'onramp.depositpix.paid2', false],
  ['*.*.*', 'onramp.depositpix.paid', true],
  ['onramp.*.paid', 'onramp.depositpix.paid', true],
  ['onramp.*pix.p*d', 'onramp.depositpix.paid', true],
  ['onramp.*pix*.*', 'onramp.depositpix.paid', true],
  ['onramp.*dep*pix.*', 'onramp.depositpix.paid', true],
  ['onramp.*pix*dep*.*', 'onramp.depositpix.paid', false],
  ['onramp.depositpix*depositpix.paid', 'onramp.depositpix.paid', false],
  ['on*mp.depositpix.paid', 'onramp_instant.depositpix.paid', false],
  [`onramp.${'*'.repeat(80)}.paid`, 'onramp.depositpix.paid', true],
  [`onramp.${'*'.repeat(79)}y.paid`, 'onramp.depositpix.paid', false],
  [`onramp.${'*i'.repeat(40)}.paid`, 'onramp.depositpix.paid', false],
])('C-61: %s of %s: %s', (pattern, name, isNamed) => {
  expect(isNamedBy(pattern, name)).toBe(isNamed);
});

test.each([
  ['onramp.*', 'onramp.*.*'],
  ['onramp.**', 'onramp.*.*'],
  [`onramp.${'*'.repeat(80)}x.paid`, 'onramp.*x.paid'],
  ['onramp.depositpix.paid', 'onramp.depositpix.paid'],
])('C-61: %s is stored as %s', (pattern, whole) => {
  expect(wholePattern(pattern)).toBe(whole);
});
