/**
 * Goal: an act that comes when its step does not take it is 409, whatever is known of the transaction by then, and never
 * a failure of the gateway (C-51). Method: transactions of all templates are brought to where something is under way;
 * there every act of REST and GraphQL and every scenario that the machine does not take is tried, without a key, with
 * one, and with the same one again.
 */

import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { stepNameOf } from '../../src/base/ids/step-name.ts';
import { findProcess } from '../../src/store/engine/processes.ts';
import { accepts } from '../../src/templates/accepts.ts';
import type { Template } from '../../src/templates/define.ts';
import type { ProcessRow } from '../../src/templates/facts.ts';
import { REGISTRY } from '../../src/templates/index.ts';
import type { TriggerName } from '../../src/templates/triggers.ts';
import { type Answer, useApp } from '../support/app.ts';
import { action } from '../support/graphql-client.ts';
import { errorsIn } from '../support/refusals.ts';
import { CUSTOMER, PAYEE, whitelist } from '../support/rest-routes.ts';

const app = useApp();
const REFUND_TO = 'TKN9umuf74bK4z4K5BSo2WiCDgzyxUtbsD';
let accountId: bigint;
let key: string;
let second: string;

beforeAll(async () => {
  ({ accountId, apiKey: key } = await app.addAccount());
  second = (await app.addKey(accountId, ['read', 'create', 'move', 'admin'])).apiKey;
  await whitelist(app, accountId, 'out', [{ network: 'TRX', target: REFUND_TO }]);
  for (const [currency, amount] of [
    ['USDT_TRX', '5000'],
    ['BRL', '5000'],
  ])
    expect((await app.post('/v2/sandbox/fund', { currency, amount }, { key })).status).toBe(200);
});

/** What callers can ask for, and what the machine is told of it. */
interface Request {
  readonly name: string;
  /** Family of paths that it is about; of all by default. */
  readonly of?: readonly string[];
  readonly on: readonly TriggerName[];
  readonly ask: (target: { path: string; end2end: string }, onceKey: string | undefined) => Promise<Answer>;
}

const posted = (name: string, on: TriggerName, body: object = {}): Request => ({
  name: `POST …/${name} ${JSON.stringify(body)}`,
  on: [on],
  ask: ({ path, end2end }, onceKey) =>
    app.post(`${path}/${end2end}/${name}`, body, {
      key: second,
      headers: onceKey === undefined ? {} : { 'idempotency-key': onceKey },
    }),
});
const mutated = (name: string, on: readonly TriggerName[], args = ''): Request => ({
  name: `mutation ${name}(${args})`,
  on,
  ask: ({ end2end }, onceKey) => app.graphql(action(name, args), { end2end, key: onceKey }, { key: second }),
});
const decided = (name: string, on: TriggerName, args = ''): Request => ({
  name: `mutation ${name}`,
  on: [on],
  ask: ({ end2end }, onceKey) =>
    app.graphql(
      action(name, `account: "${accountId}", ${args}`),
      { end2end, key: onceKey },
      { key: app.platformKey },
    ),
});
const IDENTITY = 'clientName: "Ana", clientTaxId: "52998224725"';
const ASKED: readonly Request[] = [
  posted('cancel', 'cancelled'),
  { ...posted('refund', 'refund_ordered'), of: ['/v2/offramp'] },
  { ...posted('refund', 'refund_ordered', { address: REFUND_TO }), of: ['/v2/offramp'] },
  { ...posted('refund', 'payment_refunded'), of: ['/v2/onramp', '/v2/crossramp_checkout'] },
  { ...posted('identity', 'identity_given', CUSTOMER), of: ['/v2/onramp', '/v2/crossramp_checkout'] },
  posted('confirm_identity', 'identity_confirmed'),
  posted('resolve', 'refund_ordered', { action: 'refund' }),
  posted('resolve', 'refund_ordered', { action: 'refund', address: REFUND_TO }),
  posted('resolve', 'kept', { action: 'keep' }),
  posted('resolve', 'requoted', { action: 'requote' }),
  posted('approve', 'approved'),
  posted('reject', 'rejected'),
  mutated('cancelTransaction', ['cancelled']),
  mutated('acceptQuote', ['accepted']),
  mutated('enterAmount', ['amount_given', 'quote_failed'], 'amountPayment: "60",'),
  mutated('provideIdentity', ['identity_given', 'limit_exceeded'], `${IDENTITY},`),
  mutated(
    'provideIdentity',
    ['identity_given', 'limit_exceeded'],
    `${IDENTITY}, pixKey: "ana@example.com", pixKeyType: EMAIL,`,
  ),
  mutated('confirmIdentity', ['identity_confirmed']),
  ...['KEEP', 'REFUND', 'REQUOTE'].map((resolution, index) =>
    mutated(
      'resolveDeposit',
      [(['kept', 'refund_ordered', 'requoted'] as const)[index] as TriggerName],
      `resolution: ${resolution},`,
    ),
  ),
  mutated('approveWithdrawal', ['approved']),
  mutated('rejectWithdrawal', ['rejected']),
  decided('releaseHold', 'released', 'reason: "case 1",'),
  decided('rejectHold', 'hold_rejected', 'reason: "case 1",'),
  decided('approveStepUp', 'step_up_approved', 'reason: "case 1",'),
  decided('denyStepUp', 'step_up_denied', 'reason: "case 1",'),
];

/** A transaction on its way: how it is made, and what is played until it stands at the step. */
interface Position {
  readonly name: string;
  readonly path: string;
  readonly make: () => Promise<Answer>;
  readonly played?: readonly (string | { readonly advance: string })[];
  readonly at: string;
}

