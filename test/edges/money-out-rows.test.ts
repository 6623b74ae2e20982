/**
 * Goal: only keys and people with the scope of the row let money out, whatever the row of the table *money out* (C-25, C-40). Method: a
 * key of each scope and a person of each role tries each row, by GraphQL, by `/v2` and by the forms of the console; what is not theirs is
 * refused before anything is looked up, and nothing moves. The rows come from the machines.
 */

import { beforeAll, describe, expect, test } from 'vitest';
import { ACTIONS, type ActionName } from '../../src/base/access/actions.ts';
import { PLATFORM_SCOPES, SCOPES, type Scope } from '../../src/base/access/api-key.ts';
import { PASSKEY_ACTIONS } from '../../src/base/access/passkey-actions.ts';
import { PLATFORM_ROLES, ROLE_NAMES, type Role, scopesOf } from '../../src/base/access/roles.ts';
import { platformAccount } from '../../src/store/account/accounts.ts';
import { REGISTRY } from '../../src/templates/index.ts';
import { isRuled, type RuledKind } from '../../src/templates/out-kinds.ts';
import { useApp } from '../support/app.ts';
import { visit } from '../support/console.ts';
import { documentOf, FORMS, fieldsOf, MUTATIONS } from '../support/mutations.ts';
import { type SignedInForTest, signInAs } from '../support/people.ts';
import { errorsIn } from '../support/refusals.ts';

const app = useApp();
const QUOTED = 'CRX00000000000000000000000000';
const ELSEWHERE = 'TKN9umuf74bK4z4K5BSo2WiCDgzyxUtbsD';
const PERSON = { clientName: 'Ana', clientTaxId: '52998224725' };
const PAYEE = { ...PERSON, pixKey: 'ana@example.com', pixKeyType: 'EMAIL' };
const REST_PAYEE = {
  ...{ client_name: 'Ana', client_tax_id: '52998224725' },
  ...{ pix_key: 'ana@example.com', pix_key_type: 'email' },
};
let shop: Awaited<ReturnType<typeof app.addAccount>>;
let platform: bigint;
/** An offramp from the balance that has a price and no payee. */
let priced = QUOTED;

/** A way to request money out; its form in the console has the fields of its input. */
interface Way {
  readonly mutation: string;
  readonly input: () => Readonly<Record<string, string>>;
  readonly rest?: () => readonly [path: string, body: object];
}

/** Ways of each row of the table, by kind and trigger. Those of a transaction name one that waits for it, or none that there is. */
const ROWS: Readonly<Record<`${RuledKind} ${string}`, readonly Way[]>> = {
  'withdrawal created': [
    {
      mutation: 'createWithdrawal',
      input: () => ({ amountReceived: '1', currency: 'USDT_TRX', groupId: 'grp_none' }),
      rest: () => [
        '/v2/withdrawal',
        { amount_received: 1, currency_receive_code: 'USDT_TRX', group_id: 'grp_none' },
      ],
    },
    {
      mutation: 'approveWithdrawal',
      input: () => ({ end2end: QUOTED }),
      rest: () => [`/v2/withdrawal/${QUOTED}/approve`, {}],
    },
  ],
  'payout reached': [
    {
      mutation: 'createOfframp',
      input: () => ({ currency: 'USDT_TRX', amount: '{ brl: "10" }', ...PAYEE }),
      rest: () => ['/v2/offramp', { amount_sent: 10, currency_entry_paid_code: 'USDT_TRX', ...REST_PAYEE }],
    },
    { mutation: 'acceptQuote', input: () => ({ end2end: priced }) },
    { mutation: 'approveMoneyOut', input: () => ({ end2end: QUOTED }) },
  ],
  'payout identity_given': [
    {
      mutation: 'provideIdentity',
      input: () => ({ end2end: priced, ...PAYEE }),
      rest: () => [`/v2/offramp/${priced}/identity`, REST_PAYEE],
    },
  ],
  'refund payment_refunded': [
    {
      mutation: 'refundPayment',
      input: () => ({ end2end: QUOTED }),
      rest: () => [`/v2/onramp/${QUOTED}/refund`, {}],
    },
    {
      mutation: 'refundPayment',
      input: () => ({ end2end: QUOTED, amount: '1' }),
      rest: () => [`/v2/crossramp_checkout/${QUOTED}/refund`, { amount: '1' }],
    },
  ],
  'redirect refund_ordered': [
    {
      mutation: 'resolveDeposit',
      input: () => ({ end2end: QUOTED, resolution: 'REFUND', address: ELSEWHERE }),
      rest: () => [`/v2/offramp/${QUOTED}/resolve`, { action: 'refund', address: ELSEWHERE }],
    },
    {
      mutation: 'resolveDeposit',
      input: () => ({ end2end: QUOTED, resolution: 'REFUND', address: ELSEWHERE }),
      rest: () => [`/v2/offramp/${QUOTED}/refund`, { address: ELSEWHERE }],
    },
  ],
};
const WAYS = Object.values(ROWS).flat();

/** Acts of the platform by which money leaves outside of the machines. */
const OF_PLATFORM = [
  ...['suspense.return', 'suspense.assign', 'suspense.approve', 'refund.retry', 'refund.settle_by_hand'],
  ...[
    'order.settle',
    'receivable.settle',
    'capital.book',
    'journal.approve',
    'hold.release',
    'step_up.approve',
  ],
] as readonly ActionName[];

const people = new Map<Role, SignedInForTest>();

