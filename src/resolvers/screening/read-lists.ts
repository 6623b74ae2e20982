/** The lists of this machine, and how far the customers and addresses were compared with them. */
import type { Instant } from '../../base/time/instant.ts';
import { readRound } from '../../store/rails/screening-rounds.ts';
import { type Context, requirePlatform } from '../services/context.ts';
import type { ScreeningList, ScreeningMatch, ScreeningSubject } from '../services/rails.ts';

/** Lists with the last round. */
export interface ScreeningLists {
  readonly lists: readonly ScreeningList[];
  /** When all customers and addresses had been compared with other versions than before; null before the first round. */
  readonly comparedAt: Instant | null;
  readonly compared: bigint;
}

/** @returns the lists; none where no list is configured. @throws {GatewayError} `FORBIDDEN` without a scope of the platform. */
export async function readLists(context: Context): Promise<ScreeningLists> {
  requirePlatform(context);
  const { database, mode, rails } = context;
  const [lists, round] = await Promise.all([rails.screening.lists?.() ?? [], readRound(database, mode)]);
  return { lists, comparedAt: round?.endedAt ?? null, compared: round?.compared ?? 0n };
}

/**
 * Compares a subject as a transaction would, and raises no hit.
 *
 * @throws {GatewayError} `FORBIDDEN` without a scope of the platform. {ScreenerAway}
 */
export async function checkSubject(
  context: Context,
  subject: Omit<ScreeningSubject, 'role'>,
): Promise<readonly ScreeningMatch[]> {
  requirePlatform(context);
  const { screening } = context.rails;
  return (await screening.match?.([{ role: 'customer', ...subject }])) ?? [];
}
