/**
 * Goal: decisions of two people hold against one person with several keys, many callers at once, and access that ends while a decision waits
 * (C-25, C-40). Method: keys and people over GraphQL; a lock that the test holds.
 */
import type pg from 'pg';
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Scope } from '../../src/base/access/api-key.ts';
import { acceptLink } from '../../src/resolvers/people/links.ts';
import { callerOfSession } from '../../src/resolvers/people/signed-in.ts';
import { platformAccount } from '../../src/store/account/accounts.ts';
import { type Answer, useApp } from '../support/app.ts';
import { graphqlClient } from '../support/graphql-client.ts';
import { LIVE_RAILS } from '../support/live-rails.ts';
import { inviteByOperator, signInAs, tokenOf } from '../support/people.ts';
import { errorsIn } from '../support/refusals.ts';
import { whitelist } from '../support/rest-routes.ts';

const app = useApp({ rateLimit: null, liveRails: LIVE_RAILS });
const PERSON = { clientName: 'Ana Souza', clientTaxId: '52998224725' };
const ERRORS = 'errors { code message path }';
const PAYOUT = `mutation { createOfframp(input: { currency: "USDT_TRX", amount: { brl: "100" }, from: BALANCE, accept: true,
  pixKey: "ana@example.com", pixKeyType: EMAIL, clientName: "Ana", clientTaxId: "52998224725" }) { transaction { end2end } ${ERRORS} } }`;
const WHITELIST = 'grp_AAAAAAAAAAAAAAAA';
const approve = (end2end: string, name = 'approveMoneyOut') =>
  `mutation { ${name}(input: { end2end: "${end2end}" }) { transaction { component } ${ERRORS} } }`;
let shop: Awaited<ReturnType<typeof app.addAccount>>;
let platform: bigint;
const { ask, create, fund, refusal, trigger, until } = graphqlClient(app, () => shop.apiKey);

beforeAll(async () => {
  platform = await platformAccount(app.database, 'sandbox');
});
beforeEach(async () => {
  shop = await app.addAccount();
});

/** A key of the platform. */
interface Key {
  readonly id: string;
  readonly apiKey: string;
}

const keyOf = async (...scopes: Scope[]) => {
  const { apiKey, keyId } = await app.addKey(platform, ['read', ...scopes]);
  return { id: keyId, apiKey };
};
const madeBy = async (maker: { apiKey: string }, scope: string) => {
  const query = `mutation { createApiKey(input: { name: "own", scopes: ["${scope}", "read"] }) { issuedApiKey { apiKey key { keyId } } ${ERRORS} } }`;
  const { apiKey, key } = (await ask(query, {}, maker.apiKey)).createApiKey.issuedApiKey;
  return { id: key.keyId as string, apiKey: apiKey as string };
};

async function frozen(): Promise<string> {
  const input = { amount: { brl: '60.00' }, currency: 'USDT_TRX', ...PERSON };
  const { end2end } = (await create('createOnramp', input)).transaction;
  await trigger(end2end, 'hold');
  await trigger(end2end, 'pay');
  await until(end2end, 'compliance/UNCOMPLIANT');
  await app.owner.query(
    `update transaction set process = process || '{"isFrozen": true}' where end2end = $1`,
    [end2end],
  );
  return end2end;
}
const hold = (name: 'releaseHold' | 'rejectHold', end2end: string) =>
  `mutation { ${name}(input: { account: "${shop.accountId}", end2end: "${end2end}", reason: "checked" }) { transaction { component } ${ERRORS} } }`;
const listed = async (end2end: string, { apiKey }: { apiKey: string }) => {
  const { reviewCase, reviewEvidence } = await ask(
    `{ reviewEvidence(caseKey: "HOLD:${shop.accountId}:${end2end}") { secondPersonBar } reviewCase(caseKey: "HOLD:${shop.accountId}:${end2end}") { transaction { possibleActions(only: [RELEASE_HOLD]) { action } } } }`,
    {},
    apiKey,
  );
  return [reviewCase.transaction.possibleActions.length, reviewEvidence.secondPersonBar];
};
const releases = async (end2end: string) =>
  (
    await app.owner.query(
      `select actor_id as actor, maker from audit_entry where account_id = $1 and act = 'hold.release' and object_id = $2 order by seq`,
      [String(shop.accountId), end2end],
    )
  ).rows;

