/**
 * Goal: an account narrows the limits of the platform, never widens them, and loosens its own only after the cooling time
 * (C-21, C-40). Method: limits by GraphQL on an account with a cooling time of a day; creations over HTTP; then the virtual
 * clock goes on.
 */
import { pino } from 'pino';
import { beforeEach, describe, expect, test } from 'vitest';
import { settleSettings, startSettlingSettings } from '../../src/resolvers/engine/settle-settings.ts';
import { putSettingChange, readDueChanges } from '../../src/store/account/setting-changes.ts';
import { useApp } from '../support/app.ts';
import { graphqlClient, parametersOf } from '../support/graphql-client.ts';
import { holdAccounts } from '../support/hold-accounts.ts';
import { newCustomer, newShop, type Shop } from '../support/limits.ts';
import { useOneDay } from '../support/one-day.ts';

useOneDay();
const app = useApp({ rateLimit: null });
const LIMITS = 'template amountMin amountMax customerStepUp30d customerLimitDaily';
const NONE = { amountMin: null, amountMax: null, customerStepUp30d: null, customerLimitDaily: null };
let shop: Shop;
const { ask, refusal } = graphqlClient(app, () => shop.apiKey);

const mutation = (input: string, template = 'onramp') =>
  `mutation { updateTemplateLimits(input: { template: ${template}, ${input} }) { templateLimits { ${LIMITS} } errors { code message path } } }`;
const limit = async (input: string, template?: string) =>
  (await ask(mutation(input, template))).updateTemplateLimits.templateLimits;
const limits = async () =>
  (await ask(`{ viewer { account { templateLimits { ${LIMITS} } } } }`)).viewer.account.templateLimits;
const pending = async () =>
  (await ask('{ viewer { account { accountSettings { pendingChanges { setting subject value } } } } }'))
    .viewer.account.accountSettings.pendingChanges;
const ofCustomer = async (taxId: string, input: string) =>
  (
    await ask(
      `mutation { updateCustomer(input: { taxId: "${taxId}", ${input} }) { customer { limitDaily stepUp30d } errors { code message path } } }`,
    )
  ).updateCustomer.customer;
const pass = async (by: string) => {
  await ask(`mutation { sandboxAdvanceClock(input: { by: "${by}" }) { now errors { code message path } } }`);
  await settleSettings(app.services);
};
const lastEntry = async () =>
  (await ask('{ auditLog(first: 1) { nodes { act actorKind actorId maker objectId before after } } }'))
    .auditLog.nodes[0];

beforeEach(async () => {
  shop = await newShop(app);
  await ask(
    'mutation { updateAccountSettings(input: { whitelistCoolingSeconds: 86400 }) { accountSettings { approvalAbove } errors { code message path } } }',
  );
});

