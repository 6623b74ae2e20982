/**
 * Goal: an operator with a bank account and a wallet runs live accounts by configuration alone (docs/going-live.md): PIX over mTLS, a
 * network, a signer; and `/v2`, GraphQL, console, provider, node and ledger agree. Method: the script of the guide.
 */
import { afterAll, expect, test } from 'vitest';
import { rehearse } from '../scripts/rehearsal.ts';
import { useDatabase } from './support/database.ts';
import { newHome } from './support/home.ts';

const store = useDatabase();
const { home, remove } = newHome();
afterAll(remove);

test('a checkout is paid over mTLS, tokens are delivered and received on a network, PIX is paid out', {
  timeout: 400_000,
}, async () => {
  const lines: string[] = [];
  const { done, differences } = await rehearse(
    { CROSSRAMP_HOME: home, DATABASE_URL: store.url, LOG_LEVEL: 'error' },
    (line) => lines.push(line),
  );
  expect(done.map((line) => line.split(' ')[0])).toEqual([
    'onramp',
    'crossramp_checkout',
    'onramp_instant',
    'offramp_instant',
    'offramp',
  ]);
  expect(differences).toEqual([]);
  expect(lines.join('\n')).toMatch(/hourly limit: USD 10000/);
});
