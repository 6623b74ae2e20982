/**
 * Goal: the console says of every step what happened to the money, in both languages, and never rounds or misreads
 * an amount. Method: the steps of every template.
 */
import { expect, test } from 'vitest';
import { ACTIONS } from '../../src/base/access/actions.ts';
import { money } from '../../src/console/parts/figures.ts';
import { ACTION_TEXTS, actionText, OBJECT_WORDS, objectWord } from '../../src/console/words/actions.ts';
import { BOOK_WORDS } from '../../src/console/words/books.ts';
import { FRAME_WORDS } from '../../src/console/words/frame.ts';
import { OPERATOR_WORDS } from '../../src/console/words/operator.ts';
import { RECONCILIATION_WORDS } from '../../src/console/words/reconciliation.ts';
import { SCREEN_WORDS } from '../../src/console/words/screens.ts';
import { SETTINGS_WORDS } from '../../src/console/words/settings.ts';
import { TRANSACTION_WORDS } from '../../src/console/words/transactions.ts';
import { hasWord } from '../../src/console/words.ts';
import { AUDIT_OBJECT_KINDS } from '../../src/store/engine/audit.ts';
import { SUSPENSE_REASONS } from '../../src/store/engine/suspense.ts';
import { REGISTRY } from '../../src/templates/index.ts';

test('a name is in one table of texts: a second one would override it', () => {
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

test('every reason for money in suspense has a text', () => {
  const names = Object.keys(SUSPENSE_REASONS).map((name) => name.toUpperCase());
  expect(names.filter((name) => !hasWord(name))).toEqual([]);
});

test('every action and every object of one has a text; one of another version keeps its name', () => {
  expect(Object.keys(ACTION_TEXTS).sort()).toEqual(Object.keys(ACTIONS).sort());
  expect(Object.keys(OBJECT_WORDS).sort()).toEqual([...AUDIT_OBJECT_KINDS].sort());
  for (const { en, pt } of [...Object.values(ACTION_TEXTS), ...Object.values(OBJECT_WORDS)])
    expect([en, pt, en.length <= 36, pt.length <= 36, /[._]/.test(en + pt)]).toEqual([
      en,
      pt,
      true,
      true,
      false,
    ]);
  expect([actionText('old.act', 'en'), objectWord('constructor', 'pt')]).toEqual(['old.act', 'constructor']);
});

test('every template has a text on the screen of an account', () => {
  expect(REGISTRY.templates.filter(({ name }) => !hasWord(`template_${name}`))).toEqual([]);
});

test('BRL is written in the format of its language', () => {
  const amount = { amount: '1059.26', currency: { code: 'BRL', displayName: 'BRL', decimals: 2 } };
  expect([money(amount, 'en'), money(amount, 'pt')]).toEqual(['R$1,059.26', 'R$\u00a01.059,26']);
});
