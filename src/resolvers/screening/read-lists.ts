/** The lists of this machine, and how far the customers and addresses were compared with them. */
import { GatewayError } from '../../base/errors/errors.ts';
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
 * @throws {GatewayError} `FORBIDDEN` without a scope of the platform; `INVALID_PARAMETER` for a subject without name, tax id and address;
 *   `RAILS_MISSING` where nothing is configured to compare with. {ScreenerUnavailable}
 */
export async function checkSubject(
  context: Context,
  subject: Omit<ScreeningSubject, 'role'>,
): Promise<readonly ScreeningMatch[]> {
  requirePlatform(context);
  const { mode, rails } = context;
  if ((subject.name ?? subject.taxId ?? subject.address) === undefined)
    throw new GatewayError('INVALID_PARAMETER', 'name, tax id or address: one of them is required');
  if (rails.screening.match === undefined)
    throw new GatewayError(
      'RAILS_MISSING',
      `no screening of ${mode} accounts is configured: nothing was compared`,
    );
  return rails.screening.match([{ role: 'customer', ...subject }]);
}
