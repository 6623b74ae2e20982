/**
 * Sends events again: one, those of a filter, those that a disabled endpoint missed, and a test (C-64). Needs the scope
 * `admin`.
 */
import { assert } from '../../base/errors/assert.ts';
import { GatewayError, notFound } from '../../base/errors/errors.ts';
import type { Named } from '../../base/errors/violations.ts';
import { accountObject } from '../../store/engine/audit.ts';
import { readMarks } from '../../store/events/events.ts';
import {
  addTest,
  type Redelivered,
  type RedeliveryResult,
  recoverMissed,
  redeliverAll,
  redeliverOne,
} from '../../store/webhooks/redeliveries.ts';
import { type RedeliveryProgress, readRedeliveries } from '../../store/webhooks/redelivery-progress.ts';
import { holdRelay } from '../../store/webhooks/relay.ts';
import { audited } from '../checks/audited.ts';
import type { CreationChecks } from '../checks/check-creation.ts';
import { checkEventNames, type NamedList } from '../checks/check-event-names.ts';
import { cursorExpired, isLost, positionOfCursor } from '../checks/event-positions.ts';
import { type Attempt, UNKEYED } from '../checks/once.ts';
import { type Context, requirePermission, requireScope } from '../services/context.ts';
import { endpointObject, endpointOf, templatesOf, wakeDispatchers } from './manage-webhooks.ts';

/** Filter of deliveries; a delivery has to match all given members. */
export interface RedeliveryInput {
  readonly endpointId?: string | undefined;
  /** Undelivered ones by default. */
  readonly states?: readonly EndedState[] | undefined;
  /** Events that occurred since. */
  readonly since?: Date | undefined;
  /** Events that occurred before. */
  readonly until?: Date | undefined;
  /** Cursor of the event log: later events match. */
  readonly after?: Named | undefined;
  readonly eventNames?: NamedList | undefined;
}

/** A state in which a delivery has ended. */
export type EndedState = 'delivered' | 'dead' | 'skipped';

const UNDELIVERED: readonly EndedState[] = ['dead', 'skipped'];
const DELIVERY_ID = /^[1-9]\d{0,17}$/;

/**
 * Sends an event again to the endpoint of a delivery; a waiting delivery is attempted immediately instead. Both ignore the
 * breaker, a pause requested by the receiver, and the order.
 *
 * @returns the id of the delivery that is sent.
 * @throws {GatewayError} `FORBIDDEN`, `NOT_FOUND`, `STEP_CONFLICT` when its endpoint is disabled or was removed.
 */
export async function redeliverWebhook(
  context: Context,
  deliveryId: string,
  attempt: Attempt = UNKEYED,
): Promise<bigint> {
  requirePermission(context, 'webhook.redeliver');
  const { accountId } = context.caller;
  if (!DELIVERY_ID.test(deliveryId)) throw notFound();
  const result = await audited(context, async (tx, writeDown, nowMs) => {
    const made = await redeliverOne(tx, accountId, BigInt(deliveryId), new Date(nowMs));
    if (made?.id) {
      writeDown('webhook.redeliver', { kind: 'webhook_delivery', id: deliveryId });
      await attempt.bind(tx, String(made.id));
    }
    return made;
  });
  if (!result) throw notFound();
  if (result.id === null) throw cannotSend(result.endpointState);
  wakeDispatchers(context);
  return result.id;
}

/**
 * Sends the events of a filter again, the oldest 10,000; `after` the last of them the next follow.
 *
 * @param options - `isDryRun`: counts them only. `attempt`: of its key; the result of an earlier attempt is returned again.
 * @throws {GatewayError} `FORBIDDEN`, `NOT_FOUND` for the endpoint, `INVALID_PARAMETER`, `CURSOR_EXPIRED`.
 */
export async function redeliverWebhooks(
  context: Context,
  input: RedeliveryInput,
  checks: CreationChecks,
  { isDryRun, attempt = UNKEYED }: { readonly isDryRun: boolean; readonly attempt?: Attempt },
): Promise<Redelivered> {
  requirePermission(context, 'webhook.redeliver');
  if (attempt.made !== null) return parseRedelivered(attempt.made);
  const { accountId } = context.caller;
  const endpoint = input.endpointId === undefined ? undefined : await endpointOf(context, input.endpointId);
  const templates = templatesOf(context, endpoint?.template);
  const eventNames = checkEventNames(input.eventNames, templates, checks) ?? [];
  checks.refuse();
  const afterSeq = input.after ? await positionOf(context, input.after) : null;
  const filter = {
    endpointId: input.endpointId ?? null,
    states: input.states ?? UNDELIVERED,
    since: input.since ?? null,
    until: input.until ?? null,
    afterSeq,
    eventNames,
  };
  const { endpointId, states, since, until } = filter;
  const result = await audited(context, async (tx, writeDown, nowMs) => {
    const found = await redeliverAll(tx, accountId, filter, new Date(nowMs), isDryRun);
    const object = endpointId === null ? accountObject(accountId) : endpointObject(endpointId);
    const after = { states, since, ...(until && { until }), eventNames, ...auditFactsOf(found) };
    if (found.redelivered > 0) writeDown('webhook.redeliver', object, { after });
    await attempt.bind(tx, printRedelivered(found));
    return found;
  });
  if (result.redelivered > 0) wakeDispatchers(context);
  return result;
}

