/**
 * Goal: a decision that needs two people is made by two whose access lasts: the decision of a key or person whose access has ended
 * counts no more, and the next one counts as the first (C-25, C-40). Method: every kind of such a decision over HTTP by real keys
 * and people; the access of the first one ends before the second decides.
 */
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Scope } from '../../src/base/access/api-key.ts';
import type { Role } from '../../src/base/access/roles.ts';
import { acceptLink } from '../../src/resolvers/people/links.ts';
import { platformAccount } from '../../src/store/account/accounts.ts';
import { revokeOwnKey } from '../../src/store/account/api-keys.ts';
import { removeMembership, setRole } from '../../src/store/people/people.ts';
import { type Answer, useApp } from '../support/app.ts';
import { graphqlClient } from '../support/graphql-client.ts';
import { signInAs, tokenOf } from '../support/people.ts';
import { errorsIn } from '../support/refusals.ts';
import { GROUP, whitelist } from '../support/rest-routes.ts';

const app = useApp({ rateLimit: null });
const PERSON = { clientName: 'Ana Souza', clientTaxId: '52998224725' };
const PAYEE = { ...PERSON, pixKey: 'ana@example.com', pixKeyType: 'EMAIL' };
const ADDRESS = 'TKN9umuf74bK4z4K5BSo2WiCDgzyxUtbsD';
const ERRORS = 'errors { code message path }';
const PATIENCE = { timeout: 60_000 };
let shop: Awaited<ReturnType<typeof app.addAccount>>;
let platform: bigint;
let people = 0;
const { ask, create, fund, trigger, until, stepNow } = graphqlClient(app, () => shop.apiKey);

beforeAll(async () => {
  platform = await platformAccount(app.database, 'sandbox');
});
beforeEach(async () => {
  shop = await app.addAccount();
});

/** A key or a person that decides. */
interface Decider {
  readonly id: string;
  readonly graphql: (query: string) => Promise<Answer>;
}

const keyOf = async (accountId: bigint, ...scopes: Scope[]): Promise<Decider & { apiKey: string }> => {
  const { apiKey, keyId } = await app.addKey(accountId, scopes);
  return { id: keyId, apiKey, graphql: (query) => app.graphql(query, {}, { key: apiKey }) };
};
const personOf = async (accountId: bigint, role: Role): Promise<Decider> => {
  people += 1;
  const email = `p${people}-${accountId}@shop.invalid`;
  const { personId, graphql } = await signInAs(app, accountId, { email, role });
  return { id: personId, graphql };
};
const doneBy = async ({ graphql }: Decider, query: string) => {
  const { json } = await graphql(query);
  expect(errorsIn(json), JSON.stringify(json)).toBeUndefined();
  return json.data;
};
const codeOf = async ({ graphql }: Decider, query: string): Promise<string | undefined> =>
  errorsIn((await graphql(query)).json)?.[0].extensions.code;

/** A decision that the first decider has begun. */
interface Decision {
  /** The mutation of each further decider. */
  readonly decide: string;
  readonly isDone: () => Promise<boolean>;
}

/** A kind of decision that needs two people. */
interface Kind {
  readonly decider: () => Promise<Decider>;
  readonly begin: (first: Decider) => Promise<Decision>;
}

const ofPlatform = (scope: Scope) => () => keyOf(platform, 'read', scope);
const ofShop = () => keyOf(shop.accountId, 'read', 'move');
const limit = (input: string) => ask(`mutation { updateAccountSettings(input: { ${input} }) { ${ERRORS} } }`);
const countOf = async (sql: string, ...values: unknown[]) =>
  (await app.owner.query(sql, values)).rows[0].n as number;
const hasLeft = async () =>
  (await countOf(
    `select count(*)::int as n from money_out where account_id = $1 and state <> 'held'`,
    String(shop.accountId),
  )) > 0;

const PAYOUT = `mutation { createOfframp(input: { currency: "USDT_TRX", amount: { brl: "100" }, from: BALANCE, accept: true,
  pixKey: "ana@example.com", pixKeyType: EMAIL, clientName: "Ana", clientTaxId: "52998224725" }) { transaction { end2end } ${ERRORS} } }`;
