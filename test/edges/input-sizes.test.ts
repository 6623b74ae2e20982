/**
 * Goal: what a caller gives has a maximum wherever it is a list, so that one request can neither hold up the process nor be
 * answered with megabytes (C-50). Method: bodies and lists at the maximum and above it; the lists are those of the schema, so that a
 * new one without a maximum here fails. Never by time: by the refusal and the size of the answer.
 */
import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../src/base/errors.ts';
import { VIOLATIONS_MAX, Violations } from '../../src/base/violations.ts';
import { useApp } from '../support/app.ts';
import { WRITES } from '../support/rest-routes.ts';

const app = useApp();

const ANSWER_MAX = 40_000;
const members = (count: number) => `{${Array.from({ length: count }, (_, at) => `"k${at}":1`).join(',')}}`;
const BODIES = WRITES.map(({ path }) => path);

describe('a body of /v2', () => {
  it.each(BODIES)('%s: at most 200 members are looked at, and some of them told', async (path) => {
    const { status, json, text } = await app.post(path, members(200));
    expect([status, json.code]).toEqual([400, 'INVALID_PARAMETER']);
    expect(json.violations).toHaveLength(VIOLATIONS_MAX);
    expect(text.length).toBeLessThan(ANSWER_MAX);
  });

  it.each(
    BODIES,
  )('%s: an object with more, and a list of more than 1,000, are refused at any depth', async (path) => {
    const list = (count: number) => JSON.stringify(Array(count).fill(1));
    const repeated = `{${Array(201).fill('"k":1').join(',')}}`;
    const nested = (part: string) => `{"address":[{"x":${part}}]}`;
    for (const body of [
      members(201),
      members(70_000),
      repeated,
      list(1_001),
      nested(members(201)),
      nested(list(1_001)),
    ]) {
      const { status, json, text } = await app.post(path, body);
      expect([status, json.code]).toEqual([400, 'BAD_REQUEST']);
      expect(json.detail).toBe(
        'an object of the body must have at most 200 members, and a list at most 1,000 entries',
      );
      expect(text.length).toBeLessThan(1_000);
    }
  });

  it('a comma or a bracket in a text counts for nothing, and a list of 1,000 is looked at as before', async () => {
    const notes = JSON.stringify(`",[{${',"'.repeat(400)}`);
    const { json } = await app.post(
      '/v2/withdrawal',
      `{"notes":${notes},"amount_received":[${Array(1_000).fill(1)}]}`,
    );
    expect(json.violations).toContainEqual({
      parameter: 'amount_received',
      message: 'must be a number, or a decimal number in a string',
    });
  });

  it.each([
    '{"a',
    '{"a\\',
    '"',
    '[[[',
    ']]],',
    ',',
  ])('what is no JSON is still told as that: %s', async (body) => {
    const { status, json } = await app.post('/v2/onramp', body);
    expect([status, json.code, json.detail]).toEqual([400, 'BAD_REQUEST', 'the body is not JSON']);
  });
});

describe('what is wrong', () => {
  it('is told by parameter, each once, and so many of them', () => {
    const violations = new Violations();
    for (let at = 0; at < 20_000; at++) violations.add({ parameter: `p${at >> 1}`, message: `${at}` });
    expect(violations.isFull).toBe(true);
    const refused = problemOf(() => violations.refuse());
    expect(refused.violations).toEqual(
      Array.from({ length: VIOLATIONS_MAX }, (_, at) => ({ parameter: `p${at}`, message: `${2 * at}` })),
    );
  });
});

function problemOf(act: () => void): GatewayError {
  try {
    act();
  } catch (error) {
    if (error instanceof GatewayError) return error;
  }
  throw new Error('nothing was refused');
}
