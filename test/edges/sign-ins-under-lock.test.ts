/**
 * Goal: a passkey that was removed while its answer waited for the lock of the account lets nobody in, and the first passkey of a person
 * is the first one under the lock, too (C-40). A sign-out that was sent twice is one. Method: a passkey in software, and an account that is held until the state has changed.
 */
import { beforeEach, describe, expect, test } from 'vitest';
import { acceptLink } from '../../src/resolvers/people/links.ts';
import {
  confirm,
  confirmOptions,
  register,
  registrationOptions,
  relyingParty,
  signInByPasskey,
  signInOptions,
} from '../../src/resolvers/people/passkeys.ts';
import { signOut } from '../../src/resolvers/people/sessions.ts';
import { callerOfSession, type PersonCaller } from '../../src/resolvers/people/signed-in.ts';
import { useApp } from '../support/app.ts';
import { changedMeanwhile } from '../support/hold-accounts.ts';
import { inviteByOperator, type SignedInForTest, signInAs, tokenOf } from '../support/people.ts';
import { type SoftPasskey, softPasskey } from '../support/soft-passkey.ts';

const app = useApp({ rateLimit: null });
const DEVICE = { origin: { requestId: null, address: '127.0.0.1' }, userAgent: 'Test/1.0' };
let accountId: bigint;
let person: SignedInForTest;
let people = 0;

beforeEach(async () => {
  ({ accountId } = await app.addAccount());
  people += 1;
  person = await signInAs(app, accountId, { email: `p${people}@shop.invalid`, role: 'owner' });
});

const page = () => {
  const { origin, rpID: rpId } = relyingParty(app.services.publicUrl);
  return { origin, rpId };
};
const contextOf = async ({ token }: SignedInForTest) => ({
  ...app.services,
  caller: (await callerOfSession(app.database, token)) as PersonCaller,
  origin: DEVICE.origin,
});
const give = ({ id, publicKey }: SoftPasskey) =>
  app.owner.query(
    `insert into passkey (id, person_id, name, public_key, counter, transports, created_at) values ($1, $2, 'x', $3, 0, '{}', now())`,
    [id, person.personId, Buffer.from(publicKey, 'base64url')],
  );
const endSignIn = () =>
  app.owner.query('update person_session set revoked_at = now() where id = $1', [person.sessionId]);
const removeAll = () => app.owner.query('delete from passkey where person_id = $1', [person.personId]);
const countOf = async (table: 'passkey' | 'person_session') =>
  (await app.owner.query(`select count(*)::int as n from ${table} where person_id = $1`, [person.personId]))
    .rows[0].n as number;

/** See `changedMeanwhile`; on the account of these tests unless another is named. */
const meanwhile = <Result>(
  work: () => Promise<Result>,
  change: () => Promise<unknown>,
  at = accountId,
): Promise<Result> => changedMeanwhile(app.owner, at, work, change);

describe('C-40: a passkey that was removed while its answer waited', () => {
  test('signs nobody in', async () => {
    const passkey = softPasskey();
    await give(passkey);
    const { challenge } = await signInOptions(app.services);
    const signIn = () => signInByPasskey(app.services, passkey.answer(challenge, page()), DEVICE);
    await expect(meanwhile(signIn, removeAll)).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    expect(await countOf('person_session')).toBe(1);
  });

  test('confirms nothing', async () => {
    const passkey = softPasskey();
    await give(passkey);
    const context = await contextOf(person);
    const { challenge } = await confirmOptions(context);
    const present = () => confirm(context, passkey.answer(challenge, page()));
    await expect(meanwhile(present, removeAll)).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    expect((await contextOf(person)).caller.person.verifiedAt).toBeNull();
  });

  test('signs in where it stays', async () => {
    const passkey = softPasskey();
    await give(passkey);
    const { challenge } = await signInOptions(app.services);
    const signIn = () => signInByPasskey(app.services, passkey.answer(challenge, page()), DEVICE);
    expect(await meanwhile(signIn, async () => {})).toBeTruthy();
  });
});

test('C-40: a passkey that is not the first one any more needs a passkey', async () => {
  const passkey = softPasskey();
  const context = await contextOf(person);
  const { challenge } = await registrationOptions(context);
  const add = () => register(context, passkey.register(challenge, page()), 'late');
  const first = () => give(softPasskey());
  await expect(meanwhile(add, first)).rejects.toMatchObject({ code: 'STEP_UP_REQUIRED' });
  expect(await countOf('passkey')).toBe(1);
});

test('C-40: two first passkeys at once, in two accounts of the person', async () => {
  const other = await app.addAccount();
  await app.owner.query(
    `insert into membership (account_id, person_id, role, invited_by, invited_at, joined_at)
     values ($1, $2, 'owner', 'test', now(), now())`,
    [String(other.accountId), person.personId],
  );
  const one = await contextOf(person);
  const two = { ...one, caller: { ...one.caller, accountId: other.accountId } };
  const answers = await Promise.all(
    [one, two].map(async (context) => {
      const { challenge } = await registrationOptions(context);
      return () => register(context, softPasskey().register(challenge, page()), 'first');
    }),
  );
  const done = await Promise.allSettled(answers.map((add) => add()));
  expect(done.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  expect(await countOf('passkey')).toBe(1);
});

test('C-40: an invitation of a person with a role is not accepted in a browser whose sign-in was ended meanwhile', async () => {
  const other = await app.addAccount();
  const email = `p${people}@shop.invalid`;
  const { url } = await inviteByOperator(app.services, other.accountId, { email, role: 'owner' });
  const { caller } = await contextOf(person);
  const accept = () => acceptLink(app.services, tokenOf(url), DEVICE, caller);
  await expect(meanwhile(accept, endSignIn, other.accountId)).rejects.toMatchObject({
    code: 'FORBIDDEN',
  });
  expect(await countOf('person_session')).toBe(1);
});

test('a person who signs out twice at once signs out once', async () => {
  const context = await contextOf(person);
  await meanwhile(() => signOut(context), endSignIn);
  const { rows } = await app.owner.query(
    `select from audit_entry where actor_id = $1 and act = 'person.sign_out'`,
    [person.personId],
  );
  expect(rows).toEqual([]);
});
