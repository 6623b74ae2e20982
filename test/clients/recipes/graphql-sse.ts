/** graphql-sse: subscriptions that go on where they were after every broken connection. */
import { createClient, type ExecutionResult, type RequestParams, type Sink } from 'graphql-sse';

/** Select `cursor` in every subscription: it says where to go on. */
export function createSubscriber(url: string, key: string) {
  const cursors = new WeakMap<RequestParams, string>();
  const client = createClient({
    url,
    retryAttempts: Number.POSITIVE_INFINITY,
    // At random, so that not all clients come back at once.
    retry: () => new Promise((resolve) => setTimeout(resolve, 1_000 + Math.random() * 2_000)),
    // Asked again for every connection: what was seen last says where to go on.
    headers: (request) => {
      const cursor = cursors.get(request);
      return { authorization: `Bearer ${key}`, ...(cursor !== undefined && { 'last-event-id': cursor }) };
    },
  });
  return (request: RequestParams, sink: Sink<ExecutionResult>) =>
    client.subscribe<Record<string, { cursor?: string }>, Record<string, unknown>>(request, {
      next: (result) => {
        const cursor = Object.values(result.data ?? {})[0]?.cursor;
        if (cursor !== undefined) cursors.set(request, cursor);
        sink.next(result);
      },
      error: (error) => sink.error(error),
      complete: () => sink.complete(),
    });
}
