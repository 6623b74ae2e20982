/**
 * Goal: work under an idempotency key binds the key in its own database transaction, or changes nothing when it is done again: a commit
 * whose answer was lost releases the key (C-52). Method: the sources as syntax trees. Each function that is given to `once` is followed
 * through what gets its attempt, up to the call that binds; functions that call their own parameter are followed to their callers.
 */
import { basename, relative } from 'node:path';
import type { CallExpression, Node } from 'typescript/unstable/ast';
import {
  isCallExpression,
  isFunctionDeclaration,
  isIdentifier,
  isObjectLiteralExpression,
  isPropertyAssignment,
} from 'typescript/unstable/ast/is';
import { beforeAll, expect, test } from 'vitest';
import { ROOT, withSyntaxTrees } from '../../support/syntax-trees.ts';

/** Work that is done again without an effect: a state is set, and the audit log has changes alone. */
const IDEMPOTENT = [
  // Members are set to the values of the request.
  '/v2/webhook_endpoint/{id}/update',
  // Removed, paused or resumed.
  '/v2/webhook_endpoint/{id}/{name}',
  // The end of a key stays where it is.
  '/v2/api_key/{id}/revoke',
  '/v2/static_link/{id}/disable',
  // Removed, or without a proof.
  '/v2/whitelist_entry/{id}/{name}',
  // The same proof in place of itself.
  '/v2/whitelist_entry/{id}/prove',
];
/** Names that hold an attempt, or an object with one. */
const ATTEMPT = /\b(?:attempt|bind|target|stored|options)\b/;
/** Its routes have no keys. */
const UNKEYED = 'src/rest-compat/sandbox-routes.ts';

/** A function that calls its parameter under a key, with the number of the parameter. */
interface Owner {
  readonly name: string;
  readonly at: number;
  readonly file: string;
}
type Place = readonly [place: string, binds: boolean];
let places: readonly Place[];

beforeAll(async () => {
  places = await withSyntaxTrees((files) => {
    const nodes = files.flatMap((file) => descendants(file).map((node) => ({ node, file })));
    const functions = new Map<string, Node[]>();
    for (const { node } of nodes)
      if (isFunctionDeclaration(node) && node.name)
        functions.set(node.name.text, [...(functions.get(node.name.text) ?? []), node]);
    const binding = bindingIn(functions);
    const followed = new Set<string>();
    /** The calls of a function that calls a parameter under a key, in its own file and in those that import it. */
    const follow = ({ name, at, file }: Owner): Place[] => {
      if (followed.has(`${file} ${name}`)) return [];
      followed.add(`${file} ${name}`);
      const imports = new RegExp(`import [^;]*\\b${name}\\b[^;]*/${basename(file)}'`);
      return nodes.flatMap(({ node, file: { fileName, text } }): Place[] => {
        const isCall =
          isCallExpression(node) && isIdentifier(node.expression) && node.expression.text === name;
        const work = isCall && (fileName === file || imports.test(text)) && node.arguments[at];
        return work ? placesOf(work, `${relative(ROOT, fileName)} ${name}`, fileName) : [];
      });
    };
    const placesOf = (work: Node, place: string, file: string): Place[] => {
      if (binding(work)) return [[place, true]];
      const owner = ownerOf(work);
      if (owner) return follow({ ...owner, file });
      return calls(work).some(isOfTable) ? [] : [[place, false]];
    };
    const tables = nodes.flatMap(({ node, file: { fileName } }): Place[] => {
      const name = relative(ROOT, fileName);
      if (
        !/^src\/(?:rest-compat|schema)\//.test(name) ||
        name === UNKEYED ||
        !isObjectLiteralExpression(node)
      )
        return [];
      const perform = node.properties.find(
        (each) => isPropertyAssignment(each) && each.name.getText() === 'perform',
      );
      if (!perform || !isPropertyAssignment(perform)) return [];
      const path = /\bpath: ['`]([^'`]*)['`]/.exec(node.getText())?.[1]?.replaceAll('$', '');
      const isFollowed = !binding(perform.initializer) && ATTEMPT.test(perform.initializer.getText());
      const owner = isFollowed && ownerOf(perform.initializer);
      if (owner) return follow({ ...owner, file: fileName });
      return [[path ?? `${name} ${perform.getText()}`, binding(perform.initializer)]];
    });
    return [...follow({ name: 'once', at: 2, file: `${ROOT}src/resolvers/checks/once.ts` }), ...tables];
  });
}, 120_000);

test('work under a key binds it, or is in the table of what is idempotent by nature', () => {
  const unbound = places.filter(([, binds]) => !binds).map(([place]) => place);
  expect(unbound.toSorted()).toEqual(IDEMPOTENT.toSorted());
});

test('the work of every edge was found', () => {
  for (const edge of ['src/schema/', 'src/cli/', 'src/resolvers/payer/', '/v2/'])
    expect(places.map(([place]) => place)).toContainEqual(expect.stringContaining(edge));
  expect(places.length).toBeGreaterThan(50);
});

function descendants(node: Node): Node[] {
  const found: Node[] = [];
  const visit = (each: Node): void => {
    found.push(each);
    each.forEachChild((child) => {
      visit(child);
    });
  };
  visit(node);
  return found;
}

function calls(node: Node): CallExpression[] {
  return descendants(node).filter(isCallExpression);
}

/** Whether the work of a row of a table is called: rows are looked at themselves. */
function isOfTable({ expression }: CallExpression): boolean {
  return /(?:^|\.)perform$/.test(expression.getText());
}

/** @returns whether a function binds its key itself, or gives its attempt to one that does. */
function bindingIn(functions: ReadonlyMap<string, readonly Node[]>): (work: Node) => boolean {
  const known = new Map<Node, boolean>();
  const binds = (work: Node): boolean => {
    const before = known.get(work);
    if (before !== undefined) return before;
    known.set(work, false);
    const named = isIdentifier(work) ? (functions.get(work.text) ?? []) : [];
    const found = named.some(binds) || calls(work).some(isBinding);
    known.set(work, found);
    return found;
  };
  const isBinding = ({ expression, arguments: values }: CallExpression): boolean => {
    const isBind = /(?:^|\.)bind$/.test(expression.getText());
    if (isBind && values[0]?.getText() === 'tx') return true;
    if (!values.some((value) => ATTEMPT.test(value.getText()))) return false;
    return isIdentifier(expression) && (functions.get(expression.text) ?? []).some(binds);
  };
  return binds;
}

/** @returns the function whose parameter the work calls, and the number of the parameter. */
function ownerOf(work: Node): Omit<Owner, 'file'> | undefined {
  const called = new Set(calls(work).map(({ expression }) => expression.getText()));
  for (let node: Node | undefined = work; node; node = node.parent) {
    if (!isFunctionDeclaration(node) || !node.name) continue;
    const at = node.parameters.findIndex(
      ({ name }) => called.has(name.getText()) || name.getText() === work.getText(),
    );
    if (at >= 0) return { name: node.name.text, at };
  }
  return undefined;
}
