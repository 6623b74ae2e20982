/** Settings: price and limits of each template, and the rules of the account (C-21, C-22). */

import { trimDecimal } from '../base/money/money.ts';
import { isoMillis } from '../base/time/instant.ts';
import { checksOf } from '../resolvers/checks/check-creation.ts';
import { contextOnAccount } from '../resolvers/checks/context-on-account.ts';
import { inProse } from '../resolvers/checks/lengths.ts';
import {
  type AccountSettingsInput,
  BRL_AMOUNT,
  COOLING_SECONDS_MAX,
  OUT_LIMITS,
  TEMPLATE_BOUNDS,
  type TemplateSettingsInput,
  updateAccountSettings,
  updateTemplateSettings,
} from '../resolvers/settings/manage-settings.ts';
import { MARGIN_MIN, waitingPrice } from '../resolvers/settings/price-proposals.ts';
import { cancelSettingChange, changesThatWait, settingsNow } from '../resolvers/settings/protections.ts';
import {
  type SettingChange,
  type SettingName,
  WAITING_CHANGES_MAX,
} from '../store/account/setting-changes.ts';
import type { AccountSettings, AfterLock } from '../store/account/settings.ts';
import { prismaOf } from '../store/connection/prisma.ts';
import { PRICE_SETTINGS, type PriceProposal } from '../store/engine/price-proposals.ts';
import { FAMILY_TRAITS } from '../templates/families.ts';
import { type ApprovalBarRef, secondPersonField } from './approval-bar.ts';
import type { Builder } from './builder.ts';
import { boundedSetting, DESCRIPTIONS } from './descriptions.ts';
import { defineMutation } from './mutation.ts';
import { named, namedMembers } from './named.ts';
import { PLATFORM_ONLY } from './platform-only.ts';
import type { TemplateRef } from './template.ts';
import type { AccountRef } from './viewer.ts';

/** The settings of a template, with their descriptions. */
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
  'Treatment of a payment after the lock of its price (30 minutes), where the session lasts longer; `REPRICE` unless changed.';
/** Limits of money out, with their descriptions. */
const OUT_LIMIT_DOCS: Readonly<Record<(typeof OUT_LIMITS)[number], string>> = {
  approvalAbove:
    'Sum in BRL of everything that leaves in a day in Brasília (withdrawals, payouts and refunds out of the balance, redirected deposits) above which each further amount needs a second approver; what was approved does not count. Null: never.',
  outflowPerHour:
    'Sum in BRL of everything that leaves in an hour above which each further amount waits until two people lift it; what two people lifted does not count. Null: no ceiling.',
  newTargetPerHour:
    'The same for one destination, until a day after the first amount left to it. Null: no ceiling.',
};

/**
 * Defines `TemplateSetting`, `AccountSettings`, their fields of `Account` and the mutations that change them.
 *
 * @returns the type of the settings of a template.
 */
export function defineSettings(
  builder: Builder,
  account: AccountRef,
  refs: { readonly template: TemplateRef; readonly bar: ApprovalBarRef },
) {
  const setting = defineTemplateSettings(builder, account, refs);
  defineAccountSettings(builder, account);
  return setting;
}

