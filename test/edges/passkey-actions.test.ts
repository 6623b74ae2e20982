/**
 * Goal: each act of PASSKEY_ACTIONS is refused to a person who has a passkey and has not shown it (C-40), whatever it is asked about.
 * Method: the mutations of those acts, with arguments made
 * from the schema. `balance.pay_out` needs it out of the balance only: people.test.ts has its three mutations.
 */
import { beforeAll, expect, test } from 'vitest';
import { ACTIONS } from '../../src/base/access/actions.ts';
import { PASSKEY_ACTIONS } from '../../src/base/access/passkey-actions.ts';
import { platformAccount } from '../../src/store/account/accounts.ts';
import { useApp } from '../support/app.ts';
import { graphqlClient } from '../support/graphql-client.ts';
import { documentOf, MUTATIONS } from '../support/mutations.ts';
import { type SignedInForTest, signInAs } from '../support/people.ts';
import { errorsIn } from '../support/refusals.ts';

const app = useApp({ rateLimit: null });
const { create } = graphqlClient(app, () => app.apiKey);
let owner: SignedInForTest;
let operator: SignedInForTest;
let end2end: string;

beforeAll(async () => {
  const platform = await platformAccount(app.database, 'sandbox');
  owner = await signInAs(app, app.accountId, { email: 'rita@shop.invalid', role: 'owner' });
  operator = await signInAs(app, platform, { email: 'rui@gateway.invalid', role: 'platform_owner' });
  for (const { personId, sessionId } of [owner, operator]) {
    await app.owner.query(
      `insert into passkey (id, person_id, name, public_key, counter, transports, created_at)
        values ('key-of-' || $1::text, $1, 'Laptop', '', 0, '{}', now())`,
      [personId],
    );
    await app.owner.query('update person_session set verified_at = null where id = $1', [sessionId]);
  }
  ({ end2end } = (await create('createCheckout', { currency: 'USDT_TRX' })).transaction);
});

const ROWS = PASSKEY_ACTIONS.filter((action) => action !== 'balance.pay_out').flatMap((action) =>
  ACTIONS[action].mutations.map((mutation) => [action, mutation] as const),
);

test.each(ROWS)('%s: %s', async (action, mutation) => {
  const isOfPlatform = ACTIONS[action].scope.startsWith('platform:');
  const field = MUTATIONS.find(({ name }) => name === mutation);
  if (!field) throw new Error(`there is no mutation ${mutation}`);
  const known = { end2end, account: String(app.accountId) };
  const { json } = await (isOfPlatform ? operator : owner).graphql(documentOf(field, known));
  expect(errorsIn(json)?.[0]?.extensions.code, JSON.stringify(json)).toBe('STEP_UP_REQUIRED');
});
