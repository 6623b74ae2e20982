/**
 * Goal: no id that a caller can write makes the gateway fail: it is a record, or it is missing (C-15, C-50).
 * Method: every route with an id × odd ids × without a key, with one, and with the same one again, over HTTP; the same
 * ids as arguments of every mutation and query of the schema that takes one.
 */
import { randomUUID } from 'node:crypto';
import { GraphQLObjectType, getNamedType, isNonNullType, isScalarType } from 'graphql';
import { describe, expect, it } from 'vitest';
import { buildSchema } from '../../src/schema/index.ts';
import { REGISTRY } from '../../src/templates/index.ts';
import { type Answer, useApp } from '../support/app.ts';
import { BODIES, IDS, ROUTES } from '../support/rest-routes.ts';

const app = useApp();

const RECORD = IDS.onramp as string;
/** Ids that some layer may trip over. */
const ODD_IDS: readonly string[] = [
  ...['\0', `${RECORD}\0`, 'a\0b', '\u0001', '\n', '\r\n', '\t', ' ', '\u007f', '\u0080', '\ufeff', '\u202e'],
  ...['x'.repeat(200), 'x'.repeat(201), 'x'.repeat(5_000), '😀'.repeat(100), '😀'.repeat(600)],
  ...[
    '{id}',
    '%',
    '%00',
    '%2e%2e',
    '..',
    '.',
    '*',
    '?',
    '#',
    ':',
    ';',
    ',',
    '&',
    '=',
    '+',
    '$1',
    "'",
    '"',
    '\\',
  ],
  ...["' or 1=1 --", '../../etc/passwd', '__proto__', 'constructor', 'toString', 'null', 'undefined', 'NaN'],
  ...[
    '0',
    '-1',
    '1e400',
    '9'.repeat(400),
    '18446744073709551616',
    RECORD.toLowerCase(),
    `${RECORD} `,
    ` ${RECORD}`,
  ],
  ...[RECORD.slice(0, -1), `${RECORD}X`, RECORD.repeat(200), 'CRX', '\u00e9', 'e\u0301', 'ｃｒｘ', '1'],
];
/** As they stand in a path; some are not UTF-8 at all. A path of dots never leaves the client. */
const SEGMENTS: readonly string[] = [
  ...ODD_IDS.filter((id) => !/^\.+$/.test(id)).map(encodeURIComponent),
  ...['%ff', '%C0%80', '%ED%A0%80', '%', '%%', '%0', '%zz', '%E2%82', '%F5%80%80%80'],
];
/** How a request says which one it is: not at all, once, and once again. */
const WAYS = ['without a key', 'with a key', 'with the same key again'];

function expectProblem(answer: Answer, what: string): void {
  expect([400, 404], `${what} ${answer.text.slice(0, 300)}`).toContain(answer.status);
  expect(answer.headers.get('content-type'), what).toBe('application/problem+json');
  expect(['NOT_FOUND', 'INVALID_PARAMETER', 'BAD_REQUEST'], what).toContain(answer.json.code);
}

describe('C-15, C-50: an odd id of a path is missing, whatever the key', () => {
  const routes = ROUTES.filter(({ path }) => path.includes('{id}'));

  it.each(routes)('$method $path', async ({ method, path }) => {
    const body = BODIES[path] ?? {};
    for (const segment of SEGMENTS) {
      const target = path.replace('{id}', () => segment);
      if (method === 'GET') {
        expectProblem(await app.get(target), segment.slice(0, 60));
        continue;
      }
      const key = randomUUID();
      for (const way of WAYS) {
        const headers: Record<string, string> = way === 'without a key' ? {} : { 'idempotency-key': key };
        expectProblem(await app.post(target, body, { headers }), `${way}: ${segment.slice(0, 60)}`);
      }
    }
  });

  it('POST /v2/sandbox/trigger', async () => {
    for (const end2end of [...ODD_IDS, '\ud800'])
      expectProblem(
        await app.post('/v2/sandbox/trigger', { scenario: 'pay', end2end }),
        end2end.slice(0, 60),
      );
  });
});

describe('C-15, C-50: an odd id of an argument is missing, whatever the key', () => {
  const schema = buildSchema(REGISTRY);
  const fields = [schema.getQueryType(), schema.getMutationType()].flatMap((type) =>
    Object.values((type as GraphQLObjectType).getFields()).map((field) => ({
      type: type as GraphQLObjectType,
      field,
    })),
  );
  /** Arguments that are one text which names something: all others are left out, or given as null where they must be. */
  const cases = fields.flatMap(({ type, field }) =>
    field.args
      .filter((argument) => ['ID', 'String'].includes(String(getNamedType(argument.type))))
      .filter(() => field.args.every((each) => !isNonNullType(each.type) || isScalarType(each.type.ofType)))
      .map((argument) => ({ operation: type.name.toLowerCase(), field, name: argument.name })),
  );

  it('has a case for every field with an id', () => {
    expect(cases.length).toBeGreaterThan(30);
  });

  it.each(cases)('$operation $field.name($name:)', async ({ operation, field, name }) => {
    const isObject =
      getNamedType(field.type) instanceof GraphQLObjectType || !isScalarType(getNamedType(field.type));
    const required = field.args.filter((each) => isNonNullType(each.type) && each.name !== name);
    const argument = field.args.find((each) => each.name === name) as (typeof field.args)[number];
    const hasKey = field.args.some((each) => each.name === 'idempotencyKey') && name !== 'idempotencyKey';
    for (const id of [...ODD_IDS, '\ud800', 'a\udc00']) {
      const key = randomUUID();
      for (const way of hasKey ? WAYS : WAYS.slice(0, 1)) {
        const rest = required.map((each) => `${each.name}: ${VALUES[String(each.type)] ?? '"x"'}`);
        if (way !== 'without a key') rest.push(`idempotencyKey: "${key}"`);
        const args = [`${name}: $id`, ...rest].join(', ');
        const document = `${operation}($id: ${argument.type}) { ${field.name}(${args})${isObject ? ' { __typename }' : ''} }`;
        const { status, json, text } = await app.graphql(document, { id });
        const what = `${way}: ${JSON.stringify(id).slice(0, 60)} ${text.slice(0, 300)}`;
        expect([200, 400], what).toContain(status);
        for (const error of json.errors ?? []) {
          expect(error.extensions.code, what).toMatch(/^[A-Z_]+$/);
          expect(error.extensions.code, what).not.toBe('INTERNAL');
        }
      }
    }
  });
});

/** What else such a field must be given, by type. */
const VALUES: Readonly<Record<string, string>> = {
  'Decimal!': '"1"',
  'Boolean!': 'false',
  'Int!': '1',
};
