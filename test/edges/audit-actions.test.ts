/**
 * Goal: every act that is not a read leaves exactly one entry in the audit log (C-40), with its actor, object, scope and
 * request id. Method: the list of acts says which there are; each is done over GraphQL under a request id of its own.
 */

import { beforeAll, describe, expect, test } from 'vitest';
import { ACTIONS, type ActionName } from '../../src/base/access/actions.ts';
import { verifyAudit } from '../../src/store/engine/verify-audit.ts';
import { useApp } from '../support/app.ts';
import { errorsIn } from '../support/refusals.ts';

const app = useApp();
let shop: Awaited<ReturnType<typeof app.addAccount>>;
/** Ids of what was made, by act. */
const made = new Map<ActionName, string>();
const idOf = (action: ActionName) => made.get(action) ?? '';
const endpoint = () => idOf('webhook.create');
const account = () => String(shop.accountId);

/** An address on the whitelist, which can have a proof. */
let destination: string;

beforeAll(async () => {
  shop = await app.addAccount();
  const { id: group } = await mutate(
    'createWhitelistGroup(input: { name: "Suppliers" }) { whitelistGroup { id: groupId } errors { code message path } }',
    'group',
  );
  const input = 'target: { wallet: { network: "TRX", address: "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8" } }';
  const entry = await mutate(
    `addWhitelistEntry(input: { groupId: "${group}", ${input} }) { whitelistEntry { id: entryId } errors { code message path } }`,
    'entry',
  );
  destination = entry.id;
});

/** In the order in which they can be done: the mutation, and the id of its object, or the member of its answer that has it. */
const DONE: readonly (readonly [act: ActionName, mutation: () => string, object: string | (() => string)])[] =
  [
    [
      'quote.create',
      () =>
        'createQuote(input: { template: onramp, currency: "USDT_TRX", amount: { brl: "100" } }) { quote { id: quoteId } errors { code message path } }',
      'id',
    ],
    [
      'link.create',
      () =>
        'createStaticLink(input: { name: "Shop", currency: "USDT_TRX" }) { staticLink { slug } errors { code message path } }',
      'slug',
    ],
    [
      'link.disable',
      () =>
        `disableStaticLink(input: { slug: "${idOf('link.create')}" }) { staticLink { slug } errors { code message path } }`,
      () => idOf('link.create'),
    ],
    [
      'stream_token.create',
      () => 'createStreamToken(input: {}) { streamToken { token } errors { code message path } }',
      () => shop.keyId,
    ],
    [
      'whitelist.create_group',
      () =>
        'createWhitelistGroup(input: { name: "Treasury" }) { whitelistGroup { id: groupId } errors { code message path } }',
      'id',
    ],
    [
      'whitelist.add_entry',
      () =>
        `addWhitelistEntry(input: { groupId: "${idOf('whitelist.create_group')}", target: { pixKey: { type: CPF, key: "52998224725" } } }) { whitelistEntry { id: entryId } errors { code message path } }`,
      'id',
    ],
    [
      'whitelist.remove_entry',
      () =>
        `removeWhitelistEntry(input: { entryId: "${idOf('whitelist.add_entry')}" }) { whitelistEntry { id: entryId } errors { code message path } }`,
      () => idOf('whitelist.add_entry'),
    ],
    [
      'whitelist.add_proof',
      () =>
        `addWhitelistProof(input: { entryId: "${destination}", proof: { id: "made-at-the-signer", expiresAt: "2030-01-02T03:04:05Z" } }) { whitelistEntry { id: entryId } errors { code message path } }`,
      () => destination,
    ],
    [
      'whitelist.withdraw_proof',
      () =>
        `withdrawWhitelistProof(input: { entryId: "${destination}" }) { whitelistEntry { id: entryId } errors { code message path } }`,
      () => destination,
    ],
    [
      'settings.update_account',
      () =>
        'updateAccountSettings(input: { afterLock: END }) { accountSettings { afterLock } errors { code message path } }',
      account,
    ],
    [
      'settings.update_limits',
      () =>
        'updateTemplateLimits(input: { template: onramp, amountMin: "5" }) { templateLimits { template } errors { code message path } }',
      () => 'onramp',
    ],
    [
      'origins.update',
      () =>
        'updateAllowedOrigins(input: { origins: ["https://shop.example.com"] }) { allowedOrigins errors { code message path } }',
      account,
    ],
    [
      'branding.update',
      () =>
        'updateBranding(input: { displayName: "Loja" }) { branding { displayName } errors { code message path } }',
      account,
    ],
    [
      'webhook.create',
      () =>
        'createWebhookEndpoint(input: { url: "https://shop.example.com/hooks?token=hidden" }) { webhookEndpoint { id: endpointId } errors { code message path } }',
      'id',
    ],
    [
      'webhook.update',
      () =>
        `updateWebhookEndpoint(input: { endpointId: "${endpoint()}", description: "Till" }) { webhookEndpoint { id: endpointId } errors { code message path } }`,
      endpoint,
    ],
    [
      'webhook.pause',
      () =>
        `pauseWebhookEndpoint(input: { endpointId: "${endpoint()}" }) { webhookEndpoint { id: endpointId } errors { code message path } }`,
      endpoint,
    ],
    [
      'webhook.resume',
      () =>
        `resumeWebhookEndpoint(input: { endpointId: "${endpoint()}" }) { webhookEndpoint { id: endpointId } errors { code message path } }`,
      endpoint,
    ],
    [
      'webhook.rotate_secret',
      () =>
        `rotateWebhookSecret(input: { endpointId: "${endpoint()}" }) { secrets { secret } errors { code message path } }`,
      endpoint,
    ],
    [
      'webhook.remove',
      () =>
        `removeWebhookEndpoint(input: { endpointId: "${endpoint()}" }) { webhookEndpoint { id: endpointId } errors { code message path } }`,
      endpoint,
    ],
    [
      'key.create',
      () =>
        'createApiKey(input: { name: "Till", scopes: ["read"] }) { issuedApiKey { key { keyId } } errors { code message path } }',
      'key.keyId',
    ],
    [
      'key.rotate',
      () =>
        `rotateApiKey(input: { keyId: "${idOf('key.create')}" }) { issuedApiKey { key { keyId } } errors { code message path } }`,
      () => idOf('key.create'),
    ],
    [
      'key.revoke',
      () =>
        `revokeApiKey(input: { keyId: "${idOf('key.create')}" }) { apiKey { keyId } errors { code message path } }`,
      () => idOf('key.create'),
    ],
    [
      'person.invite',
      () =>
        'inviteMember(input: { name: "Ana", email: "ana@example.com", role: VIEWER }) { invitation { member { personId } } errors { code message path } }',
      'member.personId',
    ],
    [
      'person.change_role',
      () =>
        `changeMemberRole(input: { personId: "${idOf('person.invite')}", role: FINANCE }) { member { role } errors { code message path } }`,
      () => idOf('person.invite'),
    ],
    [
      'person.remove',
      () =>
        `removeMember(input: { personId: "${idOf('person.invite')}" }) { member { role } errors { code message path } }`,
      () => idOf('person.invite'),
    ],
    [
      'checkout.create',
      () =>
        'createCheckout(input: { currency: "USDT_TRX" }) { transaction { end2end } errors { code message path } }',
      'end2end',
    ],
    [
      'facts.record',
      () =>
        `recordFacts(input: { end2end: "${idOf('checkout.create')}", purposeCode: "00001" }) { transaction { end2end } errors { code message path } }`,
      'end2end',
    ],
    [
      'sandbox.fund',
      () =>
        'sandboxFund(input: { currency: "BRL", amount: "10" }) { funding { journalId } errors { code message path } }',
      account,
    ],
  ];

