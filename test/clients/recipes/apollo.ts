/** Apollo Client: queries and mutations over HTTP, subscriptions over server-sent events. */
import { ApolloClient, ApolloLink, HttpLink, InMemoryCache, Observable } from '@apollo/client';
import { OperationTypeNode, print } from 'graphql';
import { createSubscriber } from './graphql-sse.ts';

export function createApollo(url: string, key: string) {
  const headers = { authorization: `Bearer ${key}` };
  const subscribe = createSubscriber(url, key);
  const subscriptions = new ApolloLink(
    ({ query, variables, operationName }) =>
      new Observable((observer) =>
        subscribe(
          { query: print(query), variables, ...(operationName !== undefined && { operationName }) },
          {
            next: (result) => observer.next(result as ApolloLink.Result),
            error: (error) => observer.error(error),
            complete: () => observer.complete(),
          },
        ),
      ),
  );
  return new ApolloClient({
    link: ApolloLink.split(
      ({ operationType }) => operationType === OperationTypeNode.SUBSCRIPTION,
      subscriptions,
      new HttpLink({ uri: url, headers }),
    ),
    // Which types an interface stands for; `Transaction` too, where fragments on its types are used.
    cache: new InMemoryCache({
      possibleTypes: { EventItem: ['TransactionEvent', 'Heartbeat', 'CursorExpired'] },
    }),
  });
}
