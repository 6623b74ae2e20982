/** Transaction: the interface, one object type for each template, single reads and lists. */
import { currencyOfHistory } from '../base/currency.ts';
import { GatewayError } from '../base/errors.ts';
import { isoMillis } from '../base/instant.ts';
import { trimDecimal } from '../base/money.ts';
import { type ListFilterInput, listTransactions } from '../resolvers/list-transactions.ts';
import { readTransaction } from '../resolvers/read-transaction.ts';
import type { Family, Template } from '../templates/define.ts';
import type { TransactionRow } from '../templates/facts.ts';
import { KINDS } from '../templates/kinds.ts';
import type { Registry } from '../templates/registry.ts';
import { attributeReader } from '../wire/attributes.ts';
import { type LabelName, labelOf } from '../wire/envelope.ts';
import type { Builder, GraphqlContext } from './builder.ts';
import type { CurrencyRefs } from './currency.ts';
import { defineEvent } from './event.ts';
import type { LabelRef } from './label.ts';
import type { LedgerRefs } from './ledger-line.ts';
import { namedMembers } from './named.ts';
import { type Connection, connectionOf, decodeCursor, FIRST_DEFAULT, pageSize } from './pagination.ts';
import { definePayment, paymentOf } from './payment.ts';
import { selects } from './selection.ts';
import type { TemplateRef } from './template.ts';

interface Refs extends CurrencyRefs, LedgerRefs {
  readonly label: LabelRef;
  readonly template: TemplateRef;
}

/** Defines `Node`, `Transaction` and its types. Rows come from prepared statements and pass through as they are. */
export function defineTransaction(builder: Builder, registry: Registry, refs: Refs) {
  const { label, money, ledgerLine, template } = refs;
  const node = defineNode(builder, registry);
  const event = defineEvent(builder, registry, label);
  const payment = definePayment(builder);
  const transaction = builder.prismaInterface('Transaction', {
    name: 'Transaction',
    description: 'A process of any template.',
    interfaces: [node],
    resolveType: (row) => typeNameOf(registry, row.template),
    fields: (t) => {
      const published = (name: LabelName, description: string) =>
        t.field({ type: label, description, resolve: (row) => labelOf(registry, rowOf(row), name) });
      return {
        end2end: t.exposeString('end2end', { description: 'Identifier of the transaction.' }),
        template: t.field({ type: template, resolve: (row) => row.template }),
        component: t.exposeString('component', { description: 'Step of the process.' }),
        state: t.exposeString('state', { description: 'State of the step.' }),
        createdAt: t.field({ type: 'DateTime', resolve: (row) => isoMillis(rowOf(row).createdAt) }),
        updatedAt: t.field({ type: 'DateTime', resolve: (row) => isoMillis(rowOf(row).updatedAt) }),
        status: published('status', 'Broad label, for the state of a user interface.'),
        substatus: published('substatus', 'Label of the step.'),
        message: published('message', 'What the present state means.'),
        errorMessage: t.field({
          type: label,
          nullable: true,
          description: 'Null when there is no error.',
          resolve: (row) => (row.errorEn || row.errorPt ? { en: row.errorEn, pt: row.errorPt } : null),
        }),
        source: t.field({
          type: money,
          description: 'What goes in.',
          resolve: (row) => moneyOf(rowOf(row).sourceAmount, row.sourceCurrency),
        }),
        target: t.field({
          type: money,
          description: 'What comes out.',
          resolve: (row) => moneyOf(rowOf(row).targetAmount, row.targetCurrency),
        }),
        ledgerLines: t.relation('ledgerLines', {
          type: ledgerLine,
          description: 'What the transaction moved on the account, in order.',
          query: { where: { ledgerAccount: { subAccount: { gt: 0 } } }, orderBy: { id: 'asc' } },
        }),
        events: t.relation('events', {
          type: event,
          description: 'Every change of state since its creation here, in order.',
          query: { orderBy: { sequence: 'asc' } },
        }),
        payment: t.field({
          type: payment,
          nullable: true,
          description: 'What a payer needs to know; null for imported history. Needs the scope `read`.',
          complexity: 5,
          resolve: (row, _args, context) => paymentOf(context, rowOf(row)),
        }),
      };
    },
  });
  for (const each of registry.templates) defineTemplateType(builder, transaction, node, each);
  return transaction;
}

/** The interface `Transaction`. */
export type TransactionRef = ReturnType<typeof defineTransaction>;