const session = { expires_in: 2_592_000 };
const onramp =
  (plan = '') =>
  () =>
    app.post(
      '/v2/onramp',
      {
        amount_payment: 100,
        currency_exit_received_code: 'USDT_TRX',
        ...CUSTOMER,
        ...session,
        external_code: plan,
      },
      { key },
    );
const offramp =
  (from: string, plan = '') =>
  () =>
    app.post(
      '/v2/offramp',
      {
        amount_paid: 20,
        currency_entry_paid_code: 'USDT_TRX',
        ...PAYEE,
        from,
        ...session,
        external_code: plan,
      },
      { key },
    );
const deposit = (name: string, at: string, played: Position['played'] = [], plan = ''): Position => ({
  name: `offramp_instant: ${name}`,
  path: '/v2/offramp',
  make: offramp('external', plan),
  played,
  at,
});
const WAITING = 'crypto_deposit/WAITING_DEPOSIT';
const EXPIRED = 'crypto_deposit/EXPIRED';
const LATE = ['expire', { advance: '5s' }, 'deposit'] as const;
const PLACES: readonly Position[] = [
  deposit('nothing was sent', WAITING),
  deposit('the exact deposit was seen', 'crypto_deposit/DETECTED', ['deposit']),
  deposit('the deposit was dropped', 'crypto_deposit/DROPPED', ['deposit', 'deposit-reorg']),
  deposit('the session ended', EXPIRED, ['expire']),
  deposit('a late deposit was seen', EXPIRED, LATE),
  deposit('a late deposit was dropped', EXPIRED, [...LATE, 'deposit-reorg']),
  deposit('a late deposit is held', 'crypto_deposit/LATE', [...LATE, 'deposit-confirm']),
  deposit('a wrong deposit is held', 'crypto_deposit/UNDERPAID', ['deposit-wrong']),
  deposit('screening holds it', 'compliance/UNCOMPLIANT', ['deposit', 'deposit-confirm'], 'sandbox:hold'),
  deposit('the payee is looked at', 'kyc_payee/PENDING', [], 'sandbox:step-up-require'),
  {
    name: 'offramp: the payee is looked at',
    path: '/v2/offramp',
    make: offramp('balance', 'sandbox:step-up-require'),
    at: 'kyc_payee/PENDING',
  },
  {
    name: 'offramp: screening holds it',
    path: '/v2/offramp',
    make: offramp('balance', 'sandbox:hold'),
    at: 'compliance/UNCOMPLIANT',
  },
  {
    name: 'offramp: done',
    path: '/v2/offramp',
    make: offramp('balance'),
    played: [{ advance: '10s' }],
    at: 'success/DONE',
  },
  { name: 'onramp: to be paid', path: '/v2/onramp', make: onramp(), at: 'depositpix/QRCODE' },
  {
    name: 'onramp: the customer is looked at',
    path: '/v2/onramp',
    make: onramp('sandbox:step-up-require'),
    at: 'valida_id/PENDING',
  },
  {
    name: 'onramp: screening holds it',
    path: '/v2/onramp',
    make: onramp('sandbox:hold'),
    played: ['pay'],
    at: 'compliance/UNCOMPLIANT',
  },
  {
    name: 'onramp: done',
    path: '/v2/onramp',
    make: onramp(),
    played: ['pay', { advance: '10s' }],
    at: 'success/DONE',
  },
  {
    name: 'crossramp_checkout: without an amount',
    path: '/v2/crossramp_checkout',
    make: () =>
      app.post('/v2/crossramp_checkout', { currency_exit_received_code: 'USDT_TRX', ...session }, { key }),
    at: 'static_entry/AMOUNT',
  },
  {
    name: 'withdraw_dash_same_curr: done',
    path: '/v2/withdrawal',
    make: () =>
      app.post(
        '/v2/withdrawal',
        { amount_received: 20, currency_receive_code: 'USDT_TRX', group_id: 'out' },
        { key },
      ),
    played: [{ advance: '10s' }],
    at: 'success_withdrawl_dash/DONE',
  },
];

async function rowOf(end2end: string): Promise<ProcessRow> {
  return (await findProcess(app.database, accountId, end2end)) as ProcessRow;
}

function isTaken(row: ProcessRow, on: readonly TriggerName[]): boolean {
  const template = REGISTRY.find(row.template) as Template;
  return on.some((each) => accepts(template, row, each));
}

describe('C-51: an action that the step does not accept is 409', () => {
  test.each(PLACES)('$name', async ({ path, make, played = [], at }) => {
    const made = await make();
    expect(made.status, made.text).toBe(201);
    const { end2end } = made.json;
    for (const each of played) {
      const isScenario = typeof each === 'string';
      const [to, body] = isScenario
        ? ['/v2/sandbox/trigger', { scenario: each, end2end }]
        : ['/v2/sandbox/clock', each];
      const answer = await app.post(to, body, isScenario ? { key } : {});
      expect(answer.status, answer.text).toBe(200);
    }
    await expect.poll(async () => stepNameOf(await rowOf(end2end)), { interval: 40 }).toBe(at);
    const row = await rowOf(end2end);
    for (const { name, on, of = [path], ask } of ASKED) {
      if (isTaken(row, on) || !of.includes(path)) continue;
      const onceKey = randomUUID();
      for (const given of [undefined, onceKey, onceKey]) {
        const { status, json, text } = await ask({ path, end2end }, given);
        // An act that the family does not have is no path at all.
        if (status === 404) continue;
        const code = errorsIn(json) ? errorsIn(json)[0].extensions.code : json.code;
        expect(code, `${at} ${name} ${given} ${text}`).toMatch(/^(STEP_CONFLICT|INVALID_PARAMETER)$/);
        if (code === 'INVALID_PARAMETER') expect(name, text).toContain('provideIdentity');
      }
    }
    expect(stepNameOf(await rowOf(end2end))).toBe(at);
  });
});
