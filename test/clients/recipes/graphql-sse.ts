/** graphql-sse: follows the events of an account and goes on where it was after every broken connection. */
import { createClient } from 'graphql-sse';

const QUERY = 'subscription { events { __typename cursor ... on TransactionEvent { name body } } }';

export function followEvents(
  url: string,
  key: string,
  onEvent: (event: { name: string }) => void,
  onError: (error: unknown) => void,
) {
  let cursor: string | undefined;
  const client = createClient({
    url,
    retryAttempts: Number.POSITIVE_INFINITY,
    // Asked again for every connection: what was seen last says where to go on.
    headers: (): Record<string, string> => ({
      authorization: `Bearer ${key}`,
      ...(cursor !== undefined && { 'last-event-id': cursor }),
    }),
  });
  return client.subscribe<{ events: { __typename: string; cursor: string; name: string } }>(
    { query: QUERY },
    {
      next: ({ data }) => {
        if (!data) return;
        cursor = data.events.cursor;
        if (data.events.__typename === 'TransactionEvent') onEvent(data.events);
      },
      error: onError,
      complete: () => {},
    },
  );
}
