/** The GraphQL documents of the tools. */

const ERRORS = 'errors { code message path }';
const MONEY = 'fragment M on Money { amount currency { code } }';
const EFFECTS = 'kind money { ...M } subAccount';
const TRANSACTION = `fragment T on Transaction {
  end2end template statusCode headline { en } message { en } errorMessage { en } awaits externalCode createdAt updatedAt expiration
  source { ...M } target { ...M } fees pixE2e receiptUrl
  payment { link pixCopyPaste }
  refundable { ...M }
  possibleActions { action effects { ${EFFECTS} } }
}
${MONEY}`;

/** Current price, which is not reserved. */
export const QUOTE = `query McpQuote($input: QuoteInput!) {
  quote(input: $input) { brlAmount cryptoAmount currency { code } rate fees networkFee }
}`;

/** Balances of the account. */
export const BALANCES = `query McpBalances {
  viewer { account { accountId name mode } }
  balances { currency { code } available inTransit toReceive blocked }
}`;

/** One transaction. */
export const READ = `query McpTransaction($end2end: String!) {
  transaction(end2end: $end2end) { ...T }
}
${TRANSACTION}`;

/** Refundable amount of a transaction, whatever the scopes of the key. */
export const REFUND = `query McpRefund($end2end: String!) {
  transaction(end2end: $end2end) { end2end statusCode refundable { ...M } refundEffects { ${EFFECTS} } }
}
${MONEY}`;

/** The newest transactions. */
export const LIST = `query McpTransactions($first: Int!, $filter: TransactionFilter, $families: [TransactionFamily!]) {
  transactions(first: $first, filter: $filter, families: $families) {
    totalCount
    nodes { end2end template statusCode headline { en } createdAt externalCode clientName source { ...M } target { ...M } }
  }
}
${MONEY}`;

/** Creations available to tools, none of which moves money out of the account. */
export const CREATE = {
  createCheckout: creation('createCheckout', 'CreateCheckoutInput'),
  createOnramp: creation('createOnramp', 'CreateOnrampInput'),
  createOfframp: creation('createOfframp', 'CreateOfframpInput'),
} as const;

/** A mutation that creates something. */
export type Creation = keyof typeof CREATE;

/** Simulates an outside event for a transaction of the sandbox. */
export const SIMULATE = `mutation McpSimulate($input: SandboxTriggerInput!) {
  sandboxTrigger(input: $input) { transaction { ...T } ${ERRORS} }
}
${TRANSACTION}`;

function creation(mutation: string, input: string): string {
  return `mutation McpCreate($input: ${input}!) {
  ${mutation}(input: $input) { replayed transaction { ...T } ${ERRORS} }
}
${TRANSACTION}`;
}