/** Waits until a decision waits for the lock that the test holds. */
const untilWaiting = () =>
  vi.waitFor(
    async () => {
      const { rows } = await app.owner.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      expect(rows.length).toBeGreaterThan(0);
    },
    { timeout: 20_000 },
  );

type Client = Pick<pg.PoolClient, 'query'>;

/** Sends a decision, and changes the database while the decision waits for the lock of an account. @returns the answer. */
async function whileWaiting(
  accountId: bigint,
  send: () => Promise<Answer>,
  change: (client: Client) => Promise<unknown>,
): Promise<Answer> {
  const client = await app.owner.connect();
  try {
    await client.query('begin');
    await client.query('select 1 from account_head where account_id = $1 for update', [String(accountId)]);
    let isAnswered = false;
    const answer = send();
    void answer.then(() => {
      isAnswered = true;
    });
    await untilWaiting();
    expect(isAnswered).toBe(false);
    await change(client);
    await client.query('commit');
    return await answer;
  } finally {
    client.release();
  }
}
const codeOf = ({ json }: Answer) => errorsIn(json)?.[0]?.extensions.code;

describe('a context on the account of the transaction', () => {
  test('a refusal does not offer the release to a key that the first person made', async () => {
    const first = await keyOf('platform:risk', 'admin');
    const [made, other] = [await madeBy(first, 'platform:risk'), await keyOf('platform:risk')];
    const end2end = await frozen();
    await ask(hold('releaseHold', end2end), {}, first.apiKey);
    const offered = async ({ apiKey }: { apiKey: string }) =>
      (await refusal(hold('rejectHold', end2end), {}, apiKey)).message;
    expect(await offered(first)).toContain('possible now: nothing');
    expect(await offered(made)).toContain('possible now: nothing');
    expect(await offered(other)).toContain('possible now: releaseHold');
    expect((await refusal(hold('releaseHold', end2end), {}, made.apiKey)).code).toBe('FORBIDDEN');
    await ask(hold('releaseHold', end2end), {}, other.apiKey);
  });

  test('a refusal does not offer the release to a newcomer of the platform', async () => {
    const [first, second] = [await keyOf('platform:risk'), await keyOf('platform:risk')];
    const end2end = await frozen();
    await ask(hold('releaseHold', end2end), {}, first.apiKey);
    const cool = (seconds: number) =>
      app.owner.query(
        `insert into account_setting (account_id, whitelist_cooling_seconds) values ($1, $2)
          on conflict (account_id) do update set whitelist_cooling_seconds = excluded.whitelist_cooling_seconds`,
        [String(platform), seconds],
      );
    await cool(3_600);
    try {
      expect(await listed(end2end, second)).toEqual([0, 'NEWCOMER']);
      expect((await refusal(hold('rejectHold', end2end), {}, second.apiKey)).message).toContain(
        'possible now: nothing',
      );
      expect((await refusal(hold('releaseHold', end2end), {}, second.apiKey)).code).toBe('FORBIDDEN');
    } finally {
      await cool(0);
    }
    expect(await listed(end2end, second)).toEqual([1, null]);
  });
});

