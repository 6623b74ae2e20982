/**
 * Followers of accounts inside this process. The hub reads new events once for all followers of an account and caches the
 * newest ones. There are no queues: followers have a position in the log and pull from it, so a slow one costs nothing. The
 * database is authoritative: a notification, or the end of a second, only means that it is time to read.
 */

import { onNobodysBehalf } from '../../base/concurrency/on-behalf.ts';
import { assert } from '../../base/errors/assert.ts';
import type { Database } from '../../store/connection/database.ts';
import {
  type AccountMark,
  type EventRow,
  readEvents,
  readMarks,
  readTokenAt,
} from '../../store/events/events.ts';
import type { Notifier } from './notifier.ts';

/** Poll interval, for changes whose notification was missed: commits of other processes, adjustments. */
const POLL_MS = 1_000;
/** Maximum number of newest events cached for an account that is followed, and for all such accounts together. */
const RECENT_MAX = 256;
const RECENT_MIN = 16;
const RECENT_MAX_ALL = 20_000;
/** Page size for a follower that is behind: a stalled one holds a page. */
const PAGE_SIZE = 64;

/** Follows one account until it is ended. */
export interface Watch {
  /**
   * @returns the position of the account, read after this call.
   * @throws when the database is unreachable.
   */
  readonly fresh: () => Promise<AccountMark>;
  /** @returns the last known position of the account. */
  readonly mark: () => AccountMark;
  /** @returns events after a position, oldest first, up to a page; empty when there are none yet. */
  readonly page: (after: bigint) => Promise<readonly EventRow[]>;
  /** Resolves when the account moves, after the given milliseconds, or at the end; the caller checks which. */
  readonly wait: (ms?: number) => Promise<void>;
  readonly isEnded: () => boolean;
  readonly end: () => void;
}

/** State of a followed account. */
interface Channel {
  readonly accountId: bigint;
  mark: AccountMark | undefined;
  /** Without gaps, up to `mark.seq`. */
  recent: readonly EventRow[];
  readonly waiters: Set<() => void>;
  readonly watches: Set<object>;
  /** Pages being read: followers that are behind at the same position share them. */
  readonly pages: Map<bigint, Promise<readonly EventRow[]>>;
}

/** The followers of a process. */
export class EventHub {
  readonly #database: Database;
  readonly #channels = new Map<bigint, Channel>();
  readonly #dirty = new Set<bigint>();
  #reading: Promise<unknown> | undefined;
  #next: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isEnded = false;

