/** Acts on what an account has: its whitelist, keys, payment links, people, customers, views, and play money. */

import { expect } from 'vitest';
import { operatorContext } from '../../../src/cli/with-store.ts';
import { acceptLink, makeSignInLink } from '../../../src/resolvers/people/links.ts';
import { callerOfSession } from '../../../src/resolvers/people/signed-in.ts';
import { signInAs, tokenOf } from '../../support/people.ts';
import { errorsIn } from '../../support/refusals.ts';
import type { ActRow } from './row.ts';
import { customer, type Person, type Stage, WALLET } from './stage.ts';

const WHITELIST = '/console/whitelist';
const DEVELOPERS = '/console/developers';
const PEOPLE = '/console/people';
const LINKS = '/console/new?kind=link';
const DEVICE = { origin: { requestId: null, address: '127.0.0.1' }, userAgent: 'Test/1.0' };

async function group({ ask }: Stage, name: string): Promise<string> {
  return (
    await ask(
      `mutation { createWhitelistGroup(input: { name: "${name}" }) { whitelistGroup { id: groupId } errors { code message path } } }`,
    )
  ).createWhitelistGroup.whitelistGroup.id;
}

async function entry(stage: Stage, name: string): Promise<string> {
  const groupId = await group(stage, name);
  const input = `label: "Vault", target: { wallet: { network: "TRX", address: "${WALLET}" } }`;
  const {
    addWhitelistEntry: { whitelistEntry: addWhitelistEntry },
  } = await stage.ask(
    `mutation { addWhitelistEntry(input: { groupId: "${groupId}", ${input} }) { whitelistEntry { id: entryId } errors { code message path } } }`,
  );
  return addWhitelistEntry.id;
}

/** The groups of the whitelist of this name. */
async function groupsNamed({ ask }: Stage, name: string) {
  const { viewer } = await ask(
    '{ viewer { account { whitelistGroups { id: groupId name entries { id: entryId label target isProven } } } } }',
  );
  return viewer.account.whitelistGroups.filter((each: { name: string }) => each.name === name);
}

async function entriesOf(stage: Stage, name: string) {
  return (await groupsNamed(stage, name))[0].entries;
}

/** A proof as the page of the signer makes it. */
const PROOF = { id: 'made-at-the-signer', expiresAt: '2030-01-02T03:04:05Z' };

async function prove({ ask }: Stage, id: string): Promise<void> {
  const proof = `{ id: "${PROOF.id}", expiresAt: "${PROOF.expiresAt}" }`;
  await ask(
    `mutation { addWhitelistProof(input: { entryId: "${id}", proof: ${proof} }) { whitelistEntry { id: entryId } errors { code message path } } }`,
  );
}

async function key({ ask }: Stage, name: string): Promise<{ apiKey: string; keyId: string }> {
  const {
    createApiKey: { issuedApiKey: createApiKey },
  } = await ask(
    `mutation { createApiKey(input: { name: "${name}", scopes: ["read"] }) { issuedApiKey { apiKey key { keyId } } errors { code message path } } }`,
  );
  return { apiKey: createApiKey.apiKey, keyId: createApiKey.key.keyId };
}

/** The status with which the key is answered. */
const knock = async ({ app }: Stage, apiKey: string) =>
  (await app.get('/v2/balance', { key: apiKey })).status;

async function link({ ask }: Stage, name: string): Promise<string> {
  const input = `{ name: "${name}", currency: "USDT_TRX", amount: "80" }`;
  return (
    await ask(
      `mutation { createStaticLink(input: ${input}) { staticLink { slug } errors { code message path } } }`,
    )
  ).createStaticLink.staticLink.slug;
}

async function linkNamed({ ask }: Stage, name: string) {
  const { viewer } = await ask('{ viewer { account { staticLinks { name slug url disabledAt } } } }');
  return viewer.account.staticLinks.find((each: { name: string }) => each.name === name);
}

