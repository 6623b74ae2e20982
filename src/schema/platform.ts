/** The operator's view of all accounts: their holders, and the status of the rails. */

import { listHolders, readHolder, requireCustomersOfOthers } from '../resolvers/account/list-holders.ts';
import { inProse } from '../resolvers/checks/lengths.ts';
import { operationChecks } from '../resolvers/rails/operation-checks.ts';
import type { NamedCheck } from '../resolvers/rails/rail-checks.ts';
import { RAILS, type RailHealth, railChecks, railHealth } from '../resolvers/rails/rail-health.ts';
import type { Check } from '../resolvers/services/rail-part.ts';
import type { AccountRow } from '../store/account/accounts.ts';
import { readCompany } from '../store/account/companies.ts';
import { prismaOf } from '../store/connection/prisma.ts';
import { RAIL_EVENTS_SCANNED_MAX } from '../store/engine/rail-health.ts';
import { ORDERS_MAX } from '../store/rails/order-times.ts';
import type { CompanyRef } from './account-company.ts';
import type { Builder } from './builder.ts';
import { type CustomerPageRef, readCustomers } from './customer.ts';
import { describedValues } from './described-values.ts';
import { isoOf } from './iso-of.ts';
import { nodeType } from './node.ts';
import { countedArguments, countedComplexity, exactConnection, idConnection } from './pagination.ts';
import { PLATFORM_ONLY } from './platform-only.ts';
import type { TemplateSettingRef } from './settings.ts';

/** Types of an account holder's fields. */
interface HolderRefs {
  readonly setting: TemplateSettingRef;
  readonly customers: CustomerPageRef;
  readonly company: CompanyRef;
}

type HolderRef = ReturnType<ReturnType<typeof holderRefOf>['implement']>;
const holderRefOf = (builder: Builder) => builder.objectRef<AccountRow>('AccountHolder');

/** Cost of reading the settings of an account's templates. */
const SETTINGS = { field: 1, multiplier: 6 };

/** Defines `Query.accounts`, `Query.accountHolder`, `Query.railHealth` and `Query.operationChecks`. */
export function definePlatform(builder: Builder, refs: HolderRefs): void {
  defineAccounts(builder, refs);
  defineRailHealth(builder);
  defineOperationChecks(builder);
}

function nodeOfAccountHolder(builder: Builder) {
  return nodeType<AccountRow>(builder, 'AccountHolder', {
    rawId: ({ id }) => String(id),
    read: readHolder,
  });
}

function defineAccounts(builder: Builder, { setting, customers, company }: HolderRefs): void {
  const holder = holderRefOf(builder).implement({
    interfaces: [nodeOfAccountHolder(builder)],
    description: 'An account holder, as the operator sees it.',
    fields: (t) => ({
      accountId: t.string({ description: 'Identifier of the account.', resolve: ({ id }) => String(id) }),
      handle: t.exposeString('handle', {
        nullable: true,
        description: 'Short name by which commands find it; null where it has none.',
      }),
      name: t.exposeString('name', { description: 'Name of the account holder.' }),
      createdAt: t.field({
        type: 'DateTime',
        description: 'When the account was opened.',
        resolve: ({ createdAt }) => isoOf(createdAt),
      }),
      templateSettings: t.prismaField({
        type: [setting],
        description: 'Price and limits of each template of the account.',
        complexity: SETTINGS,
        resolve: (query, { id }, _args, { database }) =>
          prismaOf(database).templateSetting.findMany({
            ...query,
            where: { accountId: id },
            orderBy: { template: 'asc' },
          }),
      }),
      customers: t.field({
        type: customers,
        description:
          'The customers of the account, by tax id. Needs the scope `platform:pricing` or `platform:risk`.',
        args: {
          taxId: t.arg.string({
            description: 'Only the customer with this CPF or CNPJ, with or without punctuation.',
          }),
          ...countedArguments(t.arg),
        },
        complexity: countedComplexity,
        resolve: async ({ id }, { taxId, ...args }, context) => {
          requireCustomersOfOthers(context);
          return (await readCustomers(context, id, args, taxId)) as never;
        },
      }),
    }),
  });
  builder.objectField(holder, 'company', (t) =>
    t.field({
      type: company,
      nullable: true,
      description:
        'The company behind the account; null: not stored. Needs the scope `platform:pricing` or `platform:risk`.',
      resolve: async ({ id }, _args, context) => {
        requireCustomersOfOthers(context);
        return (await readCompany(context.database, id)) ?? null;
      },
    }),
  );
  defineHolderQueries(builder, holder);
}

