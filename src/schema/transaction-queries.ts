/** Reads of transactions: `Query.transaction` and `Query.transactions`, with their filters and sums. */
import type { GraphQLResolveInfo } from 'graphql';
import { LONGEST_TEXT } from '../base/errors/violations.ts';
import { currencyOfHistory } from '../base/money/currency.ts';
import { AMOUNT_LENGTH_MAX, bounded, inProse } from '../resolvers/checks/lengths.ts';
import { WAITS } from '../resolvers/transactions/awaiting.ts';
import { type MergedFilterInput, ONE_TEXT } from '../resolvers/transactions/filter-input.ts';
import {
  filterTransactions,
  findNth,
  isPlain,
  sumTransactions,
} from '../resolvers/transactions/filter-transactions.ts';
import { listTransactions } from '../resolvers/transactions/list-transactions.ts';
import {
  COUNT_ABOUT,
  COUNT_MAX,
  SCAN_MAX,
  type SumRow,
  type SumSides,
} from '../store/engine/merged-lists.ts';
import {
  FILTERS,
  type FilterKind,
  type FilterName,
  TRANSACTION_FILTERS,
  type TransactionFilter,
} from '../store/engine/transaction-filters.ts';
import type { Family } from '../templates/define.ts';
import type { TransactionRow } from '../templates/facts.ts';
import type { Registry } from '../templates/registry.ts';
import { type Builder, type GraphqlContext, once } from './builder.ts';
import type { CalendarZoneRef } from './calendar-zone.ts';
import type { InputFields } from './creation.ts';
import type { CurrencyRefs } from './currency.ts';
import { describedValues } from './described-values.ts';
import { DESCRIPTIONS } from './descriptions.ts';
import {
  COUNT_POINTS,
  type Connection,
  connectionOf,
  decodeCursor,
  encodeCursor,
  exactConnection,
  type PositionedArgs,
  pageComplexity,
  positionedArguments,
  positionedSlice,
  SCAN_POINTS,
} from './pagination.ts';
import { nodesToRead, selects } from './selection.ts';
import type { StatusRef } from './step-enums.ts';
import type { TemplateRef } from './template.ts';
import { readOrNull, type TransactionRef } from './transaction.ts';

/** Types that the reads of transactions are made of. */
interface Refs extends CurrencyRefs {
  readonly transaction: TransactionRef;
  readonly template: TemplateRef;
  readonly status: StatusRef;
  readonly zone: CalendarZoneRef;
}

/** Defines `Query.transaction` and `Query.transactions`. */
export function defineTransactionQueries(builder: Builder, registry: Registry, refs: Refs) {
  const { transaction } = refs;
  builder.queryField('transaction', (t) =>
    t.field({
      type: transaction,
      nullable: true,
      description: 'One transaction; null when the account has none with this id.',
      args: { end2end: t.arg.string({ required: true, description: DESCRIPTIONS.end2end }) },
      resolve: async (_root, { end2end }, context) => (await readOrNull(context, end2end)) as never,
    }),
  );
  const family = defineFamily(builder, registry);
  const filter = defineFilter(builder, refs);
  const connection = defineConnection(builder, refs);
  builder.queryField('transactions', (t) =>
    t.field({
      type: connection,
      description: 'Transactions of one list, of several, or of all, newest first.',
      args: {
        families: t.arg({ type: [family], description: TRANSACTION_FILTERS.families.doc }),
        filter: t.arg({
          type: filter,
          description: 'Only transactions that meet all conditions; default: all.',
        }),
        ...positionedArguments(t.arg),
      },
      complexity: (args) => listComplexity(args as ListArgs),
      resolve: async (_root, args, context, info) =>
        (await readPage(context, args as ListArgs, info)) as never,
    }),
  );
  return family;
}

/** The enum `TransactionFamily`. */
export type FamilyRef = ReturnType<typeof defineTransactionQueries>;

function defineFamily(builder: Builder, registry: Registry) {
  const families = [...new Set(registry.templates.map((template) => template.family))];
  return builder.enumType('TransactionFamily', {
    description: 'The lists of transactions. Each holds the templates of one REST path.',
    values: Object.fromEntries(
      families.map((name) => [name.toUpperCase(), { value: name, description: familyDoc(registry, name) }]),
    ),
  });
}