function defineTemplateSettings(
  builder: Builder,
  account: AccountRef,
  { template, bar }: { readonly template: TemplateRef; readonly bar: ApprovalBarRef },
) {
  const setting = defineSettingType(builder, template, defineProposedPrice(builder, bar));
  builder.prismaObjectField(account, 'templateSettings', (t) =>
    t.relation('templateSettings', {
      type: setting,
      description: 'Price and limits of each template, as the platform set them.',
      query: { orderBy: { template: 'asc' } },
    }),
  );

  defineMutation(builder, 'updateTemplateSettings', {
    result: ['templateSetting', setting],
    description: `Changes price and limits of a template for an account, for transactions created from now on. A price that is lowered to a spread and fee rate of less than ${MARGIN_MIN} together is in \`proposedPrice\` until another person sets the same within 72 hours. Needs the scope \`platform:pricing\`.`,
    inputDescription: 'Changes. Members that are not given stay as they are.',
    input: (t) => ({
      account: t.string({ required: true, description: DESCRIPTIONS.actedOn }),
      template: t.field({ type: template, required: true, description: 'Template to change.' }),
      ...eachSetting((name) =>
        t.field({
          type: 'Decimal',
          description: boundedSetting(TEMPLATE_SETTINGS[name], TEMPLATE_BOUNDS[name]),
        }),
      ),
    }),
    resolve: async (args, context, query) => {
      const { account, template: name, ...members } = args;
      const own = await contextOnAccount(context, 'settings.update_template', account);
      const change = namedMembers<TemplateSettingsInput>('input', members);
      await updateTemplateSettings(own, name, change, checksOf(own));
      const where = { accountId_template: { accountId: own.caller.accountId, template: name } };
      return prismaOf(own.database).templateSetting.findUniqueOrThrow({ ...query(), where });
    },
  });
  return setting;
}

function defineSettingType(
  builder: Builder,
  template: TemplateRef,
  proposed: ReturnType<typeof defineProposedPrice>,
) {
  return builder.prismaObject('TemplateSetting', {
    description: 'Price and limits of one template (C-21).',
    fields: (t) => ({
      template: t.field({ type: template, description: 'The template.', resolve: (row) => row.template }),
      isPriced: t.boolean({
        description:
          'Whether orders of the template have a price and a customer. For other templates, which are withdrawals, only `amountMin` and `amountMax` apply.',
        resolve: (row, _args, { registry }) =>
          FAMILY_TRAITS[registry.of(row.template).family].flow !== 'withdrawal',
      }),
      ...eachSetting((name) =>
        t.field({
          type: 'Decimal',
          description: TEMPLATE_SETTINGS[name],
          resolve: (row) => row[name].toFixed(),
        }),
      ),
      proposedPrice: t.field({
        ...PLATFORM_ONLY,
        type: proposed,
        nullable: true,
        description:
          'Price without margin that waits until another person sets it, too; null without one, and without `platform:pricing`.',
        resolve: ({ proposal }, _args, context) => waitingPrice(context, proposal as PriceProposal | null),
      }),
    }),
  });
}

function defineProposedPrice(builder: Builder, bar: ApprovalBarRef) {
  return builder.objectRef<PriceProposal>('ProposedPrice').implement({
    description: 'Price of a template that one person proposed and another one approves by setting the same.',
    fields: (t) => ({
      ...eachOf(PRICE_SETTINGS, (name) =>
        t.field({ type: 'Decimal', description: TEMPLATE_SETTINGS[name], resolve: (price) => price[name] }),
      ),
      proposedBy: t.exposeString('maker', { description: 'Key or person that proposed it.' }),
      proposedByName: t.string({
        nullable: true,
        description: 'Name of that key or person, as it is now.',
        resolve: ({ maker }, _args, { loaders }) => loaders.actorName.load(maker),
      }),
      proposedAt: t.field({
        type: 'DateTime',
        description: 'When it was proposed.',
        resolve: ({ madeAt }) => madeAt,
      }),
      secondPersonBar: t.field(
        secondPersonField<PriceProposal>(bar, 'platform:pricing', ({ maker }) => maker),
      ),
    }),
  });
}

/** The type of the settings of a template. */
export type TemplateSettingRef = ReturnType<typeof defineSettings>;

function eachSetting<Field>(
  define: (name: TemplateSettingName) => Field,
): Record<TemplateSettingName, Field> {
  return eachOf(Object.keys(TEMPLATE_SETTINGS) as TemplateSettingName[], define);
}

function eachOutLimit<Field>(
  define: (name: (typeof OUT_LIMITS)[number]) => Field,
): Record<(typeof OUT_LIMITS)[number], Field> {
  return eachOf(OUT_LIMITS, define);
}

