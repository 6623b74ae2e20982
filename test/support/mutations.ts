/** Documents of every mutation, made from the schema, for tests of who may do what. */
import {
  type GraphQLField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql';
import { ACTIONS, type Action } from '../../src/base/access/actions.ts';
import type { Scope } from '../../src/base/access/api-key.ts';
import { OPERATIONS, type Operation } from '../../src/console/operations.ts';
import { buildSchema } from '../../src/schema/index.ts';
import { REGISTRY } from '../../src/templates/index.ts';

const SCHEMA = buildSchema(REGISTRY);

/** Every act, with its name. */
export const ENTRIES = Object.entries<Action>(ACTIONS);
/** Every mutation of the schema. */
export const MUTATIONS = Object.values(SCHEMA.getMutationType()?.getFields() ?? {});
/** Every mutation that a form of the console sends: a quote is reserved by what a form asks. */
export const FORMS = [...OPERATIONS.values()].filter(
  ({ isMutation, name }) => isMutation && name !== 'CreateQuote',
);

/** @returns the scope of the first act of those that a mutation does: of a transaction that is not a withdrawal. */
export function scopeOf(mutation: string): Scope | undefined {
  return ENTRIES.find(([, { mutations }]) => mutations.includes(mutation))?.[1].scope;
}

/** @returns the scope that an answer says is missing; undefined where it says nothing of the kind. */
export function missingScope(detail: string | undefined): string | undefined {
  return /requires a (?:key|role) with the scope "([\w:]+)"/.exec(
    detail?.replaceAll('&quot;', '"') ?? '',
  )?.[1];
}

/** Texts that arguments have, by their names, such as the `end2end` of a transaction that there is. */
export type Known = Readonly<Record<string, string>>;

/** Mutations that a caller with `move` alone may call too: out of the balance they are money out (C-25). */
const BY_MOVE_TOO: readonly string[] = ['createQuote', 'createOfframp', 'provideIdentity'];

/** Mutations about cases of MED, that the operator calls too on those of other accounts. */
const BY_RISK_TOO: readonly string[] = ['attachMedFile', 'makeMedEvidence', 'answerMedCase'];

/** @returns the scope that is enough for a mutation besides its first; undefined where there is none. */
export function otherScopeOf(mutation: string): Scope | undefined {
  if (BY_MOVE_TOO.includes(mutation)) return 'move';
  return BY_RISK_TOO.includes(mutation) ? 'platform:risk' : undefined;
}

/** @returns a document of the mutation with the arguments that must be there, each fitting its type. */
export function documentOf({ name, args }: GraphQLField<unknown, unknown>, known: Known): string {
  const given = args
    .filter(isRequiredArgument)
    .map((each) => `${each.name}: ${literal(each.type, each.name, known)}`);
  return `mutation { ${name}(${given.join(', ')}) { errors { code message path } } }`;
}

/** A value that fits the type, as it stands in a document; of members only those that must be there. */
function literal(type: GraphQLInputType, name: string, known: Known): string {
  if (isNonNullType(type)) return literal(type.ofType, name, known);
  if (isListType(type)) return `[${literal(type.ofType, name, known)}]`;
  if (isEnumType(type)) return type.getValues()[0]?.name ?? '';
  if (isInputObjectType(type)) {
    const members = chosen(type);
    return `{ ${members.map((each) => `${each.name}: ${literal(each.type, each.name, known)}`).join(', ')} }`;
  }
  switch (type.name) {
    case 'Int':
      return '1';
    case 'Boolean':
      return 'true';
    case 'Date':
      return '"2026-01-01"';
    case 'DateTime':
      return '"2026-01-01T00:00:00Z"';
    default:
      return JSON.stringify(known[name] ?? '1');
  }
}

/** @returns the fields of a form of the act, each fitting the type of its variable. */
export function fieldsOf({ variables }: Operation, known: Known): Record<string, string> {
  return Object.fromEntries(
    variables
      .filter(({ isRequired }) => isRequired)
      .flatMap(({ name, type }) => leavesOf(SCHEMA.getType(type) as GraphQLInputType, name, known)),
  );
}

/** Fields of a form for a value: of an object its members, which are fields of their own. */
function leavesOf(type: GraphQLInputType, name: string, known: Known): (readonly [string, string])[] {
  if (isNonNullType(type)) return leavesOf(type.ofType, name, known);
  if (!isInputObjectType(type)) return [[name, literal(type, name, known).replaceAll('"', '')]];
  return chosen(type).flatMap((each) => leavesOf(each.type, each.name, known));
}

/** Members of an object that must be there: of a choice the first. */
function chosen(type: GraphQLInputObjectType) {
  const all = Object.values(type.getFields());
  return type.isOneOf ? all.slice(0, 1) : all.filter(isRequiredInputField);
}

/** Variables that may be left out, where an act would take what is left then. */
const ALSO_REFUSED = new Set(['endpointId', 'whitelistCoolingSeconds', 'accent', 'amountMax', 'rail']);

/** @returns variables of an act that it refuses: whatever is required, and of the rest what names a record. */
export function refusedVariables({ variables }: Operation): Record<string, unknown> {
  const given = variables.filter(({ name, isRequired }) => isRequired || ALSO_REFUSED.has(name));
  return Object.fromEntries(
    given.map(({ name, type, isList }) => [name, isList ? [refusable(type)] : refusable(type)]),
  );
}

/** A value of the type of a variable that no act takes: an empty text, an amount of nothing. */
function refusable(type: string): unknown {
  const named = SCHEMA.getType(type);
  if (isEnumType(named)) return named.getValues()[0]?.name;
  if (isInputObjectType(named))
    return Object.fromEntries(
      chosen(named).map((each) => [each.name, refusable(getNamedType(each.type).name)]),
    );
  return (
    { Int: -1, Boolean: true, Decimal: '0', ID: '0', Date: '2020-01-01', DateTime: '2020-01-01T00:00:00Z' }[
      type
    ] ?? ''
  );
}