async function guest({ ask }: Stage, mark: string): Promise<string> {
  return (await ask(invitationOf(mark))).inviteMember.invitation.member.personId;
}

/** Someone whom the people of the stage may confirm: keys that they rotate make them one maker with the key that invites. */
async function guestOfAnotherOwner({ app }: Stage, mark: string): Promise<string> {
  const owner = await signInAs(app, app.accountId, { email: `owner-${mark}@guests.invalid`, role: 'owner' });
  return (await owner.graphql(invitationOf(mark))).json.data.inviteMember.invitation.member.personId;
}

const invitationOf = (mark: string) =>
  `mutation { inviteMember(input: { name: "Leo ${mark}", email: "${mark}@guests.invalid", role: VIEWER }) { invitation { member { personId } } errors { code message path } } }`;

async function memberOf({ ask }: Stage, mark: string) {
  const { members } = await ask('{ members { personId email role isConfirmed } }');
  return members.find(({ email }: { email: string }) => email === `${mark}@guests.invalid`);
}

/** Another browser in which the person is signed in. */
async function otherSession({ app }: Stage, { email }: Person) {
  const { url } = await makeSignInLink(await operatorContext(app.services, app.accountId), email);
  const token = await acceptLink(app.services, tokenOf(url), DEVICE, undefined);
  const caller = await callerOfSession(app.database, token);
  return { token, sessionId: caller?.person.sessionId ?? '' };
}

/** Asks as the person who is signed in at the browser. */
export async function askAs({ app }: Stage, { page }: Person, query: string, variables: object = {}) {
  const session = (await page.context().cookies()).find(({ name }) => name === 'session');
  const headers = { cookie: `session=${session?.value}`, 'sec-fetch-site': 'same-origin' };
  const { json } = await app.post('/graphql', { query, variables }, { key: null, headers });
  expect(errorsIn(json)).toBeUndefined();
  return json.data;
}

async function savedViews(stage: Stage, person: Person) {
  const { viewer } = await askAs(stage, person, '{ viewer { person { savedViews { name path } } } }');
  return viewer.person.savedViews;
}

/** A customer whom an onramp names. */
async function named({ create }: Stage): Promise<string> {
  const who = customer();
  await create('createOnramp', { ...who, currency: 'USDT_TRX', amount: { brl: '50' } });
  return who.clientTaxId;
}

const WHITELIST_ROWS: readonly ActRow[] = [
  {
    act: 'CreateWhitelistGroup',
    who: 'shop',
    begin: async (stage, { mark }) => ({
      path: WHITELIST,
      typed: { name: mark },
      seen: mark,
      check: async () => expect(await groupsNamed(stage, mark)).toHaveLength(1),
    }),
  },
  {
    act: 'AddWhitelistEntry',
    who: 'shop',
    begin: async (stage, { mark }) => ({
      path: WHITELIST,
      given: { groupId: await group(stage, mark) },
      typed: { label: `To ${mark}`, network: 'TRX', address: WALLET },
      seen: `To ${mark}`,
      check: async () =>
        expect(await entriesOf(stage, mark)).toEqual([
          expect.objectContaining({ label: `To ${mark}`, target: WALLET }),
        ]),
    }),
  },
  {
    act: 'RemoveWhitelistEntry',
    who: 'shop',
    begin: async (stage, { mark }) => {
      const id = await entry(stage, mark);
      return {
        path: WHITELIST,
        given: { id },
        object: id,
        check: async () => expect(await entriesOf(stage, mark)).toEqual([]),
      };
    },
  },
  {
    act: 'AddWhitelistProof',
    who: 'shop',
    begin: async (stage, { mark }) => {
      const id = await entry(stage, mark);
      const query = new URLSearchParams({ entry: id, proof: PROOF.id, until: PROOF.expiresAt });
      return {
        path: `${WHITELIST}?${query}`,
        given: { id, proofId: PROOF.id, expiresAt: PROOF.expiresAt },
        object: id,
        seen: 'proven until',
        check: async () =>
          expect(await entriesOf(stage, mark)).toEqual([expect.objectContaining({ id, isProven: true })]),
      };
    },
  },
  {
    act: 'WithdrawWhitelistProof',
    who: 'shop',
    begin: async (stage, { mark }) => {
      const id = await entry(stage, mark);
      await prove(stage, id);
      return {
        path: WHITELIST,
        given: { id },
        object: id,
        check: async () =>
          expect(await entriesOf(stage, mark)).toEqual([expect.objectContaining({ id, isProven: false })]),
      };
    },
  },
];

