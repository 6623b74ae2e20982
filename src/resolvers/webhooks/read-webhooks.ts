/**
 * Reads webhook endpoints and deliveries of the caller's account. The entry points check the scope: the result of an
 * action is read with the scope of that action.
 */
import { publicHalf } from '../../base/access/webhook-keys.ts';
import { notFound } from '../../base/errors/errors.ts';
import type { Named, Violations } from '../../base/errors/violations.ts';
import {
  type AttemptRecord,
  DELIVERY_STATES,
  findDelivery,
  type ListedDelivery,
  lastScanned,
  listDeliveries,
  readAttempts,
} from '../../store/webhooks/delivery-list.ts';
import {
  type EndpointRecord,
  readEndpointRecord,
  readEndpointRecords,
} from '../../store/webhooks/endpoint-records.ts';
import { secretOwner } from '../../store/webhooks/sealed-secrets.ts';
import type { Context } from '../services/context.ts';
import { CAME_ENDPOINTS_LISTED } from './manage-webhooks.ts';

/** An endpoint, with its public key in place of the sealed private key. */
export interface ReadableEndpoint extends Omit<EndpointRecord, 'signingKey'> {
  /** `whpk_…`; null if it signs only with secrets. */
  readonly publicKey: string | null;
}

/** @returns the endpoints of the account without removed ones. */
export async function listWebhookEndpoints(context: Context): Promise<ReadableEndpoint[]> {
  const { database, caller } = context;
  const rows = await readEndpointRecords(database, caller.accountId, CAME_ENDPOINTS_LISTED);
  return rows.map((row) => readable(context, row));
}

/** @returns the endpoint, also a removed one. @throws {GatewayError} `NOT_FOUND`. */
export async function readWebhookEndpoint(context: Context, id: string): Promise<ReadableEndpoint> {
  const { database, caller } = context;
  const row = await readEndpointRecord(database, caller.accountId, id);
  if (!row) throw notFound();
  return readable(context, row);
}

function readable({ secrets, caller }: Context, { signingKey, ...row }: EndpointRecord): ReadableEndpoint {
  const opened = signingKey && secrets.open(signingKey, secretOwner(caller.accountId, row.id));
  return { ...row, publicKey: opened && publicHalf(opened) };
}

/** Filter of listed deliveries, each member under the caller's own name for it. */
export interface DeliveriesInput {
  readonly endpointId?: Named | undefined;
  readonly state?: Named | undefined;
  /** Id of a delivery: only older ones. */
  readonly before?: Named | undefined;
  readonly limit: number;
}

/** Deliveries that a page is looked for in, where a filter leaves out some. */
const SCAN_MAX = 100_000;
const DELIVERY_ID = /^[1-9]\d{0,17}$/;

/**
 * @param options - `scanMax`: deliveries that are scanned for a page.
 * @returns the deliveries, newest first, and the `before` of the next page; null at the end. A page ends early, even empty, where the
 *   scan did.
 * @throws {GatewayError} `INVALID_PARAMETER`.
 */
export async function listWebhookDeliveries(
  { database, caller }: Context,
  { endpointId, state, before, limit }: DeliveriesInput,
  violations: Violations,
  { scanMax = SCAN_MAX }: { readonly scanMax?: number } = {},
): Promise<{ readonly deliveries: readonly ListedDelivery[]; readonly next: bigint | null }> {
  const endpoint = violations.text(endpointId) ?? null;
  const found = DELIVERY_STATES.find((each) => each === state?.value);
  if (state && !found)
    violations.add({ parameter: state.name, message: `must be one of ${DELIVERY_STATES.join(', ')}` });
  if (before && !DELIVERY_ID.test(before.value))
    violations.add({ parameter: before.name, message: 'must be the id of a delivery' });
  violations.refuse();
  const { accountId } = caller;
  const position = { before: before ? BigInt(before.value) : null, scanMax };
  const which = { accountId, endpointId: endpoint, state: found ?? null, limit: limit + 1, ...position };
  const deliveries = await listDeliveries(database, which);
  const page = deliveries.slice(0, limit);
  if (deliveries.length > limit) return { deliveries: page, next: page.at(-1)?.id ?? null };
  const isFiltered = endpoint !== null || found !== undefined;
  const scanned = isFiltered ? await lastScanned(database, accountId, position) : undefined;
  return { deliveries: page, next: scanned ?? null };
}

/** A delivery with all its attempts. */
export interface DeliveryWithAttempts {
  readonly delivery: ListedDelivery;
  readonly attempts: readonly AttemptRecord[];
}

/** @returns the delivery. @throws {GatewayError} `NOT_FOUND`. */
export async function readWebhookDelivery(
  { database, caller }: Context,
  id: string,
): Promise<DeliveryWithAttempts> {
  const number = DELIVERY_ID.test(id) ? BigInt(id) : undefined;
  const delivery = number && (await findDelivery(database, caller.accountId, number));
  if (!delivery) throw notFound();
  return { delivery, attempts: await readAttempts(database, caller.accountId, delivery.id) };
}
