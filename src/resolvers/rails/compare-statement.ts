/** Compares the statement of a rail for a day with the ledger: entries with lines, and what there is in all. */
import { brasiliaMidnight, dayAfter } from '../../base/brasilia-day.ts';
import { currencyOfLedger } from '../../base/currency.ts';
import { GatewayError } from '../../base/errors.ts';
import { type Instant, instantOf, millisOf } from '../../base/instant.ts';
import { toMinor } from '../../base/money.ts';
import { plainMessage } from '../../store/database-error.ts';
import type { NewReconciliation } from '../../store/rails/reconciliation.ts';
import {
  BANK,
  networkVault,
  readBookedNews,
  readDepositNews,
  readLinesBetween,
  readLinesOf,
  readOpenSuspense,
  type VaultLine,
} from '../../store/rails/vault.ts';
import type { Services } from '../services/context.ts';
import type { EntryKind, RailStatement, StatementEntry, ToldBalance } from '../services/statement.ts';
import { type Finding, matchStatement, type ToldEntry } from './match-statement.ts';

/** Findings that a report keeps at most; their numbers are exact. */
export const FINDINGS_MAX = 1_000;
/** PIX, as reports name it. */
export const PIX = 'pix';
/** What is read from a file of the bank, as reports name it. */
export const BANK_FILE = 'bank';

/** What there is of a currency in all. */
export interface ComparedBalance extends ToldBalance {
  readonly agrees: boolean;
}

