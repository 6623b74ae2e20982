/** Reads the request log: an account's own, with the scope `admin`. */
import type { RequestActorKind } from '../../store/account/request-batches.ts';
import {
  countRequests,
  type LoggedRequest,
  type RequestSlice,
  readRequests,
} from '../../store/account/request-log.ts';
import { storableId } from '../checks/check-filter.ts';
import { type Context, requireScope } from '../services/context.ts';

/** Filter of entries; an entry has to match all given members. */
export interface RequestInput {
  readonly actorKind?: RequestActorKind | undefined;
  readonly actorId?: string | undefined;
  readonly requestId?: string | undefined;
  readonly end2end?: string | undefined;
  /** First digit of the status, 2 to 5. */
  readonly statusClass?: number | undefined;
}

/** A page of the log, and the total number of matching entries; null if they are too many to count. */
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
    actorId: storableId(input.actorId),
    requestId: storableId(input.requestId),
    end2end: storableId(input.end2end),
    statusClass: input.statusClass ?? null,
  };
  return {
    entries: await readRequests(database, caller.accountId, filter, slice),
    total: () => countRequests(database, caller.accountId, filter),
  };
}