describe('limits of an account on a template', () => {
  test('C-21: apply in addition to those of the platform: of a transaction, of a customer, of a day', async () => {
    expect(await limits()).toEqual([]);
    const set = await limit('amountMin: "50", amountMax: "900", customerLimitDaily: "1000"');
    expect(set).toEqual({
      ...NONE,
      template: 'onramp',
      amountMin: '50',
      amountMax: '900',
      customerLimitDaily: '1000',
    });
    expect(await limits()).toEqual([set]);
    for (const amount of ['49.99', '900.01']) {
      const refused = await shop.onramp(newCustomer(), amount);
      expect([refused.status, refused.json.code]).toEqual([422, 'LIMIT_EXCEEDED']);
      expect(refused.json.detail).toContain('50 to 900');
    }
    const taxId = newCustomer();
    expect((await shop.onramp(taxId, '900')).status).toBe(201);
    expect((await shop.onramp(taxId, '100.01')).json.code).toBe('LIMIT_EXCEEDED');
    expect((await shop.checkout(taxId, '901')).status).toBe(201);
  });

  test('C-21: a step-up is required above the lower one', async () => {
    await limit('customerStepUp30d: "100"', 'crossramp_checkout');
    const { json } = await shop.checkout(newCustomer(), '100.01');
    await shop.reach(json.end2end, 'valida_id_v2/PENDING');
  });

  test.each([
    ['amountMin: "0.99"', 'input.amountMin', /must not be below .* 1$/],
    ['amountMax: "50000.01"', 'input.amountMax', /must not exceed .* 50000$/],
    ['customerStepUp30d: "10000.01"', 'input.customerStepUp30d', /must not exceed .* 10000$/],
    ['customerLimitDaily: "50000.01"', 'input.customerLimitDaily', /must not exceed .* 50000$/],
    ['amountMax: "1.001"', 'input.amountMax', /must be a decimal number/],
    ['amountMax: "0.5"', 'input.amountMax', /must not be below amountMin, 1/],
  ])('C-21: %s is refused, naming it', async (input, parameter, message) => {
    const refused = await refusal(mutation(input));
    expect([refused.code, ...parametersOf(refused)]).toEqual(['INVALID_PARAMETER', parameter]);
    expect(refused.violations[0].message).toMatch(message);
    expect(await limits()).toEqual([]);
  });

  test('C-21: those of the platform apply where they become the tighter ones', async () => {
    await limit('amountMax: "900"');
    await ask(
      `mutation { updateTemplateSettings(input: { account: "${shop.accountId}", template: onramp, amountMax: "500" }) { templateSetting { amountMax } errors { code message path } } }`,
    );
    expect((await shop.onramp(newCustomer(), '500.01')).json.code).toBe('LIMIT_EXCEEDED');
  });

  test('C-40: loosening waits for the cooling time; then it is in the log as an action of the gateway', async () => {
    await limit('amountMin: "50", amountMax: "100"');
    expect(await limit('amountMin: "20", amountMax: null')).toMatchObject({
      amountMin: '50',
      amountMax: '100',
    });
    expect(await pending()).toEqual([
      { setting: 'TEMPLATE_AMOUNT_MAX', subject: 'onramp', value: null },
      { setting: 'TEMPLATE_AMOUNT_MIN', subject: 'onramp', value: '20' },
    ]);
    const cancel = (template: string) =>
      `mutation { cancelSettingChange(input: { setting: TEMPLATE_AMOUNT_MIN, subject: "${template}" }) { accountSettings { approvalAbove } errors { code message path } } }`;
    for (const missing of ['onramp_instant', 'nothing', '\\u0000'])
      expect((await refusal(cancel(missing))).code, missing).toBe('NOT_FOUND');
    await ask(cancel('onramp'));
    await pass('23h');
    expect((await shop.onramp(newCustomer(), '101')).json.code).toBe('LIMIT_EXCEEDED');
    await pass('61m');
    expect(await limits()).toEqual([{ ...NONE, template: 'onramp', amountMin: '50' }]);
    expect((await shop.onramp(newCustomer(), '101')).status).toBe(201);
    expect(await pending()).toEqual([]);
    const { nodes } = (
      await ask(
        '{ auditLog(acts: ["settings.update_limits"], first: 1) { nodes { actorKind actorId maker objectId before after } } }',
      )
    ).auditLog;
    expect(nodes).toEqual([
      {
        actorKind: 'SYSTEM',
        actorId: 'gateway',
        maker: expect.stringMatching(/^key_/),
        objectId: 'onramp',
        before: { amountMax: '100' },
        after: { amountMax: null },
      },
    ]);
  });
});

test('C-40: a worker applies waiting changes by itself', async () => {
  await limit('amountMax: "100"');
  await limit('amountMax: "200"');
  await ask('mutation { sandboxAdvanceClock(input: { by: "25h" }) { now errors { code message path } } }');
  const settling = startSettlingSettings(app.services, pino({ level: 'silent' }));
  try {
    const now = async () => (await limits())[0].amountMax;
    await expect.poll(now, { timeout: 20_000 }).toBe('200');
  } finally {
    await settling.stop();
  }
});