beforeAll(async () => {
  shop = await app.addAccount();
  platform = await platformAccount(app.database, 'sandbox');
  await app.post('/v2/sandbox/fund', { currency: 'USDT_TRX', amount: '500' }, { key: shop.apiKey });
  const { json } = await app.graphql(
    'mutation { createOfframp(input: { currency: "USDT_TRX", amount: { brl: "10" }, accept: false }) { transaction { end2end } errors { code message path } } }',
    {},
    { key: shop.apiKey },
  );
  priced = json.data.createOfframp.transaction.end2end;
  for (const role of ROLE_NAMES) {
    const accountId = role in PLATFORM_ROLES ? platform : shop.accountId;
    people.set(role, await signInAs(app, accountId, { email: `${role}@rows.invalid`, role }));
  }
});

test('each transition by which the machines let money out under the rule has a row', () => {
  const ruled = REGISTRY.templates.flatMap(({ machine }) =>
    machine.transitions.flatMap(({ on, moneyOut }) => (isRuled(moneyOut) ? [`${moneyOut} ${on}`] : [])),
  );
  expect(Object.keys(ROWS).sort()).toEqual([...new Set(ruled)].sort());
});

test('each action of the platform that lets money out needs a passkey', () => {
  expect(OF_PLATFORM.filter((action) => !PASSKEY_ACTIONS.includes(action))).toEqual([]);
});

const fieldOf = (mutation: string) => MUTATIONS.find(({ name }) => name === mutation);

/** The document of a way. */
function documentFor({ mutation, input }: Way): string {
  const bare = new Set(['EMAIL', 'REFUND', '{ brl: "10" }']);
  const members = Object.entries(input()).map(
    ([name, value]) => `${name}: ${bare.has(value) ? value : JSON.stringify(value)}`,
  );
  return `mutation { ${mutation}(input: { ${members.join(', ')} }) { errors { code message path } } }`;
}

/** Documents of an act of the platform, with arguments made from the schema. */
function documentsOf(action: ActionName): readonly string[] {
  const known = { account: String(shop.accountId), end2end: QUOTED };
  return ACTIONS[action].mutations.flatMap((mutation: string) => {
    const field = fieldOf(mutation);
    return field ? [documentOf(field, known)] : [];
  });
}

const isForbidden = ({ json }: { json: { errors?: { extensions: { code: string } }[] } }) =>
  errorsIn(json)?.[0]?.extensions.code === 'FORBIDDEN';
const ALL: readonly Scope[] = [...SCOPES, ...PLATFORM_SCOPES];
const isOfPlatform = (scope: Scope) => PLATFORM_SCOPES.some((each) => each === scope);
/** Everything that the account has; a refusal changes none of it. */
const balances = async () => (await app.get('/v2/balance', { key: shop.apiKey })).text;

describe.each(ALL)('C-25: a key with the scope %s', (scope) => {
  const keyOf = async () => {
    const holder = isOfPlatform(scope) ? platform : shop.accountId;
    return (await app.addKey(holder, [...new Set<Scope>(['read', scope])])).apiKey;
  };

  test('lets money out of the account with the scope move only', async () => {
    const [key, before] = [await keyOf(), await balances()];
    for (const way of WAYS) {
      const document = documentFor(way);
      expect(isForbidden(await app.graphql(document, {}, { key })), document).toBe(scope !== 'move');
      const [path, body] = way.rest?.() ?? [];
      if (!path) continue;
      const { json } = await app.post(path, body ?? {}, { key });
      expect(json.code === 'FORBIDDEN', path).toBe(scope !== 'move');
    }
    if (scope !== 'move') expect(await balances()).toBe(before);
  });

  test.each(OF_PLATFORM)('performs %s with the scope of the action only', async (action) => {
    const key = await keyOf();
    for (const document of documentsOf(action))
      expect(isForbidden(await app.graphql(document, {}, { key })), document).toBe(
        scope !== ACTIONS[action].scope,
      );
  });
});

describe.each(ROLE_NAMES)('C-25: a person with the role %s', (role) => {
  const isMover = (scopesOf(role) as readonly Scope[]).includes('move');
  /** Sends the form of an act. @returns whether the person may not send it. */
  const isRefusedForm = async (mutation: string, given: Readonly<Record<string, string>>) => {
    const form = FORMS.find(({ field }) => field === mutation);
    if (!form) return undefined;
    const person = people.get(role) as SignedInForTest;
    // A form has the amount of an order as a field of its own.
    const { amount, ...rest } = given;
    const order = amount?.startsWith('{') ? { brl: '10' } : { ...(amount && { amount }) };
    const sent = { back: '/console/search', ...fieldsOf(form, {}), ...rest, ...order };
    return (await visit(app, person, `/console/acts/${form.name}`, { form: sent })).status === 403;
  };

  test('lets money out of the account with the scope move only, and by no route of /v2', async () => {
    const { graphql, headers } = people.get(role) as SignedInForTest;
    const before = await balances();
    for (const way of WAYS) {
      const document = documentFor(way);
      expect(isForbidden(await graphql(document)), document).toBe(!isMover);
      expect([!isMover, undefined], way.mutation).toContain(await isRefusedForm(way.mutation, way.input()));
      const [path, body] = way.rest?.() ?? [];
      if (path) expect((await app.post(path, body ?? {}, { key: null, headers })).status, path).toBe(401);
    }
    if (!isMover) expect(await balances()).toBe(before);
  });

  test.each(OF_PLATFORM)('performs %s with the scope of the action only', async (action) => {
    const { graphql } = people.get(role) as SignedInForTest;
    const isAllowed = (scopesOf(role) as readonly Scope[]).includes(ACTIONS[action].scope);
    for (const document of documentsOf(action))
      expect(isForbidden(await graphql(document)), document).toBe(!isAllowed);
    for (const mutation of ACTIONS[action].mutations as readonly string[]) {
      const given = { account: String(shop.accountId), end2end: QUOTED };
      expect([!isAllowed, undefined], mutation).toContain(await isRefusedForm(mutation, given));
    }
  });
});