const KEY_ROWS: readonly ActRow[] = [
  {
    act: 'CreateApiKey',
    who: 'shop',
    begin: async (stage, { mark }) => ({
      path: DEVELOPERS,
      typed: { name: mark, scopes: ['read', 'create'] },
      seen: 'Save your API key',
      isShownOnce: true,
      check: async (shown) => {
        expect(await knock(stage, shown)).toBe(200);
        const { apiKeys } = await stage.ask('{ apiKeys { name scopes } }');
        expect(apiKeys).toContainEqual({ name: mark, scopes: ['read', 'create'] });
      },
    }),
  },
  {
    act: 'RotateApiKey',
    who: 'shop',
    begin: async (stage, { mark }) => {
      const { apiKey, keyId } = await key(stage, mark);
      return {
        path: DEVELOPERS,
        given: { keyId },
        object: keyId,
        seen: 'Save your API key',
        isShownOnce: true,
        check: async (shown) => {
          expect(shown).not.toBe(apiKey);
          expect([await knock(stage, shown), await knock(stage, apiKey)]).toEqual([200, 200]);
        },
      };
    },
  },
  {
    act: 'RevokeApiKey',
    who: 'shop',
    begin: async (stage, { mark }) => {
      const { apiKey, keyId } = await key(stage, mark);
      return {
        path: DEVELOPERS,
        given: { keyId },
        object: keyId,
        seen: 'Revoked',
        check: async () => expect(await knock(stage, apiKey)).toBe(401),
      };
    },
  },
];

const LINK_ROWS: readonly ActRow[] = [
  {
    act: 'CreateStaticLink',
    who: 'shop',
    begin: async (stage, { mark }) => ({
      path: LINKS,
      typed: { name: mark, amount: '80', currency: 'USDT_TRX' },
      seen: mark,
      check: async () => expect(await linkNamed(stage, mark)).toMatchObject({ disabledAt: null }),
    }),
  },
  {
    act: 'DisableStaticLink',
    who: 'shop',
    begin: async (stage, { mark }) => {
      const slug = await link(stage, mark);
      return {
        path: LINKS,
        given: { slug },
        object: slug,
        seen: 'Inactive',
        check: async () => {
          const { url, disabledAt } = await linkNamed(stage, mark);
          expect([disabledAt, (await fetch(url, { redirect: 'manual' })).status]).toEqual([
            expect.any(String),
            404,
          ]);
        },
      };
    },
  },
];

