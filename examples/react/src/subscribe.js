/** Subscriptions by graphql-sse: a broken connection is opened again, and goes on after the last event. */
import { createClient } from 'graphql-sse';

/** @returns the function that ends the subscription. */
export function subscribe(request, sink) {
  let cursor;
  const client = createClient({
    url: '/graphql',
    retryAttempts: Number.POSITIVE_INFINITY,
    headers: () => (cursor === undefined ? {} : { 'last-event-id': cursor }),
  });
  return client.subscribe(request, {
    ...sink,
    next: (result) => {
      cursor = result.data?.events?.cursor ?? cursor;
      sink.next(result);
    },
  });
}
