/** Start position of a stream, from its mode and its arguments. */
import type { StreamMode } from './frame-stream.ts';

/** @returns the position of a mode, where it has one. */
export function positionIn({ part, from }: StreamMode): bigint | undefined {
  return part === 'coming' ? undefined : from;
}

/** @returns the cursor from which a client continues; undefined if neither names one. */
export function resumeCursor(
  after: string | null | undefined,
  mode: StreamMode,
): { readonly cursor: string; readonly parameter: string } | undefined {
  if (mode.part === 'coming' || mode.from !== undefined) return undefined;
  // A browser's EventSource reconnects with the arguments that it began with, and with the last event that it had.
  if (mode.lastEventId) return { cursor: mode.lastEventId, parameter: 'Last-Event-ID' };
  if (after != null) return { cursor: after, parameter: 'after' };
  return undefined;
}
