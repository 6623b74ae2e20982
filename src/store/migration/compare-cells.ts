/**
 * Comparison of both sides of a move (docs/decisions/0104-comparison-before-the-fence.md). Before the fence every row is compared once, while changes
 * of the source are noted from its log; then the changed rows, as often as they change. Under the fence there is only what changed last.
 */
import { beginChanges, type ChangedRows, readChanges } from './cell-changes.ts';
import { MoveError } from './cell-server.ts';
import {
  type ComparedTable,
  comparedTables,
  compareKeys,
  compareSlices,
  type Difference,
  isDifferent,
  type RowKey,
  type Sides,
} from './compare-rows.ts';

/** Replication from the source to the target. */
export interface Replication {
  /** Publication of all tables that are compared. */
  readonly publication: string;
  /** @returns the present end of the source's log. */
  readonly end: () => Promise<string>;
  /** Waits until the target has the log up to a position. @throws {MoveError} when it does not get there. */
  readonly reached: (position: string) => Promise<void>;
}

/** Tables that are compared as a whole under the fence, where they are small: counters, balances, ends of lists. */
const HEADS = new Set(['account_head', 'ledger_balance', 'list_head']);
/** Most rows of a table that is counted or compared as a whole under the fence. */
const SMALL = 100_000;
/** Rows that may differ at the same time because the target lags. */
const OPEN_MAX = 50_000;
/** Passes over what changed end when one has at most this many changes, or after the last one. */
const FEW_CHANGES = 2_000;
const PASSES = 10;

/** Comparison of a move, for as long as its connections are open. */
export class CellComparison {
  readonly #sides: Sides;
  readonly #replication: Replication;
  #tables: readonly ComparedTable[] = [];
  /** Tables that are compared as a whole under the fence. */
  readonly #whole = new Set<string>();
  /** Number of rows of each table when it was compared; empty before. */
  readonly #rows = new Map<string, number>();
  /** Rows that differed when they were compared last, by table and key. */
  #open = new Map<string, Difference>();

  constructor(sides: Sides, replication: Replication) {
    this.#sides = sides;
    this.#replication = replication;
  }

  /**
   * Compares everything while the source serves.
   *
   * @param onRows - called with the number of rows that have been compared.
   * @throws {MoveError} when the copy differs.
   */
  async ahead(onRows: (rows: number) => void): Promise<void> {
    this.#tables = await comparedTables(this.#sides);
    await this.#replication.reached(await beginChanges(this.#sides.source));
    await this.#slices(onRows);
    for (let passes = 0; passes < PASSES && (await this.follow()) > FEW_CHANGES; passes++);
  }

