/**
 * Goal: every act that is not a read leaves exactly one entry in the audit log (C-40), with its actor, object, scope and
 * request id. Method: the list of acts says which there are; each is done over GraphQL under a request id of its own.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { ACTS, type ActName } from '../../src/base/acts.ts';
import { verifyAudit } from '../../src/store/engine/verify-audit.ts';
import { useApp } from '../support/app.ts';

const app = useApp();
let shop: Awaited<ReturnType<typeof app.addAccount>>;
/** Ids of what was made, by act. */
const made = new Map<ActName, string>();
const idOf = (act: ActName) => made.get(act) ?? '';
const endpoint = () => idOf('webhook.create');
const account = () => String(shop.accountId);

beforeAll(async () => {
  shop = await app.addAccount();
});

/** In the order in which they can be done: the mutation, and the id of its object, or the member of its answer that has it. */
const DONE: readonly (readonly [act: ActName, mutation: () => string, object: string | (() => string)])[] = [
  [
    'quote.create',
    () => 'createQuote(input: { template: onramp, currency: "USDT_TRX", brlAmount: "100" }) { id }',
    'id',
  ],
  ['link.create', () => 'createStaticLink(input: { name: "Shop", currency: "USDT_TRX" }) { slug }', 'slug'],
  [
    'link.disable',
    () => `disableStaticLink(slug: "${idOf('link.create')}") { slug }`,
    () => idOf('link.create'),
  ],
  ['stream_token.create', () => 'createStreamToken { token }', () => shop.keyId],
  ['whitelist.create_group', () => 'createWhitelistGroup(name: "Treasury") { id }', 'id'],
  [
    'whitelist.add_entry',
    () =>
      `addWhitelistEntry(groupId: "${idOf('whitelist.create_group')}", input: { pixKeyType: CPF, pixKey: "52998224725" }) { id }`,
    'id',
  ],
  [
    'whitelist.remove_entry',
    () => `removeWhitelistEntry(id: "${idOf('whitelist.add_entry')}") { id }`,
    () => idOf('whitelist.add_entry'),
  ],
  [
    'settings.update_account',
    () => 'updateAccountSettings(input: { afterLock: END }) { afterLock }',
    account,
  ],
  [
    'settings.update_limits',
    () => 'updateTemplateLimits(template: onramp, input: { amountMin: "5" }) { template }',
    () => 'onramp',
  ],
  ['origins.update', () => 'updateAllowedOrigins(origins: ["https://shop.example.com"])', account],
  ['branding.update', () => 'updateBranding(input: { displayName: "Loja" }) { displayName }', account],
  [
    'webhook.create',
    () => 'createWebhookEndpoint(input: { url: "https://shop.example.com/hooks?token=hidden" }) { id }',
    'id',
  ],
  [
    'webhook.update',
    () => `updateWebhookEndpoint(id: "${endpoint()}", input: { description: "Till" }) { id }`,
    endpoint,
  ],
  ['webhook.pause', () => `pauseWebhookEndpoint(id: "${endpoint()}") { id }`, endpoint],
  ['webhook.resume', () => `resumeWebhookEndpoint(id: "${endpoint()}") { id }`, endpoint],
  ['webhook.rotate_secret', () => `rotateWebhookSecret(endpointId: "${endpoint()}") { secret }`, endpoint],
  ['webhook.remove', () => `removeWebhookEndpoint(id: "${endpoint()}") { id }`, endpoint],
  [
    'key.create',
    () => 'createApiKey(input: { name: "Till", scopes: ["read"] }) { key { keyId } }',
    'key.keyId',
  ],
  [
    'key.rotate',
    () => `rotateApiKey(keyId: "${idOf('key.create')}") { key { keyId } }`,
    () => idOf('key.create'),
  ],
  ['key.revoke', () => `revokeApiKey(keyId: "${idOf('key.create')}") { keyId }`, () => idOf('key.create')],
  [
    'person.invite',
    () =>
      'inviteMember(input: { name: "Ana", email: "ana@example.com", role: VIEWER }) { member { personId } }',
    'member.personId',
  ],
  [
    'person.change_role',
    () => `changeMemberRole(personId: "${idOf('person.invite')}", role: FINANCE) { role }`,
    () => idOf('person.invite'),
  ],
  [
    'person.remove',
    () => `removeMember(personId: "${idOf('person.invite')}") { role }`,
    () => idOf('person.invite'),
  ],
  [
    'checkout.create',
    () => 'createCheckout(input: { currency: "USDT_TRX" }) { transaction { end2end } }',
    'transaction.end2end',
  ],
  [
    'facts.record',
    () => `recordFacts(end2end: "${idOf('checkout.create')}", input: { purposeCode: "00001" }) { end2end }`,
    'end2end',
  ],
  ['sandbox.fund', () => 'sandboxFund(currency: "BRL", amount: "10") { journalId }', account],
];

/**
 * Acts that move a transaction: the engine takes none without its author (`moveTransaction`, `startTransaction`), and
 * audit-transactions.test.ts does some of them.
 */