function defineHolderQueries(builder: Builder, holder: HolderRef): void {
  const connection = exactConnection(builder, holder, {
    name: 'AccountHolder',
    page: 'A page of the account holders.',
    edge: 'An account holder and its cursor.',
    total: 'Number of all account holders of your mode. Exact.',
  });
  builder.queryField('accounts', (t) =>
    t.field({
      ...PLATFORM_ONLY,
      type: connection,
      description: 'The account holders of your mode, the newest first. Needs a scope of the platform.',
      args: countedArguments(t.arg),
      complexity: countedComplexity,
      resolve: async (_root, args, context) =>
        (await idConnection(args, (slice) => listHolders(context, slice))) as never,
    }),
  );
  builder.queryField('accountHolder', (t) =>
    t.field({
      ...PLATFORM_ONLY,
      type: holder,
      nullable: true,
      description:
        'One account holder of your mode; null where there is none. Needs a scope of the platform.',
      args: {
        accountId: t.arg.string({ required: true, description: 'Identifier of the account.' }),
      },
      resolve: (_root, { accountId }, context) => readHolder(context, accountId),
    }),
  );
}

function defineRailHealth(builder: Builder): void {
  const rail = builder.enumType('Rail', {
    description: 'Systems outside of the gateway.',
    values: describedValues(RAILS),
  });
  const check = builder.objectRef<NamedCheck>('RailCheck').implement({
    description: 'A check of a rail.',
    fields: (t) => ({
      part: t.exposeString('rail', {
        description: 'Part of the rail: its name in the settings, such as `ETH` for a network.',
      }),
      check: t.exposeString('check', { description: 'Name of the check.' }),
      ok: t.exposeBoolean('ok', { description: 'Whether the check passed.' }),
      detail: t.exposeString('detail', { description: 'Result of the check, in words.' }),
    }),
  });
  const times = defineOrderTimes(builder);
  const health = builder.objectRef<RailHealth>('RailHealth').implement({
    description: 'Health of a rail.',
    fields: (t) => ({
      rail: t.field({ type: rail, description: 'The rail.', resolve: (row) => row.rail }),
      lastEventAt: t.field({
        type: 'DateTime',
        nullable: true,
        description: `Time of its last event; null when that is not among the newest ${inProse(RAIL_EVENTS_SCANNED_MAX)} events of all rails. Only \`PIX\` and \`CHAIN\` report events.`,
        resolve: ({ lastEventAt }) => lastEventAt && isoOf(lastEventAt),
      }),
      unsettledEvents: t.exposeInt('unsettledEvents', {
        description: 'Its events that are not settled; `railEvents` lists them.',
      }),
      pendingOrders: t.exposeInt('pendingOrders', {
        description: 'Orders that are due.',
      }),
      failingOrders: t.exposeInt('failingOrders', {
        description: 'Failed orders that are retried.',
      }),
      lastDay: t.field({
        type: times,
        nullable: true,
        description: `Its orders that ended in the last 24 hours, of the newest ${inProse(ORDERS_MAX)} at most; null where none did. Only \`PIX\` and \`CHAIN\` have them, and the rails that a sandbox simulates have none.`,
        resolve: (row) => row.lastDay,
      }),
      checks: t.field({
        type: [check],
        complexity: 50,
        description:
          'Checks that the rail makes now; they take at most five seconds. Empty if the sandbox of this gateway simulates the rail, or if it is not configured.',
        resolve: async ({ rail: name }, _args, context) => [...(await railChecks(context, name))],
      }),
    }),
  });
  builder.queryField('railHealth', (t) =>
    t.field({
      ...PLATFORM_ONLY,
      type: [health],
      complexity: 20,
      description: 'Health of the rails of your mode. Needs a scope of the platform.',
      resolve: async (_root, _args, context) => [...(await railHealth(context))],
    }),
  );
}

function defineOperationChecks(builder: Builder): void {
  const check = builder.objectRef<Check>('OperationCheck').implement({
    description: 'A check of operation, as `crossramp doctor` makes it.',
    fields: (t) => ({
      check: t.exposeString('check', { description: 'Name of the check.' }),
      ok: t.exposeBoolean('ok', { description: 'Whether the check passed.' }),
      detail: t.exposeString('detail', { description: 'Result of the check, in words.' }),
    }),
  });
  builder.queryField('operationChecks', (t) =>
    t.field({
      type: [check],
      ...PLATFORM_ONLY,
      complexity: 100,
      description:
        'Backlogs of jobs and webhooks of both modes, the database server, the verification of the books, disks, and clock and event loop of the process that answers. Needs a scope of the platform.',
      resolve: async (_root, _args, context) => [...(await operationChecks(context))],
    }),
  );
}

function defineOrderTimes(builder: Builder) {
  return builder.objectRef<NonNullable<RailHealth['lastDay']>>('RailOrderTimes').implement({
    description: 'Orders to a rail that ended in the last 24 hours.',
    fields: (t) => ({
      done: t.exposeInt('done', { description: 'Orders that were carried out.' }),
      failed: t.exposeInt('failed', { description: 'Orders that failed permanently.' }),
      medianMs: t.exposeInt('medianMs', {
        nullable: true,
        description: 'Median time from the order until it was carried out, in ms.',
      }),
      p95Ms: t.exposeInt('p95Ms', {
        nullable: true,
        description: '95th percentile of that time, in ms.',
      }),
    }),
  });
}
