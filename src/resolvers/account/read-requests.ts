/** Reads the request log: an account's own, with the scope `admin`. */
import {
  countRequests,
  type LoggedRequest,
  type RequestActorKind,
  type RequestSlice,
  readRequests,
} from '../../store/account/request-log.ts';
import { type Context, requireScope } from '../services/context.ts';

/** Which entries are meant; all that are given must hold. */
export interface RequestInput {
  readonly actorKind?: RequestActorKind | undefined;
  readonly actorId?: string | undefined;
  readonly requestId?: string | undefined;
  readonly end2end?: string | undefined;
  /** First digit of the status, 2 to 5. */
  readonly statusClass?: number | undefined;
}

/** A page of the log, and how many entries the filter finds in all; null where they are too many to count. */
export interface RequestPage {
  readonly entries: readonly LoggedRequest[];
  readonly total: () => Promise<number | null>;
}

/** @throws {GatewayError} `FORBIDDEN`. */
export async function readRequestLog(
  context: Context,
  input: RequestInput,
  slice: RequestSlice,
): Promise<RequestPage> {
  requireScope(context, 'admin');
  const { database, caller } = context;
  const filter = {
    actorKind: input.actorKind ?? null,
    actorId: storable(input.actorId),
    requestId: storable(input.requestId),
    end2end: storable(input.end2end),
    statusClass: input.statusClass ?? null,
  };
  return {
    entries: await readRequests(database, caller.accountId, filter, slice),
    total: () => countRequests(database, caller.accountId, filter),
  };
}

/** PostgreSQL has no text with the character U+0000: without it, an id that has one finds nothing all the same. */
function storable(id: string | undefined): string | null {
  return id?.replaceAll('\u0000', '\ufffd') ?? null;
}
