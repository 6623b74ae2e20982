/**
 * Goal: only keys and people with the scope of the row let money out, whatever the row of the table *money out* (C-25, C-40). Method: a
 * key of each scope and a person of each role tries each row that a caller can trigger, on transactions that wait for it, by GraphQL, by
 * `/v2` and by the forms of the console; then the ledger, the orders to the rails and the money that waits are as before. The rows come
 * from the machines. Each way is tried by a caller who may, too: it moves something then.
 */

import { beforeAll, describe, expect, test, vi } from 'vitest';
import { ACTIONS, type ActionName } from '../../src/base/access/actions.ts';
import { PLATFORM_SCOPES, SCOPES, type Scope } from '../../src/base/access/api-key.ts';
import { PASSKEY_ACTIONS } from '../../src/base/access/passkey-actions.ts';
import { PLATFORM_ROLES, ROLE_NAMES, type Role, scopesOf } from '../../src/base/access/roles.ts';
import { platformAccount } from '../../src/store/account/accounts.ts';
import { REGISTRY } from '../../src/templates/index.ts';
import { isRuled, type OutKind } from '../../src/templates/out-kinds.ts';
import { useApp } from '../support/app.ts';
import { visit } from '../support/console.ts';
import { graphqlClient } from '../support/graphql-client.ts';
import { documentOf, FORMS, fieldsOf, MUTATIONS } from '../support/mutations.ts';
import { type SignedInForTest, signInAs } from '../support/people.ts';
import { errorsIn } from '../support/refusals.ts';
import { GROUP, ROUTES, whitelist } from '../support/rest-routes.ts';

const app = useApp({ rateLimit: null });
const MISSING = 'CRX00000000000000000000000000';
const ELSEWHERE = 'TKN9umuf74bK4z4K5BSo2WiCDgzyxUtbsD';
const PERSON = { clientName: 'Ana', clientTaxId: '52998224725' };
const PAYEE = { ...PERSON, pixKey: 'ana@example.com', pixKeyType: 'EMAIL' };
const REST_PAYEE = {
  ...{ client_name: 'Ana', client_tax_id: '52998224725' },
  ...{ pix_key: 'ana@example.com', pix_key_type: 'email' },
};
let shop: Awaited<ReturnType<typeof app.addAccount>>;
let platform: bigint;
const { ask, create, fund, trigger, stepNow } = graphqlClient(app, () => shop.apiKey);

/** Rows by which money leaves without the act of a caller: their rail reports, or the act is another row. */
const OF_RAILS = [
  ...['fixed pix_received', 'fixed swap_settled', 'reserved swap_settled', 'reserved cleared'],
  ...['demanded dispute_accepted', 'demanded dispute_opened', 'demanded dispute_returned'],
];
/** Rows that acts of the platform trigger; a rejection of a payment orders its return as `refund_requested`. */
const ROWS_OF_PLATFORM: Readonly<Record<string, readonly ActionName[]>> = {
  'fixed released': ['hold.release'],
  'reserved released': ['hold.release'],
  'fixed hold_rejected': ['hold.reject'],
  'fixed refund_requested': ['hold.reject', 'step_up.deny', 'case.deny'],
  'fixed refund_retried': ['refund.retry'],
};

