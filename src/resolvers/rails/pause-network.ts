/** Pauses and resumes sending on a network or by PIX; transactions that were signed, and orders that were sent before, are followed nevertheless. */

import { invalidParameters } from '../../base/errors/errors.ts';
import type { Named } from '../../base/errors/violations.ts';
import { NETWORKS } from '../../base/money/currency.ts';
import { type Instant, instantOf } from '../../base/time/instant.ts';
import { platformAccount } from '../../store/account/accounts.ts';
import {
  PIX_SENDING,
  pauseSending,
  readNetwork,
  readPausedNetworks,
} from '../../store/rails/chain-network.ts';
import { audited } from '../checks/audited.ts';
import type { CreationChecks } from '../checks/check-creation.ts';
import {
  authorOf,
  type Context,
  onAccount,
  requirePermission,
  requirePlatform,
} from '../services/context.ts';

/** Whether transfers are sent on a network; null unless a person has paused them. */
export interface Sending {
  readonly network: string;
  readonly pausedAt: Instant | null;
  readonly pausedBy: string | null;
  readonly reason: string | null;
}

/**
 * Pauses sending on a network. Paused again, it is paused for the new reason.
 *
 * @throws {GatewayError} `FORBIDDEN`, `INVALID_PARAMETER`.
 */
export async function pauseNetwork(
  context: Context,
  network: Named,
  input: Named,
  checks: CreationChecks,
): Promise<Sending> {
  requirePermission(context, 'network.pause');
  const reason = checks.reasonOf(input);
  return change(context, 'network.pause', networkOf(network), reason);
}

/**
 * @returns networks of the caller's mode with paused sending, in the order of pausing.
 * @throws {GatewayError} `FORBIDDEN` without a scope of the platform.
 */
export async function pausedNetworks(context: Context): Promise<readonly Sending[]> {
  requirePlatform(context);
  const paused = await readPausedNetworks(context.database, context.mode);
  return paused.map(({ pauseReason, ...pause }) => ({ ...pause, reason: pauseReason }));
}

/**
 * Resumes sending; does nothing unless it is paused.
 *
 * @throws {GatewayError} `FORBIDDEN`, `INVALID_PARAMETER`.
 */
export async function resumeNetwork(context: Context, network: Named): Promise<Sending> {
  requirePermission(context, 'network.resume');
  return change(context, 'network.resume', networkOf(network), null);
}

function networkOf({ name, value }: Named): string {
  const names = [...Object.keys(NETWORKS), PIX_SENDING];
  if (names.includes(value)) return value;
  throw invalidParameters([{ parameter: name, message: `must be one of ${names.join(', ')}` }]);
}

async function change(
  context: Context,
  action: 'network.pause' | 'network.resume',
  network: string,
  reason: string | null,
): Promise<Sending> {
  const { database, mode } = context;
  const key = { mode, network };
  const platform = await platformAccount(database, mode);
  return audited(onAccount(context, platform), async (tx, writeDown, nowMs) => {
    const before = await readNetwork(tx, key);
    const isPaused = before?.pausedAt != null;
    if (reason === null && !isPaused) return { network, pausedAt: null, pausedBy: null, reason: null };
    const by = authorOf(context, action).actorId;
    const pause = reason === null ? null : { by, at: instantOf(new Date(nowMs)), reason };
    await pauseSending(tx, key, pause);
    const facts = { before: { reason: before?.pauseReason ?? null }, after: { reason } };
    writeDown(action, { kind: 'network', id: network }, facts);
    return { network, pausedAt: pause?.at ?? null, pausedBy: pause?.by ?? null, reason };
  });
}
