/** A live list with Apollo Client: its cache changes a row that it knows; a new row is read with the list. */
import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache, Observable } from '@apollo/client';
import { ApolloProvider, useQuery, useSubscription } from '@apollo/client/react';
import { OperationTypeNode, print } from 'graphql';
import { useState } from 'react';
import { createRoot } from 'react-dom/client';
import { CHANGES, LIST } from './documents.js';
import { Rows } from './rows.jsx';
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
  // The first event says that the log is open: later changes come as events, so the list is read after it.
  const [isOpen, setOpen] = useState(false);
  const { data, error, refetch } = useQuery(gql(LIST), { skip: !isOpen });
  const rows = data?.transactions.nodes ?? [];
  useSubscription(gql(CHANGES), {
    onData: ({ data: { data: changed } }) => {
      setOpen(true);
      const id = changed?.events.transaction?.id;
      if (id && data && !rows.some((row) => row.id === id)) refetch();
    },
  });
  return error ? <p role="alert">{error.message}</p> : <Rows rows={rows} />;
}

createRoot(document.getElementById('root')).render(
  <ApolloProvider client={client}>
    <LiveList />
  </ApolloProvider>,
);