/**
 * Acts that move a transaction: the engine takes none without its author (`moveTransaction`, `startTransaction`), and
 * audit-transactions.test.ts does some of them.
 */
const BY_ENGINE =
  /^(checkout|onramp|offramp|balance|money_out|transaction|deposit|withdrawal|payment|hold|refund)\./;
/** Acts that need an operator, a person who is signed in (people.test.ts, sign-in.test.ts), a delivery, money in suspense or owed, a rail event that is not settled, or a change that waits (networks: pause.test.ts; orders: settled-orders.test.ts; step-ups: step-ups.test.ts; hits: screening.test.ts; cases: customer-cases.test.ts; companies: account-companies.test.ts; passkeys of roles: passkey-roles.test.ts; reviews: review.test.ts; jobs: job-command.test.ts; links to exports: export-links.test.ts; cases of MED: med-cases.test.ts): not done here. */
const NOT_HERE =
  /^(account|books|capital|case|company|customer|export_link|hit|receivable|restore|identity|job|journal|med|network|rail_event|notifications|order|passkey|review|sandbox|session|step_up|suspense|view)\.|^person\.(confirm|link|sign_in|sign_out|switch_account)$|^webhook\.(redeliver|test|recover)$|^settings\.(?:update_template|cancel_change)$|^facts\.correct$/;

/** @returns the object of the payload. */
// biome-ignore lint/suspicious/noExplicitAny: objects of every shape
async function mutate(mutation: string, requestId: string): Promise<any> {
  const headers = { 'x-request-id': requestId };
  const query = `mutation { done: ${mutation} }`;
  const { json } = await app.post('/graphql', { query }, { key: shop.apiKey, headers });
  expect(errorsIn(json), JSON.stringify(json)).toBeUndefined();
  const { errors: _errors, ...payload } = json.data.done;
  return Object.values(payload)[0];
}