/** Makes transactions at which one act of a caller moves money, by the act. */
const WAITING = {
  nothing: async () => MISSING,
  payment: async () => finished({}),
  deposit: async () => {
    const { end2end } = await offramp({ ...PAYEE, from: 'EXTERNAL' });
    await reach(end2end, 'crypto_deposit/WAITING_DEPOSIT');
    await trigger(end2end, 'deposit-wrong');
    await reach(end2end, 'crypto_deposit/UNDERPAID');
    return end2end;
  },
  depositWithoutPayee: async () => (await offramp({ from: 'EXTERNAL' })).end2end,
  quote: async () => (await offramp({ ...PAYEE, accept: false })).end2end,
  payoutWithoutPayee: async () => (await offramp({})).end2end,
  payout: () => held(async () => (await offramp(PAYEE)).end2end),
  withdrawal: () =>
    held(async () => {
      const input = { amountReceived: '10', currency: 'USDT_TRX', groupId: GROUP };
      return (await create('createWithdrawal', input)).transaction.end2end;
    }),
  hold: async () => {
    const end2end = await charged({ externalCode: 'sandbox:hold' });
    await trigger(end2end, 'pay');
    await reach(end2end, 'compliance/UNCOMPLIANT');
    return end2end;
  },
  heldWithdrawal: async () => {
    const input = { amountReceived: '10', currency: 'USDT_TRX', groupId: GROUP, notes: 'sandbox:hold' };
    const { end2end } = (await create('createWithdrawal', input)).transaction;
    await reach(end2end, 'compliance/UNCOMPLIANT');
    return end2end;
  },
  heldDeposit: async () => {
    const { end2end } = await offramp({ ...PAYEE, from: 'EXTERNAL', externalCode: 'sandbox:hold' });
    await reach(end2end, 'crypto_deposit/WAITING_DEPOSIT');
    await trigger(end2end, 'deposit');
    await trigger(end2end, 'deposit-confirm');
    await reach(end2end, 'compliance/UNCOMPLIANT');
    return end2end;
  },
  stepUp: async () => {
    const end2end = await charged({});
    await trigger(end2end, 'step-up-require');
    await trigger(end2end, 'pay');
    await reach(end2end, 'valida_id/PENDING');
    return end2end;
  },
  failedRefund: async () => {
    const end2end = await finished({ externalCode: 'sandbox:refund-fail' });
    await ask(
      `mutation { refundPayment(input: { end2end: "${end2end}" }) { errors { code message path } } }`,
    );
    await reach(end2end, 'refund/ERROR');
    return end2end;
  },
} as const;
type Waiting = keyof typeof WAITING;

const reach = (end2end: string, step: string) =>
  vi.waitFor(async () => expect(await stepNow(end2end)).toBe(step), { timeout: 20_000 });

async function charged(more: object): Promise<string> {
  const input = { amount: { brl: '60' }, currency: 'USDT_TRX', ...PERSON, ...more };
  const { end2end } = (await create('createOnramp', input)).transaction;
  await reach(end2end, 'depositpix/QRCODE');
  return end2end;
}

async function finished(more: object): Promise<string> {
  const end2end = await charged(more);
  await trigger(end2end, 'pay');
  await reach(end2end, 'success/DONE');
  return end2end;
}

async function offramp(more: object): Promise<{ end2end: string }> {
  const input = { currency: 'USDT_TRX', amount: { brl: '100' }, accept: true, from: 'BALANCE', ...more };
  return (await create('createOfframp', input)).transaction;
}

/** Makes money out above the threshold: it waits for another person. */
async function held(make: () => Promise<string>): Promise<string> {
  const update = (above: string) =>
    ask(
      `mutation { updateAccountSettings(input: { approvalAbove: ${above} }) { errors { code message path } } }`,
    );
  await update('"0"');
  const end2end = await make();
  await update('null');
  return end2end;
}

/** A way to request money out; its form in the console has the fields of its input. */
interface Way {
  readonly on: Waiting;
  readonly mutation: string;
  readonly input: (end2end: string) => Readonly<Record<string, string>>;
  readonly rest?: (end2end: string) => readonly [path: string, body: object];
  /** Scope that admits it; `move` by default. */
  readonly scope?: 'create';
  /** Whether a person need not show a passkey: the money goes where its payer fixed. */
  readonly isFree?: true;
}

