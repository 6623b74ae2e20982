/** Breaking changes of an interface, and the users that each breaks (docs/versions.md): what was promised and is no more, or asks for more than it did. */
import { buildSchema, findBreakingChanges } from 'graphql';
import type { CommandForm, Interfaces } from './interfaces.ts';

/** A change that breaks somebody. */
export interface Break {
  readonly whom:
    | 'clients of /v2'
    | 'clients of GraphQL'
    | 'the operator’s clients of GraphQL'
    | 'receivers of events'
    | 'scripts with commands'
    | 'installations';
  readonly what: string;
}

/** @returns breaking changes between a release and the present interfaces. */
export function compareInterfaces(before: Interfaces, now: Interfaces): readonly Break[] {
  const graphql = schemaBreaks(before.graphql, now.graphql);
  const operator = schemaBreaks(before.graphqlOperator, now.graphqlOperator).filter(
    (what) => !graphql.includes(what),
  );
  return [
    ...breaksFor('clients of /v2', openApiBreaks(before.openapi as OpenApi, now.openapi as OpenApi)),
    ...breaksFor('clients of GraphQL', graphql),
    ...breaksFor('the operator’s clients of GraphQL', operator),
    ...breaksFor(
      'receivers of events',
      asyncApiBreaks(before.asyncapi as AsyncApi, now.asyncapi as AsyncApi),
    ),
    ...breaksFor('scripts with commands', commandBreaks(before.commands, now.commands)),
    ...breaksFor(
      'installations',
      missing(before.settings, now.settings).map((name) => `the setting ${name} is gone`),
    ),
  ];
}

function breaksFor(whom: Break['whom'], list: readonly string[]): Break[] {
  return list.map((what) => ({ whom, what }));
}

function missing(before: readonly string[], now: readonly string[]): string[] {
  return before.filter((each) => !now.includes(each));
}

function schemaBreaks(before: string, now: string): string[] {
  return findBreakingChanges(buildSchema(before), buildSchema(now)).map(({ description }) => description);
}

type Members = Readonly<Record<string, Schema>>;

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Members;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly additionalProperties?: Schema | boolean;
}

interface Body {
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
}

interface Operation {
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly schema?: Schema;
  }[];
  readonly requestBody?: Body;
  readonly responses: Readonly<Record<string, Body>>;
}

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Members };
}

interface AsyncApi {
  readonly components: {
    readonly schemas: Members;
    readonly messages: Readonly<
      Record<string, { readonly 'x-event-names': readonly string[]; readonly headers: Schema }>
    >;
  };
}

function openApiBreaks(before: OpenApi, now: OpenApi): string[] {
  const operations = Object.entries(before.paths).flatMap(([path, of]) =>
    Object.entries(of).flatMap(([method, operation]) => {
      const name = `${method.toUpperCase()} ${path}`;
      const same = now.paths[path]?.[method];
      return same ? operationBreaks(name, operation, same) : [`${name} is gone`];
    }),
  );
  return [...operations, ...namedBreaks(before.components.schemas, now.components.schemas)];
}

function operationBreaks(name: string, before: Operation, now: Operation): string[] {
  const parameters = (of: Operation) =>
    new Map((of.parameters ?? []).map((each) => [`${each.in} ${each.name}`, each]));
  const [former, present] = [parameters(before), parameters(now)];
  const gone = missing([...former.keys()], [...present.keys()]).map((each) => `${name}: ${each} is gone`);
  const names = [...present]
    .filter(([each, { required }]) => required && !former.get(each)?.required)
    .map(([each]) => `${name}: ${each} is required now`);
  const statuses = missing(successes(before), successes(now)).map(
    (each) => `${name}: the status ${each} is gone`,
  );
  const body = inputBreaks(`${name}: body`, schemaOf(before.requestBody), schemaOf(now.requestBody));
  return [...gone, ...names, ...statuses, ...body];
}

function successes({ responses }: Operation): string[] {
  return Object.keys(responses).filter((status) => status.startsWith('2'));
}