/** Defines `Query.transaction`, `Query.transactions` and `Query.node`. */
export function defineTransactionQueries(builder: Builder, registry: Registry, transaction: TransactionRef) {
  builder.queryField('transaction', (t) =>
    t.field({
      type: transaction,
      nullable: true,
      description: 'One transaction; null when there is none of this id on the account.',
      args: { end2end: t.arg.string({ required: true }) },
      resolve: async (_root, { end2end }, context) => (await readOrNull(context, end2end)) as never,
    }),
  );
  const families = [...new Set(registry.templates.map((template) => template.family))];
  const family = builder.enumType('TransactionFamily', {
    description: 'The lists of transactions.',
    values: Object.fromEntries(families.map((name) => [name.toUpperCase(), { value: name }])),
  });
  const filter = builder.inputType('TransactionFilter', {
    description: 'All that are given must hold.',
    fields: (t) => ({
      pixE2e: t.string({ description: 'PIX end-to-end id.' }),
      clientTaxId: t.string({ description: 'CPF or CNPJ, with or without punctuation.' }),
      address: t.string({ description: 'Destination wallet, or the address a deposit came from (C-14).' }),
      groupId: t.string({ description: 'Whitelist group of a withdrawal.' }),
      targetCurrency: t.string({
        description: 'Raw code (`USDT_TRX`), display name, or an asset of one network (C-6).',
      }),
      dateFrom: t.string({ description: 'UTC day of creation, `YYYY-MM-DD`, inclusive.' }),
      dateTo: t.string({ description: 'UTC day of creation, `YYYY-MM-DD`, inclusive.' }),
    }),
  });
  const connection = builder.connectionObject(
    {
      type: transaction,
      name: 'TransactionConnection',
      fields: (t) => ({
        totalCount: t.int({
          description: 'All transactions that match, exactly.',
          resolve: (page) => (page as unknown as Connection<TransactionRow>).totalCount(),
        }),
      }),
    },
    { name: 'TransactionEdge' },
  );
  builder.queryField('transactions', (t) =>
    t.field({
      type: connection,
      description: 'The transactions of a family, newest first.',
      args: {
        family: t.arg({ type: family, required: true }),
        filter: t.arg({ type: filter }),
        first: t.arg.int({ defaultValue: FIRST_DEFAULT }),
        after: t.arg.string(),
      },
      complexity: (args) => ({ field: 1, multiplier: args.first ?? FIRST_DEFAULT }),
      resolve: async (_root, args, context, info) =>
        (await readPage(context, args as ListArgs, selects(info, 'totalCount'))) as never,
    }),
  );
  return family;
}

/** The enum `TransactionFamily`. */
export type FamilyRef = ReturnType<typeof defineTransactionQueries>;

interface ListArgs {
  readonly family: Family;
  readonly filter?: Readonly<Record<string, string | null | undefined>> | null | undefined;
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
}

async function readPage(
  context: GraphqlContext,
  { family, filter, first, after }: ListArgs,
  counted: boolean,
): Promise<Connection<TransactionRow>> {
  const size = pageSize(first);
  const filters = namedMembers<ListFilterInput>('filter', filter);
  const page =
    after == null ? { limit: size + 1, offset: 0 } : { limit: size + 1, after: decodeCursor(after) };
  const { rows, total } = await listTransactions(context, family, filters, page, undefined, { counted });
  return connectionOf(rows, size, { after, totalCount: () => Number(total), keyOf: (row) => row.end2end });
}

/** `Node`: what has a global id. A transaction's is `<type>:<end2end>`, encoded. */
function defineNode(builder: Builder, registry: Registry) {
  const node = builder.interfaceRef<{ template: string; end2end: string }>('Node').implement({
    description: 'A record with a global id.',
    resolveType: (row) => typeNameOf(registry, row.template),
    fields: (t) => ({
      id: t.id({ resolve: (row) => encodeId(typeNameOf(registry, row.template), row.end2end) }),
    }),
  });
  builder.queryField('node', (t) =>
    t.field({
      type: node,
      nullable: true,
      description: 'The record of a global id; null when the account has none.',
      args: { id: t.arg.id({ required: true }) },
      resolve: async (_root, { id }, context) => {
        const [typeName, end2end] = decodeId(String(id));
        const row = end2end === undefined ? null : await readOrNull(context, end2end);
        return row && typeNameOf(registry, row.template) === typeName ? row : null;
      },
    }),
  );
  return node;
}

function defineTemplateType(
  builder: Builder,
  transaction: ReturnType<typeof defineTransaction>,
  node: ReturnType<typeof defineNode>,
  template: Template,
): void {
  builder.prismaObject('Transaction', {
    variant: template.typeName,
    description: `${template.product}. ${template.direction}.`,
    interfaces: [transaction, node],
    fields: (t) =>
      Object.fromEntries(
        template.attributes
          // The interface has it.
          .filter((attribute) => attribute.fact !== 'template')
          .map((attribute) => {
            const read = attributeReader(attribute);
            const type = KINDS[attribute.kind].graphql;
            const resolve = (row: object) => known(read(rowOf(row)), type);
            return [
              camelCase(attribute.name),
              t.field({ type, nullable: true, description: attribute.doc, resolve }),
            ];
          }),
      ),
  });
}

/** A text that is not known is null here, where the wire form has `""` (C-5). */
function known(text: string | null, type: string): string | null {
  if (text === null || text === '') return null;
  return type === 'DateTime' ? isoMillis(text) : text;
}

async function readOrNull(context: GraphqlContext, end2end: string): Promise<TransactionRow | null> {
  try {
    return await readTransaction(context, end2end);
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'NOT_FOUND') return null;
    throw error;
  }
}

/** Every row of a transaction type comes from a prepared statement, whatever Prisma's types say. */
function rowOf(row: object): TransactionRow {
  return row as TransactionRow;
}

function moneyOf(amount: string | null, code: string | null) {
  return {
    amount: amount === null ? null : trimDecimal(amount),
    currency: code === null ? null : (currencyOfHistory(code) ?? null),
  };
}

function typeNameOf(registry: Registry, template: string): string {
  return registry.find(template)?.typeName ?? template;
}

function camelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase());
}

function encodeId(typeName: string, end2end: string): string {
  return Buffer.from(`${typeName}:${end2end}`).toString('base64url');
}

function decodeId(id: string): [typeName: string, end2end?: string] {
  const text = Buffer.from(id, 'base64url').toString();
  const colon = text.indexOf(':');
  return colon < 0 ? [''] : [text.slice(0, colon), text.slice(colon + 1)];
}