const resolved = (resolution: string, more: object, isFree: boolean): readonly Way[] => [
  {
    on: 'deposit',
    mutation: 'resolveDeposit',
    input: (end2end) => ({ end2end, resolution, ...more }),
    rest: (end2end) => [`/v2/offramp/${end2end}/resolve`, { action: resolution.toLowerCase(), ...more }],
    ...(isFree && { isFree }),
  },
];
const sentBack = (more: object, isFree: boolean): readonly Way[] => [
  ...resolved('REFUND', more, isFree),
  {
    on: 'deposit',
    mutation: 'resolveDeposit',
    input: (end2end) => ({ end2end, resolution: 'REFUND', ...more }),
    rest: (end2end) => [`/v2/offramp/${end2end}/refund`, more],
    ...(isFree && { isFree }),
  },
];
const named = (on: Waiting): Omit<Way, 'scope' | 'isFree'> => ({
  on,
  mutation: 'provideIdentity',
  input: (end2end) => ({ end2end, ...PAYEE }),
  rest: (end2end) => [`/v2/offramp/${end2end}/identity`, REST_PAYEE],
});

/** Ways of each row of the table that a caller triggers, by kind and trigger. */
const ROWS: Readonly<Record<string, readonly Way[]>> = {
  'withdrawal created': [
    {
      on: 'nothing',
      mutation: 'createWithdrawal',
      input: () => ({ amountReceived: '10', currency: 'USDT_TRX', groupId: GROUP }),
      rest: () => [
        '/v2/withdrawal',
        { amount_received: 10, currency_receive_code: 'USDT_TRX', group_id: GROUP },
      ],
    },
    {
      on: 'withdrawal',
      mutation: 'approveWithdrawal',
      input: (end2end) => ({ end2end }),
      rest: (end2end) => [`/v2/withdrawal/${end2end}/approve`, {}],
    },
    { on: 'withdrawal', mutation: 'approveMoneyOut', input: (end2end) => ({ end2end }) },
  ],
  'payout reached': [
    {
      on: 'nothing',
      mutation: 'createOfframp',
      input: () => ({ currency: 'USDT_TRX', amount: '{ brl: "10" }', ...PAYEE }),
      rest: () => ['/v2/offramp', { amount_sent: 10, currency_entry_paid_code: 'USDT_TRX', ...REST_PAYEE }],
    },
    { on: 'quote', mutation: 'acceptQuote', input: (end2end) => ({ end2end }) },
    { on: 'payout', mutation: 'approveMoneyOut', input: (end2end) => ({ end2end }) },
  ],
  'payout identity_given': [named('payoutWithoutPayee')],
  'refund payment_refunded': [
    {
      on: 'payment',
      mutation: 'refundPayment',
      input: (end2end) => ({ end2end }),
      rest: (end2end) => [`/v2/onramp/${end2end}/refund`, {}],
    },
    {
      on: 'payment',
      mutation: 'refundPayment',
      input: (end2end) => ({ end2end, amount: '1' }),
      rest: (end2end) => [`/v2/onramp/${end2end}/refund`, { amount: '1' }],
    },
  ],
  'redirect refund_ordered': sentBack({ address: ELSEWHERE }, false),
  'fixed refund_ordered': sentBack({}, true),
  'fixed requoted': resolved('REQUOTE', {}, true),
  // The payee of a payer's own deposit is named before the payer sees its address.
  'fixed identity_given': [{ ...named('depositWithoutPayee'), scope: 'create', isFree: true }],
};
const WAYS = Object.values(ROWS).flat();

/** Acts of the platform by which money leaves, with the transaction that waits for them. */
const OF_PLATFORM: Readonly<Partial<Record<ActionName, readonly Waiting[]>>> = {
  'hold.release': ['hold', 'heldDeposit', 'heldWithdrawal'],
  'hold.reject': ['hold', 'heldDeposit', 'heldWithdrawal'],
  'step_up.approve': ['stepUp'],
  'step_up.deny': ['stepUp'],
  'refund.retry': ['failedRefund'],
  'refund.settle_by_hand': ['failedRefund'],
  'case.deny': ['nothing'],
  'suspense.return': ['nothing'],
  'suspense.assign': ['nothing'],
  'suspense.approve': ['nothing'],
  'order.settle': ['nothing'],
  'receivable.settle': ['nothing'],
  'capital.book': ['nothing'],
  'journal.approve': ['nothing'],
};
const PLATFORM_ACTS = Object.entries(OF_PLATFORM) as readonly (readonly [ActionName, readonly Waiting[]])[];
/** Denied money goes back to its payer, as it does by itself when nobody has decided in time. */
const DENIALS: readonly ActionName[] = ['step_up.deny', 'case.deny'];

