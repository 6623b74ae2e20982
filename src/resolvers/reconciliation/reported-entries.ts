/** Reported movements of a rail for some days, with the outcome of their rail events. */
import { GatewayError } from '../../base/errors/errors.ts';
import { plainMessage } from '../../store/connection/database-error.ts';
import type { RunProgress } from '../../store/rails/reconciliation-run.ts';
import {
  type BookedRailEvent,
  type RailEventName,
  readBookedRailEvents,
  readRailEventNames,
  type VaultLine,
} from '../../store/rails/vault.ts';
import type { Services } from '../services/context.ts';
import { AGAIN } from '../services/rail-event.ts';
import {
  type EntryKind,
  NO_RAIL_EVENT,
  type RailStatement,
  type StatementEntry,
  type StatementPeriod,
} from '../services/statement.ts';
import { kindOf, type ReportedEntry } from './finding.ts';

/** PIX, as reports name it. */
export const PIX = 'pix';
/** Name of a bank file in reports. */
export const BANK_FILE = 'bank';

/** Parts that are read. */
export interface StatementParts {
  readonly rail: string;
  readonly statement: RailStatement;
  readonly period: StatementPeriod;
  /** Unordered entries from before the days without a booking; and lines of the ledger of the days. */
  readonly waiting: readonly StatementEntry[];
  readonly ofDays: readonly VaultLine[];
  readonly isOfDay: (at: Date) => boolean;
  /** Whether an entry is already a finding, because no line can match it; nothing more is read about it. */
  readonly isMissing: (entry: StatementEntry) => boolean;
  /** Called as reading and looking up go on. */
  readonly report?: ((progress: RunProgress) => void) | undefined;
}

/** Kinds of rail events by kind of entry; entries of networks name their rail event themselves. */
const RAIL_EVENT_KINDS: { readonly [Kind in EntryKind]?: string } = {
  payment: 'payment',
  refund: 'refund_ended',
  dispute: 'dispute_accepted',
  payout: 'payout_ended',
  payout_return: 'payout_returned',
};
/**
 * Kinds that are found by the name of their event, when they were long before their booking; charges of a network are
 * read by the order.
 */
const NAMED = { pix: ['payment', 'payout', 'refund'], network: ['deposit'] };

/**
 * Maximum number of entries whose rail events are looked up in one query: a bank file may have hundreds of thousands.
 */
const LOOKUP_BATCH = 5_000;

/** @throws {GatewayError} `UNAVAILABLE` while the statement cannot be read. */
export async function readReported(
  { database, mode }: Pick<Services, 'database' | 'mode'>,
  { rail, statement, period, waiting, ofDays, isOfDay, isMissing, report }: StatementParts,
): Promise<readonly ReportedEntry[]> {
  const all = await queryRail(rail, () => statement.read(period, report));
  // Unordered entries around the days belong to the reports of those days, which say whether they wait.
  const read: StatementEntry[] = [];
  for (const entry of all)
    if ((entry.untold !== 'capital' || isOfDay(entry.at)) && !isMissing(entry)) read.push(entry);
  const late = await foundByName(database, rail, statement, { read, ofDays });
  const entries = eachOnce([...waiting, ...read, ...late]);
  const reported: ReportedEntry[] = [];
  for (let start = 0; start < entries.length; start += LOOKUP_BATCH) {
    report?.({ phase: 'comparing', done: start, total: entries.length });
    const batch = entries.slice(start, start + LOOKUP_BATCH);
    const booked = await bookedEvents(database, mode, batch.map(nameOf));
    for (const [index, entry] of batch.entries())
      reported.push({ entry, booked: booked[index], isOfDay: isOfDay(entry.at) });
  }
  return reported;
}

/** Lines of the days whose entry was on the statement before the read period. */
async function foundByName(
  database: Services['database'],
  rail: string,
  { find }: RailStatement,
  { read, ofDays }: { readonly read: readonly StatementEntry[]; readonly ofDays: readonly VaultLine[] },
): Promise<readonly StatementEntry[]> {
  if (!find) return [];
  const named = rail === PIX ? NAMED.pix : NAMED.network;
  const lines = ofDays.flatMap((line) => {
    const kind = kindOf(line);
    return kind && named.includes(kind) ? [{ line, kind }] : [];
  });
  const textOf = ({ kind, key }: RailEventName) => `${kind} ${key}`;
  const there = new Set(read.map((entry) => textOf(nameOf(entry))));
  const names = (await readRailEventNames(database, rail, lines)).filter((name) => !there.has(textOf(name)));
  return names.length > 0 ? queryRail(rail, () => find(names)) : [];
}

/** @returns outcomes of events, by position. A dropped deposit that arrived again is reported under a name of its own. */
async function bookedEvents(
  database: Services['database'],
  mode: Services['mode'],
  names: readonly RailEventName[],
): Promise<readonly (BookedRailEvent | undefined)[]> {
  if (names.every(({ kind }) => kind === NO_RAIL_EVENT.kind)) return [];
  const byPosition = new Map(
    (await readBookedRailEvents(database, mode, names)).map((each) => [each.place, each]),
  );
  const booked = names.map((_, index) => byPosition.get(index + 1));
  const dropped = names.flatMap(({ kind, key }, position) =>
    booked[position]?.isDropped ? [{ place: position, name: { kind, key: key + AGAIN } }] : [],
  );
  if (dropped.length === 0) return booked;
  const again = await bookedEvents(
    database,
    mode,
    dropped.map(({ name }) => name),
  );
  const byAgain = new Map(dropped.map(({ place: position }, index) => [position, again[index]]));
  return booked.map((each, position) => byAgain.get(position) ?? each);
}

function nameOf({ kind, id, eventName: event }: StatementEntry): RailEventName {
  return event ?? { kind: RAIL_EVENT_KINDS[kind] ?? kind, key: `pix:${id}` };
}

/** An unreachable rail is not an error of the gateway. */
export async function queryRail<Answer>(rail: string, query: () => Promise<Answer>): Promise<Answer> {
  try {
    return await query();
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    const whose = rail === PIX ? 'the PIX provider' : rail;
    throw new GatewayError('UNAVAILABLE', `the statement of ${whose} cannot be read: ${plainMessage(error)}`);
  }
}

/** Pages may overlap; of two entries of one name the last counts. */
function eachOnce(entries: readonly StatementEntry[]): readonly StatementEntry[] {
  const indexes = new Map<EntryKind, Map<string, number>>();
  const unique: StatementEntry[] = [];
  for (const entry of entries) {
    const ofKind = indexes.get(entry.kind) ?? new Map<string, number>();
    indexes.set(entry.kind, ofKind);
    const position = ofKind.get(entry.id) ?? unique.length;
    ofKind.set(entry.id, position);
    unique[position] = entry;
  }
  return unique;
}
