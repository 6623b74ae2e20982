/**
 * Goal: money that 50 callers send at once never passes the rule of money out (C-25), whatever its kind, its maker and its interface. Method:
 * payouts from the balance, redirected deposits, and all kinds together, by keys and people, through GraphQL, `/v2` and forms of the
 * console of two gateways on one database, against each limit; then the sum of what left is computed from the transactions themselves.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { toMinor } from '../../src/base/money/money.ts';
import { verifyMoneyOut } from '../../src/store/engine/verify-money-out.ts';
import { verifyLedger } from '../../src/store/ledger/verify.ts';
import { startApp, useApp } from '../support/app.ts';
import { visit } from '../support/console.ts';
import { graphqlClient } from '../support/graphql-client.ts';
import { type SignedInForTest, signInAs } from '../support/people.ts';
import { errorsIn } from '../support/refusals.ts';
import { whitelist } from '../support/rest-routes.ts';

const CALLERS = 50;
const TIMEOUT_MS = 180_000;
/** BRL, of every limit that is tried. */
const LIMIT = '123.45';
/** BRL of one payout, refund or withdrawal. */
const AMOUNT = '15.79';
const ADDRESS = 'TKN9umuf74bK4z4K5BSo2WiCDgzyxUtbsD';
const PIX_KEY = 'ana@example.com';
const PERSON = { clientName: 'Ana Souza', clientTaxId: '52998224725' };
const PAYEE = { ...PERSON, pixKey: PIX_KEY, pixKeyType: 'EMAIL' };
const REST_PAYEE = {
  ...{ client_name: 'Ana Souza', client_tax_id: '52998224725' },
  ...{ pix_key: PIX_KEY, pix_key_type: 'email' },
};
const BANK = 'grp_bank';

const app = useApp({ rateLimit: null });
let second: Awaited<ReturnType<typeof startApp>>;
let shop: Awaited<ReturnType<typeof app.addAccount>>;
let keys: readonly string[];
let owners: readonly SignedInForTest[];
const { ask, create, fund, trigger, stepNow } = graphqlClient(app, () => shop.apiKey);

beforeAll(async () => {
  second = await startApp(app.database);
});
afterAll(() => second.close());

beforeEach(async () => {
  shop = await app.addAccount();
  const mover = async () => (await app.addKey(shop.accountId, ['read', 'create', 'move'])).apiKey;
  keys = [shop.apiKey, await mover(), await mover()];
  const owner = (n: number) =>
    signInAs(app, shop.accountId, { email: `o${n}-${shop.accountId}@races.invalid`, role: 'owner' });
  owners = [await owner(1), await owner(2)];
  await whitelist(app, shop.accountId, BANK, [{ pixKeyType: 'email', target: PIX_KEY }]);
  await fund('USDT_TRX', '50000');
  await fund('BRL', '50000');
});

const limit = (input: string) =>
  ask(`mutation { updateAccountSettings(input: { ${input} }) { errors { code message path } } }`);
const all = <Each>(make: (caller: number) => Promise<Each>, callers = CALLERS): Promise<Each[]> =>
  Promise.all(Array.from({ length: callers }, (_, caller) => make(caller)));
const reach = (end2end: string, step: string) =>
  vi.waitFor(async () => expect(await stepNow(end2end)).toBe(step), { timeout: 60_000 });

/** Kinds of money out, each with what it needs before it can be requested. */
type Kind = 'payout' | 'withdrawal' | 'refund' | 'redirect';
const PREPARE: Readonly<Record<Kind, () => Promise<string>>> = {
  payout: async () => '',
  withdrawal: async () => '',
  // Its crypto goes to a wallet: the payer is a new destination.
  refund: async () => {
    const input = { amount: { brl: '60' }, currency: 'USDT_TRX', wallet: ADDRESS, ...PERSON };
    const { end2end } = (await create('createOnramp', input)).transaction;
    await reach(end2end, 'depositpix/QRCODE');
    await trigger(end2end, 'pay');
    await reach(end2end, 'success/DONE');
    return end2end;
  },
  redirect: async () => {
    const input = { amount: { brl: '30' }, currency: 'USDT_TRX', from: 'EXTERNAL', accept: true, ...PAYEE };
    const { end2end } = (await create('createOfframp', input)).transaction;
    await reach(end2end, 'crypto_deposit/WAITING_DEPOSIT');
    await trigger(end2end, 'deposit-wrong');
    await reach(end2end, 'crypto_deposit/UNDERPAID');
    return end2end;
  },
};

