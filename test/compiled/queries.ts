/** Makes valid queries from a schema: fields, aliases, fragments of both kinds, directives, arguments and variables, at random. */
import {
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isNonNullType,
  isObjectType,
  isUnionType,
} from 'graphql';
import { argumentOf, type Draft } from '../fuzz/graphql-requests.ts';
import type { Values } from '../fuzz/values.ts';

const DEPTH_MAX = 5;
const FRAGMENTS_MAX = 4;
const RICH = [
  'transactions',
  'transaction',
  'statement',
  'events',
  'viewer',
  'balances',
  'node',
  'attention',
];

/** A query and its variables. */
export interface Query {
  readonly query: string;
  readonly variables: Record<string, unknown>;
}

interface Sketch extends Draft {
  readonly schema: GraphQLSchema;
  readonly fragments: Map<string, GraphQLCompositeType>;
  readonly written: string[];
  aliases: number;
}

/** @returns a query that asks for one to three fields of the root; some are not valid, because fields of one name differ. */
export function queryOf(schema: GraphQLSchema, values: Values): Query {
  const sketch: Sketch = {
    schema,
    values,
    declared: [],
    variables: {},
    fragments: new Map(),
    written: [],
    aliases: 0,
  };
  const root = schema.getQueryType() as GraphQLCompositeType;
  const selection = selectionOf(sketch, root, 0, values.random.integer(1, 3));
  const declared = sketch.declared.length > 0 ? `(${sketch.declared.join(', ')})` : '';
  return {
    query: `query Made${declared} ${selection} ${sketch.written.join(' ')}`,
    variables: sketch.variables,
  };
}

function selectionOf(sketch: Sketch, type: GraphQLCompositeType, depth: number, count: number): string {
  const { random } = sketch.values;
  const fields = isUnionType(type) ? [] : Object.values(type.getFields());
  // Most ask for what has much below it.
  const often = depth === 0 && random.chance(0.7) ? RICH : undefined;
  const fitting = fields
    .filter(({ name }) => often?.includes(name) ?? true)
    .filter(({ type: of }) => depth < DEPTH_MAX || !isCompositeType(getNamedType(of)));
  const parts: string[] = [];
  for (let n = 0; n < count && fitting.length > 0; n++)
    parts.push(fieldOf(sketch, random.pick(fitting), depth));
  if (parts.length === 0 || random.chance(0.1))
    parts.push(random.chance(0.5) ? '__typename' : 'kind: __typename');
  if (depth > 0 && depth < DEPTH_MAX && (isAbstractType(type) || random.chance(0.15)))
    parts.push(fragmentOf(sketch, type, depth));
  if (isAbstractType(type) && random.chance(0.5)) parts.push(fragmentOf(sketch, type, depth));
  return `{ ${parts.join(' ')} }`;
}

function fieldOf(sketch: Sketch, field: GraphQLField<unknown, unknown>, depth: number): string {
  const { random } = sketch.values;
  const given = field.args.filter(({ type }) => isNonNullType(type) || random.chance(0.25));
  const args = given.map((argument) => `${argument.name}: ${argumentOf(sketch, argument)}`);
  // Fields with arguments always have a name of their own, so that they never differ under one name.
  const alias = args.length > 0 || random.chance(0.1) ? `a${++sketch.aliases}: ` : '';
  const named = getNamedType(field.type);
  const selection = isCompositeType(named) ? selectionOf(sketch, named, depth + 1, random.integer(1, 5)) : '';
  return `${alias}${field.name}${args.length > 0 ? `(${args.join(', ')})` : ''}${directive(sketch)} ${selection}`;
}

function directive({ values: { random }, declared, variables }: Sketch): string {
  if (random.chance(0.93)) return '';
  const kind = random.pick(['skip', 'include']);
  if (random.chance(0.4)) return ` @${kind}(if: ${random.chance(0.5)})`;
  const name = `d${random.integer(0, 5)}`;
  if (!declared.some((each) => each.startsWith(`$${name}:`))) {
    const isOptional = random.chance(0.3);
    declared.push(isOptional ? `$${name}: Boolean = ${random.chance(0.5)}` : `$${name}: Boolean!`);
    if (!isOptional || random.chance(0.5)) variables[name] = random.chance(0.03) ? null : random.chance(0.5);
  }
  return ` @${kind}(if: $${name})`;
}

/** A fragment in line, or one of a name, which is spread again where it fits. */
function fragmentOf(sketch: Sketch, type: GraphQLCompositeType, depth: number): string {
  const { schema, values, fragments, written } = sketch;
  const { random } = values;
  const possible: readonly GraphQLCompositeType[] = isAbstractType(type)
    ? [type, ...schema.getPossibleTypes(type)]
    : [type, ...(isObjectType(type) ? type.getInterfaces() : [])];
  const condition = random.pick(possible);
  if (random.chance(0.6)) {
    const on = random.chance(0.1) ? '' : ` on ${condition.name}`;
    const of = on === '' ? type : condition;
    return `...${on}${directive(sketch)} ${selectionOf(sketch, of, depth + 1, random.integer(1, 4))}`;
  }
  for (const [name, of] of fragments) if (of === condition) return `...${name}${directive(sketch)}`;
  if (fragments.size >= FRAGMENTS_MAX) return '__typename';
  const name = `F${fragments.size}`;
  const selection = selectionOf(sketch, condition, depth + 1, random.integer(1, 4));
  // Only now, so that it does not spread itself.
  fragments.set(name, condition);
  written.push(`fragment ${name} on ${condition.name} ${selection}`);
  return `...${name}${directive(sketch)}`;
}