const approve = (end2end: string, name = 'approveMoneyOut') =>
  `mutation { ${name}(input: { end2end: "${end2end}" }) { transaction { component } ${ERRORS} } }`;

/** A transaction of the shop that screening holds, as one of somebody sanctioned. */
async function frozen(): Promise<string> {
  const { end2end } = (
    await create('createOnramp', { amount: { brl: '60.00' }, currency: 'USDT_TRX', ...PERSON })
  ).transaction;
  await trigger(end2end, 'hold');
  await trigger(end2end, 'pay');
  await until(end2end, 'compliance/UNCOMPLIANT');
  await app.owner.query(
    `update transaction set process = process || '{"isFrozen": true}' where end2end = $1`,
    [end2end],
  );
  return end2end;
}

/** Money in suspense of the shop. @returns the id of its entry. */
async function stray(): Promise<string> {
  const input = { amount: { brl: '60.00' }, currency: 'USDT_TRX', ...PERSON };
  const { end2end } = (await create('createOnramp', input)).transaction;
  await trigger(end2end, 'pay');
  await until(end2end, 'success/DONE');
  await trigger(end2end, 'pay');
  return (await ask('{ suspense { nodes { id: suspenseId } } }')).suspense.nodes[0].id;
}

const journal = async (id: string): Promise<Decision> => ({
  decide: `mutation { approveJournal(input: { proposalId: "${id}" }) { manualJournal { state maker } ${ERRORS} } }`,
  isDone: async () =>
    (await countOf(
      `select count(*)::int as n from manual_journal where id = $1 and state = 'posted' and journal_id is not null`,
      id,
    )) === 1,
});

