/** Customers of an account: names, level, limits and volumes (C-21). */

import { trimDecimal } from '../base/money/money.ts';
import { checksOf } from '../resolvers/checks/check-creation.ts';
import { contextOnAccount } from '../resolvers/checks/context-on-account.ts';
import { type Context, requireScope } from '../resolvers/services/context.ts';
import { type CustomerInput, grantCustomer, updateCustomer } from '../resolvers/settings/manage-customers.ts';
import { BRL_AMOUNT } from '../resolvers/settings/manage-settings.ts';
import { type CustomerLevel, countCustomers } from '../store/account/customers.ts';
import { prismaOf } from '../store/connection/prisma.ts';
import type { Builder } from './builder.ts';
import { boundedSetting, DESCRIPTIONS } from './descriptions.ts';
import { isoOf } from './iso-of.ts';
import { defineMutation } from './mutation.ts';
import { nodeType } from './node.ts';
import {
  connectionOf,
  countedArguments,
  countedComplexity,
  countedSlice,
  decodeCursor,
  encodeCursor,
  exactConnection,
  type PositionedArgs,
} from './pagination.ts';

/** Number of days with shown volumes, the same as in the step-up rule. */
const VOLUME_DAYS = 30;
const LIMIT_DAILY = 'Largest volume of the customer in a day in Brasília, BRL';
const STEP_UP = 'Volume of the customer in 30 days, BRL, above which an identity step-up is required';
const GRANTED = 'that the platform set instead of the limit of the templates; null: none.';
const LIMITS = {
  limitDaily: `${LIMIT_DAILY}; null: as the template says.`,
  stepUp30d: `${STEP_UP}; null: as the template says.`,
  grantedLimitDaily: `${LIMIT_DAILY}, ${GRANTED}`,
  grantedStepUp30d: `${STEP_UP}, ${GRANTED}`,
};
const TAX_ID = 'CPF or CNPJ of the customer, with or without punctuation.';

/**
 * Defines `Customer`, `Query.customer`, `Query.customers` and the mutations that change a customer's limits.
 * @returns the types of a page of customers, of their levels, and of a customer.
 */
export function defineCustomers(builder: Builder) {
  const refs = defineCustomer(builder);
  const { customer } = refs;
  builder.queryField('customer', (t) =>
    t.prismaField({
      type: customer,
      nullable: true,
      description: 'A customer of the account; null where no transaction and no limit names the tax id.',
      args: { taxId: t.arg.string({ required: true, description: TAX_ID }) },
      resolve: (query, _root, { taxId }, context) => {
        requireScope(context, 'read');
        const checks = checksOf(context);
        const key = checks.taxId({ name: 'taxId', value: taxId });
        checks.refuse();
        return prismaOf(context.database).customer.findUnique({ ...query, ...keyOf(context, key ?? '') });
      },
    }),
  );
  const connection = defineList(builder, customer);
  defineUpdate(builder, customer);
  defineGrant(builder, refs);
  return { connection, level: refs.level, customer };
}

/** The type of a page of customers. */
export type CustomerPageRef = ReturnType<typeof defineCustomers>['connection'];
/** The type of customers. */
export type CustomerNodeRef = ReturnType<typeof defineCustomers>['customer'];
/** The type of their levels. */
export type CustomerLevelRef = ReturnType<typeof defineCustomers>['level'];

function defineUpdate(builder: Builder, customer: CustomerRef['customer']): void {
  defineMutation(builder, 'updateCustomer', {
    result: ['customer', customer],
    description:
      'Sets limits of a customer, which must be within the limits of the templates, or within those that the platform granted. A looser limit takes effect after the cooling time in force and is in `pendingChanges` until then. Needs the scope `admin`.',
    inputDescription: 'Changes. Members that are not given stay as they are; null takes a limit away.',
    input: (t) => ({
      taxId: t.string({ required: true, description: TAX_ID }),
      ...limitFields(t),
    }),
    resolve: async (args, context, query) => {
      const named = { name: 'input.taxId', value: args.taxId };
      const taxId = await updateCustomer(context, named, limitsOf(args), checksOf(context));
      return prismaOf(context.database).customer.findUniqueOrThrow({ ...query(), ...keyOf(context, taxId) });
    },
  });
}