/**
 * Enables an endpoint again and sends the events that it missed while it was disabled, up to 10,000; a repetition sends the
 * rest.
 *
 * @param attempt - of its key; the result of an earlier attempt is returned again.
 * @throws {GatewayError} `FORBIDDEN`, `NOT_FOUND`, `STEP_CONFLICT` when it missed nothing by that.
 */
export async function recoverWebhookEndpoint(
  context: Context,
  id: string,
  attempt: Attempt = UNKEYED,
): Promise<Redelivered> {
  requirePermission(context, 'webhook.recover');
  if (attempt.made !== null) return parseRedelivered(attempt.made);
  const { accountId } = context.caller;
  const result = await audited(context, async (tx, writeDown, nowMs) => {
    const { disabledFromSeq } = await endpointOf(context, id, tx);
    if (disabledFromSeq === null)
      throw new GatewayError('STEP_CONFLICT', 'the endpoint was not disabled, or has been recovered');
    const relayedSeq = await holdRelay(tx, accountId);
    const found = await recoverMissed(tx, accountId, id, { now: new Date(nowMs), relayedSeq });
    writeDown('webhook.recover', endpointObject(id), { after: auditFactsOf(found) });
    await attempt.bind(tx, printRedelivered(found));
    return found;
  });
  wakeDispatchers(context);
  return result;
}

/**
 * Sends the newest event of the account to an endpoint once more, marked as a test: one attempt, even while the breaker is
 * open, and a failure does not count against it.
 *
 * @returns the id of the delivery.
 * @throws {GatewayError} `FORBIDDEN`, `NOT_FOUND`, `STEP_CONFLICT` when the endpoint is disabled, or the account has no event
 * yet.
 */
export async function sendTestWebhook(
  context: Context,
  endpointId: string,
  attempt: Attempt = UNKEYED,
): Promise<bigint> {
  requirePermission(context, 'webhook.test');
  const id = await audited(context, async (tx, writeDown, nowMs) => {
    const { state } = await endpointOf(context, endpointId, tx);
    if (state === 'disabled') throw cannotSend(state);
    const made = await addTest(tx, context.caller.accountId, endpointId, new Date(nowMs));
    if (made === undefined)
      throw new GatewayError('STEP_CONFLICT', 'the account has no event yet: make a transaction first');
    writeDown('webhook.test', endpointObject(endpointId));
    await attempt.bind(tx, String(made));
    return made;
  });
  wakeDispatchers(context);
  return id;
}

/** @returns the newest redeliveries of many events, the newest first. @throws {GatewayError} `FORBIDDEN`. */
export function listRedeliveries(context: Context, limit: number): Promise<RedeliveryProgress[]> {
  requireScope(context, 'admin');
  return readRedeliveries(context.database, context.caller.accountId, limit);
}

/** Result as its key is bound to it: the notes of redeliveries are forgotten before the key is. */
function printRedelivered(found: Redelivered): string {
  return JSON.stringify(found, (_name, value) => (typeof value === 'bigint' ? String(value) : value));
}

function parseRedelivered(text: string): Redelivered {
  const { lastSeq, redeliveryId, ...counts } = JSON.parse(text);
  const whole = (value: string | null) => (value === null ? null : BigInt(value));
  return { ...counts, lastSeq: whole(lastSeq), redeliveryId: whole(redeliveryId) };
}

function auditFactsOf({ redelivered, lastSeq }: Redelivered): object {
  return { redelivered, lastSeq: lastSeq === null ? null : String(lastSeq) };
}

function cannotSend(state: RedeliveryResult['endpointState']): GatewayError {
  const detail =
    state === 'removed'
      ? 'the endpoint of this delivery was removed'
      : 'the endpoint is disabled: resume or recover it first';
  return new GatewayError('STEP_CONFLICT', detail);
}

async function positionOf({ database, caller }: Context, { name, value }: Named): Promise<bigint> {
  const [mark] = await readMarks(database, [caller.accountId]);
  assert(mark, 'the account of a key exists');
  const position = await positionOfCursor(database, value, name, mark);
  if (isLost(position)) throw cursorExpired(mark);
  return position.seq;
}
