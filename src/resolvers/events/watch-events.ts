/** Follows the event log: every event of the account, or the changes of one transaction after its present state. */
import { Violations } from '../../base/errors/violations.ts';
import { type EventPosition, encodeEventCursor } from '../../events/cursor.ts';
import { templateOfEvent } from '../../events/event-name.ts';
import { type AccountMark, type EventRow, readPresent } from '../../store/events/events.ts';
import type { Family, Template } from '../../templates/define.ts';
import type { TransactionRow } from '../../templates/facts.ts';
import type { Registry } from '../../templates/registry.ts';
import {
  cursorExpired,
  earliestCursor,
  earliestPosition,
  isExpired,
  positionAt,
  positionOfCursor,
} from '../checks/event-positions.ts';
import { LISTED_MAX } from '../checks/lengths.ts';
import { type Context, requireScope, requireSession } from '../services/context.ts';
import type { Watch } from '../services/event-hub.ts';
import { readTransaction } from '../transactions/read-transaction.ts';
import { positionIn, resumeCursor } from './event-position.ts';
import { type Frame, type FrameStream, frameStream, type StreamMode } from './frame-stream.ts';

/** A frame of the log. */
export type EventFrame = Frame &
  (
    | { readonly kind: 'event'; readonly event: EventRow }
    | { readonly kind: 'heartbeat'; readonly at: string }
    | { readonly kind: 'expired'; readonly earliest: string; readonly latest: string }
  );

/** A state of a transaction: the present one has no event, later ones have the event that caused them. */
export interface ChangeFrame extends Frame {
  readonly event: EventRow | null;
  readonly row: TransactionRow | null;
  readonly transactionId: bigint;
}

/** Filter of events; an event has to match all given members. */
export interface EventFilter {
  readonly after?: string | null | undefined;
  readonly families?: readonly Family[] | null | undefined;
  readonly end2end?: string | null | undefined;
}

/** All events, from now on. */
export const ALL: StreamMode = { part: 'all' };

const SESSION_CURSOR = 'present';

/** @returns the template that an event's name begins with. */
export function templateOf(registry: Registry, { name }: Pick<EventRow, 'name'>): Template | undefined {
  const first = templateOfEvent(name);
  return registry.templates.find((template) => template.name.toLowerCase() === first);
}

/**
 * Follows the log after a cursor, or from now on.
 *
 * @throws {GatewayError} `FORBIDDEN`, `INVALID_PARAMETER` for a cursor, `NOT_FOUND` for a transaction.
 */
export function watchEvents(
  context: Context,
  { after, families, end2end }: EventFilter,
  mode: StreamMode = ALL,
): Promise<FrameStream<EventFrame>> {
  requireScope(context, 'read');
  const violations = new Violations();
  if (families) violations.atMost('families', families, LISTED_MAX, 'names');
  violations.refuse();
  const { registry } = context;
  return begin(context, async (watch, mark) => {
    const transactionId = end2end == null ? undefined : (await readTransaction(context, end2end)).id;
    const isWanted = (event: EventRow) =>
      (transactionId === undefined || event.transactionId === transactionId) &&
      (!families || families.some((family) => family === templateOf(registry, event)?.family));
    const from = await resumed(context, after, mode, mark);
    const start = from ?? mark;
    const reader = logReader(watch, start, isWanted, (event): EventFrame => {
      return { kind: 'event', cursor: cursorAt(mark, event), position: event.seq, event };
    });
    const heartbeat = (): EventFrame => ({
      kind: 'heartbeat',
      cursor: cursorAt(mark, reader.place),
      position: reader.position,
      isHeartbeat: true,
      at: new Date(context.database.nowMs()).toISOString(),
    });
    // A new client has no cursor yet: without one, a broken connection would cost it events.
    const first = isExpired(start, mark) ? [expired(mark)] : from === undefined ? [heartbeat()] : [];
    return frameStream<EventFrame>(watch, Object.assign(reader, { heartbeat }), mode, first);
  });
}

/**
 * Follows a transaction: its present state, then every change; after a cursor, only the changes since.
 *
 * @throws {GatewayError} as `watchEvents`.
 */
export async function watchTransaction(
  context: Context,
  { end2end, after }: { readonly end2end: string; readonly after?: string | null | undefined },
  mode: StreamMode = ALL,
): Promise<FrameStream<ChangeFrame>> {
  const { id } = await readTransaction(context, end2end);
  return begin(context, async (watch, mark) => {
    const from = await resumed(context, after, mode, mark);
    return changesOf(context, { id, from, mode, watch, mark, cursorAt });
  });
}