  constructor(database: Database, notifier: Notifier) {
    this.#database = database;
    notifier.onAny((accountIds) => {
      const followed = accountIds.filter((accountId) => this.#channels.has(accountId));
      if (followed.length > 0) this.#readNew(followed).catch(LATER);
    });
  }

  /** @returns accounts that are followed here, for measuring. */
  get size(): number {
    return this.#channels.size;
  }

  /** Begins to follow an account. */
  watch(accountId: bigint): Watch {
    const channel = this.#enter(accountId);
    const self = {};
    channel.watches.add(self);
    let wake: (() => void) | undefined;
    const isEnded = () => this.#isEnded || !channel.watches.has(self);
    return {
      fresh: async () => {
        await this.#readNew([accountId]);
        return markOf(channel);
      },
      mark: () => markOf(channel),
      page: (after) => this.#page(channel, after),
      wait: (ms) =>
        new Promise<void>((resolve) => {
          if (isEnded()) return resolve();
          const timer = ms === undefined ? undefined : setTimeout(() => wake?.(), ms);
          wake = () => {
            clearTimeout(timer);
            if (wake) channel.waiters.delete(wake);
            wake = undefined;
            resolve();
          };
          channel.waiters.add(wake);
        }),
      isEnded,
      end: () => {
        channel.watches.delete(self);
        wake?.();
        if (channel.watches.size === 0) this.#leave(channel);
      },
    };
  }

  /** Ends all watches, at the end of the process: waiters are woken. */
  end(): void {
    this.#isEnded = true;
    clearInterval(this.#timer);
    for (const channel of this.#channels.values()) wakeAll(channel);
  }

  #enter(accountId: bigint): Channel {
    this.#timer ??= setInterval(
      () => this.#readNew([...this.#channels.keys()]).catch(LATER),
      POLL_MS,
    ).unref();
    let channel = this.#channels.get(accountId);
    if (!channel) {
      channel = {
        accountId,
        mark: undefined,
        recent: [],
        waiters: new Set(),
        watches: new Set(),
        pages: new Map(),
      };
      this.#channels.set(accountId, channel);
    }
    return channel;
  }

  #leave(channel: Channel): void {
    if (this.#channels.get(channel.accountId) === channel) this.#channels.delete(channel.accountId);
    if (this.#channels.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Reads the position of these accounts. A read under way may be too old: the next one counts. */
  #readNew(accountIds: readonly bigint[]): Promise<void> {
    for (const accountId of accountIds) this.#dirty.add(accountId);
    // For followers of several accounts.
    this.#next ??= onNobodysBehalf(() => this.#read());
    return this.#next;
  }

  async #read(): Promise<void> {
    await this.#reading;
    const accountIds = [...this.#dirty];
    this.#dirty.clear();
    this.#next = undefined;
    const reading = this.#readMarks(accountIds);
    this.#reading = reading.catch(LATER);
    await reading;
  }

  async #readMarks(accountIds: readonly bigint[]): Promise<void> {
    const marks = accountIds.length > 0 ? await readMarks(this.#database, accountIds) : [];
    await Promise.all(
      marks.map((mark) => {
        const channel = this.#channels.get(mark.accountId);
        return channel && this.#move(channel, mark);
      }),
    );
  }

  async #move(channel: Channel, mark: AccountMark): Promise<void> {
    const before = channel.mark;
    let { seq, token } = mark;
    if (before && isBehind(mark, before)) return this.#restored(channel, mark);
    if (before && seq > before.seq) {
      const recentMax = Math.max(
        RECENT_MIN,
        Math.min(RECENT_MAX, Math.floor(RECENT_MAX_ALL / this.#channels.size)),
      );
      const oldest = seq - BigInt(recentMax);
      const after = oldest > before.seq ? oldest : before.seq;
      const fresh = await this.#readAfter(channel, before, after, 2 * recentMax);
      if (!fresh) return this.#restored(channel, mark);
      ({ seq, token } = fresh.at(-1) ?? mark);
      channel.recent = (after === before.seq ? [...channel.recent, ...fresh] : fresh).slice(-recentMax);
    }
    channel.mark = { ...mark, seq, token };
    const hasMoved = before?.seq !== seq || before.journalId !== mark.journalId;
    if (hasMoved) wakeAll(channel);
  }

  /**
   * @param before - the newest event that was known.
   * @returns the events after a position; undefined if the log has another event at that position, because it was restored.
   */
  async #readAfter(
    { accountId }: Channel,
    before: AccountMark,
    after: bigint,
    limit: number,
  ): Promise<EventRow[] | undefined> {
    const isNext = after === before.seq;
    const [rows, known] = await Promise.all([
      readEvents(this.#database, accountId, isNext ? after - 1n : after, limit),
      isNext ? undefined : readTokenAt(this.#database, accountId, before.seq),
    ]);
    const own = isNext && rows[0]?.seq === before.seq ? rows.shift()?.token : known;
    // If it was dropped meanwhile, its token is unknown.
    return (own ?? before.token) === before.token ? rows : undefined;
  }

  /**
   * Ends all watches of an account: clients that reconnect get the error that their cursor has expired, as a client that
   * begins now does.
   */
  #restored(channel: Channel, mark: AccountMark): void {
    channel.mark = mark;
    channel.recent = [];
    channel.watches.clear();
    this.#leave(channel);
    wakeAll(channel);
  }

  async #page(channel: Channel, after: bigint): Promise<readonly EventRow[]> {
    if (after >= markOf(channel).seq) return [];
    const first = channel.recent[0]?.seq;
    if (first !== undefined && after + 1n >= first) return channel.recent.slice(Number(after + 1n - first));
    let page = channel.pages.get(after);
    if (!page) {
      page = readEvents(this.#database, channel.accountId, after, PAGE_SIZE).finally(() =>
        channel.pages.delete(after),
      );
      channel.pages.set(after, page);
    }
    return page;
  }
}

/** The next poll covers a failed read. */
const LATER = () => {};

function markOf({ mark }: Channel): AccountMark {
  assert(mark, 'a watch is read after its first refresh');
  return mark;
}

/** Whether the account has lost something, because its database was restored: events, or lines and journals that had none. */
function isBehind(mark: AccountMark, before: AccountMark): boolean {
  const { seq, token, lineId, journalId } = mark;
  if (seq < before.seq || lineId < before.lineId || journalId < before.journalId) return true;
  return seq === before.seq && token !== before.token;
}

function wakeAll(channel: Channel): void {
  for (const wake of [...channel.waiters]) wake();
}
