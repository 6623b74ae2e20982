/**
 * Goal: an owner decides of which roles a passkey is wanted for every action, and those people act with a fresh one alone, also in a sandbox
 * (C-40). Method: GraphQL as people of several roles, with sessions and passkeys as the database has them.
 */
import { beforeAll, expect, test } from 'vitest';
import { useApp } from '../support/app.ts';
import { type SignedInForTest, signInAs } from '../support/people.ts';
import { errorsIn } from '../support/refusals.ts';

const app = useApp();
let owner: SignedInForTest;
let developer: SignedInForTest;

const REQUIRE =
  'mutation ($roles: [MemberRole!]!) { updatePasskeyRoles(input: { roles: $roles }) { passkeyRoles errors { code message path } } }';
const CREATE =
  'mutation { createOnramp(input: { currency: "USDT_TRX", amount: { brl: "50" }, clientName: "Ana Souza", clientTaxId: "52998224725" }) { transaction { end2end } errors { code message path } } }';
const codeOf = async (person: SignedInForTest, query: string, variables?: Record<string, unknown>) => {
  const { json } = await person.graphql(query, variables);
  return errorsIn(json)?.[0]?.extensions.code;
};
const givePasskey = (personId: string) =>
  app.owner.query(
    `insert into passkey (id, person_id, name, public_key, counter, transports, created_at)
    values ($1, $1, 'k', '\\x00', 0, '{}', now())`,
    [personId],
  );
const show = (personId: string, ago: string) =>
  app.owner.query('update person_session set verified_at = now() - $2::interval where person_id = $1', [
    personId,
    ago,
  ]);

beforeAll(async () => {
  owner = await signInAs(app, app.accountId, { email: 'rita@shop.invalid', role: 'owner' });
  developer = await signInAs(app, app.accountId, { email: 'ivo@shop.invalid', role: 'developer' });
});

test('only an owner decides it, and it is in the audit log', async () => {
  expect(await codeOf(developer, REQUIRE, { roles: [] })).toBe('FORBIDDEN');
  expect(await codeOf(owner, REQUIRE, { roles: ['DEVELOPER'] })).toBeUndefined();
  const { json } = await owner.graphql('{ viewer { account { passkeyRoles } } }');
  expect(json.data.viewer.account.passkeyRoles).toEqual(['DEVELOPER']);
  const { rows } = await app.owner.query(
    `select after->>'passkeyRoles' as roles from audit_entry where act = 'passkey.require'`,
  );
  expect(rows).toEqual([{ roles: '["developer"]' }]);
});

test('C-40: people of the role read without a passkey, and act with a fresh one alone; others act as before', async () => {
  expect(await codeOf(developer, '{ viewer { account { name } } }')).toBeUndefined();
  expect(await codeOf(developer, CREATE)).toBe('STEP_UP_REQUIRED');
  expect(await codeOf(owner, CREATE)).toBeUndefined();
  await givePasskey(developer.personId);
  expect(await codeOf(developer, CREATE)).toBe('STEP_UP_REQUIRED');
  await show(developer.personId, '10 minutes');
  expect(await codeOf(developer, CREATE)).toBe('STEP_UP_REQUIRED');
  await show(developer.personId, '1 minute');
  expect(await codeOf(developer, CREATE)).toBeUndefined();
});

test('C-40: `possibleActions` says that people of the role need a passkey for each', async () => {
  await show(developer.personId, '10 minutes');
  const made = (await app.graphql(CREATE)).json.data.createOnramp.transaction;
  const listed = async (person: SignedInForTest) =>
    (
      await person.graphql(
        `{ transaction(end2end: "${made.end2end}") { possibleActions(only: [CANCEL]) { action needsPasskey } } }`,
      )
    ).json.data.transaction.possibleActions;
  expect(await listed(developer)).toEqual([{ action: 'CANCEL', needsPasskey: true }]);
  expect(await listed(owner)).toEqual([{ action: 'CANCEL', needsPasskey: false }]);
});

test('an action of the scope `read` needs no passkey, and keys are not people', async () => {
  await show(developer.personId, '10 minutes');
  const save =
    'mutation { saveView(input: { name: "mine", path: "/console" }) { savedView { name } errors { code message path } } }';
  expect(await codeOf(developer, save)).toBeUndefined();
  const { json } = await app.graphql(CREATE);
  expect(errorsIn(json)).toBeUndefined();
});

test('an owner who has bound owners without having a passkey is told to add one, and ends the rule with it', async () => {
  expect(await codeOf(owner, REQUIRE, { roles: ['OWNER'] })).toBeUndefined();
  expect(await codeOf(owner, REQUIRE, { roles: [] })).toBe('STEP_UP_REQUIRED');
  await givePasskey(owner.personId);
  await show(owner.personId, '1 minute');
  expect(await codeOf(owner, REQUIRE, { roles: [] })).toBeUndefined();
  expect(await codeOf(owner, CREATE)).toBeUndefined();
});

test('C-40: a key binds roles and frees none, because it has no passkey', async () => {
  const setByKey = async (roles: string[]) => errorsIn((await app.graphql(REQUIRE, { roles })).json)?.[0];
  expect(await setByKey(['DEVELOPER', 'FINANCE'])).toBeUndefined();
  expect(await setByKey(['FINANCE'])).toMatchObject({
    message: 'only an owner in person frees a role: developer',
    extensions: { code: 'FORBIDDEN' },
  });
  const { json } = await owner.graphql('{ viewer { account { passkeyRoles } } }');
  expect(json.data.viewer.account.passkeyRoles).toEqual(['DEVELOPER', 'FINANCE']);
  await show(owner.personId, '1 minute');
  expect(await codeOf(owner, REQUIRE, { roles: [] })).toBeUndefined();
});