const people = new Map<Role, SignedInForTest>();
/** A transaction of each kind, on which only those try who may not. */
const waiting = new Map<Waiting, string>();
const waitingFor = (on: Waiting): string => waiting.get(on) ?? MISSING;

beforeAll(async () => {
  shop = await app.addAccount();
  platform = await platformAccount(app.database, 'sandbox');
  await fund('USDT_TRX', '5000');
  await whitelist(app, shop.accountId, GROUP, [{ network: 'TRX', target: ELSEWHERE }]);
  for (const [name, make] of Object.entries(WAITING)) waiting.set(name as Waiting, await make());
  for (const role of ROLE_NAMES) {
    const accountId = role in PLATFORM_ROLES ? platform : shop.accountId;
    people.set(role, await signInAs(app, accountId, { email: `${role}@rows.invalid`, role }));
  }
}, 120_000);

/** Everything that moves with money: journals and balances of all accounts, orders to the rails, money that waits. */
async function moved(): Promise<unknown> {
  const { rows } = await app.owner.query(
    `select (select count(*)::int from journal) as journals, (select count(*)::int from ledger_line) as lines,
      (select md5(string_agg(b::text, ' ' order by b::text)) from ledger_balance b) as balances,
      (select count(*)::int from sandbox_order) + (select count(*)::int from pix_order) + (select count(*)::int from chain_order) as orders,
      (select count(*)::int from job where kind in ('send_funds', 'send_back', 'order_returns', 'return_payment', 'swap')) as due,
      (select json_agg(json_build_array(state, brl::text) order by at, ref) from money_out) as out,
      (select json_agg(process -> 'approval' order by id) from transaction where account_id = $1) as approvals`,
    [String(shop.accountId)],
  );
  return rows[0];
}

/** The same, once the work of others is done. */
async function movedAtRest(): Promise<unknown> {
  await vi.waitFor(
    async () => {
      const { rows } = await app.owner.query('select count(*)::int as due from job where due_at <= now()');
      expect(rows).toEqual([{ due: 0 }]);
    },
    { timeout: 20_000 },
  );
  return moved();
}

test('each transition by which money leaves has a row', () => {
  const kinds = REGISTRY.templates.flatMap(({ machine }) =>
    machine.transitions.flatMap(({ on, moneyOut }): (readonly [OutKind, string])[] =>
      moneyOut ? [[moneyOut, `${moneyOut} ${on}`]] : [],
    ),
  );
  const tried = [...Object.keys(ROWS), ...Object.keys(ROWS_OF_PLATFORM), ...OF_RAILS];
  expect([...new Set(kinds.map(([, row]) => row))].sort()).toEqual(tried.sort());
  const ruled = kinds.flatMap(([kind, row]) => (isRuled(kind) ? [row] : []));
  expect([...new Set(ruled)].filter((row) => !ROWS[row])).toEqual([]);
  for (const actions of Object.values(ROWS_OF_PLATFORM))
    expect(actions.filter((action) => !OF_PLATFORM[action])).toEqual([]);
});

test('each action of the platform that lets money out needs a passkey, and has no route of /v2', () => {
  const actions = PLATFORM_ACTS.map(([action]) => action);
  expect(actions.filter((action) => !PASSKEY_ACTIONS.includes(action))).toEqual(DENIALS);
  expect(ROUTES.filter(({ action }) => action && actions.includes(action))).toEqual([]);
});

const fieldOf = (mutation: string) => MUTATIONS.find(({ name }) => name === mutation);