const PEOPLE_ROWS: readonly ActRow[] = [
  {
    act: 'InviteMember',
    who: 'shop',
    begin: async (stage, { mark }) => ({
      path: PEOPLE,
      typed: { name: `Leo ${mark}`, email: `${mark}@guests.invalid`, role: 'VIEWER' },
      seen: 'Invitation link for Leo',
      isShownOnce: true,
      check: async (shown) => {
        expect(await memberOf(stage, mark)).toMatchObject({ role: 'VIEWER' });
        expect(await (await fetch(shown)).text()).toContain(`Leo ${mark}`);
      },
    }),
  },
  {
    act: 'ChangeMemberRole',
    who: 'shop',
    begin: async (stage, { mark }) => {
      const personId = await guest(stage, mark);
      return {
        path: PEOPLE,
        given: { personId },
        typed: { role: 'FINANCE' },
        object: personId,
        check: async () => expect(await memberOf(stage, mark)).toMatchObject({ role: 'FINANCE' }),
      };
    },
  },
  {
    act: 'ConfirmMember',
    who: 'shop',
    begin: async (stage, { mark }) => {
      const personId = await guestOfAnotherOwner(stage, mark);
      return {
        path: PEOPLE,
        given: { personId },
        object: personId,
        check: async () => expect(await memberOf(stage, mark)).toMatchObject({ isConfirmed: true }),
      };
    },
  },
  {
    act: 'RemoveMember',
    who: 'shop',
    begin: async (stage, { mark }) => {
      const personId = await guest(stage, mark);
      return {
        path: PEOPLE,
        given: { personId },
        object: personId,
        check: async () => expect(await memberOf(stage, mark)).toBeUndefined(),
      };
    },
  },
  {
    act: 'RevokeSession',
    who: 'shop',
    begin: async (stage, { way }) => {
      const { token, sessionId } = await otherSession(stage, stage.person('shop', way));
      return {
        path: PEOPLE,
        given: { sessionId },
        object: sessionId,
        check: async () => expect(await callerOfSession(stage.app.database, token)).toBeUndefined(),
      };
    },
  },
];

const PATH_OF_VIEW = '/console/transactions?status=SUCCESS';

const VIEW_ROWS: readonly ActRow[] = [
  {
    act: 'SaveView',
    who: 'shop',
    begin: async (stage, { mark, way }) => ({
      path: PATH_OF_VIEW,
      typed: { name: mark },
      check: async () =>
        expect(await savedViews(stage, stage.person('shop', way))).toContainEqual({
          name: mark,
          path: PATH_OF_VIEW,
        }),
    }),
  },
  {
    act: 'RemoveView',
    who: 'shop',
    begin: async (stage, { way, mark: name }) => {
      const person = stage.person('shop', way);
      const save =
        'mutation ($name: String!, $path: String!) { saveView(input: { name: $name, path: $path }) { savedView { name } errors { code message path } } }';
      await askAs(stage, person, save, { name, path: PATH_OF_VIEW });
      return {
        path: PATH_OF_VIEW,
        given: { name },
        check: async () =>
          expect(await savedViews(stage, person)).not.toContainEqual(expect.objectContaining({ name })),
      };
    },
  },
];

const OTHER_ROWS: readonly ActRow[] = [
  {
    act: 'UpdateCustomer',
    who: 'shop',
    begin: async (stage) => {
      const taxId = await named(stage);
      return {
        path: `/console/customers?q=${taxId}`,
        given: { taxId },
        typed: { limitDaily: '432.10' },
        seen: '432.10',
        check: async () => {
          const { customer: found } = await stage.ask(`{ customer(taxId: "${taxId}") { limitDaily } }`);
          expect(found).toEqual({ limitDaily: '432.1' });
        },
      };
    },
  },
  {
    act: 'SandboxFund',
    who: 'shop',
    begin: async ({ ask }) => {
      const available = async () => {
        const { balances } = await ask('{ balances { available currency { code } } }');
        const all = balances as { available: string; currency: { code: string } }[];
        return Number(all.find(({ currency: { code } }) => code === 'USDC_BASE')?.available ?? 0);
      };
      const before = await available();
      return {
        path: DEVELOPERS,
        typed: { currency: 'USDC_BASE', amount: '12' },
        check: async () => expect(await available()).toBe(before + 12),
      };
    },
  },
];

/** The rows. */
export const ACCOUNT_ROWS: readonly ActRow[] = [
  ...WHITELIST_ROWS,
  ...KEY_ROWS,
  ...LINK_ROWS,
  ...PEOPLE_ROWS,
  ...VIEW_ROWS,
  ...OTHER_ROWS,
];
