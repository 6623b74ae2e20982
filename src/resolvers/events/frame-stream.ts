/**
 * Frames of a subscription as an iterator that pulls: it reads when it is asked, waits on the hub when there is nothing,
 * and ends at once when it is told to, also in the middle of a wait. (An `async function*` would only end after it.)
 */
import type { Watch } from '../services/event-hub.ts';

/** What every frame has. */
export interface Frame {
  /** Where to go on after this frame. */
  readonly cursor: string;
  /** Its place in the order of the stream; a frame of the same place that comes later tells nothing new. */
  readonly position: bigint;
  /** Tells only that the stream lives. */
  readonly isHeartbeat?: boolean;
  /** Tells what there is now, so another frame of the same place may tell something else. */
  readonly isPresent?: boolean;
  /** Nothing comes after it. */
  readonly isLast?: boolean;
}

/** How much of a stream is wanted. */
export interface StreamMode {
  /** `all`: what is there, then what comes. `present`: what is there, then it ends. `coming`: only what comes. */
  readonly part: 'all' | 'present' | 'coming';
  /** Goes on after this place, whatever the arguments say. */
  readonly from?: bigint;
  /** What the client had last, as its `Last-Event-ID` says: it goes before what the arguments say. */
  readonly lastEventId?: string;
}

/** Reads one kind of stream. */
export interface FrameReader<F extends Frame> {
  /** How far it has read. */
  position: bigint;
  /** @returns the frames after its position that there are by now; it moves on. */
  readonly read: () => Promise<readonly F[]>;
  /** @returns a frame that says that nothing came; streams without it have no heartbeat of their own. */
  readonly heartbeat?: () => F;
}

/** The frames, and how far they were read. */
export interface FrameStream<F extends Frame> extends AsyncIterableIterator<F, undefined, undefined> {
  readonly position: bigint;
}

/** How often a stream says that it lives. */
export const HEARTBEAT_MS = 20_000;

/**
 * @param first - frames that come before all that is read.
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
  const take = (): IteratorResult<F, undefined> => {
    const frame = pending[at] as F;
    at += 1;
    if (frame.isLast) finish();
    return { done: false, value: frame };
  };
  const next = async (): Promise<IteratorResult<F, undefined>> => {
    while (!isDone && !watch.isEnded()) {
      if (at < pending.length) return take();
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