/** The document of a way. */
function documentFor({ mutation, input }: Way, end2end: string): string {
  const bare = new Set(['EMAIL', 'REFUND', 'REQUOTE', '{ brl: "10" }']);
  const members = Object.entries(input(end2end)).map(
    ([name, value]) => `${name}: ${bare.has(value) ? value : JSON.stringify(value)}`,
  );
  return `mutation { ${mutation}(input: { ${members.join(', ')} }) { errors { code message path } } }`;
}

/** Documents of an act of the platform, with arguments made from the schema. */
function documentsOf(action: ActionName, end2end: string): readonly string[] {
  const known = { account: String(shop.accountId), end2end };
  return ACTIONS[action].mutations.flatMap((mutation: string) => {
    const field = fieldOf(mutation);
    return field ? [documentOf(field, known)] : [];
  });
}

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
const codeIn = ({ json }: { json: any }): string | undefined => errorsIn(json)?.[0]?.extensions.code;
const isForbidden = (answer: { json: object }) => codeIn(answer) === 'FORBIDDEN';
const ALL: readonly Scope[] = [...SCOPES, ...PLATFORM_SCOPES];
const isOfPlatform = (scope: Scope) => PLATFORM_SCOPES.some((each) => each === scope);

describe('C-25: by a caller who may', () => {
  const mover = async () => (await app.addKey(shop.accountId, ['read', 'create', 'move'])).apiKey;

  test.each(
    Object.entries(ROWS).flatMap(([row, ways]) => ways.map((way) => [row, way.mutation, way] as const)),
  )('%s: %s moves money, by /v2 as well', async (_row, _mutation, way) => {
    const before = await moved();
    const end2end = await WAITING[way.on]();
    const made = way.on === 'nothing' ? before : await moved();
    const answer = await app.graphql(documentFor(way, end2end), {}, { key: await mover() });
    expect(codeIn(answer)).toBeUndefined();
    if (way.on !== 'depositWithoutPayee') expect(await moved()).not.toEqual(made);
    const other = await WAITING[way.on]();
    const [path, body] = way.rest?.(other) ?? [];
    if (path) expect((await app.post(path, body ?? {}, { key: await mover() })).status).toBeLessThan(300);
  });

  test.each(
    PLATFORM_ACTS.flatMap(([action, all]) =>
      all.flatMap((on) => (on === 'nothing' ? [] : [[action, on] as const])),
    ),
  )('%s moves money: %s', async (action, on) => {
    const end2end = await WAITING[on]();
    const before = await moved();
    for (const document of documentsOf(action, end2end))
      expect(codeIn(await app.graphql(document, {}, { key: app.platformKey }))).toBeUndefined();
    await expect.poll(moved).not.toEqual(before);
  });
});

describe.each(ALL)('C-25: a key with the scope %s', (scope) => {
  const keyOf = async () => {
    const holder = isOfPlatform(scope) ? platform : shop.accountId;
    return (await app.addKey(holder, [...new Set<Scope>(['read', scope])])).apiKey;
  };

  test('lets money out of the account with the scope of the row only', async () => {
    const [key, before] = [await keyOf(), await movedAtRest()];
    for (const way of WAYS) {
      const mayDo = scope === (way.scope ?? 'move');
      const end2end = mayDo ? MISSING : waitingFor(way.on);
      if (mayDo && way.on === 'nothing') continue;
      const document = documentFor(way, end2end);
      expect(isForbidden(await app.graphql(document, {}, { key })), document).toBe(!mayDo);
      const [path, body] = way.rest?.(end2end) ?? [];
      if (!path) continue;
      const { json } = await app.post(path, body ?? {}, { key });
      expect(json.code === 'FORBIDDEN', path).toBe(!mayDo);
    }
    expect(await moved()).toEqual(before);
  });

  test.each(PLATFORM_ACTS)('performs %s with the scope of the action only', async (action, all) => {
    const [key, before] = [await keyOf(), await movedAtRest()];
    const mayDo = scope === ACTIONS[action].scope;
    for (const on of all)
      for (const document of documentsOf(action, mayDo ? MISSING : waitingFor(on)))
        expect(isForbidden(await app.graphql(document, {}, { key })), document).toBe(!mayDo);
    if (!mayDo) expect(await moved()).toEqual(before);
  });
});

