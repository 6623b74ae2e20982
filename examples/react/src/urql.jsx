/** A live list with urql: changed rows stand in front of those that were read. */
import { createRoot } from 'react-dom/client';
import { Client, fetchExchange, Provider, subscriptionExchange, useQuery, useSubscription } from 'urql';
import { CHANGES, LIST } from './documents.js';
import { Rows } from './rows.jsx';
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

/** @returns the changed rows by id, with the row of one more event. */
function withChange(changes = new Map(), { events }) {
  return events.transaction ? new Map(changes).set(events.transaction.id, events.transaction) : changes;
}

function LiveList() {
  const [{ data: changes }] = useSubscription({ query: CHANGES }, withChange);
  // The first event says that the log is open: later changes come as events, so the list is read after it.
  const [{ data, error }] = useQuery({ query: LIST, pause: changes === undefined });
  if (error) return <p role="alert">{error.message}</p>;
  const listed = data?.transactions.nodes ?? [];
  const isListed = new Set(listed.map(({ id }) => id));
  const added = [...(changes?.values() ?? [])].filter(({ id }) => !isListed.has(id)).toReversed();
  return <Rows rows={[...added, ...listed.map((row) => changes?.get(row.id) ?? row)]} />;
}

createRoot(document.getElementById('root')).render(
  <Provider value={client}>
    <LiveList />
  </Provider>,
);