/** A request by each interface: mutation and its input, route and its body, and the fields of a form. */
interface Request {
  readonly mutation: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly rest: readonly [path: string, body: object];
  readonly form: Readonly<Record<string, string>>;
}

function requestOf(kind: Kind, end2end: string): Request {
  switch (kind) {
    case 'payout': {
      const order = { currency: 'USDT_TRX', from: 'BALANCE', ...PAYEE };
      return {
        mutation: 'createOfframp',
        input: { ...order, amount: { brl: AMOUNT }, accept: true },
        rest: ['/v2/offramp', { amount_sent: AMOUNT, currency_entry_paid_code: 'USDT_TRX', ...REST_PAYEE }],
        form: { ...order, brl: AMOUNT, accept: 'true' },
      };
    }
    case 'withdrawal': {
      const order = { currency: 'BRL', amountReceived: AMOUNT, groupId: BANK };
      return {
        mutation: 'createWithdrawal',
        input: order,
        rest: ['/v2/withdrawal', { amount_received: AMOUNT, currency_receive_code: 'BRL', group_id: BANK }],
        form: order,
      };
    }
    case 'refund':
      return {
        mutation: 'refundPayment',
        input: { end2end, amount: AMOUNT },
        rest: [`/v2/onramp/${end2end}/refund`, { amount: AMOUNT }],
        form: { end2end, amount: AMOUNT },
      };
    case 'redirect': {
      const order = { end2end, resolution: 'REFUND', address: ADDRESS };
      return {
        mutation: 'resolveDeposit',
        input: order,
        rest: [`/v2/offramp/${end2end}/refund`, { address: ADDRESS }],
        form: order,
      };
    }
  }
}

const titled = (name: string) => name[0]?.toUpperCase() + name.slice(1);

/** Sends a request by the interface of the caller's number, to the gateway of its number. @returns the refusal, if any. */
async function send(kind: Kind, end2end: string, caller: number): Promise<unknown> {
  const { mutation, input, rest, form } = requestOf(kind, end2end);
  const key = keys[caller % keys.length] ?? '';
  const owner = owners[caller % owners.length] as SignedInForTest;
  const baseUrl = caller % 2 ? second.publicUrl : app.baseUrl;
  const post = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const answer = await fetch(baseUrl + path, { method: 'POST', headers, body: JSON.stringify(body) });
    return { status: answer.status, json: await answer.json() };
  };
  switch (Math.floor(caller / 2) % 3) {
    case 0: {
      const query = `mutation($input: ${titled(mutation)}Input!) { ${mutation}(input: $input) { errors { code message path } } }`;
      return errorsIn((await post('/graphql', { query, variables: { input } })).json);
    }
    case 1: {
      const { status, json } = await post(...rest);
      return status < 300 ? undefined : json;
    }
    default: {
      const sent = { back: '/console/search', ...form, idempotencyKey: `race-${shop.accountId}-${caller}` };
      const page = await visit({ baseUrl }, owner, `/console/acts/${titled(mutation)}`, { form: sent });
      return page.status === 303 ? undefined : page.text;
    }
  }
}

const cents = (brl: string) => toMinor(brl, 2);

/** Amounts that left, read from the transactions themselves, and amounts that wait; BRL cents, by destination. */
async function outcome() {
  const { rows } = await app.owner.query<{ target: string; brl: string; waits: boolean }>(
    `select coalesce(t.pix_key, '') as target, t.target_amount::text as brl, t.process -> 'approval' is not null as waits
        from transaction t where account_id = $1 and template in ('offramp', 'withdraw_dash_same_curr')
          and (t.process -> 'approval' is not null or component not in ('quote', 'pre_kyc'))
      union all select 'payer', r ->> 'amount', false
        from transaction t, jsonb_array_elements(t.process -> 'returns') r where account_id = $1 and r ->> 'kind' in ('refund', 'part')
      union all select t.process ->> 'refundAddress', t.process ->> 'refundWorth', false
        from transaction t where account_id = $1 and component = 'refund' and t.process ->> 'refundAddress' is not null
      union all select coalesce(t.process #>> '{approval,trigger,address}', 'payer'),
          coalesce(t.process #>> '{approval,trigger,worth}', t.process #>> '{approval,trigger,amount}'), true
        from transaction t where account_id = $1 and template not in ('offramp', 'withdraw_dash_same_curr') and t.process -> 'approval' is not null`,
    [String(shop.accountId)],
  );
  const sums = new Map<string, bigint>();
  for (const { target, brl, waits } of rows)
    if (!waits) sums.set(target, (sums.get(target) ?? 0n) + cents(brl));
  return {
    left: rows.filter(({ waits }) => !waits).reduce((sum, { brl }) => sum + cents(brl), 0n),
    sums,
    waiting: rows.filter(({ waits }) => waits).map(({ target, brl }) => ({ target, brl: cents(brl) })),
  };
}

