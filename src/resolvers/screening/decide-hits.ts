/** Lists the hits of screening, and decides about them with a reason. */
import { GatewayError, invalidParameters, notFound } from '../../base/errors/errors.ts';
import type { Named } from '../../base/errors/violations.ts';
import { instantOf } from '../../base/time/instant.ts';
import type { IdPart, IdSlice } from '../../store/connection/id-list.ts';
import {
  decideHits,
  findHit,
  type HitRow,
  type HitState,
  readHits,
  wakeJobs,
} from '../../store/rails/screening-hits.ts';
import { audited } from '../checks/audited.ts';
import type { CreationChecks } from '../checks/check-creation.ts';
import { type Attempt, UNKEYED } from '../checks/once.ts';
import { authorOf, type Context, onAccount, requirePermission, requireScope } from '../services/context.ts';

const ID = /^[1-9]\d{0,17}$/;

/** Filter of hits; a hit has to match all given members. */
export interface HitQuery {
  readonly state: HitState | null;
  /** Identifier of an account. */
  readonly account: Named | undefined;
}

/**
 * @returns hits of the caller's mode, newest first unless backward.
 * @throws {GatewayError} `FORBIDDEN` without the scope `platform:risk`; `INVALID_PARAMETER`.
 */
export async function listHits(
  context: Context,
  { state, account }: HitQuery,
  slice: IdSlice,
): Promise<IdPart<HitRow>> {
  requireScope(context, 'platform:risk');
  if (account && !ID.test(account.value))
    throw invalidParameters([{ parameter: account.name, message: 'must be the identifier of an account' }]);
  const { database, mode } = context;
  const accountId = account ? BigInt(account.value) : null;
  return readHits(database, { mode, state, accountId, transactionId: null }, slice);
}

/**
 * Decides a hit, and every other open hit of the same subject and entry. A dismissed hit does not stop the same subject
 * for the same entry again; a separate action releases the held transactions.
 *
 * @param input - the reason, 1 to 200 characters, for the audit log.
 * @throws {GatewayError} `FORBIDDEN`; `INVALID_PARAMETER`; `NOT_FOUND`; `STEP_CONFLICT` when it is decided.
 */
export async function decideHit(
  context: Context,
  id: string,
  isDismissed: boolean,
  input: Named,
  checks: CreationChecks,
  attempt: Attempt = UNKEYED,
): Promise<HitRow> {
  const action = isDismissed ? 'hit.dismiss' : 'hit.confirm';
  requirePermission(context, action);
  const reason = checks.reasonOf(input);
  const hit = await findOwnHit(context, id);
  if (attempt.made !== null) return hit;
  const by = authorOf(context, action).actorId;
  const state = isDismissed ? 'dismissed' : 'confirmed';
  await audited(onAccount(context, hit.accountId), async (tx, writeDown, nowMs) => {
    const at = instantOf(new Date(nowMs));
    const decided = await decideHits(tx, context.mode, hit.id, { state, reason, by, at });
    if (decided.length === 0) throw new GatewayError('STEP_CONFLICT', `the hit ${id} is already decided`);
    await wakeJobs(tx, decided, nowMs);
    await attempt.bind(tx, id);
    const { list, entry, score, version, end2end } = hit;
    const before = { state: 'open', list, entry, score, version, end2end };
    writeDown(action, { kind: 'screening_hit', id }, { before, after: { state, reason } });
  });
  return findOwnHit(context, id);
}

/** @returns a hit of the caller's mode. @throws {GatewayError} `FORBIDDEN` without the scope `platform:risk`; `NOT_FOUND`. */
export async function readHit(context: Context, id: string): Promise<HitRow> {
  requireScope(context, 'platform:risk');
  return findOwnHit(context, id);
}

/** @returns a hit of the caller's mode. @throws {GatewayError} `NOT_FOUND`. */
export async function findOwnHit({ database, mode }: Context, id: string): Promise<HitRow> {
  const hit = ID.test(id) ? await findHit(database, mode, BigInt(id)) : undefined;
  if (!hit) throw notFound();
  return hit;
}
