/** Operations that GraphiQL opens with: five that show what an account can do. A test runs each. */

const OVERVIEW = `# Balances, and the newest onramps.
query Overview {
  viewer { account { name } }
  balances { currency { displayName } available inTransit }
  transactions(families: ONRAMPS, first: 5) {
    totalCount
    nodes { end2end createdAt status { en } substatus { en } }
  }
}
`;

const CHECKOUT = `# Makes a checkout. Open its paymentLink in a browser and pay it.
mutation MakeCheckout {
  createCheckout(
    input: {
      currency: "USDT_TRX"
      amount: { brl: "150.00" }
      clientName: "Ana Souza"
      clientTaxId: "52998224725"
    }
  ) {
    paymentLink
    transaction { end2end substatus { en } }
    errors { code message path }
  }
}
`;

const LIVE = `# Everything that happens from now on. Leave it running while a checkout is paid.
subscription Follow {
  events {
    cursor
    ... on TransactionEvent {
      name
      transaction { end2end substatus { en } }
    }
  }
}
`;

const STATEMENT = `# The newest lines of the statement, with their balances.
query Statement {
  statement(first: 10) {
    totalCount
    nodes { date debit credit balance ledgerAccount { name } transaction { end2end } }
  }
}
`;

const QUOTE = `# What 100 USDT cost now; a checkout can be made at this price.
mutation Quote {
  createQuote(input: { template: onramp, currency: "USDT_TRX", amount: { crypto: "100" } }) {
    quote { quoteId brlAmount rate fees expiresAt }
    errors { code message path }
  }
}
`;

/** The operations, in the order of their tabs. */
export const FIVE_OPERATIONS: readonly string[] = [OVERVIEW, CHECKOUT, LIVE, STATEMENT, QUOTE];
