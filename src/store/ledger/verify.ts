/**
 * The auditor. The check fixes the end of an account and verifies all data before it, slice by slice. History never
 * changes, so the slices are consistent without one long transaction, which would keep PostgreSQL from vacuuming.
 */
import { randomInt } from 'node:crypto';
import type { Tx } from '../connection/database.ts';
import { verifyAudit } from '../engine/verify-audit.ts';
import { verifyMoneyOut } from '../engine/verify-money-out.ts';
import { verifyVolumes } from '../engine/verify-volumes.ts';
import { readChangedDays } from './book-closes.ts';
import * as sql from './verify-sql.ts';

/** A defect that the auditor found. */
export interface Defect {
  readonly defect: string;
  readonly ledgerAccountId: bigint | null;
  readonly at: bigint | null;
  readonly detail: string;
}

/** Options of an audit. */
export interface VerifyOptions {
  /** Maximum number of rows in one statement, default 20,000. */
  readonly slice?: number;
  /** Called with the number of ledger lines that have been checked. */
  readonly onProgress?: (lines: number) => void;
}

/** A defect as statements return it: name, position, details. */
type FoundDefect = readonly [defect: string, at: string | null, detail: string];

interface Sheet {
  readonly id: string;
  readonly currency: string | null;
  readonly isPublic: boolean;
  readonly max: string | null;
  readonly balance: string | null;
  readonly lastSeq: string | null;
}

interface List {
  readonly family: string;
  readonly lastSeq: string | null;
  readonly max: string;
  readonly isDayOutside: boolean;
  readonly outcomes: string;
  /** Whether lists find a transaction by a PIX of another one. */
  readonly isPixOff: boolean;
}

interface Bounds {
  readonly head: { journal: string; event: string } | null;
  readonly sheets: readonly Sheet[];
  readonly lists: readonly List[];
  readonly days: readonly { id: string; day: string; at: string }[];
}

const SLICE = 20_000;
const WEIGHTS = 2 ** 47;

/**
 * Recomputes an account's ledger, lists and event numbers, the volumes and the money out that limits use, the chain of
 * its audit log, and the movements of closed days.
 * @param database - statements need not be in one transaction.
 * @returns the checked lines, and all defects.
 */
export async function verifyLedger(
  database: Tx,
  accountId: bigint,
  { slice = SLICE, onProgress = () => {} }: VerifyOptions = {},
): Promise<{ checked: number; defects: Defect[] }> {
  const [bounds] = await database.query<Bounds>(sql.BOUNDS, [accountId]);
  if (!bounds) return { checked: 0, defects: [] };
  const audit = new Audit(database, accountId, slice, onProgress);
  for (const { id, day, at } of bounds.days) audit.note(id, [['day index', at, day]]);
  for (const sheet of bounds.sheets) await audit.lines(sheet);
  await audit.journals(BigInt(bounds.head?.journal ?? 0), bounds.sheets);
  await audit.ids(bounds);
  await audit.lists(bounds.lists);
  await audit.events(bounds.head?.event ?? '0');
  await audit.volumes();
  await audit.auditLog();
  await audit.closedDays();
  return { checked: audit.checked, defects: audit.defects };
}

/**
 * Transfers between account holders go through the clearing accounts of both, in one database transaction.
 *
 * @returns the currencies in which clearing is not zero over all accounts together.
 */
export async function clearingDefects(database: Tx): Promise<{ currency: string; sum: string }[]> {
  return database.query(sql.CLEARING, []);
}

class Audit {
  readonly defects: Defect[] = [];
  checked = 0;
  readonly #database: Tx;
  readonly #accountId: bigint;
  readonly #slice: number;
  readonly #onProgress: (lines: number) => void;
  /**
   * Each journal has a random weight. If all journals of a bucket balance and are complete, their weighted sums equal
   * those of the lines; otherwise the sums differ, except with a probability below 10⁻¹⁸.  Therefore no journal has to
   * be looked up separately, and lines can be read in the order in which they are stored.
   */
  readonly #seed = randomInt(WEIGHTS);
  readonly #money = new Map<string, bigint>();
  readonly #count = new Map<bigint, bigint>();