describe('many at once', () => {
  test('one person with two keys releases nothing', async () => {
    const first = await keyOf('platform:risk', 'admin');
    const made = await madeBy(first, 'platform:risk');
    const end2end = await frozen();
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        app.graphql(hold('releaseHold', end2end), {}, { key: (index % 2 ? first : made).apiKey }),
      ),
    );
    expect(answers.filter(({ json }) => !errorsIn(json))).toHaveLength(1);
    expect(await releases(end2end)).toHaveLength(1);
    await until(end2end, 'compliance/UNCOMPLIANT');
  });

  test('a customer is unfrozen once', async () => {
    const keys = [await keyOf('platform:risk', 'admin'), await keyOf('platform:risk')] as const;
    const made = await madeBy(keys[0], 'platform:risk');
    const frozenBy = `mutation { freezeCustomer(input: { account: "${shop.accountId}", taxId: "${PERSON.clientTaxId}", reason: "x" }) { customerCase { caseId } ${ERRORS} } }`;
    const { caseId } = (await ask(frozenBy, {}, keys[0].apiKey)).freezeCustomer.customerCase;
    const unfreeze = `mutation { unfreezeCase(input: { caseId: "${caseId}", reason: "y" }) { customerCase { state } ${ERRORS} } }`;
    const together = async (of: readonly { apiKey: string }[]) =>
      (await Promise.all(of.map(({ apiKey: key }) => app.graphql(unfreeze, {}, { key })))).filter(
        ({ json }) => !errorsIn(json),
      ).length;
    expect(await together(Array.from({ length: 20 }, (_, index) => (index % 2 ? keys[0] : made)))).toBe(1);
    expect(await together(Array.from({ length: 20 }, () => keys[1]))).toBe(1);
    const { rows } = await app.owner.query(
      `select maker is not null as second from audit_entry where account_id = $1 and act = 'case.unfreeze' order by seq`,
      [String(shop.accountId)],
    );
    expect(rows.map(({ second }) => second)).toEqual([false, true]);
  });

  test('a journal is posted once, and not by one person with a key and the one that replaced it', async () => {
    const [first, second] = [await keyOf('platform:books', 'admin'), await keyOf('platform:books')];
    const proposed = await ask(
      `mutation { proposeJournal(input: { account: "${shop.accountId}", debit: "X.loss", credit: "A.pix", currency: "BRL", amount: "12.34", reason: "fee" }) { manualJournal { proposalId } ${ERRORS} } }`,
      {},
      first.apiKey,
    );
    const id = proposed.proposeJournal.manualJournal.proposalId;
    const approve = `mutation { approveJournal(input: { proposalId: "${id}" }) { manualJournal { state } ${ERRORS} } }`;
    const rotated = (
      await ask(
        `mutation { rotateApiKey(input: { keyId: "${first.id}", overlapSeconds: 0 }) { issuedApiKey { apiKey } ${ERRORS} } }`,
        {},
        first.apiKey,
      )
    ).rotateApiKey.issuedApiKey.apiKey;
    const barOf = async (key: string) =>
      (
        await ask('{ manualJournals(state: PROPOSED) { proposalId secondPersonBar } }', {}, key)
      ).manualJournals.find((each: { proposalId: string }) => each.proposalId === id).secondPersonBar;
    expect([await barOf(rotated), await barOf(second.apiKey)]).toEqual(['SAME_MAKER', null]);
    expect((await refusal(approve, {}, rotated)).code).toBe('FORBIDDEN');
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        app.graphql(approve, {}, { key: index % 2 ? second.apiKey : rotated }),
      ),
    );
    expect(answers.filter(({ json }) => !errorsIn(json))).toHaveLength(1);
    const { rows } = await app.owner.query('select count(*)::int as n from journal where ref = $1', [
      `manual:${id}`,
    ]);
    expect(rows[0].n).toBe(1);
  });
});