/** Follows the transaction of a payment session: its present state, always, then every change. */
export function watchSession(context: Context, mode: StreamMode = ALL): Promise<FrameStream<ChangeFrame>> {
  const id = requireSession(context);
  return begin(context, async (watch, mark) => {
    const from = await resumed(context, undefined, { ...mode, lastEventId: '' }, mark);
    // The stream always begins with the present state, and how many events an account has is not for its payers.
    return changesOf(context, { id, from, mode, watch, mark, cursorAt: () => SESSION_CURSOR });
  });
}

interface Following {
  readonly id: bigint;
  /** Changes after this position only. */
  readonly from: EventPosition | undefined;
  readonly mode: StreamMode;
  readonly watch: Watch;
  readonly mark: AccountMark;
  readonly cursorAt: (mark: AccountMark, position: EventPosition) => string;
}

async function changesOf(
  { database, caller }: Context,
  { id, from, mode, watch, mark, cursorAt }: Following,
): Promise<FrameStream<ChangeFrame>> {
  const isResumed = from !== undefined && !isExpired(from, mark);
  const frameAt = (position: EventPosition, event: EventRow | null): ChangeFrame => ({
    cursor: cursorAt(mark, position),
    position: position.seq,
    event,
    row: null,
    transactionId: id,
  });
  const first: ChangeFrame[] = [];
  let start: EventPosition = isResumed ? from : mark;
  if (!isResumed && mode.part !== 'coming') {
    const present = await readPresent(database, caller.accountId, id);
    // The snapshot may be newer than the mark; it already covers events up to its own sequence.
    if (present?.event && present.event.seq > start.seq) start = present.event;
    first.push({ ...frameAt(start, null), isPresent: true, row: present?.row ?? null });
  }
  const isWanted = (event: EventRow) => event.transactionId === id;
  const reader = logReader(watch, start, isWanted, (event) => frameAt(event, event));
  return frameStream(watch, reader, mode, first);
}

/** Follows the caller's account: the watch is registered before anything is read, so no event is missed. */
export async function begin<Stream>(
  { events, caller }: Context,
  start: (watch: Watch, mark: AccountMark) => Promise<Stream>,
): Promise<Stream> {
  const watch = events.watch(caller.accountId);
  try {
    return await start(watch, await watch.fresh());
  } catch (error) {
    watch.end();
    throw error;
  }
}

function logReader<F extends Frame>(
  watch: Watch,
  start: EventPosition,
  isWanted: (event: EventRow) => boolean,
  frameOf: (event: EventRow) => F,
) {
  const reader = {
    place: start,
    get position() {
      return reader.place.seq;
    },
    read: async (): Promise<readonly F[]> => {
      for (;;) {
        const page = await watch.page(reader.position);
        if (page.length === 0) return [];
        // The months that this follower was about to read were dropped meanwhile.
        if (page[0]?.seq !== reader.position + 1n) throw cursorExpired(await watch.fresh());
        const { seq, token } = page.at(-1) as EventRow;
        reader.place = { seq, token };
        const frames = page.filter(isWanted).map(frameOf);
        if (frames.length > 0) return frames;
      }
    },
  };
  return reader;
}

/**
 * @returns the start position of a resumed stream; undefined without one.
 * @throws as `placeOf`.
 */
async function resumed(
  { database }: Context,
  after: EventFilter['after'],
  mode: StreamMode,
  mark: AccountMark,
): Promise<EventPosition | undefined> {
  const position = positionIn(mode);
  if (position !== undefined) return positionAt(database, position, mark);
  const cursor = resumeCursor(after, mode);
  // An empty text begins with the oldest event, as in polling.
  if (cursor?.cursor === '') return earliestPosition(mark);
  return cursor && positionOfCursor(database, cursor.cursor, cursor.parameter, mark);
}

function expired(mark: AccountMark): EventFrame {
  const earliest = earliestCursor(mark);
  // A client that continues after this frame continues with the oldest event.
  return {
    kind: 'expired',
    cursor: earliest,
    position: mark.floor - 1n,
    isLast: true,
    earliest,
    latest: cursorAt(mark, mark),
  };
}

function cursorAt({ accountId }: AccountMark, position: EventPosition): string {
  return encodeEventCursor(accountId, position);
}
