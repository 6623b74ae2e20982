/**
 * Goal: one person alone sells nothing below cost (C-25, C-40). Method: keys of the platform set prices over HTTP, one after the
 * other and many at once; then the price that an account gets is read.
 */
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { platformAccount } from '../../src/store/account/accounts.ts';
import { useApp } from '../support/app.ts';
import { graphqlClient } from '../support/graphql-client.ts';

const app = useApp();
let shop: Awaited<ReturnType<typeof app.addAccount>>;
let platform: bigint;
/** Of another person than the platform's first key. */
let other: string;
const { ask, refusal } = graphqlClient(app, () => shop.apiKey);
const DEFAULT = { spread: '0.01', feeRate: '0.01', feeFixed: '0' };
const FREE = { spread: '0', feeRate: '0', feeFixed: '0' };

const set = (input: string, template = 'onramp') =>
  `mutation { updateTemplateSettings(input: { account: "${shop.accountId}", template: ${template}, ${input} }) { templateSetting { spread feeRate feeFixed } errors { code message path } } }`;
const NO_MARGIN = 'spread: "0", feeRate: "0"';
const priceNow = async (template = 'onramp') => {
  const { viewer } = await ask(
    '{ viewer { account { templateSettings { template spread feeRate feeFixed } } } }',
  );
  const { template: _, ...price } = viewer.account.templateSettings.find(
    (each: { template: string }) => each.template === template,
  );
  return price;
};
const auditOf = async () =>
  (
    await app.owner.query(
      `select actor_id as actor, maker, before, after from audit_entry
        where account_id = $1 and act = 'settings.update_template' order by seq`,
      [String(shop.accountId)],
    )
  ).rows;

beforeAll(async () => {
  platform = await platformAccount(app.database, 'sandbox');
  other = (await app.addKey(platform, ['read', 'platform:pricing'])).apiKey;
});
beforeEach(async () => {
  shop = await app.addAccount();
});