function familyDoc(registry: Registry, family: Family): string {
  const templates = registry.ofFamily(family);
  return `${templates.map(({ product, name }) => `${product} (\`${name}\`)`).join(' and ')}.`;
}

function defineFilter(builder: Builder, { template, status, zone }: Refs) {
  const direction = builder.enumType('TransactionDirection', {
    description: 'Direction of the money of a transaction.',
    values: {
      IN: { value: 'in' as const, description: 'A payer pays BRL by PIX: checkouts and onramps.' },
      OUT: {
        value: 'out' as const,
        description: 'Money leaves, by PIX or to a wallet: offramps and withdrawals.',
      },
    },
  });
  const wait = builder.enumType('TransactionWait', {
    description: 'Reason for which a transaction waits for a person.',
    values: describedValues(WAITS),
  });
  return builder.inputType('TransactionFilter', {
    description:
      'Filters of a list. A transaction must meet all given ones; an empty text or list is refused.',
    fields: (t) => {
      const text = (doc: string) => t.string({ description: bounded(doc, LONGEST_TEXT) });
      const fields = {
        text,
        step: text,
        currency: (doc) => text(`${doc} ${DESCRIPTIONS.currencyFilter}`),
        day: (description) => t.field({ type: 'Date', description }),
        amount: (doc) => t.field({ type: 'Decimal', description: bounded(doc, AMOUNT_LENGTH_MAX) }),
        templates: (description) => t.field({ type: [template], description }),
        statuses: (description) => t.field({ type: [status], description }),
        direction: (description) => t.field({ type: direction, description }),
        wait: (description) => t.field({ type: wait, description }),
        flag: (description) => t.boolean({ description }),
      } satisfies { readonly [Kind in Exclude<FilterKind, 'families'>]: (doc: string) => unknown };
      const own = Object.fromEntries(
        FILTERS.flatMap(([name, { kind, doc }]) => (kind === 'families' ? [] : [[name, fields[kind](doc)]])),
      ) as Record<FilterName, ReturnType<InputFields['string']>>;
      return { ...own, zone: t.field({ type: zone, description: 'Zone of both days. Default: `UTC`.' }) };
    },
  });
}

function defineSums(builder: Builder, currency: Refs['currency']) {
  const sides = builder.objectRef<SumSides>('TransactionSumSides').implement({
    description: 'Sums of some transactions of a list in one currency.',
    fields: (t) => ({
      source: t.expose('source', {
        type: 'Decimal',
        nullable: true,
        description: 'Incoming sum; null without any such amount.',
      }),
      target: t.expose('target', {
        type: 'Decimal',
        nullable: true,
        description: 'Outgoing sum; null without any such amount.',
      }),
    }),
  });
  return builder.objectRef<SumRow>('TransactionSum').implement({
    description: 'Sums of the transactions of a list in one currency, over all statuses.',
    fields: (t) => ({
      currency: t.field({
        type: currency,
        nullable: true,
        description: 'The currency; null when imported history has another one.',
        resolve: (row) => currencyOfHistory(row.currency) ?? null,
      }),
      source: t.expose('source', {
        type: 'Decimal',
        nullable: true,
        description: 'Incoming sum; null without any such amount.',
      }),
      target: t.expose('target', {
        type: 'Decimal',
        nullable: true,
        description: 'Outgoing sum; null without any such amount.',
      }),
      succeeded: t.field({
        type: sides,
        description: 'Sums of those that ended with `SUCCESS` or `PARTIAL_SUCCESS`.',
        resolve: (row) => row.succeeded,
      }),
      failed: t.field({
        type: sides,
        description: 'Sums of those that ended with another status; the rest is under way.',
        resolve: (row) => row.failed,
      }),
    }),
  });
}

function defineConnection(builder: Builder, { transaction, currency }: Refs) {
  const sum = defineSums(builder, currency);
  const connection = exactConnection(builder, transaction, {
    name: 'Transaction',
    page: 'A page of a list of transactions.',
    edge: 'A transaction and its cursor.',
    total:
      'Number of all transactions that match, not only of this page. Exact where `totalIsExact` says so.',
  });
  builder.objectFields(connection, (t) => ({
    totalIsExact: t.boolean({
      description: `Whether \`totalCount\` is exact. It is for whole lists, for days, and for the filters of \`/v2\` on one list, at any size. With other filters it is exact if no list has more than ${inProse(COUNT_MAX)} transactions of these days, and for a status where up to ${inProse(COUNT_ABOUT)} match; false otherwise: then the newest ${inProse(COUNT_ABOUT)} were counted, and at least \`totalCount\` match.`,
      resolve: (page) => pageOf(page).totalIsExact(),
    }),
    endsEarly: t.boolean({
      description: `Whether the page ends before it is full, because a scan reached its maximum number of transactions of a list: ${inProse(SCAN_MAX)}, for a text, an amount, a currency of either side, or a template. To continue, request the page after \`pageInfo.endCursor\` (backward: before \`startCursor\`), or narrow the days.`,
      resolve: (page) => pageOf(page).endsEarly,
    }),
    sums: t.field({
      type: [sum],
      nullable: true,
      description: `Sums of incoming and outgoing amounts, by currency, over all matching transactions. Null if too many would have to be read for an exact sum, as for \`totalIsExact\`: narrow the days.`,
      extensions: once(COUNT_POINTS),
      resolve: (page) => pageOf(page).sums() as Promise<SumRow[] | null>,
    }),
  }));
  return connection;
}