describe.each(ROLE_NAMES)('C-25: a person with the role %s', (role) => {
  const has = (scope: Scope) => (scopesOf(role) as readonly Scope[]).includes(scope);
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

  test('lets money out of the account with the scope of the row only, and by no route of /v2', async () => {
    const { graphql, headers } = people.get(role) as SignedInForTest;
    const before = await movedAtRest();
    for (const way of WAYS) {
      const mayDo = has(way.scope ?? 'move');
      const end2end = mayDo ? MISSING : waitingFor(way.on);
      const [path, body] = way.rest?.(waitingFor(way.on)) ?? [];
      if (path) expect((await app.post(path, body ?? {}, { key: null, headers })).status, path).toBe(401);
      if (mayDo && way.on === 'nothing') continue;
      const document = documentFor(way, end2end);
      expect(isForbidden(await graphql(document)), document).toBe(!mayDo);
      expect([!mayDo, undefined], way.mutation).toContain(
        await isRefusedForm(way.mutation, way.input(end2end)),
      );
    }
    expect(await moved()).toEqual(before);
  });

  test.each(PLATFORM_ACTS)('performs %s with the scope of the action only', async (action, all) => {
    const { graphql } = people.get(role) as SignedInForTest;
    const before = await movedAtRest();
    const isAllowed = has(ACTIONS[action].scope);
    for (const on of all) {
      const end2end = isAllowed ? MISSING : waitingFor(on);
      for (const document of documentsOf(action, end2end))
        expect(isForbidden(await graphql(document)), document).toBe(!isAllowed);
      for (const mutation of ACTIONS[action].mutations as readonly string[]) {
        const given = { account: String(shop.accountId), end2end };
        expect([!isAllowed, undefined], mutation).toContain(await isRefusedForm(mutation, given));
      }
    }
    if (!isAllowed) expect(await moved()).toEqual(before);
  });

  test('C-40: lets money out with a fresh passkey only', async () => {
    const { graphql, headers, personId, sessionId } = people.get(role) as SignedInForTest;
    await app.owner.query(
      `insert into passkey (id, person_id, name, public_key, counter, transports, created_at)
        values ('key-of-' || $1::text, $1, 'Laptop', '', 0, '{}', now())`,
      [personId],
    );
    await app.owner.query(
      `update person_session set verified_at = now() - interval '5 minutes 1 second' where id = $1`,
      [sessionId],
    );
    const before = await movedAtRest();
    for (const way of WAYS) {
      if (!has(way.scope ?? 'move') || way.isFree) continue;
      const end2end = waitingFor(way.on);
      expect(codeIn(await graphql(documentFor(way, end2end))), way.mutation).toBe('STEP_UP_REQUIRED');
      expect([true, undefined], way.mutation).toContain(
        await isRefusedForm(way.mutation, way.input(end2end)),
      );
      const [path, body] = way.rest?.(end2end) ?? [];
      if (path) expect((await app.post(path, body ?? {}, { key: null, headers })).status, path).toBe(401);
    }
    for (const [action, all] of PLATFORM_ACTS) {
      if (!has(ACTIONS[action].scope) || DENIALS.includes(action)) continue;
      for (const end2end of all.map(waitingFor)) {
        for (const document of documentsOf(action, end2end))
          expect(codeIn(await graphql(document)), document).toBe('STEP_UP_REQUIRED');
        for (const mutation of ACTIONS[action].mutations as readonly string[])
          expect([true, undefined], mutation).toContain(
            await isRefusedForm(mutation, { account: String(shop.accountId), end2end }),
          );
      }
    }
    expect(await moved()).toEqual(before);
  });
});
