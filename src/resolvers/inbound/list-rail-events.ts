/** Reads the rail events that an operator has to look at. */

import { GatewayError } from '../../base/errors/errors.ts';
import type { IdPart, IdSlice } from '../../store/connection/id-list.ts';
import {
  type ListedRailEvent,
  type RailEventState,
  readListedRailEvents,
} from '../../store/engine/rail-event-list.ts';
import type { Context } from '../services/context.ts';
import { findOwnRailEvent } from './decide-rail-event.ts';
import { maskRailEvent } from './mask-rail-event.ts';

/**
 * @returns events of the caller's mode, newest first unless backward. Tax ids are unmasked only for those who decide about money.
 * @throws {GatewayError} `FORBIDDEN`.
 */
export async function listRailEvents(
  { caller, database, mode }: Context,
  state: RailEventState | null,
  slice: IdSlice,
): Promise<IdPart<ListedRailEvent>> {
  const decides = requireReader(caller);
  const found = await readListedRailEvents(database, { mode, state }, slice);
  return decides
    ? found
    : { ...found, rows: found.rows.map((row) => ({ ...row, body: maskRailEvent(row.body) })) };
}

/** @returns an event that the caller may list, whatever its state. @throws {GatewayError} `FORBIDDEN`, `NOT_FOUND`. */
export async function readRailEvent(context: Context, id: string): Promise<ListedRailEvent> {
  const decides = requireReader(context.caller);
  const found = await findOwnRailEvent(context, id);
  return decides ? found : { ...found, body: maskRailEvent(found.body) };
}

/** @returns whether the caller decides about money. @throws {GatewayError} `FORBIDDEN`. */
function requireReader({ scopes }: Context['caller']): boolean {
  const decides = scopes.includes('platform:risk');
  if (decides || scopes.includes('platform:rails')) return decides;
  throw new GatewayError(
    'FORBIDDEN',
    'this requires a key with the scope "platform:rails" or "platform:risk"',
  );
}