function schemaOf(body: Body | undefined): Schema {
  return Object.values(body?.content ?? {})[0]?.schema ?? {};
}

/** Of what clients send: a member that is gone, one that is required now, a value that is no longer taken. */
function inputBreaks(path: string, before: Schema, now: Schema): string[] {
  const names = Object.keys(before.properties ?? {});
  return [
    ...missing(names, Object.keys(now.properties ?? {})).map((each) => `${path}.${each} is gone`),
    ...missing(now.required ?? [], before.required ?? []).map((each) => `${path}.${each} is required now`),
    ...names.flatMap((each) => {
      const [former, present] = [before.properties?.[each] ?? {}, now.properties?.[each] ?? {}];
      const lost = missing((former.enum ?? []).map(String), (present.enum ?? former.enum ?? []).map(String));
      return lost.map((value) => `${path}.${each} no longer takes ${value}`);
    }),
  ];
}

function namedBreaks(before: Members, now: Members): string[] {
  return Object.entries(before).flatMap(([name, schema]) => {
    const same = now[name];
    return same ? outputBreaks(name, schema, same) : [`the body ${name} is gone`];
  });
}

/** Of what clients get: a member that is gone or no longer sure, another type. */
function outputBreaks(path: string, before: Schema, now: Schema): string[] {
  if (formOf(before) !== formOf(now)) return [`${path} is ${formOf(now)} now; it was ${formOf(before)}`];
  const members = Object.entries(before.properties ?? {}).flatMap(([name, schema]) => {
    const same = now.properties?.[name];
    return same ? outputBreaks(`${path}.${name}`, schema, same) : [`${path}.${name} is gone`];
  });
  const unsure = missing(before.required ?? [], now.required ?? [])
    .filter((each) => now.properties?.[each])
    .map((each) => `${path}.${each} may be missing now`);
  const items = before.items && now.items ? outputBreaks(`${path}[]`, before.items, now.items) : [];
  return [...members, ...unsure, ...items];
}

/** Form of a value, without its members. */
function formOf({ $ref, type, const: only, oneOf }: Schema): string {
  if ($ref) return $ref.slice($ref.lastIndexOf('/') + 1);
  if (only !== undefined) return JSON.stringify(only);
  if (oneOf) return oneOf.map(formOf).join(' or ');
  return [type ?? 'any'].flat().join(' or ');
}

function asyncApiBreaks(before: AsyncApi, now: AsyncApi): string[] {
  const messages = Object.entries(before.components.messages).flatMap(([name, message]) => {
    const same = now.components.messages[name];
    if (!same) return [`the message ${name} is gone`];
    const names = missing(message['x-event-names'], same['x-event-names']).map(
      (each) => `the event ${each} is gone`,
    );
    const headers = missing(
      Object.keys(message.headers.properties ?? {}),
      Object.keys(same.headers.properties ?? {}),
    );
    return [...names, ...headers.map((each) => `the header ${each} is gone`)];
  });
  return [...new Set([...messages, ...namedBreaks(before.components.schemas, now.components.schemas)])];
}

function commandBreaks(before: Interfaces['commands'], now: Interfaces['commands']): string[] {
  return Object.entries(before).flatMap(([name, form]) => {
    const same = now[name];
    return same ? formBreaks(name, form, same) : [`${name} is gone`];
  });
}

function formBreaks(name: string, before: CommandForm, now: CommandForm): string[] {
  const required = (of: CommandForm) => Object.keys(of.options).filter((each) => of.options[each]);
  const isNarrower =
    before.arguments.length > now.arguments.length ||
    now.arguments.some((each, at) => each.startsWith('<') && !before.arguments[at]?.startsWith('<'));
  return [
    ...missing(Object.keys(before.options), Object.keys(now.options)).map(
      (each) => `${name} ${each} is gone`,
    ),
    ...missing(required(now), required(before)).map((each) => `${name} ${each} is required now`),
    ...(isNarrower ? [`${name} takes ${now.arguments.join(' ') || 'nothing'} now`] : []),
  ];
}
