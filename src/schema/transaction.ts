/** Transaction: the interface, and one object type for each template. */

import { GatewayError } from '../base/errors/errors.ts';
import { currencyOfHistory } from '../base/money/currency.ts';
import { PIX_KEY_TYPES } from '../base/pix/pix-key.ts';
import { isoMillis } from '../base/time/instant.ts';
import { readTransaction } from '../resolvers/transactions/read-transaction.ts';
import type { Template } from '../templates/define.ts';
import type { TransactionRow } from '../templates/facts.ts';
import { KINDS } from '../templates/kinds.ts';
import type { Registry } from '../templates/registry.ts';
import { attributeReader, type LabelName, labelOf } from '../wire/envelope.ts';
import type { Builder, GraphqlContext } from './builder.ts';
import { type CurrencyRefs, moneyOf } from './currency.ts';
import { DESCRIPTIONS } from './descriptions.ts';
import { defineEvent } from './event.ts';
import type { LabelRef } from './label.ts';
import type { LedgerRefs } from './ledger-line.ts';
import { globalId, NODE_ID as ID, nodeRef, nodeType } from './node.ts';
import { definePayment, paymentOf, receiptUrlOf } from './payment.ts';
import type { PixKeyTypeRef } from './pix-key-type.ts';
import type { StepEnums } from './step-enums.ts';
import type { TemplateRef } from './template.ts';

interface Refs extends CurrencyRefs, LedgerRefs, StepEnums {
  readonly label: LabelRef;
  readonly template: TemplateRef;
  readonly pixKeyType: PixKeyTypeRef;
}

/** Defines `Transaction` and its types. Rows come from prepared statements and pass through unchanged. */
export function defineTransaction(builder: Builder, registry: Registry, refs: Refs) {
  const { label, ledgerLine, template, pixKeyType } = refs;
  const event = defineEvent(builder, registry, refs);
  const payment = definePayment(builder, refs);
  const transaction = builder.prismaInterface('Transaction', {
    name: 'Transaction',
    description: 'A transaction: one process of any template. Each template has a type with its own fields.',
    interfaces: [nodeRef(builder)],
    resolveType: (row) => typeNameOf(registry, row.template),
    fields: (t) => {
      const published = (name: LabelName, description: string) =>
        t.field({ type: label, description, resolve: (row) => labelOf(registry, rowOf(row), name) });
      return {
        end2end: t.exposeString('end2end', { description: DESCRIPTIONS.end2end }),
        template: t.field({
          type: template,
          description: 'Template of the process.',
          resolve: (row) => row.template,
        }),
        component: t.exposeString('component', { description: DESCRIPTIONS.step }),
        state: t.exposeString('state', { description: DESCRIPTIONS.state }),
        createdAt: t.field({
          type: 'DateTime',
          description: 'When it was created. Lists are in this order.',
          resolve: (row) => isoMillis(rowOf(row).createdAt),
        }),
        updatedAt: t.field({
          type: 'DateTime',
          description: 'When its state changed last.',
          resolve: (row) => isoMillis(rowOf(row).updatedAt),
        }),
        status: published('status', DESCRIPTIONS.status),
        substatus: published('substatus', DESCRIPTIONS.substatus),
        message: published('message', 'Meaning of the present state.'),
        errorMessage: t.field({
          type: label,
          nullable: true,
          description: 'Error; null when there is no error.',
          resolve: (row) => (row.errorEn || row.errorPt ? { en: row.errorEn, pt: row.errorPt } : null),
        }),
        ledgerLines: t.relation('ledgerLines', {
          type: ledgerLine,
          description: 'The statement lines that the transaction posted, in order.',
          query: { where: { ledgerAccount: { subAccount: { gt: 0 } } }, orderBy: { id: 'asc' } },
        }),
        events: t.relation('events', {
          type: event,
          description: 'Its events, in order; none for imported history.',
          query: { orderBy: { sequence: 'asc' } },
        }),
        payment: t.field({
          type: payment,
          nullable: true,
          description: 'Data for a payer; null if no outside person pays, and for imported history.',
          complexity: 5,
          resolve: (row, _args, context) => paymentOf(context, rowOf(row)),
        }),
      };
    },
  });
  for (const each of registry.templates) defineTemplateType(builder, transaction, pixKeyType, each);
  defineSharedFields(builder, transaction, registry);
  definePixId(builder, transaction);
  defineReceipt(builder, transaction);
  defineBody(builder, transaction);
  defineMoney(builder, transaction, refs);
  return transaction;
}

/** The interface `Transaction`. */
export type TransactionRef = ReturnType<typeof defineTransaction>;

/** Attributes of nearly every template: a list shows them without selecting each type. */
const SHARED = {
  external_code: ['String', 'Your own reference. Null for withdrawals.'],
  client_name: ['String', 'Name of the customer or payee. Null for withdrawals, and until it is known.'],
  fees: ['Decimal', 'Total fees, BRL. Null for withdrawals, and until there is a price.'],
  expiration: ['DateTime', 'When the session expires. Null for withdrawals.'],
} as const;

