/**
 * Goal: only the templates know steps: elsewhere nobody compares the name of a step or the text of a label, so that a new step is
 * a change of its template alone. Facts of the machines (`statusCode`, `awaits`, `isReturn`, `possibleActions`) say what such a
 * comparison would. Method: the sources as syntax trees; literals of names, and comparisons of what holds a name or a label.
 */
import { relative } from 'node:path';
import type { Expression, Node } from 'typescript/unstable/ast';
import { SyntaxKind } from 'typescript/unstable/ast';
import {
  isBinaryExpression,
  isCallExpression,
  isElementAccessExpression,
  isIdentifier,
  isNoSubstitutionTemplateLiteral,
  isPropertyAccessExpression,
  isRegularExpressionLiteral,
  isStringLiteral,
  isSwitchStatement,
} from 'typescript/unstable/ast/is';
import type { Checker } from 'typescript/unstable/sync';
import { beforeAll, expect, test } from 'vitest';
import { REGISTRY } from '../src/templates/index.ts';
import { ROOT, withSyntaxTrees } from './support/syntax-trees.ts';

const STEPS = REGISTRY.templates.flatMap(({ steps }) => steps);
const NAMES = new Set(STEPS.map(({ component, state }) => `${component}/${state}`));
const WORDS = new Set(STEPS.flatMap(({ component, state }) => [component, state]));
/** Words of other things, too: a literal of one of them says nothing. Comparisons are found all the same. */
const COMMON = new Set(
  'compliance dispute quote refund reserve success ACCEPTED AMOUNT CANCELLED CONFIRM DENIED DONE DROPPED ERROR EXPIRED INFO INITIAL LATE LIMIT OPEN PAID PENDING QUOTE REJECTED RETURNED REVIEW SENDING'.split(
    ' ',
  ),
);
const UNMISTAKABLE = [...WORDS].filter((name) => !COMMON.has(name));
/** Comparisons by a method of a text, a list, a set or an expression. */
const COMPARING = ['includes', 'has', 'test', 'exec', 'match', 'startsWith', 'endsWith', 'indexOf', 'get'];

interface Finding {
  readonly rule: 'literal' | 'comparison';
  readonly place: string;
}
let findings: readonly Finding[];

beforeAll(async () => {
  findings = await withSyntaxTrees((files, checker) =>
    files
      .filter(({ fileName }) => !fileName.startsWith(`${ROOT}src/templates/`))
      .flatMap((file) => {
        const found: Finding[] = [];
        const visit = (node: Node): void => {
          const line = () => file.text.slice(0, node.getStart()).split('\n').length;
          const place = () => `${relative(ROOT, file.fileName)}:${line()} ${node.getText()}`;
          if (namesStep(node)) found.push({ rule: 'literal', place: place() });
          if (compares(node, checker)) found.push({ rule: 'comparison', place: place() });
          node.forEachChild((child) => {
            visit(child);
          });
        };
        visit(file);
        return found;
      }),
  );
}, 120_000);

function namesStep(node: Node): boolean {
  if (isStringLiteral(node) || isNoSubstitutionTemplateLiteral(node))
    return NAMES.has(node.text) || UNMISTAKABLE.includes(node.text);
  return isRegularExpressionLiteral(node) && UNMISTAKABLE.some((name) => node.text.includes(name));
}

/** Whether a name of a step or a label is compared with a text that is written there. */
function compares(node: Node, checker: Checker): boolean {
  if (isBinaryExpression(node)) {
    const isEquality =
      node.operatorToken.kind === SyntaxKind.EqualsEqualsEqualsToken ||
      node.operatorToken.kind === SyntaxKind.ExclamationEqualsEqualsToken;
    if (!isEquality) return false;
    return (
      (isText(node.right) && holdsName(node.left, checker)) ||
      (isText(node.left) && holdsName(node.right, checker))
    );
  }
  if (isSwitchStatement(node)) return holdsName(node.expression, checker);
  if (isElementAccessExpression(node)) return holdsName(node.argumentExpression, checker);
  if (!isCallExpression(node) || !isPropertyAccessExpression(node.expression)) return false;
  const { name, expression } = node.expression;
  if (!COMPARING.includes(name.text)) return false;
  const [first] = node.arguments;
  const isOfName = first !== undefined && holdsName(first as Expression, checker);
  return isOfName || (first !== undefined && isText(first) && holdsName(expression, checker));
}

/** Whether it is a text in which a name or a label can be; empty text stands for none. */
function isText(node: Node): boolean {
  return isStringLiteral(node) && (WORDS.has(node.text) || /^[A-Z][a-z]/.test(node.text));
}

/** Whether an expression is a component or state that is any text, or the English or Portuguese text of a status. */
function holdsName(node: Node, checker: Checker): boolean {
  if (isPropertyAccessExpression(node) && (node.name.text === 'en' || node.name.text === 'pt')) return true;
  const name = isPropertyAccessExpression(node) ? node.name.text : isIdentifier(node) ? node.text : '';
  if (name !== 'component' && name !== 'state') return false;
  const type = checker.getTypeAtLocation(node);
  return type !== undefined && checker.typeToString(type) === 'string';
}

const of = (rule: Finding['rule']) => findings.filter((each) => each.rule === rule).map(({ place }) => place);

test('no other file has the name of a step', () => {
  expect(of('literal')).toEqual([]);
});

test('no other file compares names of steps, or texts of labels', () => {
  expect(of('comparison')).toEqual([]);
});
