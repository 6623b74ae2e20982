/** Subscriptions by graphql-sse: a broken connection is opened again, and goes on after the last event. */
import { createClient } from 'graphql-sse';

/** @returns the function that ends the subscription. */
export function subscribe(request, sink) {
  let cursor;
  const client = createClient({
    url: '/graphql',
    retryAttempts: Number.POSITIVE_INFINITY,
    // Pauses of graphql-sse itself double without end: after an outage of an hour, the page would wait for another.
    retry: () => new Promise((resolve) => setTimeout(resolve, 1_000 + Math.random() * 2_000)),
    headers: () => (cursor === undefined ? {} : { 'last-event-id': cursor }),
  });
  return client.subscribe(request, {
    ...sink,
    next: (result) => {
      const { __typename, cursor: seen } = result.data?.events ?? {};
      if (__typename === 'CursorExpired')
        return sink.error(new Error('Events are missing: load the page again.'));
      cursor = seen ?? cursor;
      sink.next(result);
    },
  });
}
