/** What a rail tells of some days, with what became of the news of it here. */
import { GatewayError } from '../../base/errors.ts';
import { plainMessage } from '../../store/database-error.ts';
import {
  type BookedNews,
  type NewsName,
  readBookedNews,
  readNewsOf,
  type VaultLine,
} from '../../store/rails/vault.ts';
import type { Services } from '../services/context.ts';
import { AGAIN } from '../services/news.ts';
import type { EntryKind, RailStatement, StatementEntry, StatementPeriod } from '../services/statement.ts';
import { kindOf, type ToldEntry } from './finding.ts';

/** PIX, as reports name it. */
export const PIX = 'pix';
/** What is read from a file of the bank, as reports name it. */
export const BANK_FILE = 'bank';

/** What is read. */
export interface ToldParts {
  readonly rail: string;
  readonly statement: RailStatement;
  readonly period: StatementPeriod;
  /** What nobody ordered before the days and nobody has booked; and what the ledger has of the days. */
  readonly waiting: readonly StatementEntry[];
  readonly ofDays: readonly VaultLine[];
  readonly isOfDay: (at: Date) => boolean;
}

/** Kinds of news by kind of entry; entries of networks say the name of their news themselves. */
const NEWS_KINDS: { readonly [Kind in EntryKind]?: string } = {
  payment: 'payment',
  refund: 'refund_ended',
  dispute: 'dispute_accepted',
  payout: 'payout_ended',
  payout_return: 'payout_returned',
};
/** What is asked for by the name of its news, where it was long before it was booked; of a network what it charged is read by the order. */
const NAMED = { pix: ['payment', 'payout', 'refund'], network: ['deposit'] };

/** @throws {GatewayError} `UNAVAILABLE` while the statement cannot be read. */
export async function readTold(
  { database, mode }: Pick<Services, 'database' | 'mode'>,
  { rail, statement, period, waiting, ofDays, isOfDay }: ToldParts,
): Promise<readonly ToldEntry[]> {
  const all = await asked(rail, () => statement.read(period));
  // What nobody ordered around the days is for the reports of those days: they say whether it waits.
  const read = all.filter(({ at, untold }) => untold !== 'capital' || isOfDay(at));
  const late = await foundByName(database, rail, statement, { read, ofDays });
  const entries = eachOnce([...waiting, ...read, ...late]);
  const booked = await bookedNews(database, mode, entries.map(nameOf));
  return entries.map((entry, index) => ({ entry, booked: booked[index], isOfDay: isOfDay(entry.at) }));
}

/** What of the days in the ledger was on the statement earlier than it was read. */
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
  const textOf = ({ kind, key }: NewsName) => `${kind} ${key}`;
  const there = new Set(read.map((entry) => textOf(nameOf(entry))));
  const names = (await readNewsOf(database, rail, lines)).filter((name) => !there.has(textOf(name)));
  return names.length > 0 ? asked(rail, () => find(names)) : [];
}

/** @returns what became of news, by its place. What was dropped and came again is told under a name of its own. */
async function bookedNews(
  database: Services['database'],
  mode: Services['mode'],
  names: readonly NewsName[],
): Promise<readonly (BookedNews | undefined)[]> {
  const byPlace = new Map((await readBookedNews(database, mode, names)).map((each) => [each.place, each]));
  const booked = names.map((_, index) => byPlace.get(index + 1));
  const dropped = names.flatMap(({ kind, key }, place) =>
    booked[place]?.isDropped ? [{ place, name: { kind, key: key + AGAIN } }] : [],
  );
  if (dropped.length === 0) return booked;
  const again = await bookedNews(
    database,
    mode,
    dropped.map(({ name }) => name),
  );
  const byAgain = new Map(dropped.map(({ place }, index) => [place, again[index]]));
  return booked.map((each, place) => byAgain.get(place) ?? each);
}

function nameOf({ kind, id, news }: StatementEntry): NewsName {
  return news ?? { kind: NEWS_KINDS[kind] ?? kind, key: `pix:${id}` };
}

/** A rail that is away is no fault of the gateway's. */
export async function asked<Answer>(rail: string, ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    const whose = rail === PIX ? 'the PIX provider' : rail;
    throw new GatewayError('UNAVAILABLE', `the statement of ${whose} cannot be read: ${plainMessage(error)}`);
  }
}

/** Pages may overlap; of what is told twice the last counts. */
function eachOnce(entries: readonly StatementEntry[]): readonly StatementEntry[] {
  return [...new Map(entries.map((entry) => [`${entry.kind} ${entry.id}`, entry])).values()];
}
