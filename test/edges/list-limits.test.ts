/** Goal: what is listed whole has a maximum, so that no list grows without end (C-50). Method: accounts that are one below it. */
import { expect, test } from 'vitest';
import { API_KEYS_MAX } from '../../src/resolvers/account/manage-keys.ts';
import { STATIC_LINKS_MAX } from '../../src/resolvers/payer/manage-links.ts';
import { MEMBERS_MAX } from '../../src/resolvers/people/members.ts';
import { PASSKEYS_MAX } from '../../src/resolvers/people/passkeys.ts';
import { WHITELIST_MAX } from '../../src/resolvers/settings/manage-whitelist.ts';
import { CAME_ENDPOINTS_LISTED, ENDPOINTS_MAX } from '../../src/resolvers/webhooks/manage-webhooks.ts';
import { WAITING_CHANGES_MAX } from '../../src/store/account/setting-changes.ts';
import { SESSIONS_LISTED } from '../../src/store/people/person-sessions.ts';
import { useApp } from '../support/app.ts';
import { graphqlClient, parametersOf } from '../support/graphql-client.ts';
import { signInAs } from '../support/people.ts';

const app = useApp();
const { ask, refusal } = graphqlClient(app, () => app.apiKey);

const fill = (table: string, columns: string, values: string, count: number, accountId: bigint) =>
  app.owner.query(
    `insert into ${table} (account_id, ${columns}) select $1::bigint, ${values} from generate_series(1, $2) n`,
    [accountId, count],
  );
/** The `$1` of `fill` is the account. */
const hook = (kind: string) =>
  `'whe_${kind}' || n, 'https://hooks.example/${kind}/' || n, '${kind}', '{}', 'transaction', 20, now() + n * interval '1 second'`;
const HOOK_COLUMNS = 'id, url, kind, event_names, order_mode, max_concurrency, created_at';
const LINK = `mutation { createStaticLink(input: { name: "one more", currency: "USDT_TRX" }) { staticLink { slug } errors { code message path } } }`;
const KEY = `mutation { createApiKey(input: { name: "one more", scopes: ["read"] }) { issuedApiKey { apiKey } errors { code message path } } }`;
const GROUP = `mutation { createWhitelistGroup(input: { name: "one more" }) { whitelistGroup { id: groupId } errors { code message path } } }`;
const ENTRY = `mutation { addWhitelistEntry(input: { groupId: "GROUP", target: { wallet: { network: "TRX", address: "TJRyWwFs9wTFGZg3JbrVriFbNfCug5tDeC" } } }) { whitelistEntry { id: entryId } errors { code message path } } }`;

test('an account has a maximum of enabled links, and lists those first', async () => {
  const { accountId, apiKey } = await app.addAccount();
  const columns = 'slug, name, currency, expires_in, created_at, disabled_at';
  await fill('static_link', columns, `'old' || n, 'x', 'USDT_TRX', 60, now(), now()`, 20, accountId);
  const open = `'open' || n, 'x', 'USDT_TRX', 60, now() - interval '1 day', null`;
  await fill('static_link', columns, open, STATIC_LINKS_MAX - 1, accountId);
  const { slug } = (await ask(LINK, {}, apiKey)).createStaticLink.staticLink;
  const refused = await refusal(LINK, {}, apiKey);
  expect([refused.code, ...parametersOf(refused)]).toEqual(['INVALID_PARAMETER', 'input.name']);
  const { viewer } = await ask('{ viewer { account { staticLinks { slug disabledAt } } } }', {}, apiKey);
  const { staticLinks: links } = viewer.account;
  expect([links.length, links[0].slug]).toEqual([STATIC_LINKS_MAX, slug]);
  expect(links.every(({ disabledAt }: { disabledAt: string | null }) => disabledAt === null)).toBe(true);
  await ask(
    `mutation { disableStaticLink(input: { slug: "${slug}" }) { staticLink { slug } errors { code message path } } }`,
    {},
    apiKey,
  );
  await ask(LINK, {}, apiKey);
});