async function expectSound() {
  expect(await verifyMoneyOut(app.database, shop.accountId)).toEqual([]);
  expect((await verifyLedger(app.database, shop.accountId)).defects).toEqual([]);
}

const MIXES: readonly (readonly [string, readonly Kind[]])[] = [
  ['payouts from the balance', ['payout']],
  ['redirected deposits', ['redirect']],
  ['withdrawals, payouts, refunds and redirected deposits', ['withdrawal', 'payout', 'refund', 'redirect']],
];

describe.each(MIXES)('C-25: 50 callers at once, %s', (_name, kinds) => {
  const kindOf = (caller: number) => kinds[(caller + Math.floor(caller / 4)) % kinds.length] as Kind;
  const race = async (rule: string) => {
    const prepared = await all((caller) => PREPARE[kindOf(caller)]());
    await limit(rule);
    const refused = await all((caller) => send(kindOf(caller), prepared[caller] ?? '', caller));
    expect(refused).toEqual(Array(CALLERS).fill(undefined));
    return outcome();
  };

  test.each(['approvalAbove', 'outflowPerHour'])(
    'send no more than %s, and as much as it allows',
    async (rule) => {
      const { left, waiting } = await race(`${rule}: "${LIMIT}"`);
      expect(left).toBeLessThanOrEqual(cents(LIMIT));
      expect(waiting.length).toBeGreaterThan(CALLERS / 2);
      for (const { brl } of waiting) expect(left + brl).toBeGreaterThan(cents(LIMIT));
      await expectSound();
    },
    TIMEOUT_MS,
  );

  test(
    'send no more than newTargetPerHour to any new destination, and as much as it allows',
    async () => {
      const { sums, waiting } = await race(`newTargetPerHour: "${LIMIT}"`);
      expect(sums.size).toBe(new Set(kinds.map((kind) => (kind === 'withdrawal' ? 'payout' : kind))).size);
      for (const left of sums.values()) expect(left).toBeLessThanOrEqual(cents(LIMIT));
      for (const { target, brl } of waiting)
        expect((sums.get(target) ?? 0n) + brl).toBeGreaterThan(cents(LIMIT));
      await expectSound();
    },
    TIMEOUT_MS,
  );
});

test(
  'C-25: parallel approvals by one person stay below the ceiling of the hour, whatever kinds wait',
  async () => {
    const kinds: readonly Kind[] = ['withdrawal', 'payout', 'refund', 'redirect'];
    const kindOf = (caller: number) => kinds[caller % kinds.length] as Kind;
    const prepared = await all((caller) => PREPARE[kindOf(caller)]());
    await limit(`approvalAbove: "0", outflowPerHour: "${LIMIT}"`);
    await all((caller) => send(kindOf(caller), prepared[caller] ?? '', caller));
    const { left, waiting } = await outcome();
    expect([left, waiting.length]).toEqual([0n, CALLERS]);
    const approver = (await app.addKey(shop.accountId, ['read', 'move'])).apiKey;
    const { approvals } = await ask('{ approvals { transaction { end2end } } }', {}, approver);
    const answers = await Promise.all(
      approvals.map(({ transaction: { end2end } }: { transaction: { end2end: string } }) =>
        app.graphql(
          `mutation { approveMoneyOut(input: { end2end: "${end2end}" }) { errors { code message path } } }`,
          {},
          { key: approver },
        ),
      ),
    );
    for (const { json } of answers) expect(errorsIn(json)).toBeUndefined();
    const { rows } = await app.owner.query(
      `select coalesce(sum(brl), 0)::text as brl from money_out where account_id = $1 and state <> 'held'`,
      [String(shop.accountId)],
    );
    expect(cents(rows[0].brl)).toBeGreaterThan(0n);
    expect(cents(rows[0].brl)).toBeLessThanOrEqual(cents(LIMIT));
    await expectSound();
  },
  TIMEOUT_MS,
);
