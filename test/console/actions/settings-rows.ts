/** Acts on what an account rules itself. What others need back is put back: a loosened protection waits otherwise. */
import { expect } from 'vitest';
import type { ActRow } from './row.ts';
import type { Stage } from './stage.ts';

const SETTINGS = '/console/settings';

async function account({ ask }: Stage) {
  const fields = `accountSettings { afterLock approvalAbove whitelistCoolingSeconds pendingChanges { setting value } }
    templateLimits { template amountMax customerLimitDaily } allowedOrigins
    branding { displayName accent supportUrl showsPrice sendsReceipts frameHosts }`;
  return (await ask(`{ viewer { account { ${fields} } } }`)).viewer.account;
}

/** Puts back what the other rows of the file begin with. */
const restore = ({ app }: Stage) =>
  app.owner.query(
    `update account_setting set whitelist_cooling_seconds = 0, approval_above = 1, after_lock = 'REPRICE' where account_id = $1`,
    [app.accountId],
  );

const RULE_ROWS: readonly ActRow[] = [
  {
    act: 'ChooseNotifications',
    who: 'shop',
    begin: async ({ app }) => ({
      path: SETTINGS,
      typed: { language: 'EN' },
      check: async () => {
        const { rows } = await app.owner.query(
          'select language from notification_choice where account_id = $1',
          [app.accountId],
        );
        expect([...new Set(rows.map(({ language }) => language))]).toEqual(['en']);
      },
    }),
  },
  {
    act: 'UpdateAccountSettings',
    who: 'shop',
    begin: async (stage) => ({
      path: SETTINGS,
      given: { part: 'rules' },
      typed: { whitelistCoolingSeconds: '86400', approvalAbove: '0.50', afterLock: 'END' },
      seen: '24 h',
      check: async () => {
        const { accountSettings } = await account(stage);
        await restore(stage);
        expect(accountSettings).toEqual({
          afterLock: 'END',
          approvalAbove: '0.5',
          whitelistCoolingSeconds: 86_400,
          pendingChanges: [],
        });
      },
    }),
  },
  {
    act: 'UpdateAccountSettings',
    about: 'no approvals',
    who: 'shop',
    begin: async (stage) => ({
      path: SETTINGS,
      given: { part: 'approvals' },
      seen: 'Never',
      check: async () => {
        const { accountSettings } = await account(stage);
        await restore(stage);
        expect(accountSettings.approvalAbove).toBeNull();
      },
    }),
  },
  {
    act: 'CancelSettingChange',
    who: 'shop',
    begin: async (stage) => {
      const change = (input: string) =>
        stage.ask(
          `mutation { updateAccountSettings(input: { ${input} }) { accountSettings { afterLock } errors { code message path } } }`,
        );
      await change('whitelistCoolingSeconds: 3600');
      await change('approvalAbove: "1000"');
      expect((await account(stage)).accountSettings.pendingChanges).toEqual([
        { setting: 'APPROVAL_ABOVE', value: '1000' },
      ]);
      return {
        path: SETTINGS,
        given: { setting: 'APPROVAL_ABOVE' },
        check: async () => {
          const { accountSettings } = await account(stage);
          await restore(stage);
          expect(accountSettings).toMatchObject({ approvalAbove: '1', pendingChanges: [] });
        },
      };
    },
  },
];

const limitsOf = async (stage: Stage, template: string) =>
  (await account(stage)).templateLimits.find((each: { template: string }) => each.template === template);