test('an account has a maximum of valid keys, and lists them before ended ones', async () => {
  const { accountId, apiKey } = await app.addAccount();
  const columns = 'id, name, hash, hint, mode, scopes, allowed_cidrs, expires_at, created_at';
  const key = (name: string, ends: string) =>
    `'${name}' || n, 'x', sha256(convert_to('${name}' || n || $1::text, 'UTF8')), 'abcd', 'test', '{read}', '{}', ${ends}, now()`;
  await fill('api_key', columns, key('ended', `now() - interval '1 hour'`), API_KEYS_MAX + 5, accountId);
  await fill('api_key', columns, key('valid', 'null'), API_KEYS_MAX - 2, accountId);
  await ask(KEY, {}, apiKey);
  const refused = await refusal(KEY, {}, apiKey);
  expect([refused.code, ...parametersOf(refused)]).toEqual(['INVALID_PARAMETER', 'input.name']);
  const rotate = (seconds: number) =>
    `mutation { rotateApiKey(input: { keyId: "valid1", overlapSeconds: ${seconds} }) { issuedApiKey { apiKey } errors { code message path } } }`;
  const kept = await refusal(rotate(60), {}, apiKey);
  expect([kept.code, ...parametersOf(kept)]).toEqual(['INVALID_PARAMETER', 'input.overlapSeconds']);
  await ask(rotate(0), {}, apiKey);
  const { apiKeys } = await ask('{ apiKeys { expiresAt } }', {}, apiKey);
  const ended = apiKeys.map(({ expiresAt }: { expiresAt: string | null }) => expiresAt !== null);
  expect(ended).toEqual([...Array(API_KEYS_MAX).fill(false), ...Array(API_KEYS_MAX).fill(true)]);
});

test('an account has a maximum of endpoints, reported together with all other violations', async () => {
  const { accountId, apiKey } = await app.addAccount();
  await fill('webhook_endpoint', HOOK_COLUMNS, hook('general'), ENDPOINTS_MAX, accountId);
  const create = (input: string) =>
    refusal(
      `mutation { createWebhookEndpoint(input: { ${input} }) { webhookEndpoint { id: endpointId } errors { code message path } } }`,
      {},
      apiKey,
    );
  const most = {
    parameter: 'input.url',
    message: `cannot be added: an account can have at most ${ENDPOINTS_MAX} endpoints`,
  };
  expect((await create('url: "https://hooks.example/x"')).violations).toEqual([most]);
  const refused = await create('url: "https://hooks.example/x", maxConcurrency: 0, eventNames: ["x"]');
  expect(refused.violations).toContainEqual(most);
  expect(parametersOf(refused).toSorted()).toEqual(['input.eventNames', 'input.maxConcurrency', 'input.url']);
});

test('an account has a maximum of groups, and of destinations', async () => {
  const { accountId, apiKey } = await app.addAccount();
  await fill(
    'whitelist_group',
    'id, name, created_at',
    `'grp_' || n, 'x', now()`,
    WHITELIST_MAX.groups - 1,
    accountId,
  );
  const { id } = (await ask(GROUP, {}, apiKey)).createWhitelistGroup.whitelistGroup;
  const noGroup = await refusal(GROUP, {}, apiKey);
  expect([noGroup.code, ...parametersOf(noGroup)]).toEqual(['INVALID_PARAMETER', 'input.name']);
  const columns = 'id, group_id, pix_key_type, target, created_at, usable_at, removed_at';
  const entry = (removed: string) =>
    `'wle_' || n || '${removed}', 'grp_1', 'email', n || '@merchant.invalid', now(), now(), ${removed}`;
  await fill('whitelist_entry', columns, entry('null'), WHITELIST_MAX.entries - 1, accountId);
  await fill('whitelist_entry', columns, entry('now()'), 10, accountId);
  await ask(ENTRY.replace('GROUP', id), {}, apiKey);
  const noEntry = await refusal(ENTRY.replace('GROUP', id), {}, apiKey);
  expect([noEntry.code, ...parametersOf(noEntry)]).toEqual([
    'INVALID_PARAMETER',
    'input.target.wallet.address',
  ]);
  expect(noEntry.message).toContain('5,000 destinations');
});

test('webhookEndpoints has those that the account created, then the newest of those of transactions', async () => {
  const { accountId, apiKey } = await app.addAccount();
  await fill('webhook_endpoint', HOOK_COLUMNS, hook('transaction'), 1_500, accountId);
  await fill('webhook_endpoint', HOOK_COLUMNS, hook('general'), ENDPOINTS_MAX, accountId);
  const { viewer } = await ask('{ viewer { account { webhookEndpoints { url kind } } } }', {}, apiKey);
  const urls = viewer.account.webhookEndpoints.map(({ url }: { url: string }) =>
    url.replace('https://hooks.example/', ''),
  );
  const numbers = (kind: string, count: number, at: (n: number) => number) =>
    Array.from({ length: count }, (_, n) => `${kind}/${at(n)}`);
  expect(urls).toEqual([
    ...numbers('general', ENDPOINTS_MAX, (n) => n + 1),
    ...numbers('transaction', CAME_ENDPOINTS_LISTED, (n) => 1_501 - CAME_ENDPOINTS_LISTED + n),
  ]);
});