const KINDS: Readonly<Record<string, Kind>> = {
  'a payout above the threshold': {
    decider: ofShop,
    begin: async (first) => {
      await fund('USDT_TRX', '5000');
      await limit('approvalAbove: "0"');
      const { end2end } = (await doneBy(first, PAYOUT)).createOfframp.transaction;
      return { decide: approve(end2end), isDone: hasLeft };
    },
  },
  'a withdrawal above the threshold': {
    decider: ofShop,
    begin: async (first) => {
      await fund('USDT_TRX', '5000');
      await limit('approvalAbove: "0"');
      await whitelist(app, shop.accountId, GROUP, [{ network: 'TRX', target: ADDRESS }]);
      const { end2end } = (
        await doneBy(
          first,
          `mutation { createWithdrawal(input: { amountReceived: "20", currency: "USDT_TRX", groupId: "${GROUP}" }) { transaction { end2end } ${ERRORS} } }`,
        )
      ).createWithdrawal.transaction;
      return { decide: approve(end2end, 'approveWithdrawal'), isDone: hasLeft };
    },
  },
  'a payout above the ceiling': {
    decider: ofShop,
    begin: async (first) => {
      await fund('USDT_TRX', '5000');
      await limit('outflowPerHour: "50"');
      const { end2end } = (
        await create('createOfframp', {
          ...{ currency: 'USDT_TRX', amount: { brl: '100' }, from: 'BALANCE', accept: true },
          ...PAYEE,
        })
      ).transaction;
      await doneBy(first, approve(end2end));
      return { decide: approve(end2end), isDone: hasLeft };
    },
  },
  'the release of frozen money': {
    decider: ofPlatform('platform:risk'),
    begin: async (first) => {
      const end2end = await frozen();
      const decide = `mutation { releaseHold(input: { account: "${shop.accountId}", end2end: "${end2end}", reason: "checked" }) { transaction { component } ${ERRORS} } }`;
      await doneBy(first, decide);
      return { decide, isDone: async () => (await stepNow(end2end)) !== 'compliance/UNCOMPLIANT' };
    },
  },
  'the unfreezing of a customer': {
    decider: ofPlatform('platform:risk'),
    begin: async (first) => {
      const { freezeCustomer } = await doneBy(
        first,
        `mutation { freezeCustomer(input: { account: "${shop.accountId}", taxId: "${PERSON.clientTaxId}", reason: "court order" }) { customerCase { caseId } ${ERRORS} } }`,
      );
      const { caseId } = freezeCustomer.customerCase;
      const decide = `mutation { unfreezeCase(input: { caseId: "${caseId}", reason: "lifted" }) { customerCase { state } ${ERRORS} } }`;
      await doneBy(first, decide);
      const isDone = async () =>
        (await countOf(
          `select count(*)::int as n from customer_case where id = $1 and state <> 'frozen'`,
          caseId,
        )) === 1;
      return { decide, isDone };
    },
  },
  'money in suspense for another account': {
    decider: ofPlatform('platform:risk'),
    begin: async (first) => {
      const [id, other] = [await stray(), String((await app.addAccount()).accountId)];
      const named = (name: string) =>
        `mutation { ${name}(input: { suspenseId: "${id}", account: "${other}", reason: "checked" }) { suspenseEntry { state } ${ERRORS} } }`;
      await doneBy(first, named('assignSuspense'));
      const isDone = async () =>
        (await countOf(
          `select count(*)::int as n from journal where account_id = $1 and name in ('L38', 'L53')`,
          other,
        )) > 0;
      return { decide: named('approveSuspense'), isDone };
    },
  },
  'a manual journal': {
    decider: ofPlatform('platform:books'),
    begin: async (first) =>
      journal(
        (
          await doneBy(
            first,
            `mutation { proposeJournal(input: { account: "${shop.accountId}", debit: "X.loss", credit: "A.pix", currency: "BRL", amount: "12.34", reason: "a bank fee" }) { manualJournal { proposalId } ${ERRORS} } }`,
          )
        ).proposeJournal.manualJournal.proposalId,
      ),
  },
  capital: {
    decider: ofPlatform('platform:books'),
    begin: async (first) =>
      journal(
        (
          await doneBy(
            first,
            `mutation { bookCapital(input: { currency: "BRL", amount: "40", direction: IN }) { manualJournal { proposalId } ${ERRORS} } }`,
          )
        ).bookCapital.manualJournal.proposalId,
      ),
  },
  'a price without margin': { decider: ofPlatform('platform:pricing'), begin: (first) => price(first) },
  'the confirmation of a person': {
    decider: () => personOf(shop.accountId, 'owner'),
    begin: async (first) => {
      const { inviteMember } = await doneBy(
        first,
        `mutation { inviteMember(input: { name: "Ana", email: "ana${shop.accountId}@shop.invalid", role: FINANCE }) { invitation { member { personId } } ${ERRORS} } }`,
      );
      const { personId } = inviteMember.invitation.member;
      const isDone = async () =>
        (await countOf(
          'select count(*)::int as n from invitation_maker where account_id = $1 and person_id = $2 and confirmed_at is null',
          String(shop.accountId),
          personId,
        )) === 0;
      return {
        decide: `mutation { confirmMember(input: { personId: "${personId}" }) { member { isConfirmed } ${ERRORS} } }`,
        isDone,
      };
    },
  },
};

async function price(first: Decider): Promise<Decision> {
  const decide = `mutation { updateTemplateSettings(input: { account: "${shop.accountId}", template: onramp, spread: "0", feeRate: "0" }) { templateSetting { spread } ${ERRORS} } }`;
  await doneBy(first, decide);
  const isDone = async () => {
    const { viewer } = await ask('{ viewer { account { templateSettings { template spread } } } }');
    return viewer.account.templateSettings.some(
      ({ template, spread }: { template: string; spread: string }) => template === 'onramp' && spread === '0',
    );
  };
  return { decide, isDone };
}

const end = async ({ id }: Decider) => {
  for (const account of [platform, shop.accountId]) {
    await revokeOwnKey(app.database, account, id, new Date());
    await removeMembership(app.database, account, id);
  }
};

