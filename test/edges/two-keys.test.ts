/**
 * Goal: two keys of one account share what the account may have at once, and each has a rate of its own (C-53, decision 0075).
 * Method: over HTTP, with buckets that hardly fill again and few places; what one key uses up is requested with the other.
 */

import { expect, test } from 'vitest';
import { SCOPES } from '../../src/base/access/api-key.ts';
import { useApp } from '../support/app.ts';

const BURST = 30;
const slow = { perSecond: 0.001, burst: BURST };
const app = useApp({ rateLimit: { reads: slow, writes: slow }, eventStreamsMax: 2 });
/** More points than the burst, in a document that is too short to count itself. */
const PAGE = 'transactions(first: 100) { nodes { ...F } }';
const HEAVY = `{ a: ${PAGE} b: ${PAGE} } fragment F on Transaction { events { name } ledgerLines { number } }`;

async function twoKeys(): Promise<readonly [string, string]> {
  const { accountId } = await app.addAccount();
  const keys = await Promise.all([1, 2].map(() => app.addKey(accountId, SCOPES)));
  return keys.map(({ apiKey }) => apiKey) as never;
}

const read = async (key: string) => (await app.get('/v2/balance', { key })).status;

test('C-53: a key at the end of its rate does not affect another key of its account', async () => {
  const [first, second] = await twoKeys();
  for (let request = 0; request < BURST; request += 1) expect(await read(first)).toBe(200);
  expect(await read(first)).toBe(429);
  expect(await read(second)).toBe(200);
});

test('C-53: the points of a query count for the key that sends it', async () => {
  const [first, second] = await twoKeys();
  expect((await app.graphql(HEAVY, {}, { key: first })).status).toBe(200);
  expect(await read(first)).toBe(429);
  expect(await read(second)).toBe(200);
});

test('C-53: all keys of an account share its slots for streams and waiting requests', async () => {
  const { accountId } = await app.addAccount();
  const [first, second] = await Promise.all([1, 2].map(() => app.addKey(accountId, SCOPES)));
  const stranger = (await app.addAccount()).apiKey;
  const wait = async (key = '') => (await app.get('/v2/events?wait=1', { key })).status;
  expect(await wait(second?.apiKey)).toBe(200);
  const taken = [1, 2].map(() => app.services.streamLimit.acquire({ id: first?.keyId ?? '', accountId }));
  expect(await wait(second?.apiKey)).toBe(429);
  expect(await wait(stranger)).toBe(200);
  for (const leave of taken) leave();
  expect(await wait(second?.apiKey)).toBe(200);
});
