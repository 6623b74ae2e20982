/** relay-runtime: the network layer, queries and mutations over HTTP, subscriptions over server-sent events. */
import relay, { type GraphQLResponse } from 'relay-runtime';
import { createSubscriber } from './graphql-sse.ts';

const { Environment, Network, Observable, RecordSource, Store } = relay;

export function createRelay(url: string, key: string) {
  const headers = { authorization: `Bearer ${key}` };
  const subscribe = createSubscriber(url, key);
  return new Environment({
    network: Network.create(
      async ({ text, name }, variables) => {
        const answer = await fetch(url, {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json' },
          body: JSON.stringify({ query: text, operationName: name, variables }),
        });
        return (await answer.json()) as GraphQLResponse;
      },
      ({ text, name }, variables) =>
        Observable.create((sink) =>
          subscribe(
            { query: text ?? '', operationName: name, variables },
            {
              next: (result) => sink.next(result as GraphQLResponse),
              error: (error) => sink.error(error as Error),
              complete: () => sink.complete(),
            },
          ),
        ),
    ),
    store: new Store(new RecordSource()),
  });
}
