/**
 * Standbys that answer reads in place of the primary (decision 0088). A mark is written to the primary twice a second.
 * A standby answers while it shows a mark of the last three seconds, which proves that it closely follows the current
 * primary.
 */
import { randomInt } from 'node:crypto';
import type { Database, Statement } from '../connection/database.ts';
import { addressOf } from '../connection/several-hosts.ts';
import { versionReader } from './account-version.ts';

/** A standby that may currently answer a read. */
export interface ReadReplica {
  readonly database: Database;
  /** Reads the version of an account on the standby, after the call; undefined without such an account. */
  readonly versionOf: (accountId: bigint) => Promise<bigint | undefined>;
  /** Excludes the standby from reads until it shows a mark again. */
  readonly setAside: () => void;
}

/** Status of a standby. */
export interface ReplicaStatus {
  /** Host and port. */
  readonly address: string;
  readonly isInUse: boolean;
  /** Whether it takes the writes: `REPLICA_URLS` may name every server of a cluster. */
  readonly isPrimary: boolean;
  /** Age of the newest mark that it has shown; null before the first. Unit: ms. */
  readonly behindMs: number | null;
}

/** The standbys of a process. */
export interface ReadReplicas {
  /** @returns the next standby in rotation; undefined if none may answer. */
  readonly next: () => ReadReplica | undefined;
  readonly status: () => readonly ReplicaStatus[];
  readonly close: () => Promise<void>;
}

/** Parts that monitor the standbys. */
export interface ReplicaParts {
  readonly primary: Pick<Database, 'within'>;
  /** URL of the current primary. */
  readonly primaryUrl: () => string;
  readonly replicas: readonly { readonly url: string; readonly database: Database }[];
}

/** Time for which a mark is valid. Unit: ms. */
const FRESH_MS = 3_000;
/** Pause between two marks. Unit: ms. */
const PAUSE_MS = 500;
/** Time limit of writing a mark, and of reading one. Unit: ms. */
const MARK_MAX_MS = 1_000;
const SLOTS = 16;
/** Upper bound of marks. */
const NUMBERS = 2 ** 48 - 1;

const WRITE_MARK: Statement = {
  name: 'replica_mark_write',
  text: 'update readiness_probe set probed_at = clock_timestamp(), mark = $2 where slot = $1',
};
const READ_MARKS: Statement = {
  name: 'replica_marks_read',
  text: 'select mark::text, pg_is_in_recovery() as "isStandby" from readiness_probe',
};

/** A random number that was written to the primary. A server that shows the mark received it from the primary. */
interface Mark {
  readonly number: string;
  /** Time before the mark was written. Unit: ms, of `performance.now()`. */
  readonly sentAt: number;
  readonly primaryUrl: string;
}

/** @returns the standbys; each answers only after it has shown a mark. */
export function followReplicas({ primary, primaryUrl, replicas }: ReplicaParts): ReadReplicas {
  const all = replicas.map(({ url, database }) => new Standby(addressOf(url), database));
  let marks: readonly Mark[] = [];
  let cycle = 0;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let round: Promise<void> = Promise.resolve();

  const mark = async (): Promise<void> => {
    const written = await writeMark(primary, primaryUrl());
    if (!written) for (const each of all) each.setAside();
    // After a failover, marks of the former primary prove nothing.
    marks = written
      ? [written, ...marks].filter((each) => isFresh(each) && each.primaryUrl === primaryUrl())
      : [];
    await Promise.all(all.map((each) => each.look(marks)));
    if (!isClosed) timer = setTimeout(begin, PAUSE_MS).unref();
  };
  const begin = () => {
    round = mark();
  };
  begin();
  return {
    next: () => {
      const usable = all.filter((each) => each.isInUse(primaryUrl()));
      cycle += 1;
      return usable[cycle % usable.length];
    },
    status: () => all.map((each) => each.status(primaryUrl())),
    close: async () => {
      isClosed = true;
      clearTimeout(timer);
      await round;
      await Promise.all(replicas.map(({ database }) => database.close()));
    },
  };
}

/** @returns undefined if the primary did not accept the mark. */
async function writeMark(primary: ReplicaParts['primary'], primaryUrl: string): Promise<Mark | undefined> {
  const mark = { number: String(randomInt(1, NUMBERS)), sentAt: performance.now(), primaryUrl };
  return primary
    .within(MARK_MAX_MS, (tx) => tx.query(WRITE_MARK, [randomInt(SLOTS), mark.number]))
    .then(
      () => mark,
      () => undefined,
    );
}

function isFresh({ sentAt }: Mark): boolean {
  return performance.now() - sentAt <= FRESH_MS;
}

/** One standby, and the newest mark that it has shown. */
class Standby implements ReadReplica {
  readonly database: Database;
  readonly versionOf: ReadReplica['versionOf'];
  readonly #address: string;
  #shown: Mark | undefined;
  #isAside = false;
  #isPrimary = false;

  constructor(address: string, database: Database) {
    this.database = database;
    this.#address = address;
    this.versionOf = versionReader(database);
  }

  isInUse(primaryUrl: string): boolean {
    const shown = this.#shown;
    return !this.#isAside && shown !== undefined && shown.primaryUrl === primaryUrl && isFresh(shown);
  }

  status(primaryUrl: string): ReplicaStatus {
    return {
      address: this.#address,
      isInUse: this.isInUse(primaryUrl),
      isPrimary: this.#isPrimary,
      behindMs: this.#shown ? Math.round(performance.now() - this.#shown.sentAt) : null,
    };
  }

  setAside(): void {
    this.#isAside = true;
  }

  /** Reads the newest of these marks. A server that a failover has promoted is no standby. */
  async look(marks: readonly Mark[]): Promise<void> {
    const rows = await this.database
      .within(MARK_MAX_MS, (tx) => tx.query<{ mark: string; isStandby: boolean }>(READ_MARKS, []))
      .catch(() => []);
    const shows = (isStandby: boolean) => (mark: Mark) =>
      rows.some((row) => row.isStandby === isStandby && row.mark === mark.number);
    this.#isPrimary = marks.some(shows(false));
    const shown = marks.find(shows(true));
    if (!shown) return;
    this.#shown = shown;
    this.#isAside = false;
  }
}