  constructor(database: Tx, accountId: bigint, slice: number, onProgress: (lines: number) => void) {
    this.#database = database;
    this.#accountId = accountId;
    this.#slice = slice;
    this.#onProgress = onProgress;
  }

  note(ledgerAccountId: string | null, defects: readonly FoundDefect[]): void {
    for (const [defect, at, detail] of defects)
      this.defects.push({
        defect,
        ledgerAccountId: ledgerAccountId === null ? null : BigInt(ledgerAccountId),
        at: at === null ? null : BigInt(at),
        detail,
      });
  }

  async lines(sheet: Sheet): Promise<void> {
    let last: readonly (string | null)[] = [null, null, null, null];
    let sum = 0n;
    let counted = 0;
    for (let after = '-1'; sheet.max !== null; after = last[0] as string) {
      const values = [this.#accountId, sheet.id, after, sheet.max, this.#slice, ...last];
      const [found] = await this.#database.query<{
        lines: number;
        counted: number;
        sum: string;
        last: readonly string[] | null;
        defects: readonly FoundDefect[];
        buckets: readonly (readonly [bucket: string, money: string, lines: string])[];
      }>(sql.LINES, [...values, sheet.isPublic, sheet.currency !== null, this.#seed]);
      if (!found?.last) break;
      last = found.last;
      sum += BigInt(found.sum);
      counted += found.counted;
      this.checked += found.lines;
      this.note(sheet.id, found.defects);
      for (const [bucket, money, lines] of found.buckets) {
        add(this.#money, `${bucket} ${sheet.currency}`, BigInt(money));
        add(this.#count, BigInt(bucket), BigInt(lines));
      }
      this.#onProgress(this.checked);
    }
    if (sheet.balance === null || sheet.lastSeq === null) {
      if (sheet.max !== null) this.note(sheet.id, [['no balance', null, 'lines without a balance row']]);
    } else if (BigInt(sheet.balance) !== sum || sheet.lastSeq !== String(counted)) {
      const message = `balance ${sheet.balance} over ${sheet.lastSeq} lines, the lines say ${sum} over ${counted}`;
      this.note(sheet.id, [['balance differs from its lines', sheet.lastSeq, message]]);
    }
  }

  async journals(last: bigint, sheets: readonly Sheet[]): Promise<void> {
    const perBucket = BigInt(sql.JOURNALS_PER_BUCKET);
    for (let from = 0n; from <= last; from += perBucket * 10n) {
      const to = from + perBucket * 10n - 1n < last ? from + perBucket * 10n - 1n : last;
      const rows = await this.#database.query<{ bucket: string; lines: string }>(sql.JOURNALS, [
        this.#accountId,
        from,
        to,
        this.#seed,
      ]);
      for (const { bucket, lines } of rows) add(this.#count, BigInt(bucket), -BigInt(lines));
    }
    const off = new Set<bigint>();
    for (const [bucket, lines] of this.#count) if (lines !== 0n) off.add(bucket);
    for (const [key, money] of this.#money) if (money !== 0n) off.add(BigInt(key.split(' ')[0] ?? 0));
    const held = sheets.filter(({ max }) => max !== null);
    for (const bucket of off) {
      const range = [bucket * perBucket, (bucket + 1n) * perBucket - 1n, last];
      const values = [held.map(({ id }) => id), held.map(({ max }) => max)];
      this.#note(await this.#database.query(sql.JOURNAL_DEFECTS, [this.#accountId, ...range, ...values]));
    }
  }

  async ids({ sheets }: Bounds): Promise<void> {
    const parts = sheets.flatMap(({ id, isPublic, max }) => {
      if (max === null) return [];
      // Opening balances, at position 0, have ids of the house.
      return isPublic
        ? [
            { id, after: '-1', max: '0' },
            { id, after: '0', max },
          ]
        : [{ id, after: '-1', max }];
    });
    const [ids, most] = [parts.map(({ id }) => id), parts.map(({ max }) => max)];
    for (let after: string[] | null = parts.map((part) => part.after); after !== null; ) {
      const values: unknown[] = [this.#accountId, ids, after, most, this.#slice];
      const [found]: { goOn: string[] | null; defects: FoundDefect[] }[] = await this.#database.query(
        sql.IDS,
        values,
      );
      this.note(null, found?.defects ?? []);
      after = found?.goOn ?? null;
    }
  }

  async lists(lists: readonly List[]): Promise<void> {
    for (const list of lists) {
      if (!(await this.#isListOff(list))) continue;
      // An import may have reordered the list between two slices, so only a single statement can prove a defect.
      this.#note(await this.#database.query(sql.LIST_DEFECTS, [this.#accountId]));
      return;
    }
  }

  async #isListOff({ family, lastSeq, max, isDayOutside, outcomes, isPixOff }: List): Promise<boolean> {
    if (lastSeq !== max || isDayOutside || outcomes !== max || isPixOff) return true;
    let tail: readonly [at: string | null, end2end: string | null] = [null, null];
    for (let after = '0'; after !== max; ) {
      const values = [this.#accountId, family, after, this.#slice, ...tail, max];
      const [found] = await this.#database.query<{
        records: number;
        last: string | null;
        tail: readonly [string, string] | null;
        isOff: boolean;
      }>(sql.LIST, values);
      if (!found?.tail || found.last === null || found.isOff) return true;
      tail = found.tail;
      after = found.last;
    }
    return false;
  }

  async events(last: string): Promise<void> {
    for (let after = '0'; after !== last; ) {
      const values = [this.#accountId, after, last, this.#slice];
      const [found] = await this.#database.query<{
        events: number;
        last: string | null;
        floor: string;
        defects: FoundDefect[];
      }>(sql.EVENTS, values);
      this.note(null, found?.defects ?? []);
      if (!found?.last) {
        const floor = found?.floor ?? after;
        // All events may be older than their retention.
        if (BigInt(floor) < BigInt(last))
          this.note(null, [['event gap', last, `no event after ${floor}, the account has had ${last}`]]);
        return;
      }
      after = found.last;
    }
  }

  /** Checks the volumes and outgoing amounts that limits use. */
  async volumes(): Promise<void> {
    const defects = [
      ...(await verifyVolumes(this.#database, this.#accountId, this.#slice)),
      ...(await verifyMoneyOut(this.#database, this.#accountId, this.#slice)),
    ];
    this.defects.push(...defects.map((found) => ({ ...found, ledgerAccountId: null })));
  }

  async auditLog(): Promise<void> {
    const { defects } = await verifyAudit(this.#database, this.#accountId);
    this.defects.push(...defects.map((found) => ({ ...found, ledgerAccountId: null })));
  }

  async closedDays(): Promise<void> {
    for (const { day, ledgerAccountId, now, then } of await readChangedDays(
      this.#database,
      this.#accountId,
    )) {
      const detail = `${day} was closed with ${then || 'nothing'}, the lines say ${now}`;
      this.defects.push({ defect: 'closed day', ledgerAccountId, at: null, detail });
    }
  }

  #note(
    rows: readonly { defect: string; ledgerAccountId: string | null; at: string | null; detail: string }[],
  ): void {
    for (const { defect, ledgerAccountId, at, detail } of rows)
      this.note(ledgerAccountId, [[defect, at, detail]]);
  }
}

function add<Key>(sums: Map<Key, bigint>, key: Key, value: bigint): void {
  sums.set(key, (sums.get(key) ?? 0n) + value);
}