describe('C-25: a decision of two, of whom the first has no access any more, is made by two others', () => {
  test.each(Object.entries(KINDS))('%s', async (_name, { decider, begin }) => {
    const [first, second, third] = [await decider(), await decider(), await decider()];
    const { decide, isDone } = await begin(first);
    await end(first);
    await doneBy(second, decide);
    expect(await isDone()).toBe(false);
    expect(['FORBIDDEN', 'STEP_CONFLICT']).toContain(await codeOf(second, decide));
    expect(await isDone()).toBe(false);
    await doneBy(third, decide);
    await vi.waitFor(async () => expect(await isDone()).toBe(true), PATIENCE);
  });
});

describe('C-25: the number of approvals that money out still needs', () => {
  test.each([
    'a payout above the threshold',
    'a withdrawal above the threshold',
    'a payout above the ceiling',
  ])('%s is exact after the access of the first person has ended', async (name) => {
    const { decider, begin } = KINDS[name] as Kind;
    const [first, second, third] = [await decider(), await decider(), await decider()];
    const needed = async () =>
      (await doneBy(third, '{ approvals { approvalsNeeded } }')).approvals.map(
        (each: { readonly approvalsNeeded: number }) => each.approvalsNeeded,
      );
    const { decide, isDone } = await begin(first);
    expect(await needed()).toEqual([1]);
    await end(first);
    expect(await needed()).toEqual([2]);
    await doneBy(second, decide);
    expect(await needed()).toEqual([1]);
    await doneBy(third, decide);
    await vi.waitFor(async () => expect(await isDone()).toBe(true), PATIENCE);
    expect(await needed()).toEqual([]);
  });
});

describe('C-25: a decision of two whose access lasts is made by the second', () => {
  test.each(Object.entries(KINDS))('%s', async (_name, kind) => {
    const [first, second] = [await kind.decider(), await kind.decider()];
    const { decide, isDone } = await kind.begin(first);
    await doneBy(second, decide);
    await vi.waitFor(async () => expect(await isDone()).toBe(true), PATIENCE);
  });
});

describe('C-40: a decision of two is not made by the second if the first let the second in', () => {
  test.each(Object.entries(KINDS))('%s', async (_name, kind) => {
    const [first, second, third] = [await kind.decider(), await kind.decider(), await kind.decider()];
    const { decide, isDone } = await kind.begin(first);
    // As `createApiKey` and `inviteMember` of the first decider store it.
    await app.owner.query('update api_key set made_by = $1 where id = $2', [first.id, second.id]);
    if (second.id.startsWith('per_'))
      await app.owner.query(
        'insert into invitation_maker (account_id, person_id, maker_id) values ($1, $2, $3)',
        [String(shop.accountId), second.id, first.id],
      );
    expect(await codeOf(second, decide)).toBe('FORBIDDEN');
    expect(await isDone()).toBe(false);
    await doneBy(third, decide);
    await vi.waitFor(async () => expect(await isDone()).toBe(true), PATIENCE);
  });
});

describe('C-40: access ends', () => {
  const member = () => personOf(platform, 'platform_finance');
  const key = () => keyOf(platform, 'read', 'platform:pricing', 'admin');
  const expire = ({ id }: Decider) =>
    app.owner.query(`update api_key set expires_at = now() - interval '1 second' where id = $1`, [id]);
  const rotate = async (old: Decider) => {
    const query = `mutation { rotateApiKey(input: { keyId: "${old.id}", overlapSeconds: 0 }) { issuedApiKey { key { keyId } } ${ERRORS} } }`;
    return (await doneBy(old, query)).rotateApiKey.issuedApiKey.key.keyId as string;
  };
  const ways: readonly (readonly [
    string,
    () => Promise<Decider>,
    (first: Decider) => Promise<unknown>,
    boolean,
  ])[] = [
    ['with the revocation of a key', key, end, true],
    ['with the expiry of a key', key, expire, true],
    ['with the removal of a person', member, end, true],
    [
      'with a role that may not decide',
      member,
      ({ id }) => setRole(app.database, platform, id, 'platform_risk'),
      true,
    ],
    [
      'with an invitation anew, until the person has accepted it',
      member,
      ({ id }) =>
        app.owner.query('update membership set joined_at = null where account_id = $1 and person_id = $2', [
          String(platform),
          id,
        ]),
      true,
    ],
    ['not with the replacement of a key', key, rotate, false],
    [
      'with the revocation of the key that replaced it',
      key,
      async (first) => revokeOwnKey(app.database, platform, await rotate(first), new Date()),
      true,
    ],
  ];
  test.each(ways)('%s', async (_name, decider, change, isEnded) => {
    const [first, second] = [await decider(), await keyOf(platform, 'read', 'platform:pricing')];
    const { decide, isDone } = await price(first);
    await change(first);
    await doneBy(second, decide);
    expect(await isDone()).toBe(!isEnded);
  });
});

