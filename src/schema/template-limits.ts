/** Limits that an account sets on its own templates (C-21, C-40). */
import { trimDecimal } from '../base/money/money.ts';
import { checksOf } from '../resolvers/checks/check-creation.ts';
import { type TemplateLimitsInput, updateTemplateLimits } from '../resolvers/settings/manage-limits.ts';
import { BRL_AMOUNT } from '../resolvers/settings/manage-settings.ts';
import { TEMPLATE_LIMITS } from '../store/account/template-limits.ts';
import { prismaOf } from '../store/connection/prisma.ts';
import type { Builder } from './builder.ts';
import { boundedSetting } from './descriptions.ts';
import { defineMutation } from './mutation.ts';
import { TEMPLATE_SETTINGS } from './settings.ts';
import type { TemplateRef } from './template.ts';
import type { AccountRef } from './viewer.ts';

type LimitName = (typeof TEMPLATE_LIMITS)[number];

/** Defines `TemplateLimits`, `Account.templateLimits` and the mutation that changes them. */
export function defineTemplateLimits(builder: Builder, account: AccountRef, template: TemplateRef): void {
  const limits = builder.prismaObject('TemplateLimit', {
    name: 'TemplateLimits',
    description:
      'Limits that the account set on a template; null without one. The tighter of these and of `templateSettings` applies.',
    fields: (t) => ({
      template: t.field({ type: template, description: 'The template.', resolve: (row) => row.template }),
      ...eachLimit((name) =>
        t.field({
          type: 'Decimal',
          nullable: true,
          description: TEMPLATE_SETTINGS[name],
          resolve: (row) => row[name] && trimDecimal(row[name].toFixed()),
        }),
      ),
    }),
  });
  builder.prismaObjectField(account, 'templateLimits', (t) =>
    t.relation('templateLimits', {
      type: limits,
      description: 'Limits that the account set on its templates; a template without limits is not listed.',
      query: {
        where: { OR: TEMPLATE_LIMITS.map((name) => ({ [name]: { not: null } })) },
        orderBy: { template: 'asc' },
      },
    }),
  );

  defineMutation(builder, 'updateTemplateLimits', {
    result: ['templateLimits', limits],
    description:
      'Sets limits of the account on a template, within those of the platform, for transactions created from now on. A looser limit takes effect after the current cooling time and is in `pendingChanges` until then; all others take effect immediately. Needs the scope `admin`.',
    inputDescription: 'Changes. Members that are not given stay as they are; null takes a limit away.',
    input: (t) => ({
      template: t.field({ type: template, required: true, description: 'The template.' }),
      ...eachLimit((name) =>
        t.field({ type: 'Decimal', description: boundedSetting(TEMPLATE_SETTINGS[name], BRL_AMOUNT) }),
      ),
    }),
    resolve: async (args, context, query) => {
      await updateTemplateLimits(context, args.template, namedLimits(args), checksOf(context));
      const { accountId } = context.caller;
      const where = { accountId_template: { accountId, template: args.template } };
      return prismaOf(context.database).templateLimit.findUniqueOrThrow({ ...query(), where });
    },
  });
}

function eachLimit<Field>(define: (name: LimitName) => Field): Record<LimitName, Field> {
  return Object.fromEntries(TEMPLATE_LIMITS.map((name) => [name, define(name)])) as Record<LimitName, Field>;
}

function namedLimits(
  input: {
    readonly [Name in LimitName]?: string | null | undefined;
  },
): TemplateLimitsInput {
  return Object.fromEntries(
    TEMPLATE_LIMITS.flatMap((name) => {
      const value = input[name];
      if (value === undefined) return [];
      return [[name, value === null ? null : { name: `input.${name}`, value: String(value) }]];
    }),
  );
}
