/**
 * Goal: what is the operator's is not a merchant's (C-40): price, limits, what screening holds, the clock. Method: attacks by
 * an account's key with every scope that an account can have, over HTTP; the same acts by a key of the platform.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { PLATFORM_SCOPES, SCOPES } from '../../src/base/access/api-key.ts';
import { createAccount, platformAccount } from '../../src/store/account/accounts.ts';
import { useApp } from '../support/app.ts';
import { action, graphqlClient } from '../support/graphql-client.ts';

const app = useApp();
let shop: Awaited<ReturnType<typeof app.addAccount>>;
const { ask, refusal, create, perform, trigger, until } = graphqlClient(app, () => shop.apiKey);

beforeAll(async () => {
  shop = await app.addAccount();
});

const pricing = (account: bigint | string, input: string) =>
  `mutation { updateTemplateSettings(input: { account: "${account}", template: onramp, ${input} }) { templateSetting { spread feeRate } errors { code message path } } }`;
const heldOnramp = async () => {
  const input = {
    amount: { brl: '70' },
    currency: 'USDT_TRX',
    clientName: 'Ana Souza',
    clientTaxId: '52998224725',
    externalCode: 'sandbox:hold',
  };
  const { end2end } = (await create('createOnramp', input)).transaction;
  await trigger(end2end, 'pay');
  await until(end2end, 'compliance/UNCOMPLIANT');
  return end2end;
};

describe('an account’s key with all scopes', () => {
  test('C-40: cannot set its own spread and fee to 0', async () => {
    const refused = await refusal(pricing(shop.accountId, 'spread: "0", feeRate: "0"'), {}, shop.apiKey);
    expect(refused.code).toBe('FORBIDDEN');
    expect(refused.message).toContain('"platform:pricing"');
    const { viewer } = await ask('{ viewer { account { templateSettings { spread feeRate } } } }');
    for (const each of viewer.account.templateSettings)
      expect(each).toEqual({ spread: '0.01', feeRate: '0.01' });
  });

  test('C-40: cannot release or reject what screening holds of it', async () => {
    const end2end = await heldOnramp();
    for (const name of ['releaseHold', 'rejectHold']) {
      const refused = await refusal(
        action(name, `account: "${shop.accountId}", reason: "checked",`),
        { end2end },
        shop.apiKey,
      );
      expect([refused.code, refused.message]).toEqual([
        'FORBIDDEN',
        expect.stringContaining('"platform:risk"'),
      ]);
    }
    expect(
      await perform('releaseHold', end2end, `account: "${shop.accountId}", reason: "checked",`),
    ).not.toBe('compliance/UNCOMPLIANT');
    await until(end2end, 'success/DONE');
  });

  test('C-40: cannot set the shared clock of all sandbox accounts', async () => {
    const { json } = await app.post('/v2/sandbox/clock', { advance: '1s' }, { key: shop.apiKey });
    expect(json).toMatchObject({ status: 403, detail: expect.stringContaining('"platform:rails"') });
  });

  test('C-40: no key of an account can have a scope of the platform', async () => {
    for (const scope of PLATFORM_SCOPES)
      await expect(app.addKey(shop.accountId, [...SCOPES, scope])).rejects.toThrow(/scopes/);
  });
});

describe('a key of the platform', () => {
  test('C-40: acts on the named account, and on no other', async () => {
    const other = await app.addAccount();
    const changed = await ask(pricing(other.accountId, 'spread: "0.02"'));
    expect(changed.updateTemplateSettings.templateSetting).toEqual({ spread: '0.02', feeRate: '0.01' });
    const { viewer } = await ask('{ viewer { account { templateSettings { template spread } } } }');
    expect(viewer.account.templateSettings).toContainEqual({ template: 'onramp', spread: '0.01' });
  });

  test('C-15, C-40: finds no account of the other mode, none that is not there, and not that of the platform', async () => {
    const live = await createAccount(app.database, 'Live', { templates: ['onramp'], mode: 'live' });
    const platform = await platformAccount(app.database, 'sandbox');
    const answers = [];
    for (const account of [live, platform, '999999', '0', 'sandbox', '']) {
      const { requestId: _, ...refused } = await refusal(pricing(account, 'spread: "0.5"'));
      answers.push(refused);
    }
    const message = 'there is no account of this number';
    const notFound = {
      code: 'NOT_FOUND',
      message: `input.account: ${message}`,
      violations: [{ parameter: 'input.account', message }],
    };
    expect(answers).toEqual(answers.map(() => notFound));
  });

  test('C-40: creates and moves nothing of its own, and has the granted scopes', async () => {
    const platform = await platformAccount(app.database, 'sandbox');
    for (const scope of ['create', 'move'] as const)
      await expect(app.addKey(platform, [scope])).rejects.toThrow(/scopes/);
    const { apiKey } = await app.addKey(platform, ['read', 'platform:risk']);
    const refused = await refusal(pricing(shop.accountId, 'spread: "0.5"'), {}, apiKey);
    expect([refused.code, refused.message]).toEqual([
      'FORBIDDEN',
      expect.stringContaining('"platform:pricing"'),
    ]);
  });
});