function defineGrant(builder: Builder, { customer, level }: CustomerRef): void {
  defineMutation(builder, 'grantCustomerLimits', {
    result: ['customer', customer],
    description:
      'Sets limits of a customer that replace those of the templates, above or below them. Needs the scope `platform:pricing`.',
    inputDescription: 'Changes. Members that are not given stay as they are; null takes a limit away.',
    input: (t) => ({
      account: t.string({ required: true, description: DESCRIPTIONS.actedOn }),
      taxId: t.string({ required: true, description: TAX_ID }),
      ...limitFields(t),
      level: t.field({ type: level, description: 'Level of identification of the customer.' }),
    }),
    resolve: async (args, context, query) => {
      const own = await contextOnAccount(context, 'customer.grant', args.account);
      const { level: wanted } = args;
      const grant = { ...limitsOf(args), ...(wanted && { level: wanted }) };
      const taxId = await grantCustomer(
        own,
        { name: 'input.taxId', value: args.taxId },
        grant,
        checksOf(own),
      );
      return prismaOf(own.database).customer.findUniqueOrThrow({ ...query(), ...keyOf(own, taxId) });
    },
  });
}

function limitFields(t: InputFields) {
  return {
    limitDaily: t.field({ type: 'Decimal', description: boundedSetting(`${LIMIT_DAILY}.`, BRL_AMOUNT) }),
    stepUp30d: t.field({ type: 'Decimal', description: boundedSetting(`${STEP_UP}.`, BRL_AMOUNT) }),
  };
}

type InputFields = Parameters<Parameters<Builder['inputType']>[1]['fields']>[0];

/** Requested limits, under the caller's names. */
type Limits = Readonly<Record<'limitDaily' | 'stepUp30d', string | null>>;

function limitsOf(limits: { readonly [Name in keyof Limits]?: Limits[Name] | undefined }): CustomerInput {
  const read = (name: keyof Limits) => {
    const value = limits[name];
    return value == null ? value : { name: `input.${name}`, value: String(value) };
  };
  return { limitDaily: read('limitDaily'), stepUp30d: read('stepUp30d') };
}

function nodeOfCustomer(builder: Builder) {
  return nodeType<{ taxId: string }>(builder, 'Customer', {
    rawId: ({ taxId }) => taxId,
    read: async (context, taxId) => {
      requireScope(context, 'read');
      return prismaOf(context.database).customer.findUnique(keyOf(context, taxId));
    },
  });
}

function defineCustomer(builder: Builder) {
  const level = builder.enumType('CustomerLevel', {
    description: 'Level of identification of a customer.',
    values: {
      BASIC: { value: 'BASIC', description: 'By name and tax id.' },
      VERIFIED: { value: 'VERIFIED', description: 'Identified by an approved identity step-up.' },
    } as const satisfies Record<CustomerLevel, object>,
  });
  const volume = defineVolume(builder);
  const customer = builder.prismaObject('Customer', {
    interfaces: [nodeOfCustomer(builder)],
    description: 'A customer or payee of the account: a tax id that its transactions name (C-21).',
    fields: (t) => ({
      taxId: t.exposeString('taxId', { description: 'CPF or CNPJ without punctuation.' }),
      names: t.exposeStringList('names', {
        description: 'Names that transactions gave it, newest last; at most 20.',
      }),
      level: t.field({
        type: level,
        description: 'Level of identification of the customer.',
        resolve: (row) => row.level as CustomerLevel,
      }),
      firstSeenAt: t.field({
        type: 'DateTime',
        description: 'When it was first named.',
        resolve: (row) => isoOf(row.firstSeenAt),
      }),
      volumes: t.prismaField({
        type: [volume],
        description: `Its volumes by day, newest first: the last ${VOLUME_DAYS} days on which they changed.`,
        complexity: { field: 1, multiplier: VOLUME_DAYS },
        resolve: (query, { accountId, taxId }, _args, { database }) =>
          prismaOf(database).volumeDay.findMany({
            ...query,
            where: { accountId, subject: taxId, NOT: { open: 0, paid: 0 } },
            orderBy: { day: 'desc' },
            take: VOLUME_DAYS,
          }),
      }),
    }),
  });
  for (const [name, description] of Object.entries(LIMITS) as [keyof typeof LIMITS, string][])
    builder.prismaObjectField(customer, name, (t) =>
      t.field({
        type: 'Decimal',
        nullable: true,
        description,
        resolve: (row) => row[name] && trimDecimal(row[name].toFixed()),
      }),
    );
  return { customer, level };
}