  /**
   * Compares the rows that have changed since the last call. @returns the number of changes.
   *
   * @throws {MoveError} when a row differs and is not changing.
   */
  async follow(): Promise<number> {
    const changes = await this.#changed(await this.#position());
    const before = this.#open;
    await this.#position();
    await this.#again();
    // A row that neither side has changed meanwhile, and that the target has had time to get, stays different.
    const lasting = [...this.#open].filter(([id, { source, target }]) => {
      const earlier = before.get(id);
      return earlier?.source === source && earlier.target === target;
    });
    if (lasting.length > 0) throw differs(lasting.map(([, each]) => each));
    return changes;
  }

  /**
   * Compares the rest under the fence, or everything where nothing was compared ahead.
   *
   * @param end - of the source's log, which the target has.
   * @throws {MoveError} when the copy differs.
   */
  async settle(end: string): Promise<void> {
    if (this.#rows.size > 0) {
      await this.#changed(end);
      await this.#again();
    } else {
      this.#tables = await comparedTables(this.#sides);
      await this.#slices(() => {});
    }
    const wrong = [...this.#open.values()];
    if (wrong.length > 0) throw differs(wrong);
    const different: string[] = [];
    for (const table of this.#tables)
      if (this.#isWhole(table) && (await isDifferent(this.#sides, table))) different.push(table.name);
    different.push(...(await this.#miscounted()));
    if (different.length > 0) throw new MoveError(`the copy differs: ${different.join(', ')}`);
  }

  async #slices(onRows: (rows: number) => void): Promise<void> {
    let total = 0;
    for (const table of this.#tables) {
      let rows = 0;
      if (table.keys.length === 0) this.#whole.add(table.name);
      else
        await compareSlices(this.#sides, table, (more, differences) => {
          rows += more;
          total += more;
          onRows(total);
          this.#note(differences);
        });
      this.#rows.set(table.name, rows);
    }
  }

  /** @returns the present end of the source's log, once the target has it. */
  async #position(): Promise<string> {
    const end = await this.#replication.end();
    await this.#replication.reached(end);
    return end;
  }

  /** Compares the rows that the source changed up to a position, which the target has. @returns the number of changes. */
  #changed(upTo: string): Promise<number> {
    const { publication } = this.#replication;
    return readChanges(this.#sides.source, { publication, upTo }, async (changes) => {
      for (const table of this.#tables) {
        const found = changes.get(table.relation);
        if (found) this.#note(await compareKeys(this.#sides, table, this.#keysOf(table, found)));
      }
    });
  }

  /** @returns the keys of changed rows, each once. A table of which the log does not say them is compared as a whole. */
  #keysOf({ name, keyNames }: ComparedTable, { columns, rows, isTruncated }: ChangedRows): RowKey[] {
    const indexes = keyNames.map((key) => columns.indexOf(key));
    const keys = new Map<string, RowKey>();
    for (const row of rows) {
      const key = indexes.map((index) => row[index] ?? null);
      if (isKey(key)) keys.set(JSON.stringify(key), key);
      else this.#whole.add(name);
    }
    if (isTruncated || indexes.length === 0) this.#whole.add(name);
    return indexes.length === 0 ? [] : [...keys.values()];
  }

  /** Compares again what differed. */
  async #again(): Promise<void> {
    const before = [...this.#open.values()];
    this.#open = new Map();
    for (const table of this.#tables) {
      const keys = before.filter((each) => each.table === table.name).map(({ key }) => key);
      if (keys.length > 0) this.#note(await compareKeys(this.#sides, table, keys));
    }
  }

  #note(found: readonly Difference[]): void {
    for (const each of found) this.#open.set(JSON.stringify([each.table, each.key]), each);
    if (this.#open.size > OPEN_MAX) throw differs([...this.#open.values()]);
  }

  #isWhole({ name, relation }: ComparedTable): boolean {
    return this.#whole.has(name) || (HEADS.has(relation) && this.#isSmall(name));
  }

  #isSmall(name: string): boolean {
    return (this.#rows.get(name) ?? 0) <= SMALL;
  }

  /** @returns small tables that do not have the same number of rows, counted by one statement on each side. */
  async #miscounted(): Promise<string[]> {
    const names = this.#tables.map(({ name }) => name).filter((name) => this.#isSmall(name));
    if (names.length === 0) return [];
    const text = `select array[${names.map((name) => `(select count(*) from ${name})`).join(', ')}]::text[]`;
    const { source, target } = this.#sides;
    const [here, there] = await Promise.all([source.value<string[]>(text), target.value<string[]>(text)]);
    return names.filter((_, n) => here?.[n] !== there?.[n]);
  }
}

const isKey = (key: readonly (string | null)[]): key is RowKey => key.every((value) => value !== null);

function differs(found: readonly Difference[]): MoveError {
  const tables = new Map<string, { missing: number; changed: number; extra: number }>();
  for (const { table, source, target } of found) {
    const counts = tables.get(table) ?? { missing: 0, changed: 0, extra: 0 };
    counts[target === null ? 'missing' : source === null ? 'extra' : 'changed'] += 1;
    tables.set(table, counts);
  }
  const parts = [...tables].map(
    ([table, { missing, changed, extra }]) =>
      `${table} lacks ${missing} rows in the target, has ${changed} others and ${extra} too many`,
  );
  return new MoveError(`the copy differs: ${parts.join('; ')}`);
}
