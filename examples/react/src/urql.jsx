/** A live list with urql. */
import { createRoot } from 'react-dom/client';
import { Client, fetchExchange, Provider, subscriptionExchange, useQuery, useSubscription } from 'urql';
import { CHANGES, LIST } from './documents.js';
import { Rows, withChange } from './rows.jsx';
import { subscribe } from './subscribe.js';

const client = new Client({
  url: '/graphql',
  // Long documents do not fit into the target of a GET.
  preferGetMethod: false,
  exchanges: [
    fetchExchange,
    subscriptionExchange({
      forwardSubscription: (request) => ({
        subscribe: (sink) => ({ unsubscribe: subscribe(request, sink) }),
      }),
    }),
  ],
});

function LiveList() {
  const [{ data: changes, error: ended }] = useSubscription({ query: CHANGES }, withChange);
  // The first event says that the log is open: later changes come as events, so the list is read after it.
  const [{ data, error = ended }] = useQuery({ query: LIST, pause: changes === undefined });
  if (error) return <p role="alert">{error.message}</p>;
  return <Rows listed={data?.transactions.nodes} changes={changes} />;
}

createRoot(document.getElementById('root')).render(
  <Provider value={client}>
    <LiveList />
  </Provider>,
);
