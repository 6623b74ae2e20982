/** Settings: price and limits of each template, and the rules of the account (C-21, C-22). */

import { trimDecimal } from '../base/money.ts';
import { checksOf } from '../resolvers/check-creation.ts';
import {
  type TemplateSettingsInput,
  updateAccountSettings,
  updateTemplateSettings,
} from '../resolvers/manage-settings.ts';
import { type AccountSettings, readAccountSettings } from '../store/settings.ts';
import type { Builder } from './builder.ts';
import { namedMembers } from './named.ts';
import type { TemplateRef } from './template.ts';
import type { AccountRef } from './viewer.ts';

/** The settings of a template, and what each is. */
const TEMPLATE_SETTINGS = {
  spread: 'Distance of the quote from the market rate, a fraction below 1.',
  feeRate: 'Fee as a fraction of the amount in BRL, below 1.',
  feeFixed: 'Fixed fee, BRL.',
  amountMin: 'Least of a transaction, BRL.',
  amountMax: 'Most of a transaction, BRL.',
  customerStepUp30d: 'BRL of a customer in 30 days above which a closer look is due.',
  customerLimitDaily: 'Most of a customer in a UTC day, BRL.',
} as const;
type SettingName = keyof typeof TEMPLATE_SETTINGS;
const COOLING = 'How long a new whitelist entry cannot be used yet, seconds.';
const APPROVAL = 'BRL above which a withdrawal needs a second approver; null for never.';

/** Defines `TemplateSetting`, `AccountSettings`, their fields of `Account` and the mutations that change them. */
export function defineSettings(builder: Builder, account: AccountRef, template: TemplateRef): void {
  defineTemplateSettings(builder, account, template);
  defineAccountSettings(builder, account);
}

function defineTemplateSettings(builder: Builder, account: AccountRef, template: TemplateRef): void {
  const setting = defineSettingType(builder);
  builder.prismaObjectField(account, 'templateSettings', (t) =>
    t.relation('templateSettings', { type: setting, query: { orderBy: { template: 'asc' } } }),
  );
  const input = builder.inputType('TemplateSettingsInput', {
    description: 'What is to change; what is not given stays.',
    fields: (t) => eachSetting((name) => t.field({ type: 'Decimal', description: TEMPLATE_SETTINGS[name] })),
  });
  builder.mutationField('updateTemplateSettings', (t) =>
    t.prismaField({
      type: setting,
      description:
        'Changes price and limits of a template, for what is made from now on. Needs the scope `admin`.',
      args: {
        template: t.arg({ type: template, required: true }),
        input: t.arg({ type: input, required: true }),
      },
      resolve: async (query, _root, args, context) => {
        const { database, caller } = context;
        const change = namedMembers<TemplateSettingsInput>('input', args.input);
        await updateTemplateSettings(context, args.template, change, checksOf(context));
        const where = { accountId_template: { accountId: caller.accountId, template: args.template } };
        return database.prisma.templateSetting.findUniqueOrThrow({ ...query, where });
      },
    }),
  );
}

function defineSettingType(builder: Builder) {
  return builder.prismaObject('TemplateSetting', {
    description: 'Price and limits of one template (C-21). Rates are fractions, amounts BRL.',
    fields: (t) => ({
      template: t.exposeString('template'),
      ...eachSetting((name) =>
        t.field({
          type: 'Decimal',
          description: TEMPLATE_SETTINGS[name],
          resolve: (row) => row[name].toFixed(),
        }),
      ),
    }),
  });
}

function eachSetting<Field>(define: (name: SettingName) => Field): Record<SettingName, Field> {
  const names = Object.keys(TEMPLATE_SETTINGS) as SettingName[];
  return Object.fromEntries(names.map((name) => [name, define(name)])) as Record<SettingName, Field>;
}

function defineAccountSettings(builder: Builder, account: AccountRef): void {
  const settings = builder.objectRef<AccountSettings>('AccountSettings').implement({
    description: 'Rules that hold for a whole account.',
    fields: (t) => ({
      whitelistCoolingSeconds: t.exposeInt('whitelistCoolingSeconds', { description: COOLING }),
      approvalAbove: t.field({
        type: 'Decimal',
        nullable: true,
        description: APPROVAL,
        resolve: ({ approvalAbove }) => approvalAbove && trimDecimal(approvalAbove),
      }),
    }),
  });
  builder.prismaObjectField(account, 'accountSettings', (t) =>
    t.field({
      type: settings,
      resolve: ({ id }, _args, { database, sandbox }) =>
        readAccountSettings(database, id, { isSandbox: sandbox !== null }),
    }),
  );
  const input = builder.inputType('AccountSettingsInput', {
    description: 'What is to change; what is not given stays.',
    fields: (t) => ({
      whitelistCoolingSeconds: t.int({ description: `${COOLING} 0 to 2592000.` }),
      approvalAbove: t.field({ type: 'Decimal', description: APPROVAL }),
    }),
  });
  builder.mutationField('updateAccountSettings', (t) =>
    t.field({
      type: settings,
      description: 'Changes rules of the account, for what is made from now on. Needs the scope `admin`.',
      args: { input: t.arg({ type: input, required: true }) },
      resolve: (_root, { input: given }, context) => {
        const change = {
          ...namedMembers<Parameters<typeof updateAccountSettings>[1]>('input', given),
          ...(given.approvalAbove === null && { approvalAbove: null }),
        };
        return updateAccountSettings(context, change, checksOf(context));
      },
    }),
  );
}