function eachOf<Name extends string, Field>(
  names: readonly Name[],
  define: (name: Name) => Field,
): Record<Name, Field> {
  return Object.fromEntries(names.map((name) => [name, define(name)])) as Record<Name, Field>;
}

function defineProtection(builder: Builder) {
  return builder.enumType('ProtectionSetting', {
    description: 'A setting that protects the money of an account, of one of its customers or templates.',
    values: {
      WHITELIST_COOLING_SECONDS: { value: 'whitelistCoolingSeconds', description: COOLING },
      APPROVAL_ABOVE: { value: 'approvalAbove', description: OUT_LIMIT_DOCS.approvalAbove },
      OUTFLOW_PER_HOUR: { value: 'outflowPerHour', description: OUT_LIMIT_DOCS.outflowPerHour },
      NEW_TARGET_PER_HOUR: { value: 'newTargetPerHour', description: OUT_LIMIT_DOCS.newTargetPerHour },
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
      setting: t.field({ type: protection, description: 'The changes.', resolve: ({ name }) => name }),
      subject: t.field({
        type: 'String',
        nullable: true,
        description: 'Customer’s tax id, or template, of the setting; null for the account.',
        resolve: ({ subject }) => subject || null,
      }),
      value: t.exposeString('value', { nullable: true, description: 'The new value; null for none.' }),
      requestedBy: t.exposeString('askedBy', { description: '`keyId` of the key that requested it.' }),
      requestedAt: t.field({
        type: 'DateTime',
        description: 'When it was requested.',
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
    description: 'Treatment of a payment after the lock of its price, if the session lasts longer (C-21).',
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
      ...eachOutLimit((name) =>
        t.field({
          type: 'Decimal',
          nullable: true,
          description: OUT_LIMIT_DOCS[name],
          resolve: ({ [name]: limit }) => limit && trimDecimal(limit),
        }),
      ),
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
  defineMutation(builder, 'cancelSettingChange', {
    result: ['accountSettings', settings],
    description: 'Cancels a change in `pendingChanges`. Needs the scope `admin`.',
    input: (t) => ({
      setting: t.field({
        type: protection,
        required: true,
        description: 'The setting of the pending change.',
      }),
      subject: t.string({
        description: 'Customer’s tax id, or template, of the setting; missing for settings of the account.',
      }),
    }),
    resolve: ({ setting, subject }, context) =>
      cancelSettingChange(context, setting, named('input.subject', subject), checksOf(context)),
  });
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

  defineMutation(builder, 'updateAccountSettings', {
    result: ['accountSettings', settings],
    description:
      'Changes rules of the account, for transactions and entries created from now on. A change that loosens a protection (a shorter cooling time, a higher threshold or ceiling, or none) takes effect after the current cooling time and is in `pendingChanges` until then; all others take effect immediately. Needs the scope `admin`.',
    inputDescription: 'Changes. Members that are not given stay as they are.',
    input: (t) => ({
      whitelistCoolingSeconds: t.int({
        description: `${COOLING} From 0 to ${inProse(COOLING_SECONDS_MAX)} (30 days).`,
      }),
      ...eachOutLimit((name) =>
        t.field({ type: 'Decimal', description: boundedSetting(OUT_LIMIT_DOCS[name], BRL_AMOUNT) }),
      ),
      afterLock: t.field({ type: afterLock, description: AFTER_LOCK_ENDS }),
    }),
    resolve: (input, context) => {
      const change = {
        ...namedMembers<Omit<AccountSettingsInput, 'afterLock'>>('input', input),
        ...Object.fromEntries(OUT_LIMITS.flatMap((name) => (input[name] === null ? [[name, null]] : []))),
        ...(input.afterLock && { afterLock: input.afterLock }),
      };
      return updateAccountSettings(context, change, checksOf(context));
    },
  });
  defineCancel(builder, settings, protection);
}
