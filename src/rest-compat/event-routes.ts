/** `GET /v2/events`: the event log by polling and long polling. */

import { Violations } from '../base/errors/violations.ts';
import { isoMillis } from '../base/time/instant.ts';
import { type EventPage, readEventPage } from '../resolvers/events/read-events.ts';
import { LIMIT_MAX, parseInteger, parsePage, parseQuery, type QueryPolicy } from './input.ts';
import type { Route } from './route.ts';

const PARAMETERS = ['after', 'limit', 'wait'];
/** Maximum `wait`, because proxies close connections after a minute. Unit: seconds. */
const WAIT_MAX_SECONDS = 30;

/** @returns the route. */
export function eventRoutes(policy: QueryPolicy): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/v2/events',
      scope: 'read',
      summary: `Events of the account, oldest first, up to ${LIMIT_MAX}; can wait for the next event`,
      parameters: PARAMETERS,
      status: 200,
      answer: { kind: 'events' },
      waits: true,
      handle: async (context, { search, gone }) => {
        const violations = new Violations();
        const query = parseQuery(search, PARAMETERS, policy, violations);
        const { limit } = parsePage(query, policy, violations);
        const wait = parseInteger(query.get('wait'), 0, WAIT_MAX_SECONDS, violations) ?? 0;
        const cursor = query.get('after');
        // An empty cursor comes from a client without any event.
        const after = cursor?.value === '' ? undefined : violations.text(cursor);
        violations.refuse();
        const page = await readEventPage(context, { after, limit, waitMs: wait * 1_000, gone });
        return { status: 200, body: bodyOf(page), ignored: query.ignored, headers: {} };
      },
    },
  ];
}

/** Inserts the bodies of transactions as they were published, byte for byte as in webhooks. */
function bodyOf({ events, next }: EventPage): string {
  const items = events.map(({ cursor, event }) => {
    const members = JSON.stringify({
      cursor,
      name: event.name,
      sequence: event.sequence,
      occurred_at: isoMillis(event.occurredAt),
    });
    return `${members.slice(0, -1)},"transaction":${event.payload}}`;
  });
  return `{"events":[${items.join(',')}],"next":${JSON.stringify(next)}}`;
}
