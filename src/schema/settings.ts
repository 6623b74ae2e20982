/** Settings: price and limits of each template, and the rules of the account (C-21, C-22). */

import { isoMillis } from '../base/instant.ts';
import { trimDecimal } from '../base/money.ts';
import {
  type AccountSettingsInput,
  BRL_AMOUNT,
  COOLING_SECONDS_MAX,
  TEMPLATE_BOUNDS,
  type TemplateSettingsInput,
  updateAccountSettings,
  updateTemplateSettings,
} from '../resolvers/account/manage-settings.ts';
import { cancelSettingChange, changesThatWait, settingsNow } from '../resolvers/account/protections.ts';
import { actOnAccount } from '../resolvers/checks/act-on-account.ts';
import { checksOf } from '../resolvers/checks/check-creation.ts';
import { inProse } from '../resolvers/checks/lengths.ts';
import {
  type SettingChange,
  type SettingName,
  WAITING_CHANGES_MAX,
} from '../store/account/setting-changes.ts';
import type { AccountSettings, AfterLock } from '../store/account/settings.ts';
import type { Builder } from './builder.ts';
import { boundedSetting, DESCRIPTIONS } from './descriptions.ts';
import { named, namedMembers } from './named.ts';
import type { TemplateRef } from './template.ts';
import type { AccountRef } from './viewer.ts';

/** The settings of a template, and what each is. */
export const TEMPLATE_SETTINGS = {
  spread: 'Distance of the quote from the market rate, as a fraction from 0 to below 1: `0.01` is 1 %.',
  feeRate: 'Fee as a fraction of the amount in BRL, from 0 to below 1: `0.01` is 1 %.',
  feeFixed: 'Fixed fee of a transaction, BRL.',
  amountMin: 'Smallest amount of a transaction, BRL.',
  amountMax: 'Largest amount of a transaction, BRL.',
  customerStepUp30d:
    'Volume of one customer in 30 days, over all templates of the account, BRL, above which an identity step-up is required.',
  customerLimitDaily:
    'Largest volume of one customer in a day in Brasília, over all templates of the account, BRL.',
} as const;
type TemplateSettingName = keyof typeof TEMPLATE_SETTINGS;
const COOLING = 'Time in seconds before a new whitelist entry can be used.';
const AFTER_LOCK_ENDS =
  'What happens when the lock of a price, 30 minutes, ends before its session; `REPRICE` unless changed.';
const APPROVAL =
  'Sum in BRL of the withdrawals of a day in Brasília above which each further one needs a second approver; those that were approved do not count. Null: never.';

/**
 * Defines `TemplateSetting`, `AccountSettings`, their fields of `Account` and the mutations that change them.
 *
 * @returns the type of the settings of a template.
 */
export function defineSettings(builder: Builder, account: AccountRef, template: TemplateRef) {
  const setting = defineTemplateSettings(builder, account, template);
  defineAccountSettings(builder, account);
  return setting;
}

function defineTemplateSettings(builder: Builder, account: AccountRef, template: TemplateRef) {
  const setting = defineSettingType(builder, template);
  builder.prismaObjectField(account, 'templateSettings', (t) =>
    t.relation('templateSettings', {
      type: setting,
      description: 'Price and limits of each template, as the platform set them.',
      query: { orderBy: { template: 'asc' } },
    }),
  );
  const input = builder.inputType('TemplateSettingsInput', {
    description: 'What to change. Members that are not given stay as they are.',
    fields: (t) =>
      eachSetting((name) =>
        t.field({
          type: 'Decimal',
          description: boundedSetting(TEMPLATE_SETTINGS[name], TEMPLATE_BOUNDS[name]),
        }),
      ),
  });
  builder.mutationField('updateTemplateSettings', (t) =>
    t.prismaField({
      type: setting,
      description:
        'Changes price and limits of a template for an account, for transactions created from now on. Needs the scope `platform:pricing`.',
      args: {
        account: t.arg.string({ required: true, description: DESCRIPTIONS.actedOn }),
        template: t.arg({ type: template, required: true, description: 'Template to change.' }),
        input: t.arg({ type: input, required: true, description: 'What to change.' }),
      },
      resolve: async (query, _root, args, context) => {
        const own = await actOnAccount(context, 'settings.update_template', args.account);
        const change = namedMembers<TemplateSettingsInput>('input', args.input);
        await updateTemplateSettings(own, args.template, change, checksOf(own));
        const where = { accountId_template: { accountId: own.caller.accountId, template: args.template } };
        return own.database.prisma.templateSetting.findUniqueOrThrow({ ...query, where });
      },
    }),
  );
  return setting;
}