/** What is compared. */
export interface Comparison {
  /** `pix`, `bank`, or the name of a network. */
  readonly rail: string;
  readonly statement: RailStatement;
  /** In Brasília. */
  readonly day: string;
  readonly nowMs: number;
  /** Whether what there is now says something about the day. */
  readonly withBalances: boolean;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** How much before and after a day its statement is read (`told`), and the ledger (`booked`). Unit: ms. */
const MARGINS = {
  /** What is booked late has its entry on the day before; what is booked at once may be on the statement a little later. */
  pix: { told: [DAY_MS, HOUR_MS], booked: [0, 0] },
  /** What is final is booked soon after, and what took very long is asked for by its name; people book transfers later. */
  network: { told: [HOUR_MS, HOUR_MS], booked: [0, DAY_MS] },
  /** Entries of the day before and after have lines of the days next to them. */
  bank: { told: [DAY_MS, DAY_MS], booked: [2 * DAY_MS, 2 * DAY_MS] },
} as const;
/** Kinds of news by kind of entry; entries of networks say the name of their news themselves. */
const NEWS_KINDS: { readonly [Kind in EntryKind]?: string } = {
  payment: 'payment',
  refund: 'refund_ended',
  dispute: 'dispute_accepted',
  payout: 'payout_ended',
  payout_return: 'payout_returned',
};

/** @throws {GatewayError} `UNAVAILABLE` while the statement cannot be read. */
export async function compareStatement(
  { database, mode }: Pick<Services, 'database' | 'mode'>,
  { rail, statement, day, nowMs, withBalances }: Comparison,
): Promise<Omit<NewReconciliation, 'madeBy' | 'source'>> {
  const vault = isNetwork(rail) ? networkVault(rail) : BANK;
  const { from, to, end, told: around, booked: inLedger } = periodsOf({ rail, day, nowMs });
  // The ledger first: what comes while the statement is read is not missing there.
  const near = await readLinesBetween(database, mode, vault, inLedger);
  const read = await asked(rail, () => statement.read(around));
  const isOfDay = (at: Date | Instant) => {
    const ms = typeof at === 'string' ? millisOf(at) : at.getTime();
    return ms >= from && ms < end;
  };
  const ofDay = near.filter(({ postedAt }) => isOfDay(postedAt));
  const entries = eachOnce([...read, ...(await foundByName(database, rail, statement, { read, ofDay }))]);
  const names = entries.map(nameOf);
  const booked = await readBookedNews(database, mode, names);
  const byPlace = new Map(booked.map((each) => [each.place, each]));
  const told = entries.map(
    (entry, index): ToldEntry => ({ entry, booked: byPlace.get(index + 1), isOfDay: isOfDay(entry.at) }),
  );
  const lines = [...near, ...(await readLinesOf(database, vault, booked))];
  const { matched, findings: moved } = matchStatement(told, lines, {
    isOfDay: ({ postedAt }) => isOfDay(postedAt),
    kinds: statement.kinds,
  });
  const balances = withBalances ? await balancesOf(rail, statement) : [];
  const findings = [...moved, ...balances.flatMap((each) => balanceFinding(each, nowMs))];
  const suspense = await readOpenSuspense(database, mode, vault, new Date(to));
  const count = (kind: Finding['finding']) => findings.filter(({ finding }) => finding === kind).length;
  const oldest = [findings[0]?.at, suspense.oldestAt].filter((at) => at != null).toSorted();
  return {
    rail,
    day,
    until: instantOf(new Date(to)),
    madeAt: instantOf(new Date(nowMs)),
    matched,
    missingHere: count('missing_here'),
    missingThere: count('missing_there'),
    amountDiffers: count('amount_differs'),
    detailsDiffer: count('details_differ'),
    balancesDiffer: count('balance_differs'),
    inSuspense: suspense.count,
    oldestOpenAt: oldest[0] ?? null,
    findings: findings.slice(0, FINDINGS_MAX),
    balances,
  };
}

function isNetwork(rail: string): boolean {
  return rail !== PIX && rail !== BANK_FILE;
}

/** The day as far as it is over, and what is read around it. */
function periodsOf({ rail, day, nowMs }: Pick<Comparison, 'rail' | 'day' | 'nowMs'>) {
  const { told, booked } = isNetwork(rail) ? MARGINS.network : MARGINS[rail as 'pix' | 'bank'];
  const from = brasiliaMidnight(day);
  const end = brasiliaMidnight(dayAfter(day));
  const to = Math.min(end, nowMs);
  // Providers refuse a period that has not begun; clocks of networks may be ahead of ours.
  const last = rail === PIX ? nowMs : Infinity;
  return {
    from,
    to,
    end,
    told: { from: new Date(from - told[0]), to: new Date(Math.min(to + told[1], last)) },
    booked: { from: new Date(from - booked[0]), to: new Date(Math.min(to + booked[1], nowMs)) },
  };
}

/** Deposits of the day in the ledger that were on the statement earlier than it was read. */
async function foundByName(
  database: Services['database'],
  rail: string,
  { find }: RailStatement,
  { read, ofDay }: { readonly read: readonly StatementEntry[]; readonly ofDay: readonly VaultLine[] },
): Promise<readonly StatementEntry[]> {
  if (!find) return [];
  const deposits = ofDay.filter(({ name }) => name === 'L31' || name === 'L37');
  const there = new Set(read.map((entry) => nameOf(entry).key));
  const keys = (await readDepositNews(database, rail, deposits)).filter((key) => !there.has(key));
  return keys.length > 0 ? asked(rail, () => find(keys)) : [];
}

async function balancesOf(rail: string, { balances }: RailStatement): Promise<readonly ComparedBalance[]> {
  const told = balances ? await asked(rail, balances) : [];
  return told.map((each) => {
    const { decimals } = currencyOfLedger(each.currency);
    const [there, here, inFlight] = [each.there, each.here, each.inFlight].map((text) =>
      toMinor(text, decimals),
    ) as [bigint, bigint, bigint];
    return { ...each, agrees: there === here + inFlight };
  });
}

function balanceFinding(
  { currency, there, here, inFlight, agrees }: ComparedBalance,
  nowMs: number,
): readonly Finding[] {
  if (agrees) return [];
  const unknown = { id: null, account: null, transaction: null, journal: null };
  return [
    {
      ...unknown,
      finding: 'balance_differs',
      kind: 'balance',
      currency,
      amountThere: there,
      amountHere: here,
      at: instantOf(new Date(nowMs)),
      why: `${inFlight} are in flight; the rest is in no entry of a statement that agrees`,
    },
  ];
}

function nameOf({ kind, id, news }: StatementEntry) {
  return news ?? { kind: NEWS_KINDS[kind] ?? kind, key: `pix:${id}` };
}

/** A rail that is away is no fault of the gateway's. */
async function asked<Answer>(rail: string, ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    const whose = rail === PIX ? 'the PIX provider' : rail;
    throw new GatewayError('UNAVAILABLE', `the statement of ${whose} cannot be read: ${plainMessage(error)}`);
  }
}

/** Pages may overlap. */
function eachOnce(entries: readonly StatementEntry[]): readonly StatementEntry[] {
  return [...new Map(entries.map((entry) => [`${entry.kind} ${entry.id}`, entry])).values()];
}