describe('C-25: a price without margin', () => {
  test.each([
    NO_MARGIN,
    'spread: "0.00000001", feeRate: "0"',
    'spread: "0", feeRate: "0.00099999"',
    `${NO_MARGIN}, feeFixed: "0.01"`,
  ])('%s is not set by one person', async (input) => {
    const {
      updateTemplateSettings: { templateSetting: updateTemplateSettings },
    } = await ask(set(input));
    expect(updateTemplateSettings).toEqual(DEFAULT);
    expect(await priceNow()).toEqual(DEFAULT);
    expect((await refusal(set(input), {}, app.platformKey)).code).toBe('FORBIDDEN');
    expect(await priceNow()).toEqual(DEFAULT);
  });

  test('is set by another person who sets the same, and the audit log has both', async () => {
    await ask(set(`${NO_MARGIN}, amountMax: "900"`));
    expect(await priceNow()).toEqual(DEFAULT);
    const {
      updateTemplateSettings: { templateSetting: updateTemplateSettings },
    } = await ask(set(NO_MARGIN), {}, other);
    expect(updateTemplateSettings).toEqual(FREE);
    const [proposed, approved] = await auditOf();
    expect(proposed).toMatchObject({ maker: null, after: { amountMax: '900', proposal: FREE } });
    expect(approved).toMatchObject({
      maker: proposed.actor,
      before: { spread: '0.01', feeRate: '0.01' },
      after: { proposal: null },
    });
    expect(approved.actor).not.toBe(proposed.actor);
    // With a margin it needs one person, as does a price that rises.
    await ask(set('feeRate: "0.0005"'));
    expect(await priceNow()).toEqual({ ...FREE, feeRate: '0.0005' });
    await ask(set('feeRate: "0.0004"'));
    expect(await priceNow()).toEqual({ ...FREE, feeRate: '0.0005' });
    await ask(set('spread: "0.01"'), {}, other);
    expect(await priceNow()).toEqual({ ...FREE, spread: '0.01', feeRate: '0.0005' });
  });

  test('C-40: is not set by a key that its proposer created, nor by one of an account', async () => {
    const maker = (await app.addKey(platform, ['read', 'admin', 'platform:pricing'])).apiKey;
    const document =
      'mutation { createApiKey(input: { name: "second", scopes: ["platform:pricing"] }) { issuedApiKey { apiKey } errors { code message path } } }';
    const made = (await ask(document, {}, maker)).createApiKey.issuedApiKey.apiKey;
    await ask(set(NO_MARGIN), {}, made);
    expect((await refusal(set(NO_MARGIN), {}, maker)).code).toBe('FORBIDDEN');
    expect((await refusal(set(NO_MARGIN), {}, shop.apiKey)).code).toBe('FORBIDDEN');
    expect(await priceNow()).toEqual(DEFAULT);
    const proposed = async (key: string) =>
      (
        await ask(
          `mutation { updateTemplateSettings(input: { account: "${shop.accountId}", template: onramp }) { templateSetting { proposedPrice { spread feeRate feeFixed secondPersonBar } } errors { code message path } } }`,
          {},
          key,
        )
      ).updateTemplateSettings.templateSetting.proposedPrice;
    expect(await proposed(other)).toEqual({ ...FREE, secondPersonBar: null });
    expect(await proposed(maker)).toEqual({ ...FREE, secondPersonBar: 'SAME_MAKER' });
    const { viewer } = await ask(
      '{ viewer { account { templateSettings { proposedPrice { proposedBy } } } } }',
    );
    for (const { proposedPrice } of viewer.account.templateSettings) expect(proposedPrice).toBeNull();
    await ask(set(NO_MARGIN), {}, other);
    expect([await priceNow(), await proposed(other)]).toEqual([FREE, null]);
  });

  test('is separate for each account, template and price, and lapses after 72 hours or another decision', async () => {
    const elsewhere = shop;
    await ask(set(NO_MARGIN));
    shop = await app.addAccount();
    await ask(set(NO_MARGIN), {}, other);
    expect(await priceNow()).toEqual(DEFAULT);
    shop = elsewhere;
    await ask(set(NO_MARGIN, 'offramp'), {}, other);
    expect([await priceNow(), await priceNow('offramp')]).toEqual([DEFAULT, DEFAULT]);
    await ask(set('spread: "0.0001", feeRate: "0"'), {}, other);
    expect(await priceNow()).toEqual(DEFAULT);
    // The newer proposal took the place of the older one.
    expect((await refusal(set('spread: "0.0001", feeRate: "0"'), {}, other)).code).toBe('FORBIDDEN');
    await ask(set(NO_MARGIN));
    await ask(set('spread: "0.02"'), {}, other);
    await ask(set(NO_MARGIN), {}, other);
    expect(await priceNow()).toEqual({ ...DEFAULT, spread: '0.02' });
    await ask('mutation { sandboxAdvanceClock(input: { by: "73h" }) { now errors { code message path } } }');
    const unchanged = await ask(
      `mutation { updateTemplateSettings(input: { account: "${shop.accountId}", template: onramp }) { templateSetting { proposedPrice { spread } } errors { code message path } } }`,
    );
    expect(unchanged.updateTemplateSettings.templateSetting.proposedPrice).toBeNull();
    await ask(set(NO_MARGIN));
    expect(await priceNow()).toEqual({ ...DEFAULT, spread: '0.02' });
  });

  test('is set once when 50 callers propose and approve it in parallel, and never by one person alone', async () => {
    const together = (keys: readonly string[]) =>
      Promise.all(keys.map((key) => app.graphql(set(NO_MARGIN), {}, { key })));
    await together(Array.from({ length: 50 }, () => other));
    expect(await priceNow()).toEqual(DEFAULT);
    const answers = await together(
      Array.from({ length: 50 }, (_, index) => (index % 2 === 0 ? other : app.platformKey)),
    );
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(await priceNow()).toEqual(FREE);
    expect((await auditOf()).map(({ maker }) => maker !== null)).toEqual([false, true]);
  });
});
