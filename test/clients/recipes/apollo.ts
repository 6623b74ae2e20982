/** Apollo Client: queries and mutations over HTTP, subscriptions over server-sent events. */
import { ApolloClient, ApolloLink, HttpLink, InMemoryCache, Observable } from '@apollo/client';
import { OperationTypeNode, print } from 'graphql';
import { createSubscriber } from './graphql-sse.ts';

/** The types of each interface: without them, fragments on an interface silently lose their fields. */
const TRANSACTIONS = [
  'CrossrampCheckout',
  'Offramp',
  'OfframpInstant',
  'Onramp',
  'OnrampInstant',
  'Withdrawal',
];
export const POSSIBLE_TYPES = {
  DeliveryFigures: ['DeliverySlice', 'EndpointFigures', 'TotalFigures'],
  EventItem: ['CursorExpired', 'Heartbeat', 'TransactionEvent'],
  Node: [
    ...['Account', 'ApiKey', 'CrossrampCheckout', 'Customer', 'CustomerCase', 'MedCase', 'Member'],
    ...['Offramp', 'OfframpInstant', 'Onramp', 'OnrampInstant', 'Passkey', 'Person', 'PersonSession'],
    ...['StaticLink', 'SuspenseEntry', 'WebhookDelivery', 'WebhookEndpoint', 'WhitelistEntry'],
    ...['WhitelistGroup', 'Withdrawal'],
  ],
  Refusal: [
    ...['CursorRefusal', 'InputRefusal', 'LimitRefusal', 'PermissionRefusal'],
    ...['RuleRefusal', 'StateRefusal', 'WaitRefusal'],
  ],
  Transaction: TRANSACTIONS,
};

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
    cache: new InMemoryCache({ possibleTypes: POSSIBLE_TYPES }),
  });
}