test('C-40: a locked account does not delay the changes of other accounts', async () => {
  const [locked, free] = [await app.addAccount(), await app.addAccount({ mode: 'live' })];
  const past = new Date(Date.now() - 60_000);
  const change = { name: 'approvalAbove', subject: '', value: '700', askedBy: 'key_1' } as const;
  for (const { accountId } of [locked, free])
    await app.database.withTx((tx) =>
      putSettingChange(tx, accountId, { ...change, askedAt: past, effectiveAt: past }),
    );
  const waiting = async ({ accountId }: typeof free) =>
    (await readDueChanges(app.database, accountId, new Date())).map(({ name }) => name);
  const held = await holdAccounts(app.owner, locked.accountId);
  try {
    await expect(settleSettings(app.services)).rejects.toThrow(`account ${locked.accountId}`);
    expect(await waiting(free)).toEqual([]);
    expect(await waiting(locked)).toEqual(['approvalAbove']);
  } finally {
    await held.release();
  }
  await settleSettings(app.services);
  expect(await waiting(locked)).toEqual([]);
});

describe('limits of an account on a customer', () => {
  test('C-40: tightening applies immediately, loosening after the cooling time', async () => {
    const taxId = newCustomer();
    expect(await ofCustomer(taxId, 'limitDaily: "100", stepUp30d: "60"')).toEqual({
      limitDaily: '100',
      stepUp30d: '60',
    });
    expect(await ofCustomer(taxId, 'limitDaily: "200", stepUp30d: "50"')).toEqual({
      limitDaily: '100',
      stepUp30d: '50',
    });
    expect(await pending()).toEqual([{ setting: 'CUSTOMER_LIMIT_DAILY', subject: taxId, value: '200' }]);
    expect((await shop.onramp(taxId, '150')).json.code).toBe('LIMIT_EXCEEDED');
    await pass('25h');
    expect((await shop.onramp(taxId, '150')).status).toBe(201);
    const { nodes } = (
      await ask('{ auditLog(acts: ["customer.update"], first: 1) { nodes { actorKind before after } } }')
    ).auditLog;
    expect(nodes).toEqual([
      { actorKind: 'SYSTEM', before: { limitDaily: '100' }, after: { limitDaily: '200' } },
    ]);
  });

  test('C-40: a loosening is withdrawn by its tax id, in any spelling, and by tightening', async () => {
    const taxId = newCustomer();
    await ofCustomer(taxId, 'limitDaily: "100"');
    await ofCustomer(taxId, 'limitDaily: null');
    const cancel = (subject: string) =>
      `mutation { cancelSettingChange(input: { setting: CUSTOMER_LIMIT_DAILY, ${subject} }) { accountSettings { approvalAbove } errors { code message path } } }`;
    expect(parametersOf(await refusal(cancel('')))).toEqual(['input.subject']);
    expect(parametersOf(await refusal(cancel('subject: "12"')))).toEqual(['input.subject']);
    expect((await refusal(cancel(`subject: "${newCustomer()}"`))).code).toBe('NOT_FOUND');
    await ask(cancel(`subject: "${taxId.replace(/(...)(...)(...)(..)/, '$1.$2.$3-$4')}"`));
    expect(await pending()).toEqual([]);
    expect(await lastEntry()).toMatchObject({ act: 'settings.cancel_change', actorKind: 'KEY' });
    expect(JSON.stringify((await lastEntry()).before)).not.toContain(taxId);
    await ofCustomer(taxId, 'limitDaily: null');
    await ofCustomer(taxId, 'limitDaily: "90"');
    await pass('25h');
    expect(await ofCustomer(taxId, '')).toEqual({ limitDaily: '90', stepUp30d: null });
  });
});
