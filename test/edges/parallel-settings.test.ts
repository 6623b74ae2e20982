/**
 * Goal: settings that are changed in parallel are all kept, and none fails by another (C-21, C-22). Method: mutations of one
 * account at once over HTTP, on accounts that have no row of the setting yet and on those that have one.
 */

import { describe, expect, test } from 'vitest';
import { useApp } from '../support/app.ts';
import { errorsIn } from '../support/refusals.ts';

const app = useApp();
const ENDPOINTS_MAX = 50;
/** More than the pool has connections. */
const MANY = 30;

/** Sends mutations at once. @returns the codes of those that were refused. */
async function together(key: string, mutations: readonly string[]): Promise<string[]> {
  const answers = await Promise.all(
    mutations.map((each) => app.graphql(`mutation { ${each} }`, {}, { key })),
  );
  return answers.flatMap(({ json }) => errorsIn(json)?.map((error: Refused) => error.extensions.code) ?? []);
}

interface Refused {
  readonly extensions: { readonly code: string };
}

const read = async (key: string, fields: string) =>
  (await app.graphql(`{ viewer { account { ${fields} } } }`, {}, { key })).json.data.viewer.account;
const several = <Item>(count: number, make: (n: number) => Item) =>
  Array.from({ length: count }, (_, n) => make(n));

