/** Follows the redeliveries to an account's webhook endpoints over HTTP, with the public API. */
import { setTimeout as sleep } from 'node:timers/promises';
import { StoreError } from '../store/connection/check-server.ts';
import { type Api, type FollowedEvent, fetchPath } from './follow-events.ts';

interface Delivery {
  readonly id: string;
  /** Number above 0 for redeliveries. */
  readonly round: number;
  readonly event: FollowedEvent | null;
}

interface Page {
  readonly edges: readonly { readonly node: Delivery }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

const QUERY = `query ($after: String) { viewer { account { webhookDeliveries(first: 100, after: $after) {
  edges { node { id round event { cursor name sequence occurredAt body: legacyBody } } } pageInfo { hasNextPage endCursor } } } } }`;
const POLL_MS = 2_000;

/**
 * Follows future redeliveries; polls every two seconds.
 * @returns the event of every redelivery, oldest first, without end. @returns a promise that resolves when the earlier
 * deliveries are known.
 * @throws {StoreError} when the gateway refuses the key.
 */
export async function followRedeliveries(api: Api): Promise<AsyncGenerator<FollowedEvent>> {
  return redeliveriesAfter(api, new Set((await readPage(api, null)).edges.map(({ node }) => node.id)));
}

async function* redeliveriesAfter(api: Api, before: ReadonlySet<string>): AsyncGenerator<FollowedEvent> {
  let known = before;
  for (;;) {
    await sleep(POLL_MS);
    const newest = await readNewest(api, known);
    for (const { id, round, event } of newest.toReversed())
      if (!known.has(id) && round > 0 && event) yield event;
    known = new Set(newest.map(({ id }) => id));
  }
}

/** @returns the newest deliveries, up to the first page that contains a known one. */
async function readNewest(api: Api, known: ReadonlySet<string>): Promise<Delivery[]> {
  const found: Delivery[] = [];
  for (let after: string | null = null; ; ) {
    const { edges, pageInfo } = await readPage(api, after);
    found.push(...edges.map(({ node }) => node));
    if (!pageInfo.hasNextPage || edges.some(({ node }) => known.has(node.id))) return found;
    after = pageInfo.endCursor;
  }
}

async function readPage(api: Api, after: string | null): Promise<Page> {
  for (;;) {
    const { data, errors } = JSON.parse(
      await fetchPath(api, '/graphql', { body: JSON.stringify({ query: QUERY, variables: { after } }) }),
    );
    if (!errors) return data.viewer.account.webhookDeliveries;
    if (errors[0].extensions?.code !== 'UNAVAILABLE')
      throw new StoreError(`the gateway answers: ${errors[0].message}`);
    await sleep(POLL_MS);
  }
}
