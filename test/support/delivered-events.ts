/** Events in the database beside webhooks that came to a receiver. */
import type pg from 'pg';
import type { Received } from './receiver.ts';

/** An event, by the id of its webhooks. */
export interface DeliveredEvent {
  readonly id: string;
  /** Its transaction, with the account. */
  readonly transaction: string;
}

/** @returns the events of all transactions, in their order. */
export async function readEvents(client: Pick<pg.ClientBase, 'query'>): Promise<DeliveredEvent[]> {
  const { rows } = await client.query<DeliveredEvent>(
    `select 'evt_' || e.seq || '_' || e.token as id, e.account_id || '/' || e.transaction_id as transaction
       from event e join transaction t on t.account_id = e.account_id and t.id = e.transaction_id order by e.seq`,
  );
  return rows;
}

/** @returns ids of events that no webhook came for. */
export function missing(events: readonly DeliveredEvent[], received: readonly Received[]): string[] {
  const got = new Set(received.map(({ headers }) => headers['webhook-id']));
  return events.filter(({ id }) => !got.has(id)).map(({ id }) => id);
}

/** @returns transactions whose webhooks first came in another order than their events. */
export function misplaced(events: readonly DeliveredEvent[], received: readonly Received[]): string[] {
  const first = new Map<string | undefined, number>();
  for (const [at, { headers }] of received.entries())
    if (!first.has(headers['webhook-id'])) first.set(headers['webhook-id'], at);
  const byTransaction = Map.groupBy(events, (event) => event.transaction);
  const isInOrder = (own: readonly DeliveredEvent[]) =>
    own.every(({ id }, n) => n === 0 || Number(first.get(id)) > Number(first.get(own[n - 1]?.id)));
  return [...byTransaction].filter(([, own]) => !isInOrder(own)).map(([transaction]) => transaction);
}
