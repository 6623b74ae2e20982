/**
 * Goal: no id that a caller can write makes the gateway fail: it is a record, or it is missing (C-15, C-50).
 * Method: every route with an id × odd ids × without a key, with one, and with the same one again, over HTTP; the same
 * ids as every text of an argument, or of a member of one, of every mutation and query of the schema, with the key of the
 * account and with that of the platform.
 */

import { randomUUID } from 'node:crypto';
import { parse, validate } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { ACTIONS, type Action } from '../../src/base/access/actions.ts';
import { buildSchema } from '../../src/schema/index.ts';
import { REGISTRY } from '../../src/templates/index.ts';
import { type Answer, useApp } from '../support/app.ts';
import { allowWithdrawals } from '../support/load.ts';
import { errorsIn } from '../support/refusals.ts';
import { BODIES, IDS, ROUTES } from '../support/rest-routes.ts';
import { type Case, casesOf, documentOf } from './odd-arguments.ts';

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
/** Where all of them would take too long: one of each kind, that which PostgreSQL has no text for first. */
const FEW_ODD_IDS: readonly string[] = [
  'a\0b',
  '\ud800',
  'x'.repeat(5_000),
  '9'.repeat(400),
  '__proto__',
  '\u202e',
  'mailto:a\0b@example.com',
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

describe('C-15, C-50: an odd id in a path is missing, for any key', () => {
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

describe('C-15, C-50: an odd id in an argument is missing, for any key', () => {
  const schema = buildSchema(REGISTRY);
  const CASES = casesOf(schema);
  const NAMED_CASES = CASES.map((each) => [each.title, each] as const);

  beforeAll(async () => {
    await allowWithdrawals(app.owner, app.accountId, null);
  });

  it('has a case for every text of every field, in each form of its enums', () => {
    expect(CASES.length).toBeGreaterThan(300);
    const unfit = CASES.map((each) => documentOf(each, []))
      .map((document) => ({ document, errors: validate(schema, parse(document)) }))
      .filter(({ errors }) => errors.length > 0);
    expect(unfit).toEqual([]);
  });

  it.each(NAMED_CASES)("%s with the account's key", async (_title, each) => {
    await askEach(each, idsFor(each, !isOfPlatform(each)), app.apiKey);
  });

  it.each(NAMED_CASES)("%s with the platform's key", async (_title, each) => {
    await askEach(each, idsFor({ isMain: false }, isOfPlatform(each)), app.platformKey);
  });
});

/** Whether an act is of the platform; reads are mostly of accounts. */
function isOfPlatform({ field }: Case): boolean {
  const action = Object.values<Action>(ACTIONS).find(({ mutations }) => mutations.includes(field.name));
  return action?.scope.startsWith('platform:') ?? false;
}

/** All of them for an argument where the key is let in; few for others; two where it is refused at once. */
function idsFor({ isMain }: Pick<Case, 'isMain'>, isLetIn: boolean): readonly string[] {
  if (!isLetIn) return FEW_ODD_IDS.slice(0, 2);
  return isMain ? [...ODD_IDS, '\ud800', 'a\udc00'] : FEW_ODD_IDS;
}

async function askEach(each: Case, ids: readonly string[], apiKey: string): Promise<void> {
  for (const id of ids) {
    const key = randomUUID();
    for (const way of each.isKeyed ? WAYS : WAYS.slice(0, 1)) {
      const document = documentOf(each, way === 'without a key' ? [] : [`idempotencyKey: "${key}"`]);
      const variables = { id, account: String(app.accountId) };
      const { status, json, text } = await app.graphql(document, variables, { key: apiKey });
      const what = `${way}: ${JSON.stringify(id).slice(0, 60)} ${text.slice(0, 300)}`;
      expect([200, 400], what).toContain(status);
      for (const error of errorsIn(json) ?? []) {
        expect(error.extensions.code, what).toMatch(/^[A-Z_]+$/);
        expect(error.extensions.code, what).not.toBe('INTERNAL');
      }
    }
  }
}