const LIMIT_ROWS: readonly ActRow[] = [
  {
    act: 'UpdateTemplateLimits',
    who: 'shop',
    begin: async (stage, { way }) => {
      const amountMax = way === 'with script' ? '700.55' : '600.55';
      return {
        path: SETTINGS,
        given: { template: 'offramp_instant', part: 'change' },
        typed: { amountMax, customerLimitDaily: '900' },
        seen: `R$${amountMax}`,
        check: async () =>
          expect(await limitsOf(stage, 'offramp_instant')).toMatchObject({
            amountMax,
            customerLimitDaily: '900',
          }),
      };
    },
  },
  {
    act: 'UpdateTemplateLimits',
    about: 'none of its own',
    who: 'shop',
    begin: async (stage) => {
      await stage.ask(
        'mutation { updateTemplateLimits(input: { template: offramp_instant, amountMax: "650" }) { templateLimits { template } errors { code message path } } }',
      );
      return {
        path: SETTINGS,
        given: { template: 'offramp_instant', part: 'removal' },
        check: async () => expect(await limitsOf(stage, 'offramp_instant')).toBeUndefined(),
      };
    },
  },
];

const LOOK_ROWS: readonly ActRow[] = [
  {
    act: 'UpdatePasskeyRoles',
    who: 'shop',
    begin: async (stage) => ({
      path: SETTINGS,
      typed: { roles: ['DEVELOPER'] },
      seen: 'Developer',
      check: async () => {
        const { viewer } = await stage.ask('{ viewer { account { passkeyRoles } } }');
        expect(viewer.account.passkeyRoles).toEqual(['DEVELOPER']);
        // A key frees no role.
        await stage.app.owner.query(
          `update account set passkey_roles = '{}' where passkey_roles = '{developer}'`,
        );
      },
    }),
  },
  {
    act: 'UpdateBranding',
    who: 'shop',
    needsPasskey: true,
    begin: async (stage, { mark }) => ({
      path: SETTINGS,
      given: { part: 'look' },
      typed: {
        displayName: `Loja ${mark}`,
        accent: '#0b5fff',
        supportUrl: 'mailto:help@shop.invalid',
        showsPrice: 'true',
        sendsReceipts: 'true',
      },
      seen: `Loja ${mark}`,
      check: async () =>
        expect((await account(stage)).branding).toMatchObject({
          displayName: `Loja ${mark}`,
          accent: '#0b5fff',
          supportUrl: 'mailto:help@shop.invalid',
          showsPrice: true,
          sendsReceipts: true,
        }),
    }),
  },
  {
    act: 'UpdateBranding',
    about: 'the standard look',
    who: 'shop',
    begin: async (stage) => {
      await stage.ask(
        'mutation { updateBranding(input: { accent: "#0b5fff", showsPrice: true }) { branding { accent } errors { code message path } } }',
      );
      return {
        path: SETTINGS,
        given: { part: 'reset' },
        check: async () =>
          expect((await account(stage)).branding).toMatchObject({
            accent: null,
            supportUrl: null,
            showsPrice: false,
          }),
      };
    },
  },
  {
    act: 'UpdateBranding',
    about: 'a site that shows the pages',
    who: 'shop',
    needsPasskey: true,
    begin: async (stage, { mark }) => {
      await stage.ask(
        'mutation { updateBranding(input: { frameHosts: [] }) { branding { displayName } errors { code message path } } }',
      );
      const origin = `https://${mark}.shop.invalid`;
      return {
        path: SETTINGS,
        given: { part: 'addition' },
        typed: { frameHosts: origin },
        seen: origin,
        check: async () => expect((await account(stage)).branding.frameHosts).toEqual([origin]),
      };
    },
  },
];

const ORIGIN_ROWS: readonly ActRow[] = [
  {
    act: 'UpdateAllowedOrigins',
    who: 'shop',
    begin: async (stage, { mark }) => {
      await stage.ask(
        'mutation { updateAllowedOrigins(input: { origins: [] }) { allowedOrigins errors { code message path } } }',
      );
      const origin = `https://${mark}.shop.invalid`;
      return {
        path: SETTINGS,
        given: { part: 'addition' },
        typed: { origins: origin },
        seen: origin,
        check: async () => expect((await account(stage)).allowedOrigins).toEqual([origin]),
      };
    },
  },
];

/** The rows. */
export const SETTINGS_ROWS: readonly ActRow[] = [...RULE_ROWS, ...LIMIT_ROWS, ...LOOK_ROWS, ...ORIGIN_ROWS];