describe('a person on both platforms', () => {
  test('gets the bar of the mode of each, not of the one that was read first', async () => {
    const live = await platformAccount(app.database, 'live');
    const who = { email: 'both@platform.invalid', role: 'platform_finance' } as const;
    const inSandbox = await signInAs(app, platform, who);
    const { url, member } = await inviteByOperator(app.services, live, who);
    expect(member.id).toBe(inSandbox.personId);
    const token = await acceptLink(
      app.services,
      tokenOf(url),
      { origin: { requestId: null, address: '127.0.0.1' }, userAgent: 'Test/1.0' },
      await callerOfSession(app.database, inSandbox.token),
    );
    const headers = { cookie: `session=${token}`, 'sec-fetch-site': 'same-origin' };
    const inLive = {
      personId: member.id,
      graphql: (query: string) => app.post('/graphql', { query }, { key: null, headers }),
    };
    const firsts = [
      await app.addKey(platform, ['read', 'platform:books']),
      await app.addKey(live, ['read', 'platform:books']),
    ] as const;
    // As the second one invited the person to the live platform.
    await app.owner.query(
      'insert into invitation_maker (account_id, person_id, maker_id) values ($1, $2, $3)',
      [String(live), inLive.personId, firsts[1].keyId],
    );
    const ids = [];
    for (const { apiKey } of firsts)
      ids.push(
        (
          await ask(
            `mutation { bookCapital(input: { currency: "BRL", amount: "40", direction: IN }) { manualJournal { proposalId } ${ERRORS} } }`,
            {},
            apiKey,
          )
        ).bookCapital.manualJournal.proposalId,
      );
    const barOf = async (person: Pick<typeof inLive, 'graphql'>, id: string) => {
      const { json } = await person.graphql(
        '{ manualJournals(state: PROPOSED) { proposalId secondPersonBar } }',
      );
      expect(errorsIn(json), JSON.stringify(json)).toBeUndefined();
      return json.data.manualJournals.find((each: { proposalId: string }) => each.proposalId === id)
        .secondPersonBar;
    };
    expect(await barOf(inSandbox, ids[0])).toBeNull();
    await app.owner.query(
      `insert into passkey (id, person_id, name, public_key, counter, transports, created_at) values ($1, $1, 'x', '', 0, '{}', now())`,
      [inLive.personId],
    );
    await app.owner.query('update person_session set verified_at = now() where account_id = $1', [
      String(live),
    ]);
    const { json } = await inLive.graphql(
      `mutation { approveJournal(input: { proposalId: "${ids[1]}" }) { manualJournal { state } ${ERRORS} } }`,
    );
    expect(errorsIn(json)[0].extensions.code).toBe('FORBIDDEN');
    expect(await barOf(inLive, ids[1])).toBe('SAME_MAKER');
  });
});

describe('the access of the first', () => {
  test('lasts when the second decides: a release whose author is revoked while the second waits is not completed', async () => {
    const [first, second] = [await keyOf('platform:risk'), await keyOf('platform:risk')];
    const end2end = await frozen();
    await ask(hold('releaseHold', end2end), {}, first.apiKey);
    const answer = await whileWaiting(
      shop.accountId,
      () => app.graphql(hold('releaseHold', end2end), {}, { key: second.apiKey }),
      (client) => client.query('update api_key set revoked_at = now() where id = $1', [first.id]),
    );
    expect(codeOf(answer)).toBe('STEP_CONFLICT');
    expect(await listed(end2end, second)).toEqual([1, null]);
    await ask(hold('releaseHold', end2end), {}, second.apiKey);
    expect(await listed(end2end, second)).toEqual([0, 'SAME_MAKER']);
    await until(end2end, 'compliance/UNCOMPLIANT');
  });
});

