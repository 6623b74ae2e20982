/** The documents of both lists: a fragment for the common parts of a row, and one for the parts of each kind of transaction. */
const ROW = `
  fragment Row on Transaction {
    id
    end2end
    headline { en }
    clientName
    ...CheckoutRow
    ...OnrampRow
    ...OnrampInstantRow
    ...OfframpRow
    ...OfframpInstantRow
    ...WithdrawalRow
  }
  fragment CheckoutRow on CrossrampCheckout { amountPayment }
  fragment OnrampRow on Onramp { amountPayment }
  fragment OnrampInstantRow on OnrampInstant { amountPayment }
  fragment OfframpRow on Offramp { amountSent }
  fragment OfframpInstantRow on OfframpInstant { amountReceived }
  fragment WithdrawalRow on Withdrawal { amountReceived currencyReceiveCode }`;

export const LIST = `query List { transactions(first: 20) { nodes { ...Row } } } ${ROW}`;
export const CHANGES = `subscription Changes { events { __typename cursor ... on TransactionEvent { transaction { ...Row } } } } ${ROW}`;
