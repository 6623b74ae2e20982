/** urql: queries and mutations over HTTP, subscriptions over server-sent events. */
import { Client, fetchExchange, subscriptionExchange } from '@urql/core';
import { createSubscriber } from './graphql-sse.ts';

export function createUrql(url: string, key: string) {
  const headers = { authorization: `Bearer ${key}` };
  const subscribe = createSubscriber(url, key);
  return new Client({
    url,
    // Long documents do not fit into the target of a GET.
    preferGetMethod: false,
    fetchOptions: { headers },
    exchanges: [
      fetchExchange,
      subscriptionExchange({
        forwardSubscription: ({ query = '', variables }) => ({
          subscribe: (sink) => ({
            unsubscribe: subscribe(
              { query, variables: variables as Record<string, unknown> },
              {
                next: (result) => sink.next(result as Parameters<typeof sink.next>[0]),
                error: (error) => sink.error(error),
                complete: () => sink.complete(),
              },
            ),
          }),
        }),
      }),
    ],
  });
}