describe('the access of the second', () => {
  /** Revokes the second key while its decision waits for the lock of an account. */
  const revokedWhileWaiting = (accountId: bigint, second: Key, query: string) =>
    whileWaiting(
      accountId,
      () => app.graphql(query, {}, { key: second.apiKey }),
      (client) => client.query('update api_key set revoked_at = now() where id = $1', [second.id]),
    );

  test('lasts when the second decides: a key that is revoked while it waits for the lock posts no journal', async () => {
    const [first, second] = [await keyOf('platform:books'), await keyOf('platform:books')];
    const booked = await ask(
      `mutation { bookCapital(input: { currency: "BRL", amount: "40", direction: IN }) { manualJournal { proposalId } ${ERRORS} } }`,
      {},
      first.apiKey,
    );
    const id = booked.bookCapital.manualJournal.proposalId;
    await revokedWhileWaiting(
      platform,
      second,
      `mutation { approveJournal(input: { proposalId: "${id}" }) { manualJournal { state } ${ERRORS} } }`,
    );
    const { rows } = await app.owner.query('select state from manual_journal where id = $1', [id]);
    expect(rows).toEqual([{ state: 'proposed' }]);
  });

  test('lasts when the second decides: a key that is revoked while it waits for the lock releases nothing', async () => {
    const [first, second] = [await keyOf('platform:risk'), await keyOf('platform:risk')];
    const end2end = await frozen();
    await ask(hold('releaseHold', end2end), {}, first.apiKey);
    await revokedWhileWaiting(shop.accountId, second, hold('releaseHold', end2end));
    expect(await releases(end2end)).toHaveLength(1);
  });

  test('is read under the lock of the platform, under which it ends', async () => {
    const [first, second] = [await keyOf('platform:risk'), await keyOf('platform:risk')];
    const end2end = await frozen();
    await ask(hold('releaseHold', end2end), {}, first.apiKey);
    expect(codeOf(await revokedWhileWaiting(platform, second, hold('releaseHold', end2end)))).toBe(
      'FORBIDDEN',
    );
    expect(await releases(end2end)).toHaveLength(1);
  });

  test.each([
    'approvalAbove: "0"',
    'outflowPerHour: "50"',
  ])('lasts when an approver of money out decides: a key that is revoked while it waits for the lock approves nothing (%s)', async (limit) => {
    await fund('USDT_TRX', '5000');
    await ask(`mutation { updateAccountSettings(input: { ${limit} }) { ${ERRORS} } }`);
    const { end2end } = (await ask(PAYOUT)).createOfframp.transaction;
    const { keyId: id, apiKey } = await app.addKey(shop.accountId, ['read', 'move']);
    expect(codeOf(await revokedWhileWaiting(shop.accountId, { id, apiKey }, approve(end2end)))).toBe(
      'FORBIDDEN',
    );
    const { rows } = await app.owner.query(
      `select t.process -> 'approval' -> 'by' as by, (select count(*)::int from audit_entry a
            where a.account_id = t.account_id and a.act = 'money_out.approve') as entries
          from transaction t where t.end2end = $1`,
      [end2end],
    );
    expect(rows).toEqual([{ by: [], entries: 0 }]);
  });

  test('lasts when money leaves: a key that is revoked while it waits for the lock sends nothing', async () => {
    await fund('USDT_TRX', '5000');
    const { keyId: id, apiKey } = await app.addKey(shop.accountId, ['read', 'move']);
    expect(codeOf(await revokedWhileWaiting(shop.accountId, { id, apiKey }, PAYOUT))).toBe('FORBIDDEN');
    const { rows } = await app.owner.query('select from transaction where account_id = $1', [
      String(shop.accountId),
    ]);
    expect(rows).toEqual([]);
  });

  test.each([
    `updateAccountSettings(input: { approvalAbove: null })`,
    `addWhitelistEntry(input: { groupId: "${WHITELIST}", target: { wallet: { network: "TRX", address: "TKN9umuf74bK4z4K5BSo2WiCDgzyxUtbsD" } } })`,
  ])('lasts when a protection is loosened: a key that is revoked while it waits for the lock changes nothing (%s)', async (mutation) => {
    await whitelist(app, shop.accountId, WHITELIST, []);
    await ask(
      `mutation { updateAccountSettings(input: { approvalAbove: "10", whitelistCoolingSeconds: 3600 }) { ${ERRORS} } }`,
    );
    const { keyId: id, apiKey } = await app.addKey(shop.accountId, ['read', 'move', 'admin']);
    const query = `mutation { ${mutation} { ${ERRORS} } }`;
    expect(codeOf(await revokedWhileWaiting(shop.accountId, { id, apiKey }, query))).toBe('FORBIDDEN');
    const { rows } = await app.owner.query(
      `select (select count(*)::int from setting_change where account_id = $1) as changes,
        (select count(*)::int from whitelist_entry where account_id = $1) as entries`,
      [String(shop.accountId)],
    );
    expect(rows).toEqual([{ changes: 0, entries: 0 }]);
  });

  test.each([
    ['removed', 'delete from membership where account_id = $1 and person_id = $2'],
    ['a developer', `update membership set role = 'developer' where account_id = $1 and person_id = $2`],
  ])('lasts when somebody is let in: an owner who is %s while they wait for the lock makes no key and invites no one', async (_how, end) => {
    const person = await signInAs(app, shop.accountId, {
      email: `in${shop.accountId}@shop.invalid`,
      role: 'owner',
    });
    const count = async () =>
      (
        await app.owner.query(
          `select (select count(*)::int from api_key where account_id = $1) as keys,
            (select count(*)::int from membership where account_id = $1 and person_id <> $2) as people`,
          [String(shop.accountId), person.personId],
        )
      ).rows;
    const before = await count();
    for (const query of [
      `mutation { createApiKey(input: { name: "own", scopes: ["read", "move"] }) { issuedApiKey { apiKey } ${ERRORS} } }`,
      `mutation { inviteMember(input: { name: "Ana", email: "ana${shop.accountId}@shop.invalid", role: FINANCE }) { invitation { url } ${ERRORS} } }`,
    ]) {
      const answer = await whileWaiting(
        shop.accountId,
        () => person.graphql(query),
        (client) => client.query(end, [String(shop.accountId), person.personId]),
      );
      expect(codeOf(answer)).toBe('FORBIDDEN');
      await app.owner.query(
        `insert into membership (account_id, person_id, role, invited_by, invited_at, joined_at) values ($1, $2, 'owner', 'x', now(), now())
          on conflict (account_id, person_id) do update set role = 'owner'`,
        [String(shop.accountId), person.personId],
      );
    }
    expect(await count()).toEqual(before);
  });

  const noOwner = [
    ['removed', 'delete from membership where account_id = $1 and person_id = $2'],
    ['an owner no more', `update membership set role = 'operator' where account_id = $1 and person_id = $2`],
  ] as const;

  test.each(
    noOwner,
  )('lasts when a role is freed of passkeys: one who is %s while they wait for the lock frees none', async (_how, end) => {
    const person = await signInAs(app, shop.accountId, {
      email: `free${shop.accountId}@shop.invalid`,
      role: 'owner',
    });
    const require = (roles: string) =>
      `mutation { updatePasskeyRoles(input: { roles: [${roles}] }) { passkeyRoles ${ERRORS} } }`;
    await ask(require('FINANCE'));
    const answer = await whileWaiting(
      shop.accountId,
      () => person.graphql(require('')),
      (client) => client.query(end, [String(shop.accountId), person.personId]),
    );
    expect(codeOf(answer)).toBe('FORBIDDEN');
    const { rows } = await app.owner.query('select passkey_roles as roles from account where id = $1', [
      String(shop.accountId),
    ]);
    expect(rows).toEqual([{ roles: ['finance'] }]);
  });

  test.each(
    noOwner,
  )('lasts when a person is confirmed: one who is %s while they wait for the lock confirms no one', async (_how, end) => {
    const own = (name: string) =>
      signInAs(app, shop.accountId, { email: `${name}${shop.accountId}@shop.invalid`, role: 'owner' });
    const [first, second] = [await own('first'), await own('second')];
    const invited = (
      await first.graphql(
        `mutation { inviteMember(input: { name: "Ana", email: "ana${shop.accountId}@shop.invalid", role: FINANCE }) { invitation { member { personId } } ${ERRORS} } }`,
      )
    ).json;
    expect(errorsIn(invited)).toBeUndefined();
    const { personId } = invited.data.inviteMember.invitation.member;
    const answer = await whileWaiting(
      shop.accountId,
      () =>
        second.graphql(
          `mutation { confirmMember(input: { personId: "${personId}" }) { member { isConfirmed } ${ERRORS} } }`,
        ),
      (client) => client.query(end, [String(shop.accountId), second.personId]),
    );
    expect(codeOf(answer)).toBe('FORBIDDEN');
    const { rows } = await app.owner.query(
      'select confirmed_at from invitation_maker where account_id = $1 and person_id = $2',
      [String(shop.accountId), personId],
    );
    expect(rows).toEqual([{ confirmed_at: null }]);
  });
});