async function entriesOf(requestId: string) {
  const { rows } = await app.owner.query('select * from audit_entry where request_id = $1', [requestId]);
  return rows;
}

test('no action is forgotten', () => {
  const here = new Set<string>(DONE.map(([action]) => action));
  const left = Object.keys(ACTIONS).filter(
    (action) => !here.has(action) && !BY_ENGINE.test(action) && !NOT_HERE.test(action),
  );
  expect(left).toEqual([]);
});

describe('an act', () => {
  test.each(
    DONE,
  )('%s leaves one entry, and none when it is repeated without effect', async (action, mutation, object) => {
    const done = await mutate(mutation(), `of-${action}`);
    const id =
      typeof object === 'function'
        ? object()
        : object.split('.').reduce((value, member) => value[member], done);
    made.set(action, id);
    expect(await entriesOf(`of-${action}`)).toEqual([
      expect.objectContaining({
        act: action,
        account_id: account(),
        actor_kind: 'KEY',
        actor_id: shop.keyId,
        scope: ACTIONS[action].scope,
        object_id: id,
        address: '127.0.0.1',
      }),
    ]);
    if (!REPEATABLE.includes(action)) return;
    await mutate(mutation(), `again-${action}`);
    expect(await entriesOf(`again-${action}`)).toEqual([]);
  });

  test('contains no secret and no document', async () => {
    const { rows } = await app.owner.query('select before, after from audit_entry where account_id = $1', [
      account(),
    ]);
    expect(JSON.stringify(rows)).not.toMatch(/hidden|52998224725|crx_test_|whsec_/);
    expect((await verifyAudit(app.database, shop.accountId)).defects).toEqual([]);
  });
});

/** Actions that change nothing the second time. */
const REPEATABLE: readonly ActionName[] = [
  'link.disable',
  'whitelist.remove_entry',
  'settings.update_account',
  'origins.update',
  'branding.update',
  'webhook.remove',
];

/** All acts, and the two that made a destination before them. */
const ENTRIES = DONE.length + 2;

describe('auditLog', () => {
  const LOG =
    'nodes { seq act actorId objectId requestId } totalCount pageInfo { hasNextPage hasPreviousPage endCursor startCursor }';
  const read = async (args: string) => {
    const { json } = await app.graphql(`{ auditLog(${args}) { ${LOG} } }`, {}, { key: shop.apiKey });
    return errorsIn(json) ?? json.data.auditLog;
  };

  test('is read from both ends, newest first', async () => {
    const first = await read('first: 3');
    expect(first.totalCount).toBe(ENTRIES);
    expect(first.nodes.map(({ act: action }: { act: string }) => action)).toEqual(
      DONE.slice(-3)
        .map(([action]) => action)
        .reverse(),
    );
    expect(first.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false });
    const next = await read(`first: 100, after: "${first.pageInfo.endCursor}"`);
    expect(next.nodes).toHaveLength(ENTRIES - 3);
    expect(next.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
    const last = await read('last: 1');
    expect(last.nodes).toEqual([expect.objectContaining({ seq: '1', act: 'whitelist.create_group' })]);
    const before = await read(`last: 1, before: "${next.pageInfo.startCursor}"`);
    expect(before.nodes).toEqual([first.nodes[2]]);
    expect(before.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: true });
  });

  test('by action, object and time; only with the scope admin, and only of the own account', async () => {
    const found = await read(`acts: ["webhook.pause", "webhook.remove"], objectId: "${endpoint()}"`);
    expect(found.totalCount).toBe(2);
    expect((await read(`actorId: "${shop.keyId}", since: "2020-01-01T00:00:00Z"`)).totalCount).toBe(ENTRIES);
    expect((await read('until: "2020-01-01T00:00:00Z"')).totalCount).toBe(0);
    expect((await read('acts: ["webhook.pase"]'))[0].extensions.violations).toEqual([
      { parameter: 'acts', message: expect.stringContaining('webhook.pause') },
    ]);
    const { apiKey } = await app.addKey(shop.accountId, ['read', 'create', 'move']);
    const refused = await app.graphql('{ auditLog { totalCount } }', {}, { key: apiKey });
    expect(errorsIn(refused.json)[0].extensions.code).toBe('FORBIDDEN');
    const other = await app.addAccount();
    const theirs = await app.graphql('{ auditLog { totalCount } }', {}, { key: other.apiKey });
    expect(theirs.json.data.auditLog.totalCount).toBe(0);
  });
});
