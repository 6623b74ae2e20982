/** Goal: patterns of names of events match in linear time (C-61). Method: patterns that match, that do not, and that have as many `*` as fit. */
import { expect, test } from 'vitest';
import { isNamedBy, wholePattern } from '../../src/events/event-name.ts';
import { NOTIFICATION_NAMES } from '../../src/events/notification-names.ts';
import { CreationChecks } from '../../src/resolvers/checks/check-creation.ts';
import { checkEventNames } from '../../src/resolvers/checks/check-event-names.ts';
import { REGISTRY } from '../../src/templates/index.ts';

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

test.each([
  [
    ['account.nope'],
    '"account.nope" is not a name: write three parts in lower case, such as onramp.depositpix.paid, or onramp.*',
  ],
  [['onramp.*', 'ONRAMP.*'], '"ONRAMP.*" is not a name: write three parts'],
  [['*.notification.*'], 'no event has the name *.notification.*; did you mean account.notification.*?'],
  [['*.*.key'], 'no event has the name *.*.key; did you mean account.*.key?'],
  [['acount.notification.key'], 'did you mean account.notification.key?'],
  [['onrmp.*'], 'no event has the name onrmp.*.*; did you mean onramp.*.*?'],
  [[''], '"" is not a name'],
  [Array(51).fill('onramp.*'), 'must have at most 50 names'],
  [['x'.repeat(100)], /: "x{80}…" is not a name/],
] as const)('C-50: the names %s are refused with the accepted form', (values, reason) => {
  expect(refusalOf(values, REGISTRY.templates, NOTIFICATION_NAMES)).toMatch(reason);
});

test('C-50: an endpoint of a template is told that it has only events of that template', () => {
  const onramps = REGISTRY.templates.filter(({ name }) => name === 'onramp');
  expect(refusalOf(['account.*'], onramps)).toBe(
    'event_names: no event of onramp has the name account.*.*; docs/catalogue.md lists them',
  );
});

/** @returns the message with which names are refused; undefined if they are accepted. */
function refusalOf(
  values: readonly string[],
  templates: typeof REGISTRY.templates,
  others?: readonly string[],
): string | undefined {
  const checks = new CreationChecks({ allowsLoopback: false });
  checkEventNames({ name: 'event_names', values }, templates, checks, others);
  try {
    checks.refuse();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