describe('the maker in the audit log', () => {
  test('of a release is the first person, also if the second called before the first had released', async () => {
    const [first, second] = [await keyOf('platform:risk'), await keyOf('platform:risk')];
    const end2end = await frozen();
    const answer = await whileWaiting(
      shop.accountId,
      () => app.graphql(hold('releaseHold', end2end), {}, { key: second.apiKey }),
      // As a release of the first person stores it.
      (client) =>
        client.query(
          `update transaction set process = process || jsonb_build_object('release', jsonb_build_object('by', $2::text, 'reason', 'x'))
            where end2end = $1`,
          [end2end, first.id],
        ),
    );
    expect(errorsIn(answer.json)).toBeUndefined();
    expect(await releases(end2end)).toEqual([{ actor: second.id, maker: first.id }]);
  });

  test.each([
    'approveMoneyOut',
    'rejectMoneyOut',
  ])('of %s is who requested what is decided, not what the caller had read', async (mutation) => {
    await fund('USDT_TRX', '5000');
    await ask(`mutation { updateAccountSettings(input: { approvalAbove: "0" }) { ${ERRORS} } }`);
    const { end2end } = (await ask(PAYOUT)).createOfframp.transaction;
    const [maker, other] = [
      await app.addKey(shop.accountId, ['read', 'move']),
      await app.addKey(shop.accountId, ['read', 'move']),
    ];
    const answer = await whileWaiting(
      shop.accountId,
      () => app.graphql(approve(end2end, mutation), {}, { key: other.apiKey }),
      // As a rejection and another request of the same transaction store it.
      (client) =>
        client.query(
          `update transaction set process = jsonb_set(process::jsonb, '{approval,maker}', to_jsonb($2::text)) where end2end = $1`,
          [end2end, maker.keyId],
        ),
    );
    expect(errorsIn(answer.json)).toBeUndefined();
    const { rows } = await app.owner.query(
      `select actor_id as actor, maker from audit_entry where account_id = $1 and act like 'money_out.%'`,
      [String(shop.accountId)],
    );
    expect(rows).toEqual([{ actor: other.keyId, maker: maker.keyId }]);
  });
});

