/**
 * Goal: names of the code are the field's words: no function, type, constant, parameter or variable of `src/` is named by a word
 * that only this project uses so (CONTRIBUTING.md). Method: the declarations of the syntax trees, their names split into words.
 * Names of properties are not checked: rows of the database, GraphQL and JSON share them.
 */
import { relative } from 'node:path';
import type { Node } from 'typescript/unstable/ast';
import {
  isBindingElement,
  isClassDeclaration,
  isEnumDeclaration,
  isFunctionDeclaration,
  isFunctionExpression,
  isIdentifier,
  isInterfaceDeclaration,
  isParameterDeclaration,
  isTypeAliasDeclaration,
  isTypeParameterDeclaration,
  isVariableDeclaration,
} from 'typescript/unstable/ast/is';
import { expect, test } from 'vitest';
import { ROOT, withSyntaxTrees } from './support/syntax-trees.ts';

/** Private words, by the words to write instead. */
const PRIVATE: Readonly<Record<string, string>> = {
  'rail event': 'news',
  'report, message, describe': 'tell tells told telling tellings teller',
  'action, permission': 'act acts',
  'request, query, poll, prompt': 'ask asks asked asking',
  'claim, accept, consume': 'take takes taken taker taking took',
  'store, cache': 'keep keeps kept keeping',
  'poll, scan, probe, style': 'look looks looked looking',
  'position, slot, submit': 'place places placed placing',
  'status, is': 'stand stands standing',
  'unreachable, unavailable': 'away',
  attempt: 'try tries tried trying',
  'direction, route, method': 'way ways',
  'outcome, status': 'fate fates became',
  'input, supplied, release, refund': 'give gives given gave giving',
  'receive, notify, wake': 'hear hears heard ring doorbell speak',
  'dispatch, manual': 'hand hands',
  'extra, parallel': 'beside besides alongside',
  'stripped, plain': 'bare',
  'cycle, tick, serialize, round robin': 'turn turns',
  'translate, format': 'say says said saying',
  'evaluate, check': 'judge judges judged',
  'nightly run': 'night nights',
  'a person, no one, a role': 'whoever somebody nobody anybody',
  'time, instant': 'moment moments',
  receivable: 'owed debt debts',
};
const INSTEAD = new Map(
  Object.entries(PRIVATE).flatMap(([instead, words]) =>
    words.split(' ').map((word) => [word, instead] as const),
  ),
);

/** Names that have such a word, by the reason why they stay. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  'to give up is what everybody calls it': [
    'GIVE_UP',
    'gaveUp',
    'giveUp',
    'giveUpCase',
    'giveUpJob',
    'giveUpOrder',
    'isGivenUp',
  ],
  'TCP and HTTP call it so': ['KEEP_ALIVE_MS', 'keepAlive', 'keepSocketAlive'],
  'members of GraphQL': ['nextTryAt', 'placedAt'],
  'columns of tables': ['askAt', 'askAtMs', 'askedAt', 'askedBy', 'placedAtMs', 'toldAt'],
  'members of settings': ['lookUpUrl'],
};
const MAY_STAY = new Set(Object.values(ALLOWED).flat());

const wordsOf = (name: string): readonly string[] =>
  name.split(/_|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/).map((word) => word.toLowerCase());

function nameOf(node: Node): string | undefined {
  const isNamed =
    isBindingElement(node) ||
    isClassDeclaration(node) ||
    isEnumDeclaration(node) ||
    isFunctionDeclaration(node) ||
    isFunctionExpression(node) ||
    isInterfaceDeclaration(node) ||
    isParameterDeclaration(node) ||
    isTypeAliasDeclaration(node) ||
    isTypeParameterDeclaration(node) ||
    isVariableDeclaration(node);
  return isNamed && node.name && isIdentifier(node.name) ? node.name.text : undefined;
}

test('a declaration is named by words of the field', async () => {
  const seen = new Set<string>();
  const found = await withSyntaxTrees((files) =>
    files.flatMap((file) => {
      const own: string[] = [];
      const visit = (node: Node): void => {
        const name = nameOf(node);
        const word = name === undefined ? undefined : wordsOf(name).find((each) => INSTEAD.has(each));
        if (name !== undefined && word !== undefined) {
          seen.add(name);
          if (!MAY_STAY.has(name))
            own.push(`${relative(ROOT, file.fileName)}: ${name} (instead of ${word}: ${INSTEAD.get(word)})`);
        }
        node.forEachChild((child) => {
          visit(child);
        });
      };
      visit(file);
      return own;
    }),
  );
  expect([...new Set(found)]).toEqual([]);
  // A name that is gone needs no exception.
  expect([...MAY_STAY].filter((name) => !seen.has(name))).toEqual([]);
}, 120_000);
