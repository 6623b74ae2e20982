/** The operator's decisions about unsettled rail events: retry, or close by hand with a reason (C-34). */

import { known } from '../../base/errors/assert.ts';
import { GatewayError, notFound } from '../../base/errors/errors.ts';
import type { Named } from '../../base/errors/violations.ts';
import { type Instant, instantOf } from '../../base/time/instant.ts';
import { platformAccount } from '../../store/account/accounts.ts';
import type { Tx } from '../../store/connection/database.ts';
import { type FoundRailEvent, findRailEvent } from '../../store/engine/rail-event-list.ts';
import { type AnyOutcome, closeRailEvent, restartRailEvent } from '../../store/engine/rail-events.ts';
import { audited } from '../checks/audited.ts';
import type { CreationChecks } from '../checks/check-creation.ts';
import { type Attempt, UNKEYED } from '../checks/once.ts';
import { authorOf, type Context, onAccount, requirePermission } from '../services/context.ts';
import type { RailEvent } from '../services/rail-event.ts';
import { moneyOf } from './rail-events.ts';

const ID = /^[1-9]\d{0,17}$/;

/**
 * Retries a rail event now. If it still cannot be settled, its count of attempts restarts.
 *
 * @returns the event with its outcome.
 * @throws {GatewayError} `FORBIDDEN`; `NOT_FOUND`; `STEP_CONFLICT` unless it is not settled.
 */
export async function retryRailEvent(
  context: Context,
  id: string,
  attempt: Attempt = UNKEYED,
): Promise<AnyOutcome> {
  requirePermission(context, 'rail_event.retry');
  const event = await findOwnRailEvent(context, id);
  if (attempt.made !== null) return event.outcome;
  const action = 'rail_event.retry';
  await decide(context, event, { action, attempt, after: { state: 'pending' } }, (tx) =>
    restartRailEvent(tx, event.id, context.database.nowMs()),
  );
  // A failure now is retried like that of any other event.
  await context.receive(event.body as RailEvent).catch(() => {});
  return (await findOwnRailEvent(context, id)).outcome;
}

/**
 * Closes a rail event by hand: it is not retried, even when the rail sends it again. Events about money that arrived
 * cannot be closed.
 *
 * @param input - the reason, 1 to 200 characters.
 * @returns the event after it.
 * @throws {GatewayError} `INVALID_PARAMETER`, and as `retryRailEvent`; `STEP_CONFLICT` also for money that arrived.
 */
export async function closeRailEventManually(
  context: Context,
  id: string,
  input: Named,
  checks: CreationChecks,
  attempt: Attempt = UNKEYED,
): Promise<FoundRailEvent> {
  requirePermission(context, 'rail_event.close');
  const reason = checks.reasonOf(input);
  const event = await findOwnRailEvent(context, id);
  if (attempt.made !== null) return event;
  if (moneyOf(event.body as RailEvent))
    throw new GatewayError(
      'STEP_CONFLICT',
      `rail event ${id} is about money that arrived, which must be booked: retry it`,
    );
  const action = 'rail_event.close';
  const by = authorOf(context, action).actorId;
  await decide(context, event, { action, attempt, after: { state: 'closed', reason } }, (tx, at) =>
    closeRailEvent(tx, event.id, { reason, by, at }),
  );
  return findOwnRailEvent(context, id);
}

/** @returns an event of the caller's mode. @throws {GatewayError} `NOT_FOUND`. */
export async function findOwnRailEvent({ database, mode }: Context, id: string): Promise<FoundRailEvent> {
  const event = ID.test(id) ? await findRailEvent(database, BigInt(id), mode) : undefined;
  if (!event) throw notFound();
  return event;
}

/** Decides under the lock of the account that the event is for, and writes to its audit log; to the platform's where the account is not known. */
async function decide(
  context: Context,
  { id, kind, accountId }: FoundRailEvent,
  {
    action,
    attempt,
    after,
  }: {
    readonly action: 'rail_event.retry' | 'rail_event.close';
    readonly attempt: Attempt;
    readonly after: object;
  },
  work: (tx: Tx, at: Instant) => Promise<boolean>,
): Promise<void> {
  const { database, mode } = context;
  const concerned = accountId ?? (await platformAccount(database, mode));
  await audited(onAccount(context, concerned), async (tx, writeDown, nowMs) => {
    const now = known(await findRailEvent(tx, id, mode), 'rail event');
    if (!(await work(tx, instantOf(new Date(nowMs)))))
      throw new GatewayError(
        'STEP_CONFLICT',
        `rail event ${id} is ${now.outcome === 'closed' ? 'closed' : 'settled'}`,
      );
    await attempt.bind(tx, String(id));
    const before = { state: now.outcome, kind, tries: now.attempts, lastError: now.lastError };
    writeDown(action, { kind: 'rail_news', id: String(id) }, { before, after });
  });
}
