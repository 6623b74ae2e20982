/**
 * Frames of a subscription as a pulling iterator: it reads on request, waits on the hub when there is nothing, and ends
 * immediately when it is closed, even in the middle of a wait. (An `async function*` would only end after it.)
 */
import type { Watch } from '../services/event-hub.ts';

/** Members of every frame. */
export interface Frame {
  /** Position after this frame. */
  readonly cursor: string;
  /** Its position in the order of the stream; a later frame at the same position has no new content. */
  readonly position: bigint;
  /** Shows only that the stream is alive. */
  readonly isHeartbeat?: boolean;
  /** Contains the present state, so another frame at the same position may differ. */
  readonly isPresent?: boolean;
  /** Whether it is the last frame. */
  readonly isLast?: boolean;
}

/** Requested part of a stream. */
export interface StreamMode {
  /** `all`: existing events, then new ones. `present`: existing events, then the end. `coming`: new events only. */
  readonly part: 'all' | 'present' | 'coming';
  /** Continues after this position, whatever the arguments say. */
  readonly from?: bigint;
  /** The client's last event, from its `Last-Event-ID`: it precedes the arguments. */
  readonly lastEventId?: string;
}

/** Reads one kind of stream. */
export interface FrameReader<F extends Frame> {
  /** Position of the reader. */
  position: bigint;
  /** @returns the frames after its position that exist by now, and advances. */
  readonly read: () => Promise<readonly F[]>;
  /** @returns a frame that reports that no event came; streams without it have no heartbeat of their own. */
  readonly heartbeat?: () => F;
}

/** The frames, and how far they were read. */
export interface FrameStream<F extends Frame> extends AsyncIterableIterator<F, undefined, undefined> {
  readonly position: bigint;
}

/** Interval of heartbeats of a stream. */
export const HEARTBEAT_MS = 20_000;

/**
 * @param first - frames that come before all frames that are read.
 * @returns the stream; ending it ends the watch.
 */
export function frameStream<F extends Frame>(
  watch: Watch,
  reader: FrameReader<F>,
  mode: StreamMode,
  first: readonly F[] = [],
): FrameStream<F> {
  let pending: readonly F[] = mode.part === 'coming' ? [] : first;
  let at = 0;
  let isDone = false;
  let heartbeatAt = performance.now() + HEARTBEAT_MS;
  const finish = () => {
    isDone = true;
    watch.end();
  };
  const pull = (): IteratorResult<F, undefined> => {
    const frame = pending[at] as F;
    at += 1;
    if (frame.isLast) finish();
    return { done: false, value: frame };
  };
  const next = async (): Promise<IteratorResult<F, undefined>> => {
    while (!isDone && !watch.isEnded()) {
      if (at < pending.length) return pull();
      pending = await reader.read();
      at = 0;
      if (pending.length > 0 || isDone) continue;
      if (mode.part === 'present') break;
      const left = heartbeatAt - performance.now();
      if (reader.heartbeat && left <= 0) {
        heartbeatAt = performance.now() + HEARTBEAT_MS;
        return { done: false, value: reader.heartbeat() };
      }
      await watch.wait(reader.heartbeat && left);
    }
    finish();
    return DONE;
  };
  return {
    get position() {
      return reader.position;
    },
    next: () => next().catch(failing(finish)),
    return: async () => {
      finish();
      return DONE;
    },
    throw: async (error) => {
      finish();
      throw error;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

const DONE = { done: true, value: undefined } as const;

function failing(finish: () => void): (error: unknown) => never {
  return (error) => {
    finish();
    throw error;
  };
}
