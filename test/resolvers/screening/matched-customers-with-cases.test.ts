/**
 * Goal: a case of a customer and a match of a screening list stop a transaction each for itself: whichever passes, the other still counts
 * (C-25, C-40). Method: customers over the limit of 30 days on live rails that answer at once; the test says whom the list matches.
 */
import { beforeAll, beforeEach, expect, test } from 'vitest';
import type { ScreeningMatch, ScreeningSubject } from '../../../src/resolvers/services/rails.ts';
import { platformAccount } from '../../../src/store/account/accounts.ts';
import { useApp } from '../../support/app.ts';
import { graphqlClient } from '../../support/graphql-client.ts';
import { newCustomer, newShop, type Shop } from '../../support/limits.ts';
import { LIVE_RAILS } from '../../support/live-rails.ts';

const listed = new Map<string, ScreeningMatch['answer']>();
const match = async (subjects: readonly ScreeningSubject[]): Promise<readonly ScreeningMatch[]> =>
  subjects.flatMap((subject) => {
    const answer = subject.taxId && listed.get(subject.taxId);
    const entry = { list: 'own', entry: 'row-1', entryName: 'Ana Souza', score: '1', version: '1' };
    return answer ? [{ ...entry, subject, strength: 'exact' as const, answer }] : [];
  });
const cases = { provider: null, levels: [], validMs: 365 * 24 * 3_600_000 };
const app = useApp({
  liveRails: {
    ...LIVE_RAILS,
    identity: { ...LIVE_RAILS.identity, cases },
    screening: { ...LIVE_RAILS.screening, match },
  },
});
let shop: Shop;
let desk: string;
let second: string;
const { ask } = graphqlClient(app, () => desk);

beforeAll(async () => {
  shop = await newShop(app, { mode: 'live' });
  await shop.limit({ daily: '500000', stepUp: '10000' });
  const platform = await platformAccount(app.database, 'live');
  desk = (await app.addKey(platform, ['read', 'platform:risk'])).apiKey;
  second = (await app.addKey(platform, ['read', 'platform:risk'])).apiKey;
  await app.owner.query(
    `insert into account_setting (account_id, whitelist_cooling_seconds) values ($1, 0)
       on conflict (account_id) do update set whitelist_cooling_seconds = 0`,
    [String(platform)],
  );
});
beforeEach(() => listed.clear());

/** @returns a checkout that waits for the case of its customer. */
async function waiting(taxId: string): Promise<string> {
  const { json, text } = await shop.checkout(taxId, '10000.01');
  expect(json?.end2end, text).toBeDefined();
  await shop.reach(json.end2end, 'valida_id_v2/PENDING');
  return json.end2end;
}

async function action(name: string, taxId: string, key = desk): Promise<void> {
  const { customerCases } = await ask(`{ customerCases(taxId: "${taxId}") { nodes { caseId } } }`);
  const input = `{ caseId: "${customerCases.nodes[0].caseId}", reason: "ticket 4713" }`;
  const done = await ask(
    `mutation { ${name}(input: ${input}) { customerCase { id } errors { message } } }`,
    {},
    key,
  );
  expect(done[name].errors).toEqual([]);
}

/** The jobs of a kind are due, also one that was put off. @returns what it matches. */
async function due(end2end: string, kind: string) {
  const { id } = await shop.row(end2end);
  const values = [kind, String(shop.accountId), String(id)];
  const own = `kind = $1 and account_id = $2 and transaction_id = $3`;
  await app.owner.query(
    `update job set due_at = now() - interval '1 second', leased_until = null where ${own}`,
    values,
  );
  return async () =>
    (await app.owner.query<{ last_error: string | null }>(`select last_error from job where ${own}`, values))
      .rows;
}

test('C-25: a case that passes later does not dismiss an open match: a person reviews it, or its time ends it', async () => {
  const taxId = newCustomer();
  const [reviewed, forgotten] = [await waiting(taxId), await waiting(taxId)] as const;
  listed.set(taxId, 'held');
  await action('approveCase', taxId);
  await shop.reach(reviewed, 'valida_id_v2/REVIEW');
  await shop.reach(forgotten, 'valida_id_v2/REVIEW');
  await ask(
    `mutation { approveStepUp(input: { account: "${shop.accountId}", end2end: "${reviewed}", reason: "another person" }) { transaction { end2end } errors { code } } }`,
  );
  await shop.reach(reviewed, 'depositpix_v2/QRCODE');
  expect((await shop.row(forgotten)).state).toBe('REVIEW');
  await due(forgotten, 'deny_step_up');
  await shop.reach(forgotten, 'valida_id_v2/DENIED');
});

test('C-25: a case that passes later does not admit a customer who is sanctioned by then', async () => {
  const taxId = newCustomer();
  const end2end = await waiting(taxId);
  listed.set(taxId, 'frozen');
  await action('approveCase', taxId);
  await shop.reach(end2end, 'valida_id_v2/DENIED');
});

test('C-40: a payment of another amount by a frozen customer is returned only once the customer is unfrozen', async () => {
  const taxId = newCustomer();
  const { json } = await shop.onramp(taxId, '100.00');
  await shop.reach(json.end2end, 'depositpix/QRCODE');
  await ask(
    `mutation { freezeCustomer(input: { account: "${shop.accountId}", taxId: "${taxId}", reason: "court order" }) { customerCase { id } errors { code } } }`,
  );
  await shop.pay(json.end2end, await app.services.forMode('live').clock.nowMs(), { amount: '60.00' });
  await shop.reach(json.end2end, 'depositpix/UNDERPAID');
  const jobs = await due(json.end2end, 'return_payment');
  await expect.poll(jobs).toMatchObject([{ last_error: expect.stringContaining('frozen') }]);
  await action('unfreezeCase', taxId);
  await action('unfreezeCase', taxId, second);
  await due(json.end2end, 'return_payment');
  await shop.reach(json.end2end, 'refund/INITIAL');
});
