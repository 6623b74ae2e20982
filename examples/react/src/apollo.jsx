/** A live list with Apollo Client. */
import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache, Observable } from '@apollo/client';
import { ApolloProvider, useQuery, useSubscription } from '@apollo/client/react';
import { OperationTypeNode, print } from 'graphql';
import { useState } from 'react';
import { createRoot } from 'react-dom/client';
import { CHANGES, LIST } from './documents.js';
import { Rows, withChange } from './rows.jsx';
import { subscribe } from './subscribe.js';

const events = new ApolloLink(
  ({ query, variables }) => new Observable((sink) => subscribe({ query: print(query), variables }, sink)),
);
const client = new ApolloClient({
  link: ApolloLink.split(
    ({ operationType }) => operationType === OperationTypeNode.SUBSCRIPTION,
    events,
    new HttpLink({ uri: '/graphql' }),
  ),
  cache: new InMemoryCache({
    // Fragments on an interface lose their fields without its types.
    possibleTypes: {
      Transaction: [
        'CrossrampCheckout',
        'Offramp',
        'OfframpInstant',
        'Onramp',
        'OnrampInstant',
        'Withdrawal',
      ],
    },
  }),
});

function LiveList() {
  // Events are kept beside the cache: the answer of a query on its way would overwrite a row that arrives meanwhile.
  const [changes, setChanges] = useState();
  const { error: ended } = useSubscription(gql(CHANGES), {
    onData: ({ data: { data } }) => data && setChanges((earlier) => withChange(earlier, data)),
  });
  // The first event says that the log is open: later changes come as events, so the list is read after it.
  const { data, error = ended } = useQuery(gql(LIST), { skip: changes === undefined });
  if (error) return <p role="alert">{error.message}</p>;
  return <Rows listed={data?.transactions.nodes} changes={changes} />;
}

createRoot(document.getElementById('root')).render(
  <ApolloProvider client={client}>
    <LiveList />
  </ApolloProvider>,
);