test('viewer.keys has the keys that Query.apiKeys has', async () => {
  const { accountId, apiKey } = await app.addAccount();
  const columns = 'id, name, hash, hint, mode, scopes, allowed_cidrs, expires_at, created_at';
  const ended = `'ended' || n, 'x', sha256(convert_to('ended' || n || $1::text, 'UTF8')), 'abcd', 'test', '{read}', '{}', now() - interval '1 hour', now()`;
  await fill('api_key', columns, ended, API_KEYS_MAX + 5, accountId);
  const { apiKeys, viewer } = await ask('{ apiKeys { keyId } viewer { keys { keyId } } }', {}, apiKey);
  expect(apiKeys).toHaveLength(1 + API_KEYS_MAX);
  expect(viewer.keys).toEqual(apiKeys);
});

test('an account has a maximum of people', async () => {
  const { accountId, apiKey } = await app.addAccount({ scopes: ['read', 'create', 'move', 'admin'] });
  await app.owner.query(
    `with person as (insert into person (id, name, email, created_at)
       select 'per_' || $1::text || 'x' || n, 'x', 'p' || n || '@' || $1::text || '.example', now() from generate_series(1, $2) n returning id)
     insert into membership (account_id, person_id, role, invited_by, invited_at) select $1::bigint, id, 'viewer', 'x', now() from person`,
    [accountId, MEMBERS_MAX - 1],
  );
  const invite = (email: string) =>
    `mutation { inviteMember(input: { name: "Ana", email: "${email}", role: VIEWER }) { invitation { member { personId } } errors { code message path } } }`;
  await ask(invite(`a@${accountId}.example`), {}, apiKey);
  const refused = await refusal(invite(`b@${accountId}.example`), {}, apiKey);
  expect([refused.code, ...parametersOf(refused)]).toEqual(['INVALID_PARAMETER', 'input.email']);
  // Whoever was invited before can be invited again.
  await ask(invite(`a@${accountId}.example`), {}, apiKey);
});

test('a person has a maximum of passkeys, and lists a maximum of sessions and accounts', async () => {
  const { accountId } = await app.addAccount();
  const person = await signInAs(app, accountId, { email: 'many@shop.invalid', role: 'owner' });
  const give = (table: string, columns: string, values: string, count: number) =>
    app.owner.query(
      `insert into ${table} (person_id, ${columns}) select $1::text, ${values} from generate_series(1, $2) n`,
      [person.personId, count],
    );
  const options = () => app.post('/console/passkeys/add/options', {}, { key: null, headers: person.headers });
  const columns = 'id, name, public_key, counter, transports, created_at';
  await give('passkey', columns, `'key' || n, 'x', '\\x00', 0, '{}', now()`, PASSKEYS_MAX - 1);
  await app.owner.query('update person_session set verified_at = now() where person_id = $1', [
    person.personId,
  ]);
  expect((await options()).status).toBe(200);
  await give('passkey', columns, `'last', 'x', '\\x00', 0, '{}', now()`, 1);
  const refused = await options();
  expect([refused.status, refused.json.code]).toEqual([409, 'STEP_CONFLICT']);
  const sessionColumns = 'id, account_id, hash, created_at, seen_at';
  const session = `'ses_' || n, ${accountId}, sha256(convert_to('s' || n, 'UTF8')), now(), now() - interval '1 minute'`;
  await give('person_session', sessionColumns, session, SESSIONS_LISTED + 20);
  const { json } = await person.graphql('{ myPasskeys { passkeyId } mySessions { sessionId } }');
  expect(json.data.myPasskeys).toHaveLength(PASSKEYS_MAX);
  expect(json.data.mySessions).toHaveLength(SESSIONS_LISTED);
  expect(json.data.mySessions[0].sessionId).toBe(person.sessionId);
});

test('waiting changes are listed up to a maximum, the next one first', async () => {
  const { accountId, apiKey } = await app.addAccount();
  const columns = 'name, subject, value, asked_at, asked_by, effective_at';
  const change = `'customerLimitDaily', lpad(n::text, 11, '0'), '1', now(), 'x', now() + interval '1 day' + n * interval '1 second'`;
  await fill('setting_change', columns, change, WAITING_CHANGES_MAX + 100, accountId);
  const text = '{ viewer { account { accountSettings { pendingChanges { subject } } } } }';
  const { pendingChanges } = (await ask(text, {}, apiKey)).viewer.account.accountSettings;
  expect(pendingChanges).toHaveLength(WAITING_CHANGES_MAX);
  expect(pendingChanges[0].subject).toBe('00000000001');
});