function defineSharedFields(builder: Builder, transaction: TransactionRef, registry: Registry): void {
  for (const [name, [type, description]] of Object.entries(SHARED)) {
    const readers = new Map(
      registry.templates.flatMap(({ name: template, attributes }) => {
        const attribute = attributes.find((each) => each.name === name);
        return attribute ? [[template, attributeReader(attribute)] as const] : [];
      }),
    );
    builder.prismaInterfaceField(transaction, camelCase(name), (t) =>
      t.field({
        type,
        nullable: true,
        description,
        resolve: (row) => listed(readers.get(row.template)?.(rowOf(row)) ?? null, type),
      }),
    );
  }
}

/** Withdrawals of BRL also have it, and publish it only here. */
function definePixId(builder: Builder, transaction: TransactionRef): void {
  builder.prismaInterfaceField(transaction, 'pixE2e', (t) =>
    t.string({
      nullable: true,
      description:
        'PIX end-to-end id of the payment or payout; null until it is known, and when nothing is paid by PIX.',
      resolve: (row) => rowOf(row).pixE2e || null,
    }),
  );
}

function defineReceipt(builder: Builder, transaction: TransactionRef): void {
  builder.prismaInterfaceField(transaction, 'receiptUrl', (t) =>
    t.string({
      nullable: true,
      description:
        'URL of a page for the payer or payee: it shows the state of the transaction, and is the receipt after its end. Anybody with the link sees the page; data of people is masked. Null for imported history.',
      complexity: 5,
      resolve: (row, _args, context) => receiptUrlOf(context, rowOf(row)),
    }),
  );
}

function defineBody(builder: Builder, transaction: TransactionRef): void {
  builder.prismaInterfaceField(transaction, 'legacyBody', (t) =>
    t.string({
      description: 'JSON text: the transaction as in `/v2` and in webhooks.',
      resolve: (row, _args, { render }) => render(rowOf(row)),
    }),
  );
}

function defineMoney(builder: Builder, transaction: TransactionRef, { money, currency }: CurrencyRefs): void {
  builder.prismaInterfaceFields(transaction, (t) => ({
    source: t.field({
      type: money,
      nullable: true,
      description:
        'Incoming amount: paid, deposited, or taken from the balance. Null until the amount is known.',
      resolve: (row) => moneyOf(rowOf(row).sourceAmount, currencyNamed(rowOf(row).sourceCurrency)),
    }),
    target: t.field({
      type: money,
      nullable: true,
      description: 'Outgoing amount: credited, delivered, or paid out. Null until the amount is known.',
      resolve: (row) => moneyOf(rowOf(row).targetAmount, currencyNamed(rowOf(row).targetCurrency)),
    }),
    sourceCurrency: t.field({
      type: currency,
      nullable: true,
      description: 'Incoming currency; null if imported history lacks it.',
      resolve: (row) => currencyNamed(rowOf(row).sourceCurrency),
    }),
    targetCurrency: t.field({
      type: currency,
      nullable: true,
      description: 'Outgoing currency; null if imported history lacks it.',
      resolve: (row) => currencyNamed(rowOf(row).targetCurrency),
    }),
  }));
}

function defineTemplateType(
  builder: Builder,
  transaction: ReturnType<typeof defineTransaction>,
  pixKeyType: PixKeyTypeRef,
  template: Template,
): void {
  const { name, typeName } = template;
  const node = nodeType<TransactionRow>(builder, typeName, {
    rawId: ({ end2end }) => end2end,
    read: async (context, end2end) => {
      const row = await readTransaction(context, end2end);
      return row.template === name ? row : null;
    },
  });
  builder.prismaObject('Transaction', {
    variant: typeName,
    description: `${template.product}. ${template.direction}.`,
    interfaces: [transaction, node],
    fields: (t) => ({
      id: t.id({ description: ID, resolve: (row) => globalId(typeName, rowOf(row).end2end) }),
      ...Object.fromEntries(
        template.attributes
          // The interface has this field.
          .filter((attribute) => attribute.fact !== 'template')
          .map((attribute) => {
            const read = attributeReader(attribute);
            const { graphql } = KINDS[attribute.kind];
            const resolve = (row: object) => listed(read(rowOf(row)), graphql);
            const type = graphql === 'PixKeyType' ? pixKeyType : graphql;
            return [
              camelCase(attribute.name),
              t.field({ type: type as 'String', nullable: true, description: attribute.doc, resolve }),
            ];
          }),
      ),
    }),
  });
}

/** An unknown text is null here; in the wire form it is `""` (C-5). */
function listed(text: string | null, type: string): string | null {
  if (text === null || text === '') return null;
  if (type === 'DateTime') return isoMillis(text);
  // Imported history may have an unknown type; it is in `asPublished`, for `/v2`.
  if (type === 'PixKeyType') return PIX_KEY_TYPES.find((each) => each === text.toLowerCase()) ?? null;
  return text;
}

/** @returns the transaction; null when the account has none with this id. */
export async function readOrNull(context: GraphqlContext, end2end: string): Promise<TransactionRow | null> {
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

function currencyNamed(code: string | null) {
  return code === null ? null : (currencyOfHistory(code) ?? null);
}

function typeNameOf(registry: Registry, template: string): string {
  return registry.find(template)?.typeName ?? template;
}

function camelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase());
}
