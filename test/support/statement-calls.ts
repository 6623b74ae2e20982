/** Calls in src/ that send a statement, with the statement's text and the row type that the compiler sees at the call. */
import { registerHooks } from 'node:module';
import { relative } from 'node:path';
import type { Expression, Node } from 'typescript/unstable/ast';
import { isCallExpression, isConditionalExpression } from 'typescript/unstable/ast/is';
import type { Checker, Type, TypeReference } from 'typescript/unstable/sync';
import type { Statement } from '../../src/store/connection/database.ts';
import { ROOT, withSyntaxTrees } from './syntax-trees.ts';

const EVALUATE = '?evaluate';

/** A member of a row type. */
export interface Member {
  readonly type: string;
  /** Values that fit the type, `null` aside. */
  readonly kind: 'string' | 'number' | 'bigint' | 'boolean' | 'object' | 'any';
  readonly isNullable: boolean;
  readonly isOptional: boolean;
}

/** A call that sends a statement. */
export interface StatementCall {
  readonly place: string;
  readonly argument: string;
  /** One for each branch of a condition; none where the statement is made within the function. */
  readonly statements: readonly Statement[];
  /** Undefined where the caller reads no member of a row. */
  readonly row: ReadonlyMap<string, Member> | undefined;
}

/** @returns all calls of a function `query` whose first argument is a `Statement`. */
export async function statementCalls(): Promise<StatementCall[]> {
  const hooks = registerHooks({
    load: (url, context, next) => {
      const loaded = next(url, context);
      if (!url.endsWith(EVALUATE)) return loaded;
      return {
        ...loaded,
        source: `${loaded.source}\nexport const evaluate = (expression) => eval(expression);`,
      };
    },
  });
  try {
    return await withSyntaxTrees(async (files, checker) => {
      const sending = files.filter(({ text }) => text.includes('query'));
      return (await Promise.all(sending.map((file) => callsIn(file.fileName, file, checker)))).flat();
    });
  } finally {
    hooks.deregister();
  }
}

async function callsIn(name: string, file: Node, checker: Checker): Promise<StatementCall[]> {
  const found = queries(file).filter(({ argument }) => isStatement(argument, checker));
  if (found.length === 0) return [];
  const evaluate = await evaluator(name);
  return found.map(({ call, argument }) => {
    const statements = branches(argument).flatMap((each) => evaluate(each.getText()) ?? []);
    return {
      place: relative(ROOT, name),
      argument: argument.getText(),
      statements,
      row: rowType(call, statements, checker),
    };
  });
}

function queries(node: Node): { readonly call: Node; readonly argument: Expression }[] {
  const found: { readonly call: Node; readonly argument: Expression }[] = [];
  const visit = (each: Node): void => {
    const argument =
      isCallExpression(each) && /\bquery$/.test(each.expression.getText()) && each.arguments[0];
    if (argument) found.push({ call: each, argument });
    each.forEachChild(visit);
  };
  visit(node);
  return found;
}

function isStatement(argument: Expression, checker: Checker): boolean {
  const type = checker.getTypeAtLocation(argument);
  return (
    type !== undefined &&
    /\bStatement\b|^\{ name: string; text: string; \}$|^\[/.test(checker.typeToString(type))
  );
}

function branches(argument: Expression): Expression[] {
  return isConditionalExpression(argument) ? [argument.whenTrue, argument.whenFalse] : [argument];
}

/** @returns a function that evaluates an expression among the constants of a module; undefined where it names a local variable. */
async function evaluator(file: string): Promise<(expression: string) => Statement | undefined> {
  const { evaluate } = (await import(`${file}${EVALUATE}`)) as {
    evaluate: (expression: string) => Statement;
  };
  return (expression) => {
    try {
      return evaluate(expression);
    } catch (error) {
      if (error instanceof ReferenceError || error instanceof SyntaxError) return undefined;
      throw error;
    }
  };
}

/** The row of `Promise<Row[]>`. */
function rowType(call: Node, statements: readonly Statement[], checker: Checker): StatementCall['row'] {
  const promise = checker.getTypeAtLocation(call);
  const [rows] = checker.getTypeArguments(promise as TypeReference);
  const [row] = rows ? checker.getTypeArguments(rows as TypeReference) : [];
  if (!row || checker.isTypeAssignableTo(checker.getUnknownType(), row)) return undefined;
  const isGroup = (name: string) => statements.some(({ text }) => text.includes(`"${name}.`));
  return new Map(membersOf(row, isGroup, checker));
}

/** Columns such as `transaction.id` are members of an object `transaction` (src/store/connection/rows-query.ts). */
function membersOf(type: Type, isGroup: (name: string) => boolean, checker: Checker): [string, Member][] {
  return checker.getPropertiesOfType(type).flatMap((symbol): [string, Member][] => {
    const member = checker.getTypeOfSymbol(symbol) as Type;
    if (!isGroup(symbol.name)) return [[symbol.name, memberOf(member, checker)]];
    const inner = membersOf(checker.getNonNullableType(member) as Type, () => false, checker);
    return inner.map(([name, each]) => [`${symbol.name}.${name}`, each]);
  });
}

const known = new WeakMap<Type, Member>();

function memberOf(type: Type, checker: Checker): Member {
  let member = known.get(type);
  if (!member) {
    member = {
      type: checker.typeToString(type),
      kind: kindOf(checker.getNonNullableType(type) as Type, checker),
      isNullable: checker.isTypeAssignableTo(checker.getNullType(), type),
      isOptional: checker.isTypeAssignableTo(checker.getUndefinedType(), type),
    };
    known.set(type, member);
  }
  return member;
}

function kindOf(type: Type, checker: Checker): Member['kind'] {
  if (checker.isTypeAssignableTo(checker.getUnknownType(), type)) return 'any';
  if (checker.isTypeAssignableTo(type, checker.getStringType())) return 'string';
  if (checker.isTypeAssignableTo(type, checker.getNumberType())) return 'number';
  if (checker.isTypeAssignableTo(type, checker.getBigIntType())) return 'bigint';
  if (checker.isTypeAssignableTo(type, checker.getBooleanType())) return 'boolean';
  return 'object';
}
