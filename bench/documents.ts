/** The GraphQL documents: everything that the REST answers hold, for the gateway and for PostGraphile. */
import { TRANSACTION_COLUMNS } from '../src/store/engine/transactions.ts';
import type { Family } from '../src/templates/define.ts';
import { REGISTRY } from '../src/templates/index.ts';

/** A document of each question; `uncounted`: without the total. */
export interface Documents {
  readonly single: string;
  readonly list: (options: { counted: boolean }) => string;
  readonly statement: (options: { counted: boolean }) => string;
}

const LABEL = '{ en pt }';
const LABELS = `status ${LABEL} substatus ${LABEL} message ${LABEL} errorMessage ${LABEL}`;
const IDENTITY = 'end2end template createdAt updatedAt';

/** Documents of the gateway's schema. */
export const GATEWAY_DOCUMENTS: Documents = {
  single: `query Single($end2end: String!) {
    transaction(end2end: $end2end) { ${IDENTITY} component state ${LABELS} ${attributesOf('onramps')} }
  }`,
  list: ({ counted }) => `query List {
    transactions(families: ONRAMPS, first: 20) {
      ${counted ? 'totalCount' : ''} edges { node { ${IDENTITY} component state ${LABELS} ${attributesOf('onramps')} } }
    }
  }`,
  statement: ({ counted }) => `query Statement($filter: StatementFilter) {
    statement(filter: $filter, first: 20) {
      ${counted ? 'totalCount' : ''}
      edges { node {
        number date debit credit previousBalance balance
        ledgerAccount { number name code currency { code } currencyPrettyName }
        transaction { ${IDENTITY} ${LABELS} ${attributesOf()} }
      } }
    }
  }`,
};

const COLUMNS = Object.values(TRANSACTION_COLUMNS)
  .filter((column) => column !== 'account_id' && column !== 'id')
  .map(postgraphileName)
  .join(' ');

/** Documents of PostGraphile's schema: the columns that the gateway reads, whether a template uses them or not. */
export const POSTGRAPHILE_DOCUMENTS: Documents = {
  single: `query Single($accountId: BigInt!, $end2end: String!) {
    transactionByAccountIdAndEnd2End(accountId: $accountId, end2End: $end2end) { ${COLUMNS} }
  }`,
  list: ({ counted }) => `query List($accountId: BigInt!) {
    allTransactions(condition: { accountId: $accountId, family: "onramps" }, orderBy: LIST_SEQ_DESC, first: 20) {
      ${counted ? 'totalCount' : ''} nodes { ${COLUMNS} }
    }
  }`,
  statement: ({ counted }) => `query Statement($accountId: BigInt!, $ledgerAccountId: BigInt!) {
    allLedgerLines(condition: { accountId: $accountId, ledgerAccountId: $ledgerAccountId }, orderBy: SEQ_DESC, first: 20) {
      ${counted ? 'totalCount' : ''}
      nodes {
        rowId postedAt delta balanceBefore balanceAfter
        ledgerAccount { rowId name code currency prettyName scale }
        transaction { ${COLUMNS} }
      }
    }
  }`,
};

function attributesOf(family?: Family): string {
  const templates = family ? REGISTRY.ofFamily(family) : REGISTRY.templates;
  return templates
    .map(({ typeName, attributes }) => {
      const own = attributes.filter((attribute) => attribute.fact !== 'template');
      return `... on ${typeName} { ${own.map((attribute) => camelCase(attribute.name)).join(' ')} }`;
    })
    .join(' ');
}

function camelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase());
}

/** As its inflection has it: a letter after a digit begins a word. */
function postgraphileName(column: string): string {
  return camelCase(column).replace(
    /([0-9])([a-z])/g,
    (_match, digit: string, letter: string) => digit + letter.toUpperCase(),
  );
}