function defineVolume(builder: Builder) {
  return builder.prismaObject('VolumeDay', {
    name: 'CustomerVolume',
    description: 'Volume of a customer on one day, over all checkouts, onramps and offramps of the account.',
    fields: (t) => ({
      day: t.field({
        type: 'Date',
        description: 'Day in Brasília.',
        resolve: ({ day }) => day.toISOString().slice(0, 10),
      }),
      open: t.field({
        type: 'Decimal',
        description: 'Amount of the transactions of this day that can still be paid, BRL.',
        resolve: (row) => trimDecimal(row.open.toFixed()),
      }),
      paid: t.field({
        type: 'Decimal',
        description: 'Amount paid on this day, BRL.',
        resolve: (row) => trimDecimal(row.paid.toFixed()),
      }),
    }),
  });
}

type CustomerRef = ReturnType<typeof defineCustomer>;

function defineList(builder: Builder, customer: CustomerRef['customer']) {
  const connection = exactConnection(builder, customer, {
    name: 'Customer',
    page: 'A page of the customers.',
    edge: 'A customer and its cursor.',
    total: 'Number of all customers, not only of this page. Exact.',
  });
  builder.queryField('customers', (t) =>
    t.field({
      type: connection,
      description: 'The customers of the account, by tax id.',
      args: countedArguments(t.arg),
      complexity: countedComplexity,
      resolve: async (_root, args, context) => {
        requireScope(context, 'read');
        return (await readCustomers(context, context.caller.accountId, args)) as never;
      },
    }),
  );
  return connection;
}

/**
 * @param wanted - tax id of the only customer of the page; all by default.
 * @returns a page of the customers of an account, without a check of the caller.
 * @throws {GatewayError} `INVALID_PARAMETER` for a tax id that is none.
 */
export async function readCustomers(
  context: Context,
  accountId: bigint,
  args: PositionedArgs,
  wanted?: string | null,
) {
  const { database } = context;
  const { customer } = prismaOf(database);
  const slice = countedSlice(args, decodeCursor);
  if (wanted != null) {
    const checks = checksOf(context);
    const key = checks.taxId({ name: 'taxId', value: wanted }) ?? '';
    checks.refuse();
    const found = await customer.findMany({ where: { accountId, taxId: key } });
    return connectionOf(found.slice(slice.skip), slice, {
      totalCount: () => found.length,
      cursorOf: ({ taxId }) => encodeCursor(taxId),
      isPreceded: slice.skip > 0,
      isFollowed: false,
    });
  }
  const { after, before, skip } = slice;
  const rows = await customer.findMany({
    where: {
      accountId,
      taxId: { ...(after !== undefined && { gt: after }), ...(before !== undefined && { lt: before }) },
    },
    orderBy: { taxId: slice.isBackward ? 'desc' : 'asc' },
    take: slice.size + 1,
    skip,
  });
  const isFound = async (taxId: object | undefined) =>
    taxId !== undefined &&
    (await customer.findFirst({ where: { accountId, taxId }, select: { taxId: true } })) !== null;
  return connectionOf(rows, slice, {
    totalCount: () => countCustomers(database, accountId),
    cursorOf: ({ taxId }) => encodeCursor(taxId),
    isPreceded: await isFound(after === undefined ? (skip > 0 ? {} : undefined) : { lte: after }),
    isFollowed: await isFound(before === undefined ? undefined : { gte: before }),
  });
}

function keyOf({ caller }: Context, taxId: string) {
  return { where: { accountId_taxId: { accountId: caller.accountId, taxId } } };
}