function defineSettingType(builder: Builder, template: TemplateRef) {
  return builder.prismaObject('TemplateSetting', {
    description: 'Price and limits of one template (C-21).',
    fields: (t) => ({
      template: t.field({ type: template, description: 'The template.', resolve: (row) => row.template }),
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

/** The type of the settings of a template. */
export type TemplateSettingRef = ReturnType<typeof defineSettings>;

function eachSetting<Field>(
  define: (name: TemplateSettingName) => Field,
): Record<TemplateSettingName, Field> {
  const names = Object.keys(TEMPLATE_SETTINGS) as TemplateSettingName[];
  return Object.fromEntries(names.map((name) => [name, define(name)])) as Record<TemplateSettingName, Field>;
}

function defineProtection(builder: Builder) {
  return builder.enumType('ProtectionSetting', {
    description: 'A setting that protects the money of an account, of one of its customers or templates.',
    values: {
      WHITELIST_COOLING_SECONDS: { value: 'whitelistCoolingSeconds', description: COOLING },
      APPROVAL_ABOVE: { value: 'approvalAbove', description: APPROVAL },
      CUSTOMER_LIMIT_DAILY: { value: 'customerLimitDaily', description: '`limitDaily` of a customer.' },
      CUSTOMER_STEP_UP_30D: { value: 'customerStepUp30d', description: '`stepUp30d` of a customer.' },
      TEMPLATE_AMOUNT_MIN: {
        value: 'templateAmountMin',
        description: "The account's own `amountMin` of a template.",
      },
      TEMPLATE_AMOUNT_MAX: {
        value: 'templateAmountMax',
        description: "The account's own `amountMax` of a template.",
      },
      TEMPLATE_STEP_UP_30D: {
        value: 'templateStepUp30d',
        description: "The account's own `customerStepUp30d` of a template.",
      },
      TEMPLATE_LIMIT_DAILY: {
        value: 'templateLimitDaily',
        description: "The account's own `customerLimitDaily` of a template.",
      },
    } as const satisfies Readonly<Record<string, { value: SettingName; description: string }>>,
  });
}

function definePendingChange(builder: Builder, protection: ReturnType<typeof defineProtection>) {
  return builder.objectRef<SettingChange>('PendingSettingChange').implement({
    description:
      'A change that loosens a protection and waits for the end of the cooling time that was in force at its request.',
    fields: (t) => ({
      setting: t.field({ type: protection, description: 'What is to change.', resolve: ({ name }) => name }),
      subject: t.field({
        type: 'String',
        nullable: true,
        description:
          'Tax id of the customer, or the template, whose setting it is; null: that of the account.',
        resolve: ({ subject }) => subject || null,
      }),
      value: t.exposeString('value', { nullable: true, description: 'The value then; null: none.' }),
      requestedBy: t.exposeString('askedBy', { description: '`keyId` of the key that asked for it.' }),
      requestedAt: t.field({
        type: 'DateTime',
        description: 'When it was asked for.',
        resolve: ({ askedAt }) => isoMillis(askedAt),
      }),
      effectiveAt: t.field({
        type: 'DateTime',
        description: 'When it takes effect.',
        resolve: ({ effectiveAt }) => isoMillis(effectiveAt),
      }),
    }),
  });
}

function defineAfterLock(builder: Builder) {
  return builder.enumType('AfterLock', {
    description: 'What happens when the lock of a price ends before its session (C-21).',
    values: {
      REPRICE: { description: 'A payment or deposit after that is priced when it arrives.' },
      END: { description: 'The session ends with the lock; its page offers the payer a new price.' },
    } satisfies Record<AfterLock, object>,
  });
}

function defineSettingsObject(
  builder: Builder,
  afterLock: ReturnType<typeof defineAfterLock>,
  protection: ReturnType<typeof defineProtection>,
) {
  const pending = definePendingChange(builder, protection);
  return builder.objectRef<AccountSettings>('AccountSettings').implement({
    description: 'Rules of the account that do not depend on a template.',
    fields: (t) => ({
      whitelistCoolingSeconds: t.exposeInt('whitelistCoolingSeconds', { description: COOLING }),
      approvalAbove: t.field({
        type: 'Decimal',
        nullable: true,
        description: APPROVAL,
        resolve: ({ approvalAbove }) => approvalAbove && trimDecimal(approvalAbove),
      }),
      afterLock: t.field({
        type: afterLock,
        description: AFTER_LOCK_ENDS,
        resolve: (settings) => settings.afterLock,
      }),
      pendingChanges: t.field({
        type: [pending],
        description: `Changes that loosen a protection and have not taken effect, the next one first; at most ${WAITING_CHANGES_MAX}.`,
        complexity: { field: 1, multiplier: 100 },
        resolve: (_settings, _args, context) => changesThatWait(context),
      }),
    }),
  });
}

function defineCancel(
  builder: Builder,
  settings: ReturnType<typeof defineSettingsObject>,
  protection: ReturnType<typeof defineProtection>,
): void {
  builder.mutationField('cancelSettingChange', (t) =>
    t.field({
      type: settings,
      description: 'Cancels a change in `pendingChanges`. Needs the scope `admin`.',
      args: {
        setting: t.arg({
          type: protection,
          required: true,
          description: 'The setting of the pending change.',
        }),
        subject: t.arg.string({
          description:
            'Tax id of the customer, or the template, whose setting it is; not for settings of the account.',
        }),
      },
      resolve: (_root, { setting, subject }, context) =>
        cancelSettingChange(context, setting, named('subject', subject), checksOf(context)),
    }),
  );
}

function defineAccountSettings(builder: Builder, account: AccountRef): void {
  const afterLock = defineAfterLock(builder);
  const protection = defineProtection(builder);
  const settings = defineSettingsObject(builder, afterLock, protection);
  builder.prismaObjectField(account, 'accountSettings', (t) =>
    t.field({
      type: settings,
      description: 'Rules of the account that do not depend on a template.',
      resolve: (_account, _args, context) => settingsNow(context),
    }),
  );
  const input = builder.inputType('AccountSettingsInput', {
    description: 'What to change. Members that are not given stay as they are.',
    fields: (t) => ({
      whitelistCoolingSeconds: t.int({
        description: `${COOLING} From 0 to ${inProse(COOLING_SECONDS_MAX)} (30 days).`,
      }),
      approvalAbove: t.field({ type: 'Decimal', description: boundedSetting(APPROVAL, BRL_AMOUNT) }),
      afterLock: t.field({ type: afterLock, description: AFTER_LOCK_ENDS }),
    }),
  });
  builder.mutationField('updateAccountSettings', (t) =>
    t.field({
      type: settings,
      description:
        'Changes rules of the account, for transactions and entries created from now on. A change that loosens a protection (a shorter cooling time, a higher threshold or none) takes effect after the cooling time in force and is in `pendingChanges` until then; everything else at once. Needs the scope `admin`.',
      args: { input: t.arg({ type: input, required: true, description: 'What to change.' }) },
      resolve: (_root, { input: given }, context) => {
        const change = {
          ...namedMembers<Omit<AccountSettingsInput, 'afterLock'>>('input', given),
          ...(given.approvalAbove === null && { approvalAbove: null }),
          ...(given.afterLock && { afterLock: given.afterLock }),
        };
        return updateAccountSettings(context, change, checksOf(context));
      },
    }),
  );
  defineCancel(builder, settings, protection);
}