test('the audit log names the maker of a journal where it is approved, not where the maker is replaced', async () => {
  const keys = [await keyOf('platform:books'), await keyOf('platform:books'), await keyOf('platform:books')];
  const [first, second, third] = keys as [Key, Key, Key];
  const booked = await ask(
    `mutation { bookCapital(input: { currency: "BRL", amount: "40", direction: IN }) { manualJournal { proposalId } ${ERRORS} } }`,
    {},
    first.apiKey,
  );
  const id = booked.bookCapital.manualJournal.proposalId;
  const approveJournal = `mutation { approveJournal(input: { proposalId: "${id}" }) { manualJournal { state } ${ERRORS} } }`;
  await app.owner.query('update api_key set revoked_at = now() where id = $1', [first.id]);
  await ask(approveJournal, {}, second.apiKey);
  await ask(approveJournal, {}, third.apiKey);
  const { rows } = await app.owner.query(
    `select actor_id as actor, maker from audit_entry where account_id = $1 and act = 'journal.approve' and object_id = $2 order by seq`,
    [String(platform), id],
  );
  expect(rows).toEqual([
    { actor: second.id, maker: null },
    { actor: third.id, maker: second.id },
  ]);
});

describe('a proposer who was replaced', () => {
  const stray = async () => {
    const input = { amount: { brl: '60.00' }, currency: 'USDT_TRX', ...PERSON };
    const { end2end } = (await create('createOnramp', input)).transaction;
    await trigger(end2end, 'pay');
    await until(end2end, 'success/DONE');
    await trigger(end2end, 'pay');
    return (await ask('{ suspense { nodes { id: suspenseId } } }')).suspense.nodes[0].id as string;
  };
  const decide = (name: string, id: string, account: string) =>
    `mutation { ${name}(input: { suspenseId: "${id}", account: "${account}", reason: "x" }) { suspenseEntry { state } ${ERRORS} } }`;

  test('is not the maker of the credit in the audit log', async () => {
    const keys = [await keyOf('platform:risk'), await keyOf('platform:risk'), await keyOf('platform:risk')];
    const [first, then, last] = keys as [Key, Key, Key];
    const [id, account] = [await stray(), String((await app.addAccount()).accountId)];
    await ask(decide('assignSuspense', id, account), {}, first.apiKey);
    const answer = await whileWaiting(
      platform,
      () => app.graphql(decide('approveSuspense', id, account), {}, { key: last.apiKey }),
      // As a rejection and another proposal of the same account store it.
      (client) => client.query('update suspense_entry set proposed_by = $2 where id = $1', [id, then.id]),
    );
    expect(errorsIn(answer.json)).toBeUndefined();
    const { rows } = await app.owner.query(
      `select maker from audit_entry where account_id = $1 and act = 'suspense.approve' and object_id = $2`,
      [String(shop.accountId), id],
    );
    expect(rows).toEqual([{ maker: then.id }]);
  });

  test('is not the maker in the audit log of the person in their place', async () => {
    const keys = [await keyOf('platform:risk'), await keyOf('platform:risk'), await keyOf('platform:risk')];
    const [first, then, last] = keys as [Key, Key, Key];
    const [id, account] = [await stray(), String((await app.addAccount()).accountId)];
    await ask(decide('assignSuspense', id, account), {}, first.apiKey);
    await app.owner.query('update api_key set revoked_at = now() where id = $1', [first.id]);
    await ask(decide('approveSuspense', id, account), {}, then.apiKey);
    await ask(decide('approveSuspense', id, account), {}, last.apiKey);
    const { rows } = await app.owner.query(
      `select actor_id as actor, maker from audit_entry where account_id = $1 and act = 'suspense.approve' and object_id = $2 order by seq`,
      [String(shop.accountId), id],
    );
    expect(rows).toEqual([
      { actor: then.id, maker: null },
      { actor: last.id, maker: then.id },
    ]);
  });

  test('one person with two keys, and in the wrong order, credits nothing', async () => {
    const first = await keyOf('platform:risk', 'admin');
    const made = await madeBy(first, 'platform:risk');
    const [id, account] = [await stray(), String((await app.addAccount()).accountId)];
    expect((await refusal(decide('approveSuspense', id, account), {}, made.apiKey)).code).toBe(
      'STEP_CONFLICT',
    );
    await ask(decide('assignSuspense', id, account), {}, made.apiKey);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        app.graphql(decide('approveSuspense', id, account), {}, { key: (index % 2 ? first : made).apiKey }),
      ),
    );
    expect(answers.filter(({ json }) => !errorsIn(json))).toHaveLength(0);
  });
});

