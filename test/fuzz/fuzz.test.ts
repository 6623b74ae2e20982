/**
 * Goal: whatever is sent to the gateway, it answers, and says no in the forms that are published: no 5xx, no hang, no error
 * that is not a problem (C-50). Method: seeded requests made from the route table and from the schema, of an account and of the
 * platform, against the real application; afterwards the books are audited. `FUZZ_REQUESTS` sets how many of each are sent
 * (the whole size is 100000), `FUZZ_SEED` which ones.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { platformAccount } from '../../src/store/account/accounts.ts';
import { verifyLedger } from '../../src/store/ledger/verify.ts';
import { useApp } from '../support/app.ts';
import { allowWithdrawals, randomOf } from '../support/load.ts';
import { IDS } from '../support/rest-routes.ts';
import { graphqlRequest } from './graphql-requests.ts';
import { type FuzzRequest, restRequest } from './rest-requests.ts';
import {
  type FuzzAnswer,
  type FuzzCount,
  judgeGraphql,
  judgeRest,
  judgeStream,
  run,
  sender,
} from './send.ts';
import { StreamRequests } from './stream-requests.ts';
import { Values } from './values.ts';

const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 1_000);
const SEED = Number(process.env.FUZZ_SEED ?? 1);
const CONNECTIONS = 8;
/** Requests that have the key of the platform. */
const PLATFORM_SHARE = 0.2;
/**
 * Answers that say that the gateway cannot answer now. On a machine that does much else a few may come too late to the database, and
 * are right to say so; the log of a run shows each.
 */
const UNAVAILABLE_MAX = Math.max(5, Math.floor(REQUESTS / 10_000));
/** A request takes a few milliseconds; a machine that does much else takes longer. */
const TIMEOUT_MS = 60_000 + REQUESTS * 100;

const app = useApp({ rateLimit: null });
let groupId: string;

beforeAll(async () => {
  groupId = (await allowWithdrawals(app.owner, app.accountId, null)).crypto;
  for (const currency of ['USDT_TRX', 'BRL', 'ETH_ETH', 'BTC_BTC'])
    expect((await app.post('/v2/sandbox/fund', { currency, amount: '1000000' })).status).toBe(200);
});

async function fuzz(
  seed: number,
  make: (values: Values, apiKey: string) => FuzzRequest,
  judge: (request: FuzzRequest, answer: FuzzAnswer) => string | undefined,
): Promise<FuzzCount> {
  const values = new Values(randomOf(seed), Object.values(IDS), groupId, String(app.accountId));
  const count = await run(
    { baseUrl: app.baseUrl, requests: REQUESTS, connections: CONNECTIONS },
    () => make(values, values.random.chance(PLATFORM_SHARE) ? app.platformKey : app.apiKey),
    (request, answer) => {
      values.learn(answer.text);
      return judge(request, answer);
    },
  );
  if (process.env.FUZZ_REQUESTS) process.stdout.write(`${JSON.stringify({ seed, ...count })}\n`);
  expect(count.defects.join('\n\n')).toBe('');
  expect(count.requests).toBe(REQUESTS);
  expect(count.unavailable).toBeLessThanOrEqual(UNAVAILABLE_MAX);
  return count;
}

describe(`C-50: ${REQUESTS} requests of each kind, seed ${SEED}`, { timeout: TIMEOUT_MS }, () => {
  test('to the paths of /v2', async () => {
    const { byStatus } = await fuzz(SEED, restRequest, judgeRest);
    // Many do something: what is refused at the door alone shows little.
    expect((byStatus[200] ?? 0) + (byStatus[201] ?? 0)).toBeGreaterThan(REQUESTS / 5);
  });

  test('to /graphql', async () => {
    const { byStatus } = await fuzz(SEED + 1, graphqlRequest, judgeGraphql);
    expect(byStatus[200] ?? 0).toBeGreaterThan(REQUESTS / 5);
  });

  test('to /graphql/stream, which leave no stream', async () => {
    const streams = new StreamRequests();
    const { byStatus } = await fuzz(
      SEED + 2,
      (values, apiKey) => streams.next(values, apiKey),
      (asked, answer) => {
        streams.learn(asked, answer);
        return judgeStream(asked, answer);
      },
    );
    // Reserved, and operations taken.
    expect(byStatus[201] ?? 0).toBeGreaterThan(REQUESTS / 20);
    expect(byStatus[202] ?? 0).toBeGreaterThan(REQUESTS / 10);
    const { send, close } = sender(app.baseUrl, CONNECTIONS);
    for (const ending of streams.endings()) await send(ending);
    close();
    await expect.poll(() => app.services.events.size).toBe(0);
  });

  test('leave books that balance', async () => {
    for (const accountId of [app.accountId, await platformAccount(app.database, 'sandbox')])
      expect((await verifyLedger(app.database, accountId)).defects).toEqual([]);
    expect((await app.get('/readyz', { key: null })).status).toBe(200);
  });
});
