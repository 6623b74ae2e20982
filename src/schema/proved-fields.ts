/**
 * GraphQL fields whose facts all change the version of the account (docs/decisions/0044). An answer with other fields
 * is rendered each time.
 */
import {
  type DocumentNode,
  type GraphQLCompositeType,
  type GraphQLSchema,
  isObjectType,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { filtersWhere } from '../store/engine/transaction-filters.ts';

const FIELDS = {
  Query: 'currencies statement transaction transactions',
  Node: 'id',
  Transaction:
    'awaits clientName component createdAt end2end errorMessage expiration externalCode fees headline id ledgerLines legacyBody message payment pixE2e receiptUrl refunds source sourceCurrency state status statusCode substatus target targetCurrency template updatedAt',
  TransactionConnection: 'edges endsEarly nodes pageInfo sums totalCount totalIsExact',
  TransactionEdge: 'cursor node',
  TransactionSum: 'currency source target succeeded failed',
  TransactionSumSides: 'source target',
  StatementConnection: 'edges nodes pageInfo totalCount',
  StatementEdge: 'cursor node',
  PageInfo: 'endCursor hasNextPage hasPreviousPage startCursor',
  LedgerLine:
    'balance counterparts credit date debit journalId ledgerAccount number previousBalance transaction',
  LedgerAccount: 'code currency currencyPrettyName name number subAccount',
  Counterpart: 'accountClass credit currency debit subAccount',
  Payment: 'depositUri link pixCopyPaste qrSvgUrl',
  Refund: 'amount endedAt kind reference requestedAt returnId state',
  Money: 'amount currency',
  Currency: 'asset code decimals displayName network',
  Label: 'en pt',
};
const INPUT = {
  arguments: 'after before end2end family filter first if last offset',
  'filters of the statement alone': 'subAccount',
  'zone of the days of both': 'zone',
  'filters of transactions': filtersWhere(({ isRendered }) => !isRendered).join(' '),
};

/** Types with their fields. The attributes of templates are proved as well: they are columns of a transaction. */
export const PROVED_FIELDS: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(FIELDS).map(([type, names]) => [type, names.split(' ')]),
);

/** Arguments, and members of their values, that select no other data. */
export const PROVED_INPUT: ReadonlySet<string> = new Set(
  Object.values(INPUT).flatMap((names) => names.split(' ')),
);

/** @returns whether the version of the account proves the answers of a valid document with these variables. */
export type IsProved = (
  document: DocumentNode,
  variables: Readonly<Record<string, unknown>> | null | undefined,
) => boolean;

/** @returns the check of documents of this schema. */
export function provedDocuments(schema: GraphQLSchema): IsProved {
  const known = new WeakMap<DocumentNode, boolean>();
  return (document, variables) => {
    let isProved = known.get(document);
    if (isProved === undefined) {
      isProved = selectsProved(schema, document);
      known.set(document, isProved);
    }
    return isProved && Object.values(variables ?? {}).every(isProvedInput);
  };
}

/** @returns whether the version of the account covers a field. */
export function isProvedField(parent: GraphQLCompositeType, field: string): boolean {
  if (field === '__typename' || PROVED_FIELDS[parent.name]?.includes(field)) return true;
  if (!isObjectType(parent)) return false;
  const interfaces = parent.getInterfaces();
  const shared = interfaces.filter((each) => each.getFields()[field]);
  if (shared.length > 0) return shared.every((each) => PROVED_FIELDS[each.name]?.includes(field));
  return interfaces.some(({ name }) => name === 'Transaction');
}

function selectsProved(schema: GraphQLSchema, document: DocumentNode): boolean {
  const types = new TypeInfo(schema);
  let isProved = true;
  const check = (name: string) => {
    isProved &&= PROVED_INPUT.has(name);
  };
  visit(
    document,
    visitWithTypeInfo(types, {
      OperationDefinition: ({ operation }) => {
        isProved &&= operation === 'query';
      },
      Field: ({ name }) => {
        const parent = types.getParentType();
        isProved &&= parent != null && isProvedField(parent, name.value);
      },
      Argument: ({ name }) => check(name.value),
      ObjectField: ({ name }) => check(name.value),
    }),
  );
  return isProved;
}

/** Whether all members of a variable's value are in `PROVED_INPUT`, including those without a value. */
function isProvedInput(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isProvedInput);
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([name, member]) => PROVED_INPUT.has(name) && isProvedInput(member));
}
