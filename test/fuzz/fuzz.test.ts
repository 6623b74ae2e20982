/**
 * Goal: whatever is sent to the gateway, it answers, and says no in the forms that are published: no 5xx but a 503 that is
 * meant, no hang, no error that is not a problem (C-50). Method: seeded requests made from the route table and from the
 * schema, against the real application; afterwards the book is audited. `FUZZ_REQUESTS` sets how many of each are sent
 * (the whole size is 100000), `FUZZ_SEED` which ones.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { verifyLedger } from '../../src/store/ledger/verify.ts';
import { useApp } from '../support/app.ts';
import { allowWithdrawals, randomOf } from '../support/load.ts';
import { IDS } from '../support/rest-routes.ts';
import { graphqlRequest } from './graphql-requests.ts';
import { type FuzzRequest, restRequest } from './rest-requests.ts';
import { type FuzzAnswer, type FuzzCount, judgeGraphql, judgeRest, run } from './send.ts';
import { Values } from './values.ts';

const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 1_000);
const SEED = Number(process.env.FUZZ_SEED ?? 1);
const CONNECTIONS = 8;
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
  const values = new Values(randomOf(seed), Object.values(IDS), groupId);
  const count = await run(
    { baseUrl: app.baseUrl, requests: REQUESTS, connections: CONNECTIONS },
    () => make(values, app.apiKey),
    (request, answer) => {
      values.learn(answer.text);
      return judge(request, answer);
    },
  );
  if (process.env.FUZZ_REQUESTS) process.stdout.write(`${JSON.stringify({ seed, ...count })}\n`);
  return count;
}

describe(`C-50: ${REQUESTS} requests of each kind, seed ${SEED}`, { timeout: TIMEOUT_MS }, () => {
  test('to the paths of /v2', async () => {
    const { defects, requests, byStatus } = await fuzz(SEED, restRequest, judgeRest);
    expect(defects.join('\n\n')).toBe('');
    expect(requests).toBe(REQUESTS);
    // Many do something: what is refused at the door alone shows little.
    expect((byStatus[200] ?? 0) + (byStatus[201] ?? 0)).toBeGreaterThan(REQUESTS / 5);
  });

  test('to /graphql', async () => {
    const { defects, requests, byStatus } = await fuzz(SEED + 1, graphqlRequest, judgeGraphql);
    expect(defects.join('\n\n')).toBe('');
    expect(requests).toBe(REQUESTS);
    expect(byStatus[200] ?? 0).toBeGreaterThan(REQUESTS / 5);
  });

  test('leave a book that balances', async () => {
    expect((await verifyLedger(app.database, app.accountId)).defects).toEqual([]);
    expect((await app.get('/readyz', { key: null })).status).toBe(200);
  });
});