describe('a person who is invited again', () => {
  const price = () =>
    `mutation { updateTemplateSettings(input: { account: "${shop.accountId}", template: onramp, spread: "0", feeRate: "0" }) { templateSetting { spread proposedPrice { secondPersonBar } } ${ERRORS} } }`;
  const role = 'platform_finance' as const;

  test('is no second person for their own price, nor for that of a key they made before', async () => {
    const email = `again${shop.accountId}@platform.invalid`;
    const person = await signInAs(app, platform, { email, role });
    const key = await keyOf('platform:pricing');
    await app.owner.query('update api_key set made_by_person = $1 where id = $2', [person.personId, key.id]);
    await ask(price(), {}, key.apiKey);
    await app.owner.query('delete from membership where account_id = $1 and person_id = $2', [
      String(platform),
      person.personId,
    ]);
    const again = await signInAs(app, platform, { email, role });
    expect(again.personId).toBe(person.personId);
    const [refused] = errorsIn((await again.graphql(price())).json);
    expect(refused.extensions.code).toBe('FORBIDDEN');
    await app.owner.query("update api_key set expires_at = now() - interval '1 s' where id = $1", [key.id]);
    const taken = (await again.graphql(price())).json;
    expect(errorsIn(taken)).toBeUndefined();
    expect(taken.data.updateTemplateSettings.templateSetting).toEqual({
      spread: '0.01',
      proposedPrice: { secondPersonBar: 'SAME_MAKER' },
    });
    const other = await keyOf('platform:pricing');
    expect((await ask(price(), {}, other.apiKey)).updateTemplateSettings.templateSetting.spread).toBe('0');
  });
});

test('a price: one person with two keys at once sets nothing', async () => {
  const first = await keyOf('platform:pricing', 'admin');
  const made = await madeBy(first, 'platform:pricing');
  const query = `mutation { updateTemplateSettings(input: { account: "${shop.accountId}", template: onramp, spread: "0", feeRate: "0" }) { templateSetting { spread } ${ERRORS} } }`;
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      app.graphql(query, {}, { key: (index % 2 ? first : made).apiKey }),
    ),
  );
  expect(answers.filter(({ json }) => !errorsIn(json))).toHaveLength(1);
  const other = await keyOf('platform:pricing');
  expect((await ask(query, {}, other.apiKey)).updateTemplateSettings.templateSetting.spread).toBe('0');
});
