/**
 * Subscribers of one key with the same operation share the work: each frame is executed and serialized once, and the same
 * bytes are sent to all of them. A new member first reads the events that it has missed, at its own pace, until it has caught
 * up with the group. A member that reads too slowly leaves the shared stream, stores only its position, and catches up when
 * it is writable again.
 */
import { forEachYielding } from '../../base/concurrency/for-each-yielding.ts';
import type { Frame, FrameStream } from '../../resolvers/events/frame-stream.ts';
import { executeFrame, isFrames, isUnavailable, type LiveOperation, openFrames } from './live-operation.ts';
import { type EventBytes, type EventConnection, nextEvent } from './sse.ts';

/** Start of a subscriber, or its errors. */
export type Beginning = Awaited<ReturnType<typeof openFrames>>;

/** A subscriber. */
interface Member {
  readonly connection: EventConnection;
  /** The position after its last frame; undefined before the first. */
  position: bigint | undefined;
}

/**
 * Fixes the position where a subscriber begins, before the head of the response is sent. A client that performs an
 * action after it has received the head gets the events of that action.
 * @param operation - operation of the subscriber: its arguments give the first position.
 * @param lastEventId - last event that a returning subscriber had.
 */
export function beginningOf(operation: LiveOperation, lastEventId: string | undefined): Promise<Beginning> {
  return openFrames(operation, { part: 'present', ...(lastEventId !== undefined && { lastEventId }) });
}

/** Ends the group when it has no members. */
export async function endBeginning(beginning: Beginning): Promise<void> {
  if (isFrames(beginning)) await beginning.return?.();
}

/** Recent frames in serialized form: clients that reconnect at the same time have missed the same events. */
const REMEMBERED_MAX = 64;

/** The subscribers of one operation. */
export class SubscriberGroup {
  readonly #operation: LiveOperation;
  readonly #onEnd: () => void;
  readonly #members = new Set<Member>();
  /** Members that have caught up. */
  readonly #live = new Set<Member>();
  readonly #remembered = new Map<bigint, Promise<EventBytes>>();
  readonly #started: Promise<void>;
  #source: FrameStream<Frame> | undefined;
  #position = 0n;
  #isEnded = false;

  /** @param onEnd - called once, when the group has no members any more or cannot continue. */
  constructor(operation: LiveOperation, onEnd: () => void) {
    this.#operation = operation;
    this.#onEnd = onEnd;
    this.#started = this.#start();
    // Each member that joins receives the failure.
    this.#started.catch(() => {});
  }

  /**
   * Serves a subscriber until its connection ends.
   * @param beginning - first content for the subscriber, from `beginningOf`.
   */
  async serve(connection: EventConnection, beginning: Beginning): Promise<void> {
    const member: Member = { connection, position: undefined };
    this.#members.add(member);
    connection.onClose(() => this.#leave(member));
    try {
      await this.#started;
      await this.#catchUp(member, beginning);
    } catch (error) {
      this.#operation.log.debug({ err: error }, 'stream ended');
      // The client reconnects with the id of its last frame, and loses nothing.
      connection.end();
    } finally {
      await endBeginning(beginning);
    }
  }

  async #start(): Promise<void> {
    const source = await openFrames(this.#operation, { part: 'coming' });
    // Members get errors about their arguments from their own first read.
    if (!isFrames(source)) return;
    this.#source = source;
    this.#position = source.position;
    if (this.#isEnded) await source.return?.();
    else
      this.#forward(source).then(
        () => this.#end(),
        () => this.#end(),
      );
  }

  async #forward(source: FrameStream<Frame>): Promise<void> {
    for await (const frame of source) {
      const bytes = this.#live.size > 0 ? await this.#render(frame) : undefined;
      this.#position = frame.position;
      if (bytes) await forEachYielding(this.#live, (member) => this.#pass(member, frame, bytes));
    }
  }

  #pass(member: Member, frame: Frame, bytes: EventBytes): void {
    // A member can be ahead: it may already have read the next event of the group.
    const { position = -1n } = member;
    if (frame.isHeartbeat ? frame.position < position : frame.position <= position) return;
    member.position = frame.position;
    if (member.connection.send(bytes)) return;
    this.#live.delete(member);
    this.#goOn(member);
  }

  /** A member that read too slowly continues from its position when it can be written to again. */
  async #goOn(member: Member): Promise<void> {
    try {
      await member.connection.drained();
      await this.#catchUp(member, await this.#openPresent(member));
    } catch {
      member.connection.end();
    }
  }

  #openPresent({ position }: Member): Promise<Beginning> {
    return openFrames(this.#operation, {
      part: 'present',
      ...(position !== undefined && { from: position }),
    });
  }

  async #catchUp(member: Member, beginning: Beginning): Promise<void> {
    const { connection } = member;
    for (let source = beginning; !this.#isEnded; source = await this.#openPresent(member)) {
      if (!isFrames(source)) {
        if (isUnavailable(source)) return connection.end();
        return connection.complete(source);
      }
      for await (const frame of source) {
        const isRoom = connection.send(await this.#render(frame));
        member.position = frame.position;
        if (frame.isLast) return connection.complete();
        if (!isRoom) await connection.drained();
        if (!connection.isOpen) return;
      }
      if (!connection.isOpen) return;
      member.position = source.position;
      if (!this.#source) break;
      // There is no await after the comparison, so no frame can be missed in between.
      if (member.position >= this.#position) {
        if (connection.isOpen) this.#live.add(member);
        return;
      }
    }
    connection.end();
  }

  #render(frame: Frame): Promise<EventBytes> {
    if (frame.isPresent || frame.isHeartbeat || frame.isLast) return this.#execute(frame);
    let bytes = this.#remembered.get(frame.position);
    if (!bytes) {
      bytes = this.#execute(frame);
      this.#remembered.set(frame.position, bytes);
      // A failed frame is not cached: the next member that needs it executes it again.
      bytes.catch(() => this.#remembered.delete(frame.position));
      if (this.#remembered.size > Math.min(REMEMBERED_MAX, this.#members.size))
        this.#remembered.delete(this.#remembered.keys().next().value as bigint);
    }
    return bytes;
  }

  async #execute(frame: Frame): Promise<EventBytes> {
    const result = await executeFrame(this.#operation, frame, () => !this.#isEnded);
    if (!result) throw new Error('the subscribers have disconnected');
    if (isUnavailable(result)) throw new Error('the database is unreachable');
    return nextEvent(result, frame.cursor);
  }

  #leave(member: Member): void {
    this.#live.delete(member);
    this.#members.delete(member);
    if (this.#members.size === 0) this.#end();
  }

  /** Clients of a group that failed reconnect and continue from their position. */
  #end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#onEnd();
    this.#source?.return?.();
    for (const member of this.#members) member.connection.end();
  }
}
