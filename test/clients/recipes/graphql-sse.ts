/** graphql-sse: subscriptions that go on where they were after every broken connection, until the gateway refuses them. */
import { createClient, type ExecutionResult, type RequestParams, type Sink } from 'graphql-sse';

/** Requests that are worth sending again: the gateway is away or busy. Others, such as one with a revoked key, it refuses again. */
const isWorthTrying = ({ status }: Response) => status < 400 || status >= 500 || [408, 429].includes(status);

/** Select `cursor` in every subscription: it says where to go on. */
export function createSubscriber(url: string, key: string) {
  return (request: RequestParams, sink: Sink<ExecutionResult>) => {
    let cursor: string | undefined;
    let refusal: Error | undefined;
    const client = createClient({
      url,
      fetchFn: async (...given: Parameters<typeof fetch>) => {
        const response = await fetch(...given);
        if (!isWorthTrying(response)) refusal = new Error(await response.clone().text());
        return response;
      },
      retryAttempts: Number.POSITIVE_INFINITY,
      retry: async () => {
        if (refusal) throw refusal;
        // At random, so that not all clients come back at once.
        await new Promise((resolve) => setTimeout(resolve, 1_000 + Math.random() * 2_000));
      },
      // Asked again for every connection: what was seen last says where to go on.
      headers: () => ({
        authorization: `Bearer ${key}`,
        ...(cursor !== undefined && { 'last-event-id': cursor }),
      }),
    });
    return client.subscribe<Record<string, { cursor?: string }>, Record<string, unknown>>(request, {
      next: (result) => {
        cursor = Object.values(result.data ?? {})[0]?.cursor ?? cursor;
        sink.next(result);
      },
      error: (error) => sink.error(error),
      complete: () => sink.complete(),
    });
  };
}
