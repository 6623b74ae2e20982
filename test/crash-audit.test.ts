/** Goal: what crash runs are judged by (support/crash.ts) holds for ends of transactions that a run seldom comes to. */
import { expect, test } from 'vitest';
import { useApp } from './support/app.ts';
import { audit, comeToRest, standings } from './support/crash.ts';
import { BODIES } from './support/rest-routes.ts';

const app = useApp();
const WALLET = 'TKN9umuf74bK4z4K5BSo2WiCDgzyxUtbsD';
/** What is played on an onramp, in this order, and where it ends. */
const LIVES = [
  { scenarios: ['delivery-fail', 'pay', 'dispute-open', 'dispute-accept'], end: 'dispute/ACCEPTED' },
  { scenarios: ['broadcast-fail', 'pay', 'dispute-open', 'dispute-accept'], end: 'dispute/ACCEPTED' },
  { scenarios: ['delivery-fail', 'pay', 'dispute-open', 'dispute-reject'], end: 'dispute/REJECTED' },
  // A return that failed is ordered again after hours: two orders, each of which the transaction lists.
  { scenarios: ['refund-fail', 'pay-under'], end: 'refund/DONE' },
  { scenarios: ['pay-other-payer'], end: 'refund/DONE' },
];

test('transactions that reached rare ends have no defects', async () => {
  const { baseUrl, platformKey } = app;
  const { accountId, apiKey: key } = await app.addAccount();
  for (const { scenarios } of LIVES) {
    const { json } = await app.post('/v2/onramp', { ...BODIES['/v2/onramp'], wallet: WALLET }, { key });
    for (const scenario of scenarios) await play(key, json.end2end, scenario);
  }
  const merchants = [{ accountId, keys: [key, key] as const, groups: { crypto: '', pix: '' } }];
  await comeToRest(app.owner, { baseUrl, merchants, platformKey, patienceMs: 60_000 });
  const read = async (path: string) => (await app.get(path, { key })).text;
  const { defects } = await audit(app.database, app.owner, ({ end2end }) => read(`/v2/onramp/${end2end}`));
  expect((await standings(app.owner)).map(({ step }) => step)).toEqual(LIVES.map(({ end }) => end));
  expect(defects).toEqual([]);
}, 120_000);

/** What does not fit yet fits soon: a worker goes on meanwhile. */
async function play(key: string, end2end: string, scenario: string): Promise<void> {
  const answer = async () => (await app.post('/v2/sandbox/trigger', { scenario, end2end }, { key })).status;
  await expect.poll(answer).toBe(200);
}