const BY_ENGINE = /^(checkout|onramp|offramp|transaction|deposit|withdrawal|payment|hold|refund)\./;
/** Acts that need an operator, a person who is signed in (people.test.ts, sign-in.test.ts), a delivery, money in suspense or owed, news that is not settled, or a change that waits (networks: pause.test.ts; orders: settled-orders.test.ts): not done here. */
const NOT_HERE =
  /^(account|books|capital|customer|receivable|identity|journal|network|news|order|passkey|sandbox|session|suspense|view)\.|^person\.(link|sign_in|sign_out|switch_account)$|^webhook\.(redeliver|test|recover)$|^settings\.(?:update_template|cancel_change)$|^facts\.correct$|^whitelist\.withdraw_proof$/;

async function mutate(mutation: string, requestId: string) {
  const headers = { 'x-request-id': requestId };
  const query = `mutation { done: ${mutation} }`;
  const { json } = await app.post('/graphql', { query }, { key: shop.apiKey, headers });
  expect(json.errors, JSON.stringify(json.errors)).toBeUndefined();
  return json.data.done;
}

async function entriesOf(requestId: string) {
  const { rows } = await app.owner.query('select * from audit_entry where request_id = $1', [requestId]);
  return rows;
}

test('no act is forgotten', () => {
  const here = new Set<string>(DONE.map(([act]) => act));
  const left = Object.keys(ACTS).filter(
    (act) => !here.has(act) && !BY_ENGINE.test(act) && !NOT_HERE.test(act),
  );
  expect(left).toEqual([]);
});

describe('an act', () => {
  test.each(
    DONE,
  )('%s leaves one entry, and none when it is done again in vain', async (act, mutation, object) => {
    const done = await mutate(mutation(), `of-${act}`);
    const id =
      typeof object === 'function'
        ? object()
        : object.split('.').reduce((value, member) => value[member], done);
    made.set(act, id);
    expect(await entriesOf(`of-${act}`)).toEqual([
      expect.objectContaining({
        act,
        account_id: account(),
        actor_kind: 'KEY',
        actor_id: shop.keyId,
        scope: ACTS[act].scope,
        object_id: id,
        address: '127.0.0.1',
      }),
    ]);
    if (!REPEATABLE.includes(act)) return;
    await mutate(mutation(), `again-${act}`);
    expect(await entriesOf(`again-${act}`)).toEqual([]);
  });

  test('tells no secret and no document', async () => {
    const { rows } = await app.owner.query('select before, after from audit_entry where account_id = $1', [
      account(),
    ]);
    expect(JSON.stringify(rows)).not.toMatch(/hidden|52998224725|crx_test_|whsec_/);
    expect((await verifyAudit(app.database, shop.accountId)).defects).toEqual([]);
  });
});

/** What changes nothing the second time. */
const REPEATABLE: readonly ActName[] = [
  'link.disable',
  'whitelist.remove_entry',
  'settings.update_account',
  'origins.update',
  'branding.update',
  'webhook.remove',
];

describe('auditLog', () => {
  const LOG =
    'nodes { seq act actorId objectId requestId } totalCount pageInfo { hasNextPage hasPreviousPage endCursor startCursor }';
  const read = async (args: string) => {
    const { json } = await app.graphql(`{ auditLog(${args}) { ${LOG} } }`, {}, { key: shop.apiKey });
    return json.errors ?? json.data.auditLog;
  };

  test('is read from both ends, newest first', async () => {
    const first = await read('first: 3');
    expect(first.totalCount).toBe(DONE.length);
    expect(first.nodes.map(({ act }: { act: string }) => act)).toEqual(
      DONE.slice(-3)
        .map(([act]) => act)
        .reverse(),
    );
    expect(first.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false });
    const next = await read(`first: 100, after: "${first.pageInfo.endCursor}"`);
    expect(next.nodes).toHaveLength(DONE.length - 3);
    expect(next.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
    const last = await read('last: 1');
    expect(last.nodes).toEqual([expect.objectContaining({ seq: '1', act: 'quote.create' })]);
    const before = await read(`last: 1, before: "${next.pageInfo.startCursor}"`);
    expect(before.nodes).toEqual([first.nodes[2]]);
    expect(before.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: true });
  });

  test('by act, object and time; only with the scope admin, and only the own one', async () => {
    const found = await read(`acts: ["webhook.pause", "webhook.remove"], objectId: "${endpoint()}"`);
    expect(found.totalCount).toBe(2);
    expect((await read(`actorId: "${shop.keyId}", since: "2020-01-01T00:00:00Z"`)).totalCount).toBe(
      DONE.length,
    );
    expect((await read('until: "2020-01-01T00:00:00Z"')).totalCount).toBe(0);
    expect((await read('acts: ["webhook.pase"]'))[0].extensions.violations).toEqual([
      { parameter: 'acts', message: expect.stringContaining('webhook.pause') },
    ]);
    const { apiKey } = await app.addKey(shop.accountId, ['read', 'create', 'move']);
    const refused = await app.graphql('{ auditLog { totalCount } }', {}, { key: apiKey });
    expect(refused.json.errors[0].extensions.code).toBe('FORBIDDEN');
    const other = await app.addAccount();
    const theirs = await app.graphql('{ auditLog { totalCount } }', {}, { key: other.apiKey });
    expect(theirs.json.data.auditLog.totalCount).toBe(0);
  });
});
