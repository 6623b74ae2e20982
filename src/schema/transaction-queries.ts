/** Reads of transactions: `Query.transaction` and `Query.transactions`, with their filters and sums. */
import type { GraphQLResolveInfo } from 'graphql';
import { currencyOfHistory } from '../base/currency.ts';
import { invalidParameters } from '../base/errors.ts';
import { LONGEST_TEXT } from '../base/violations.ts';
import { AMOUNT_LENGTH_MAX, bounded, inProse } from '../resolvers/checks/lengths.ts';
import { WAITS } from '../resolvers/transactions/awaiting.ts';
import {
  filterTransactions,
  findNth,
  isPlain,
  type MergedFilterInput,
  sumTransactions,
} from '../resolvers/transactions/filter-transactions.ts';
import { listTransactions } from '../resolvers/transactions/list-transactions.ts';
import {
  COUNT_ABOUT,
  COUNT_MAX,
  LOOK_MAX,
  SCANNED,
  SELECTIVE,
  type SumRow,
} from '../store/engine/merged-lists.ts';
import type { Family } from '../templates/define.ts';
import type { TransactionRow } from '../templates/facts.ts';
import type { Registry } from '../templates/registry.ts';
import type { StatusCode } from '../templates/status.ts';
import { type Builder, type GraphqlContext, once } from './builder.ts';
import type { InputFields } from './creation.ts';
import type { CurrencyRefs } from './currency.ts';
import { describedValues } from './described-values.ts';
import { DESCRIPTIONS } from './descriptions.ts';
import { namedMembers } from './named.ts';
import {
  COUNT_POINTS,
  type Connection,
  connectionOf,
  decodeCursor,
  encodeCursor,
  exactConnection,
  LOOK_POINTS,
  type PlacedArgs,
  pageComplexity,
  placedArguments,
  placedSlice,
} from './pagination.ts';
import { nodesToRead, selects } from './selection.ts';
import type { TemplateRef } from './template.ts';
import { readOrNull, type TransactionRef } from './transaction.ts';
import type { StatusRef } from './transaction-status.ts';

/** Types that the reads of transactions are made of. */
interface Refs extends CurrencyRefs {
  readonly transaction: TransactionRef;
  readonly template: TemplateRef;
  readonly status: StatusRef;
}

/** Filters by which a list is counted without being read. */
const POSITIONAL: readonly string[] = ['dateFrom', 'dateTo', 'direction'];

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
        family: t.arg({ type: family, description: 'Only this list. Not together with `families`.' }),
        families: t.arg({ type: [family], description: 'Only these lists, at most 100; default: all.' }),
        filter: t.arg({ type: filter, description: 'Only transactions that meet all of it; default: all.' }),
        ...placedArguments(t.arg),
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

/** Texts that are looked up. */
function lookedUp(t: InputFields) {
  return {
    pixE2e: t.string({ description: bounded('PIX end-to-end id, exactly as published.', LONGEST_TEXT) }),
    clientTaxId: t.string({
      description: bounded(
        'CPF or CNPJ of the customer or payee, with or without punctuation.',
        LONGEST_TEXT,
      ),
    }),
    address: t.string({
      description: bounded(
        'Destination wallet, or for an offramp the address that the deposit came from. EVM and bech32 addresses match in any case (C-14).',
        LONGEST_TEXT,
      ),
    }),
    groupId: t.string({ description: bounded('Whitelist group of a withdrawal, `grp_…`.', LONGEST_TEXT) }),
    externalCode: t.string({
      description: bounded('Your own reference, as you gave it; withdrawals have none.', LONGEST_TEXT),
    }),
    targetCurrency: t.string({
      description: bounded(`Currency that comes out. ${DESCRIPTIONS.currency}`, LONGEST_TEXT),
    }),
    component: t.string({
      description: bounded('Step of the process, as `component` has it.', LONGEST_TEXT),
    }),
    state: t.string({ description: bounded('State of the step, as `state` has it.', LONGEST_TEXT) }),
    currency: t.string({
      description: bounded(`Currency that goes in or comes out. ${DESCRIPTIONS.currency}`, LONGEST_TEXT),
    }),
    text: t.string({
      description: bounded(
        'Text that is contained in `end2end`, `pixE2e`, the hash, the name, your reference or your note, in any case. To find one transaction, `search` is faster.',
        LONGEST_TEXT,
      ),
    }),
  };
}

function defineFilter(builder: Builder, { template, status }: Refs) {
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
    description: 'Why a transaction waits for a person.',
    values: describedValues(WAITS),
  });
  return builder.inputType('TransactionFilter', {
    description:
      'Filters of a list. A transaction must meet all that are given; an empty text or list is refused.',
    fields: (t) => ({
      ...lookedUp(t),
      dateFrom: t.string({ description: 'First UTC day of creation, `YYYY-MM-DD`, inclusive.' }),
      dateTo: t.string({ description: 'Last UTC day of creation, `YYYY-MM-DD`, inclusive.' }),
      templates: t.field({ type: [template], description: 'Only these templates, at most 100.' }),
      statusCodes: t.field({ type: [status], description: 'Only these broad statuses, at most 100.' }),
      amountMin: t.field({
        type: 'Decimal',
        description: bounded(
          'Smallest amount, inclusive. With `currency`, the amount in it; otherwise either amount may match.',
          AMOUNT_LENGTH_MAX,
        ),
      }),
      amountMax: t.field({
        type: 'Decimal',
        description: bounded(
          'Largest amount, inclusive. With `currency`, the amount in it; otherwise either amount may match.',
          AMOUNT_LENGTH_MAX,
        ),
      }),
      direction: t.field({ type: direction, description: 'Only transactions in this direction.' }),
      awaitingMe: t.boolean({
        description:
          'If true, only transactions about which your key can decide now: withdrawals that you may approve, held deposits. Default: false.',
      }),
      waitsFor: t.field({
        type: wait,
        description: 'Only transactions that wait for this, whoever decides.',
      }),
    }),
  });
}