/** @returns the cost of a page, including the cost of finding its records. */
function listComplexity({ filter, ...args }: ListArgs): { field: number; multiplier: number } {
  const { field, multiplier } = pageComplexity(args);
  return { field: field + filterPoints(filter ?? {}, args.offset ?? 0), multiplier };
}

/** @returns the cost of finding the page of a filtered list. */
function filterPoints(filter: NonNullable<ListArgs['filter']>, offset: number): number {
  const names = Object.entries(filter).flatMap(([name, value]) =>
    value == null || name === 'zone' ? [] : [name],
  );
  const readsOf = (name: string) => TRANSACTION_FILTERS[name as FilterName].reads;
  const has = (reads: TransactionFilter['reads']) => names.some((name) => readsOf(name) === reads);
  // An index leaves few records or many: one customer may have thousands.
  if (has('few') && has('scan')) return COUNT_POINTS;
  if (has('scan')) return SCAN_POINTS;
  const isCounted = !has('few') && names.some((name) => readsOf(name) !== 'places' && name !== 'awaitingMe');
  // The right to decide is checked for each record, and records before an offset are passed over.
  const isPassed = filter.awaitingMe === true || (offset > 0 && names.length > 0);
  return isCounted || isPassed ? COUNT_POINTS : 0;
}

/** A page, with facts of its whole list that are read on request. */
interface ListPage extends Connection<TransactionRow> {
  readonly totalIsExact: () => boolean | Promise<boolean>;
  readonly endsEarly: boolean;
  readonly sums: () => Promise<readonly SumRow[] | null>;
}

function pageOf(page: unknown): ListPage {
  return page as ListPage;
}

interface ListArgs extends PositionedArgs {
  readonly families?: readonly Family[] | null | undefined;
  readonly filter?: Readonly<Record<string, unknown>> | null | undefined;
}

async function readPage(
  context: GraphqlContext,
  { families, filter, ...args }: ListArgs,
  info: GraphQLResolveInfo,
): Promise<ListPage> {
  const input = filterInput(families, filter);
  const find = (number: number) => findNth(context, input, number);
  const { size, ...slice } = await positionedSlice(args, decodeCursor, find);
  const page = { limit: nodesToRead(info, size), ...slice };
  const options = { counted: selects(info, 'totalCount') || selects(info, 'totalIsExact') };
  const [only] = input.families?.values ?? [];
  const found =
    only && isPlain(input)
      ? {
          ...(await listTransactions(context, only, input, page, undefined, options)),
          isExact: true,
          cutAt: null,
        }
      : await filterTransactions(context, input, page, options);
  return {
    ...connectionOf(
      found.rows,
      { size, ...slice },
      {
        totalCount: () => Number(found.total),
        cursorOf: (row) => encodeCursor(row.end2end),
        isPreceded: found.hasNewer,
        isFollowed: found.hasOlder,
        cutAt: found.cutAt,
      },
    ),
    totalIsExact: () => found.isExact,
    endsEarly: found.cutAt !== null,
    sums: () => sumTransactions(context, input),
  };
}

/** @returns the filter under the names of the arguments. */
function filterInput(
  families: readonly Family[] | null | undefined,
  filter: ListArgs['filter'],
): MergedFilterInput {
  const names = Object.entries(filter ?? {}).map(([name, value]) => [name, `filter.${name}`, value] as const);
  const found = [...names, ['families', 'families', families] as const].flatMap(
    ([filterName, name, value]) => {
      if (value == null) return [];
      if (filterName === 'zone') return [[filterName, value]];
      if (Array.isArray(value)) return [[filterName, { name, values: value }]];
      const { kind } = TRANSACTION_FILTERS[filterName as FilterName];
      return [[filterName, ONE_TEXT.includes(kind) ? { name, value: String(value) } : value]];
    },
  );
  // The schema and the kind of each filter define the type of its value.
  return Object.fromEntries(found) as MergedFilterInput;
}
