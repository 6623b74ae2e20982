/**
 * Keys of the rows that the source has changed since a position of its log. A slot of this connection reads them from the log, so writers do
 * nothing for it, and it goes when the connection ends. Rows come in the format of PostgreSQL's own replication (`pgoutput`).
 */
import type { CellServer } from './cell-server.ts';

/** Changes of one table. */
export interface ChangedRows {
  readonly columns: readonly string[];
  /** Values of rows that were there before or after a change, by column; null where the log does not say. */
  readonly rows: readonly (readonly (string | null)[])[];
  /** Whether the whole table was emptied. */
  readonly isTruncated: boolean;
}

/** Transactions are read until there are this many changes. */
const CHANGES = 10_000;
/** Changes that this process holds at once. */
const FETCHED = 2_000;

/** @returns the name of the slot; of the schema, because several cells may move from one server. */
function slotName({ location }: CellServer): string {
  return `crossramp_check_${location.schema}`;
}

/** Begins to note changes. Waits for transactions that are open. @returns the position from which all changes are noted. */
export async function beginChanges(source: CellServer): Promise<string> {
  await endChanges(source);
  const create = `select lsn::text from pg_create_logical_replication_slot($1, 'pgoutput', true)`;
  return (await source.value<string>(create, [slotName(source)])) ?? '0/0';
}

/** Ends to note changes. Again is the same. */
export async function endChanges(source: CellServer): Promise<void> {
  await source.rows(
    `select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = $1 and active_pid = pg_backend_pid()`,
    [slotName(source)],
  );
}

/**
 * Reads the changes that were not read before, up to a position.
 *
 * @param onChanges - called with a part of them, by the name of the table.
 * @returns the number of changes.
 */
export async function readChanges(
  source: CellServer,
  { publication, upTo }: { readonly publication: string; readonly upTo: string },
  onChanges: (changes: ReadonlyMap<string, ChangedRows>) => Promise<void>,
): Promise<number> {
  let total = 0;
  for (let read = 1; read > 0; total += read)
    read = await source.within(async () => {
      await source.rows(
        `declare changes no scroll cursor for select data from pg_logical_slot_get_binary_changes(
           $1, $2::pg_lsn, ${CHANGES}, 'proto_version', '1', 'publication_names', $3)`,
        [slotName(source), upTo, publication],
      );
      const reader = new ChangeReader();
      let messages = 0;
      for (;;) {
        const rows = await source.rows<{ data: Buffer }>(`fetch ${FETCHED} from changes`);
        if (rows.length === 0) return messages;
        messages += rows.length;
        const changes = reader.read(rows.map(({ data }) => data));
        if (changes.size > 0) await onChanges(changes);
      }
    });
  return total;
}

interface Relation {
  readonly name: string;
  readonly columns: readonly string[];
}

/** Reads messages of `pgoutput`, protocol 1 (https://www.postgresql.org/docs/current/protocol-logicalrep-message-formats.html). */
class ChangeReader {
  readonly #relations = new Map<number, Relation>();

  read(messages: readonly Buffer[]): ReadonlyMap<string, ChangedRows> {
    const changes = new Map<string, ChangedRows & { rows: (string | null)[][]; isTruncated: boolean }>();
    const of = (id: number) => {
      const { name = '', columns = [] } = this.#relations.get(id) ?? {};
      const known = changes.get(name) ?? { columns, rows: [], isTruncated: false };
      changes.set(name, known);
      return known;
    };
    for (const message of messages) {
      const bytes = new Bytes(message);
      const kind = bytes.letter();
      if (kind === 'R') this.#note(bytes);
      else if (kind === 'I' || kind === 'U' || kind === 'D') of(bytes.int32()).rows.push(...rowsIn(bytes));
      else if (kind === 'T') {
        const count = bytes.int32();
        bytes.letter();
        for (let n = 0; n < count; n++) of(bytes.int32()).isTruncated = true;
      }
    }
    return changes;
  }

  #note(bytes: Bytes): void {
    const id = bytes.int32();
    bytes.text();
    const name = bytes.text();
    bytes.letter();
    const columns: string[] = [];
    for (let left = bytes.int16(); left > 0; left--) {
      bytes.letter();
      columns.push(bytes.text());
      bytes.int32();
      bytes.int32();
    }
    this.#relations.set(id, { name, columns });
  }
}

/** Rows of a change: the one before where its key changed or it was deleted, and the one after. */
function rowsIn(bytes: Bytes): (string | null)[][] {
  const rows: (string | null)[][] = [];
  while (!bytes.isAtEnd) {
    bytes.letter();
    const row: (string | null)[] = [];
    for (let left = bytes.int16(); left > 0; left--) row.push(bytes.letter() === 't' ? bytes.sized() : null);
    rows.push(row);
  }
  return rows;
}

/** A message, read from its beginning. */
class Bytes {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  letter(): string {
    return String.fromCharCode(this.#bytes.readUInt8(this.#at++));
  }

  int16(): number {
    this.#at += 2;
    return this.#bytes.readInt16BE(this.#at - 2);
  }

  int32(): number {
    this.#at += 4;
    return this.#bytes.readUInt32BE(this.#at - 4);
  }

  /** Text that ends with a zero byte. */
  text(): string {
    const end = this.#bytes.indexOf(0, this.#at);
    const text = this.#bytes.toString('utf8', this.#at, end);
    this.#at = end + 1;
    return text;
  }

  /** Text after its length. */
  sized(): string {
    const length = this.int32();
    this.#at += length;
    return this.#bytes.toString('utf8', this.#at - length, this.#at);
  }
}
