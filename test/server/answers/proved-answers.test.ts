/** Goal: kept answers take no more memory than they may, and are found under what they depend on alone (decision 0044). */
import { hash } from 'node:crypto';
import { expect, test } from 'vitest';
import { type Answer, answerBody, ProvedAnswers } from '../../../src/server/answers/proved-answers.ts';
import { heldMemory } from '../../support/held-memory.ts';

const MIB = 1_048_576;
let version = 1n;
let reads = 0;
const database = {
  query: (async (_statement: unknown, [ids]: [readonly bigint[]]) => {
    reads += 1;
    return ids.map((accountId) => ({ accountId, version }));
  }) as never,
};

const answerOf = (text: string): Answer => ({
  contentType: 'application/json',
  ...answerBody('application/json', text),
  etag: null,
  headers: {},
  noted: {},
  points: 1,
});

/** Asks for an answer, and renders it where none is kept. @returns whether it was kept. */
async function query(answers: ProvedAnswers, key: string, body = key): Promise<boolean> {
  const { answer, cache: keep } = await answers.find(1n, key);
  if (!answer) keep?.(answerOf(body));
  return answer !== undefined;
}

test('a first request costs nothing, a second caches the response, a third is proved', async () => {
  const answers = new ProvedAnswers(database, MIB);
  reads = 0;
  const asked: [boolean, number][] = [];
  for (let n = 0; n < 4; n += 1) asked.push([await query(answers, 'a'), reads]);
  expect(asked).toEqual([
    [false, 0],
    [false, 1],
    [true, 2],
    [true, 3],
  ]);
  version += 1n;
  expect([await query(answers, 'a'), await query(answers, 'a')]).toEqual([false, true]);
});

test('the answer that was not used for longest makes room', async () => {
  const answers = new ProvedAnswers(database, MIB);
  const body = 'x'.repeat(MIB / 17);
  const twice = async (key: string) => [await query(answers, key, body), await query(answers, key, body)];
  for (let n = 0; n < 15; n += 1) await twice(`${n}`);
  expect(await query(answers, '0', body)).toBe(true);
  await twice('one more');
  expect(await query(answers, '1', body)).toBe(false);
  expect(await query(answers, '0', body)).toBe(true);
});

test('an answer that takes much of the memory alone is not cached', async () => {
  const answers = new ProvedAnswers(database, MIB);
  for (let n = 0; n < 3; n += 1) expect(await query(answers, 'a', 'x'.repeat(MIB / 16))).toBe(false);
});

test('a key beyond Latin letters takes two bytes for each of its characters', async () => {
  const answers = new ProvedAnswers(database, MIB);
  const long = 'x'.repeat(MIB / 24);
  for (const [key, isKept] of [
    [long, true],
    [`${long}—`, false],
  ] as const) {
    for (let n = 0; n < 2; n += 1) await query(answers, key, 'short');
    expect(await query(answers, key, 'short')).toBe(isKept);
  }
});

test.each([
  ['short', 'Olá € 😀'],
  ['of a length that has no room', 'Olá € 😀 \ud800'.repeat(20_000)],
])('a text that is %s is sent as its bytes, tagged with them', (_kind, text) => {
  const bytes = Buffer.from(text);
  const { body, etag } = answerBody('application/json', text);
  expect(Buffer.from(body, 'latin1').equals(bytes)).toBe(true);
  expect(etag).toBe(
    `"${hash('sha256', Buffer.concat([Buffer.from('application/json\n'), bytes]), 'base64url')}"`,
  );
  expect(answerBody('application/json', `${text}.`).etag).not.toBe(etag);
  expect(answerBody('application/json', body, 'latin1')).toEqual({ body, etag });
  const pieces = [text.slice(0, 3), '', text.slice(3)];
  expect(answerBody('application/json', pieces)).toEqual({ body, etag });
});

test('without memory nothing is cached, and the database is not queried', async () => {
  const answers = new ProvedAnswers(database, 0);
  reads = 0;
  for (let n = 0; n < 3; n += 1) expect(await query(answers, 'a')).toBe(false);
  expect(reads).toBe(0);
});

test('if the database does not answer, nothing is proved and nothing cached', async () => {
  const answers = new ProvedAnswers({ query: () => Promise.reject(new Error('away')) }, MIB);
  for (let n = 0; n < 3; n += 1) expect(await query(answers, 'a')).toBe(false);
});

/** @returns bytes that the process holds: objects, and what is outside of the heap. */
async function held(): Promise<number> {
  const { heap, external } = await heldMemory();
  return heap + external;
}

test.each([
  ['of a record', 1_000, 2],
  ['of a list', 20_000, 2],
  ['of next to nothing', 2, 2],
  ['that were asked for once', 2, 1],
  // Files before this one share its process, and may let go of what they held in the meantime.
])(
  'answers %s take no more memory than they may, and what is counted for them is there',
  { retry: 2 },
  async (_kind, length, times) => {
    const most = 8 * MIB;
    const answers = new ProvedAnswers(database, most);
    const before = await held();
    let n = 0;
    const key = () => `/v2/onramp/CRX${n}?${'x'.repeat(40)}`;
    for (; n * (length + 400) < 2 * most; n += 1)
      for (let time = 0; time < times; time += 1) await query(answers, key(), `${n}`.padEnd(length));
    const taken = (await held()) - before;
    n -= 1;
    expect(await query(answers, key())).toBe(times === 2);
    const share = times === 2 ? 1 : 1 / 16;
    expect(taken / most).toBeLessThan(share);
    expect(taken / most).toBeGreaterThan(0.4 * share);
  },
);