describe('C-40: money out stays its maker’s when the access of the maker has ended', () => {
  let maker: Awaited<ReturnType<typeof signInAs>>;
  const email = () => `maker${shop.accountId}@shop.invalid`;
  const owner = () => personOf(shop.accountId, 'owner');
  const device = { origin: { requestId: null, address: '127.0.0.1' }, userAgent: 'Test/1.0' };
  const invite = async (by: Decider, to: string): Promise<Decider> => {
    const { url, member } = (
      await doneBy(
        by,
        `mutation { inviteMember(input: { name: "x", email: "${to}", role: FINANCE }) { invitation { url member { personId } } ${ERRORS} } }`,
      )
    ).inviteMember.invitation;
    const token = await acceptLink(app.services, tokenOf(url), device, undefined);
    const headers = { cookie: `session=${token}`, 'sec-fetch-site': 'same-origin' };
    return {
      id: member.personId,
      graphql: (query) => app.post('/graphql', { query }, { key: null, headers }),
    };
  };
  const remove = (by: Decider, personId: string) =>
    doneBy(
      by,
      `mutation { removeMember(input: { personId: "${personId}" }) { member { email } ${ERRORS} } }`,
    );

  beforeEach(async () => {
    await fund('USDT_TRX', '5000');
    await limit('approvalAbove: "0"');
    maker = await signInAs(app, shop.accountId, { email: email(), role: 'owner' });
  });

  test('and was invited again', async () => {
    const other = await owner();
    const asDecider = { id: maker.personId, graphql: maker.graphql };
    const { end2end } = (await doneBy(asDecider, PAYOUT)).createOfframp.transaction;
    await remove(other, maker.personId);
    const again = await invite(other, email());
    expect(again.id).toBe(maker.personId);
    expect(await codeOf(again, approve(end2end))).toBe('FORBIDDEN');
    expect(await hasLeft()).toBe(false);
  });

  test('for keys that the maker made, people whom the maker invited, and whoever these let in', async () => {
    const other = await owner();
    const asDecider = { id: maker.personId, graphql: maker.graphql };
    const { end2end } = (await doneBy(asDecider, PAYOUT)).createOfframp.transaction;
    const { issuedApiKey } = (
      await doneBy(
        asDecider,
        `mutation { createApiKey(input: { name: "mine", scopes: ["read", "move", "admin"] }) { issuedApiKey { apiKey key { keyId } } ${ERRORS} } }`,
      )
    ).createApiKey;
    const key: Decider = {
      id: issuedApiKey.key.keyId,
      graphql: (query) => app.graphql(query, {}, { key: issuedApiKey.apiKey }),
    };
    const invited = await invite(asDecider, `invited${shop.accountId}@shop.invalid`);
    const byKey = await invite(key, `by-key${shop.accountId}@shop.invalid`);
    await remove(other, maker.personId);
    for (const each of [key, invited, byKey]) expect(await codeOf(each, approve(end2end))).toBe('FORBIDDEN');
    // Nor does an invitation by another owner free the person from the one before.
    await remove(other, invited.id);
    const again = await invite(other, `invited${shop.accountId}@shop.invalid`);
    expect(await codeOf(again, approve(end2end))).toBe('FORBIDDEN');
    expect(await hasLeft()).toBe(false);
  });
});