describe('parallel changes', () => {
  test('C-22: rules of an account: none is lost, from the first on', async () => {
    for (const round of several(10, (n) => n + 1)) {
      const { apiKey } = await app.addAccount();
      const rule = (input: string) =>
        `updateAccountSettings(input: { ${input} }) { accountSettings { approvalAbove } errors { code message path } }`;
      const changes = [rule(`whitelistCoolingSeconds: ${round}`), rule(`approvalAbove: "${round}"`)];
      expect(await together(apiKey, changes)).toEqual([]);
      expect(await read(apiKey, 'accountSettings { whitelistCoolingSeconds approvalAbove }')).toEqual({
        accountSettings: { whitelistCoolingSeconds: round, approvalAbove: String(round) },
      });
    }
  });

  test('C-22: more parallel changes than connections: none waits for the others, and no other account does', async () => {
    const [{ apiKey }, other] = [await app.addAccount(), await app.addAccount()];
    const rule = (n: number) =>
      `updateAccountSettings(input: { approvalAbove: "${n + 1}" }) { accountSettings { approvalAbove } errors { code message path } }`;
    const group =
      'createWhitelistGroup(input: { name: "out" }) { whitelistGroup { id: groupId } errors { code message path } }';
    const made = await app.graphql(`mutation { ${group} }`, {}, { key: apiKey });
    const { id } = made.json.data.createWhitelistGroup.whitelistGroup;
    const key = (n: number) => `target: { pixKey: { type: EMAIL, key: "ana${n}@example.com" } }`;
    const entry = (n: number) =>
      `addWhitelistEntry(input: { groupId: "${id}", ${key(n)} }) { whitelistEntry { id: entryId } errors { code message path } }`;
    const order = async () => {
      const quote =
        'createQuote(input: { template: onramp, currency: "USDT_TRX", amount: { brl: "10" } }) { quote { id: quoteId } errors { code message path } }';
      const { json } = await app.graphql(`mutation { ${quote} }`, {}, { key: apiKey });
      const input = `amount: { quoteId: "${json.data.createQuote.quote.id}" }, currency: "USDT_TRX", clientName: "Ana", clientTaxId: "52998224725"`;
      return `createOnramp(input: { ${input} }) { transaction { end2end } errors { code message path } }`;
    };
    const orders = await Promise.all(several(5, order));
    const changes = [...several(MANY, rule), ...orders, ...several(MANY, entry)];
    const read = app.graphql('{ viewer { account { name } } }', {}, { key: other.apiKey });
    const [refused, { json }] = await Promise.all([together(apiKey, changes), read]);
    expect(refused).toEqual([]);
    expect(errorsIn(json)).toBeUndefined();
  });

  test('C-21: orders at a quote among more changes than there are connections', async () => {
    const { apiKey } = await app.addAccount();
    const use = 'template: onramp, currency: "USDT_TRX", amount: { brl: "50" }';
    const quote = async () => {
      const { json } = await app.graphql(
        `mutation { createQuote(input: { ${use} }) { quote { id: quoteId } errors { code message path } } }`,
        {},
        { key: apiKey },
      );
      return json.data.createQuote.quote.id;
    };
    const quotes = await Promise.all(several(3, quote));
    const group = () =>
      'createWhitelistGroup(input: { name: "out" }) { whitelistGroup { id: groupId } errors { code message path } }';
    const customer = 'currency: "USDT_TRX", clientName: "Ana Souza", clientTaxId: "52998224725"';
    const order = (id: string) =>
      `createOnramp(input: { amount: { quoteId: "${id}" }, ${customer} }) { transaction { end2end } errors { code message path } }`;
    // More than there are connections, and few enough that the last need not wait longer than anybody may on a busy machine.
    const actions = quotes.flatMap((id) => [
      ...several(MANY / 3, group),
      order(id),
      ...several(MANY / 3, group),
    ]);
    expect(await together(apiKey, actions)).toEqual([]);
  });

  test('C-21: price and limits of a template: 35 changes of seven settings', async () => {
    const { apiKey, accountId } = await app.addAccount();
    await app.owner.query('delete from template_setting where account_id = $1', [accountId]);
    const values = {
      spread: '0.02',
      feeRate: '0.03',
      feeFixed: '4',
      amountMin: '5',
      amountMax: '600',
      customerStepUp30d: '700',
      customerLimitDaily: '800',
    };
    const changes = several(5, () => Object.entries(values)).flat();
    const refused = await together(
      app.platformKey,
      changes.map(
        ([name, value]) =>
          `updateTemplateSettings(input: { account: "${accountId}", template: onramp, ${name}: "${value}" }) { templateSetting { template } errors { code message path } }`,
      ),
    );
    expect(refused).toEqual([]);
    const { templateSettings } = await read(apiKey, `templateSettings { ${Object.keys(values).join(' ')} }`);
    expect(templateSettings).toEqual([values]);
  });

  test('C-21: of a minimum and a maximum that contradict each other one is refused, with the reason', async () => {
    for (const _ of several(10, (n) => n)) {
      const { accountId } = await app.addAccount();
      const limit = (input: string) =>
        `updateTemplateSettings(input: { account: "${accountId}", template: onramp, ${input} }) { templateSetting { template } errors { code message path } }`;
      const refused = await together(app.platformKey, [
        limit('amountMin: "40000"'),
        limit('amountMax: "100"'),
      ]);
      expect(refused).toEqual(['INVALID_PARAMETER']);
    }
  });

  test('branding: 30 first changes of three kinds', async () => {
    const { apiKey } = await app.addAccount();
    const look = (input: string) =>
      `updateBranding(input: { ${input} }) { branding { displayName } errors { code message path } }`;
    const changes = several(10, () => [
      look('displayName: "Shop"'),
      look('accent: "#0b5fff"'),
      look('supportUrl: "https://help.example.com"'),
    ]).flat();
    expect(await together(apiKey, changes)).toEqual([]);
    expect(await read(apiKey, 'branding { displayName accent supportUrl }')).toEqual({
      branding: { displayName: 'Shop', accent: '#0b5fff', supportUrl: 'https://help.example.com' },
    });
  });

  test('C-60: of secrets that are rotated in parallel one is the present one', async () => {
    const { apiKey } = await app.addAccount();
    const rotations = several(
      8,
      () => 'rotateWebhookSecret(input: {}) { secrets { validUntil } errors { code message path } }',
    );
    expect(await together(apiKey, rotations)).toEqual([]);
    const { rows } = await app.owner.query(
      `select count(*)::int as secrets, count(*) filter (where s.valid_until is null)::int as present from webhook_secret s
         join api_key k using (account_id) where k.hint = $1 and s.endpoint_id = 'transactions'`,
      [apiKey.slice(-4)],
    );
    expect(rows).toEqual([{ secrets: 8, present: 1 }]);
  });

  test('C-60: an account has 50 endpoints, however many are created in parallel', async () => {
    const { apiKey } = await app.addAccount();
    const endpoint = (n: number) =>
      `createWebhookEndpoint(input: { url: "https://hooks.example.com/${n}" }) { webhookEndpoint { id: endpointId } errors { code message path } }`;
    const refused = await together(apiKey, several(ENDPOINTS_MAX + 10, endpoint));
    expect(refused).toEqual(several(10, () => 'INVALID_PARAMETER'));
    const { webhookEndpoints } = await read(apiKey, 'webhookEndpoints { id: endpointId }');
    expect(webhookEndpoints).toHaveLength(ENDPOINTS_MAX);
  });

  test('C-60: an endpoint keeps its first public key', async () => {
    const { apiKey } = await app.addAccount();
    await together(apiKey, [
      'createWebhookEndpoint(input: { url: "https://hooks.example.com/a" }) { webhookEndpoint { id: endpointId } errors { code message path } }',
    ]);
    const { webhookEndpoints } = await read(apiKey, 'webhookEndpoints { id: endpointId }');
    const change = `updateWebhookEndpoint(input: { endpointId: "${webhookEndpoints[0].id}", isSignedByKey: true })`;
    const answers = await Promise.all(
      several(10, () =>
        app.graphql(
          `mutation { ${change} { webhookEndpoint { publicKey } errors { code message path } } }`,
          {},
          { key: apiKey },
        ),
      ),
    );
    const keys = answers.map(({ json }) => json.data.updateWebhookEndpoint.webhookEndpoint.publicKey);
    expect(keys[0]).toMatch(/^whpk_/);
    expect(new Set(keys).size).toBe(1);
  });
});
