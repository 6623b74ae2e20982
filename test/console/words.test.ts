/**
 * Goal: the console says of every step what happened to the money, in both languages (issue 12), and never rounds or misreads
 * an amount. Method: the steps of every template.
 */
import { expect, test } from 'vitest';
import { ACTS } from '../../src/base/acts.ts';
import { money } from '../../src/console/parts/figures.ts';
import { ACT_WORDS, actWord, OBJECT_WORDS, objectWord } from '../../src/console/words/acts.ts';
import { BOOK_WORDS } from '../../src/console/words/books.ts';
import { FRAME_WORDS } from '../../src/console/words/frame.ts';
import { OPERATOR_WORDS } from '../../src/console/words/operator.ts';
import { RECONCILIATION_WORDS } from '../../src/console/words/reconciliation.ts';
import { SCREEN_WORDS } from '../../src/console/words/screens.ts';
import { SETTINGS_WORDS } from '../../src/console/words/settings.ts';
import { EVENT_WORDS, STEP_WORDS, stepWord } from '../../src/console/words/steps.ts';
import { TRANSACTION_WORDS } from '../../src/console/words/transactions.ts';
import { hasWord } from '../../src/console/words.ts';
import { AUDIT_OBJECT_KINDS } from '../../src/store/engine/audit.ts';
import { REGISTRY } from '../../src/templates/index.ts';
import { STAY_EVENTS } from '../../src/templates/transition.ts';

const STEPS = new Map(
  REGISTRY.templates.flatMap(({ steps }) =>
    steps.map((step) => [`${step.component.replace(/_v\d+$/, '')}/${step.state}`, step] as const),
  ),
);

test('every step of every template has words of its own, and no words are of no step', () => {
  expect(Object.keys(STEP_WORDS).sort()).toEqual([...STEPS.keys()].sort());
  expect(Object.keys(EVENT_WORDS).sort()).toEqual(Object.keys(STAY_EVENTS).sort());
});

test('a name stands in one table of words: another would be read in its place', () => {
  const tables = [
    FRAME_WORDS,
    TRANSACTION_WORDS,
    SCREEN_WORDS,
    OPERATOR_WORDS,
    BOOK_WORDS,
    RECONCILIATION_WORDS,
    SETTINGS_WORDS,
  ];
  const names = tables.flatMap((words) => Object.keys(words));
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});

test('words fit a row, and name no machinery', () => {
  for (const [name, { en, pt }] of Object.entries({ ...STEP_WORDS, ...EVENT_WORDS })) {
    expect([name, en.length <= 28, pt.length <= 28]).toEqual([name, true, true]);
    expect([name, /KYC|divergent|substatus|successfully/i.test(en)]).toEqual([name, false]);
  }
});

test('a step of another version says the same; one that has no words, its published label', () => {
  const label = { en: 'Old Words', pt: 'Palavras antigas' };
  const shown = { state: 'QRCODE', status: label, substatus: label };
  expect(stepWord({ ...shown, component: 'depositpix_v3' })).toBe(STEP_WORDS['depositpix/QRCODE']);
  expect(stepWord({ ...shown, component: 'of_history' })).toBe(label);
});

test('every act and everything that is acted on has words; one of another version keeps its name', () => {
  expect(Object.keys(ACT_WORDS).sort()).toEqual(Object.keys(ACTS).sort());
  expect(Object.keys(OBJECT_WORDS).sort()).toEqual([...AUDIT_OBJECT_KINDS].sort());
  for (const { en, pt } of [...Object.values(ACT_WORDS), ...Object.values(OBJECT_WORDS)])
    expect([en, pt, en.length <= 36, pt.length <= 36, /[._]/.test(en + pt)]).toEqual([
      en,
      pt,
      true,
      true,
      false,
    ]);
  expect([actWord('old.act', 'en'), objectWord('constructor', 'pt')]).toEqual(['old.act', 'constructor']);
});

test('every template has words on the screen of an account', () => {
  expect(REGISTRY.templates.filter(({ name }) => !hasWord(`template_${name}`))).toEqual([]);
});

test('BRL is written as its language writes it', () => {
  const amount = { amount: '1059.26', currency: { code: 'BRL', displayName: 'BRL', decimals: 2 } };
  expect([money(amount, 'en'), money(amount, 'pt')]).toEqual(['R$1,059.26', 'R$\u00a01.059,26']);
});