function defineConnection(builder: Builder, { transaction, currency }: Refs) {
  const sum = builder.objectRef<SumRow>('TransactionSum').implement({
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
        description: 'Sum of what goes in; null where no transaction has an amount of it.',
      }),
      target: t.expose('target', {
        type: 'Decimal',
        nullable: true,
        description: 'Sum of what comes out; null where no transaction has an amount of it.',
      }),
    }),
  });
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
      description: `Whether the page ends before it is full, because the maximum of transactions of a list was scanned: ${inProse(LOOK_MAX)}, for a text, an amount, a currency of either side, or a template. To continue, ask for the page after \`pageInfo.endCursor\` (backward: before \`startCursor\`), or narrow the days.`,
      resolve: (page) => pageOf(page).endsEarly,
    }),
    sums: t.field({
      type: [sum],
      nullable: true,
      description: `Sums of the amounts that go in and come out, by currency, over all transactions that match. Null if too many would have to be read for an exact sum, as for \`totalIsExact\`: narrow the days.`,
      extensions: once(COUNT_POINTS),
      resolve: (page) => pageOf(page).sums() as Promise<SumRow[] | null>,
    }),
  }));
  return connection;
}

/** @returns the cost of a page, with what it costs to find what it has. */
function listComplexity({ filter, ...args }: ListArgs): { field: number; multiplier: number } {
  const { field, multiplier } = pageComplexity(args);
  return { field: field + filterPoints(filter ?? {}, args.offset ?? 0), multiplier };
}

/** @returns what it costs to find the page of a list that is filtered. */
function filterPoints(filter: NonNullable<ListArgs['filter']>, offset: number): number {
  const given = Object.entries(filter).flatMap(([name, value]) => (value == null ? [] : [name]));
  const has = (names: readonly string[]) => given.some((name) => names.includes(name));
  const isLooking = has(SCANNED);
  // An index leaves few records, or many: of one customer there may be thousands to look at.
  if (has(SELECTIVE) && isLooking) return COUNT_POINTS;
  if (isLooking) return LOOK_POINTS;
  const isCounted =
    !has(SELECTIVE) && given.some((name) => !POSITIONAL.includes(name) && name !== 'awaitingMe');
  // Who may decide is asked of each record, and what stands before a place is passed over.
  const isPassed = filter.awaitingMe === true || (offset > 0 && given.length > 0);
  return isCounted || isPassed ? COUNT_POINTS : 0;
}

/** A page with what is read of its whole list when it is asked for. */
interface ListPage extends Connection<TransactionRow> {
  readonly totalIsExact: () => boolean | Promise<boolean>;
  readonly endsEarly: boolean;
  readonly sums: () => Promise<readonly SumRow[] | null>;
}

function pageOf(page: unknown): ListPage {
  return page as ListPage;
}

interface ListArgs extends PlacedArgs {
  readonly family?: Family | null | undefined;
  readonly families?: readonly Family[] | null | undefined;
  readonly filter?: Readonly<Record<string, unknown>> | null | undefined;
}

async function readPage(
  context: GraphqlContext,
  { family, families, filter, ...args }: ListArgs,
  info: GraphQLResolveInfo,
): Promise<ListPage> {
  if (family != null && families != null)
    throw invalidParameters([{ parameter: 'families', message: 'must not be given together with family' }]);
  const lists = family == null ? families : [family];
  const input = filterInput(lists, filter);
  const find = (number: number) => findNth(context, input, number);
  const { size, ...slice } = await placedSlice(args, decodeCursor, find);
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

/** The filters that are one text each. */
type TextFilters = Omit<
  MergedFilterInput,
  'families' | 'templates' | 'statusCodes' | 'direction' | 'awaitingMe' | 'waitsFor'
>;

/** @returns the filter under the names of the arguments. */
function filterInput(
  families: readonly Family[] | null | undefined,
  filter: ListArgs['filter'],
): MergedFilterInput {
  const { templates, statusCodes, direction, awaitingMe, waitsFor, ...texts } = filter ?? {};
  const listed = <Value>(name: string, values: unknown) =>
    values == null ? undefined : { name, values: values as readonly Value[] };
  return {
    ...namedMembers<TextFilters>('filter', texts as Readonly<Record<string, string>>),
    families: listed<Family>('families', families),
    templates: listed<string>('filter.templates', templates),
    statusCodes: listed<StatusCode>('filter.statusCodes', statusCodes),
    direction: (direction ?? undefined) as MergedFilterInput['direction'],
    awaitingMe: awaitingMe === true,
    waitsFor: (waitsFor ?? undefined) as MergedFilterInput['waitsFor'],
  };
}
