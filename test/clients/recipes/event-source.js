// In a page: your server makes a stream token with its API key (mutation `createStreamToken`) and gives it to the page.
const QUERY =
  'subscription ($after: String) { events(after: $after) { __typename cursor ... on TransactionEvent { name legacyBody } } }';

/** Follows events; `getToken` asks your server. `CursorExpired` tells `onEvent` that events are missing. Returns what ends it. */
export function followEvents(url, getToken, onEvent) {
  let source;
  let cursor;
  let isEnded = false;
  const again = () => !isEnded && setTimeout(open, 1_000);
  const open = () => connect().catch(again);
  const connect = async () => {
    const variables = JSON.stringify({ after: cursor });
    const search = new URLSearchParams({ query: QUERY, variables, access_token: await getToken() });
    if (isEnded) return;
    source = new EventSource(`${url}?${search}`);
    source.addEventListener('next', ({ data, lastEventId }) => {
      cursor = lastEventId || cursor;
      const event = JSON.parse(data).data?.events;
      if (event && event.__typename !== 'Heartbeat') onEvent(event);
    });
    // The browser comes back by itself with the last id, as long as the token opens streams; then a new one is needed.
    source.addEventListener('error', () => {
      if (source.readyState === EventSource.CLOSED) again();
    });
    // The gateway ends a stream whose key has ended, or whose cursor is too old: the next one has another token and cursor.
    source.addEventListener('complete', () => {
      source.close();
      again();
    });
  };
  open();
  return () => {
    isEnded = true;
    source?.close();
  };
}
