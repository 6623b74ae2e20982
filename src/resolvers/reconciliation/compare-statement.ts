/** Compares the statement of a rail for some days with the ledger: entries with lines, and the balances. */

import { currencyOfLedger } from '../../base/money/currency.ts';
import { toMinor } from '../../base/money/money.ts';
import { brasiliaDay, brasiliaMidnight, dayAfter } from '../../base/time/brasilia-day.ts';
import { type Instant, instantOf, millisOf } from '../../base/time/instant.ts';
import type { NewReconciliation } from '../../store/rails/reconciliation.ts';
import type { RunProgress } from '../../store/rails/reconciliation-run.ts';
import {
  BANK,
  networkVault,
  readLinesBetween,
  readLinesOf,
  readOpenSuspense,
  type VaultLine,
} from '../../store/rails/vault.ts';
import type { Services } from '../services/context.ts';
import type { RailStatement, ReportedBalance, StatementEntry } from '../services/statement.ts';
import { entryFinding, type Finding } from './finding.ts';
import { keyOf, readKnown, type StoredEntry, storedEntries } from './known-entries.ts';
import {
  MANUAL_JOURNALS,
  MANUAL_WITHIN_DAYS,
  matchStatement,
  moneyOf,
  moneyOfLine,
  nameOf,
} from './match-statement.ts';
import { BANK_FILE, PIX, queryRail, readReported } from './reported-entries.ts';

/** Maximum number of findings that a report stores; their counts are exact. */
export const FINDINGS_MAX = 1_000;

/** Total of a currency. */
export interface ComparedBalance extends ReportedBalance {
  readonly agrees: boolean;
}

/** Parts of a comparison. */
export interface Comparison {
  /** `pix`, `bank`, or the name of a network. */
  readonly rail: string;
  readonly statement: RailStatement;
  /** Brasília days in a row: a line of the ledger matches one entry of all of them. */
  readonly days: readonly [string, ...string[]];
  readonly nowMs: number;
  /** Whether the present balance is evidence about the last day. */
  readonly withBalances: boolean;
  /** Called as the comparison goes on. */
  readonly report?: (progress: RunProgress) => void;
}

/** A report before it is stored. */
export interface Report extends Omit<NewReconciliation, 'madeBy' | 'source'> {
  /** Made each time that they are read: those of a file's days may be hundreds of thousands. */
  readonly findings: readonly Finding[];
  readonly entries: readonly StoredEntry[];
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Margins before and after the days for which the statement (`told`) and the ledger (`booked`) are read. Unit: ms. */
const MARGINS = {
  /** Late bookings have their entry on the day before; immediate ones may appear on the statement a little later. */
  pix: { told: [DAY_MS, HOUR_MS], booked: [0, 0] },
  /** Final transfers are booked soon after, and late ones are found by their name. */
  network: { told: [HOUR_MS, HOUR_MS], booked: [0, 0] },
  /** Entries may match lines of the neighbouring days; those of today count as noon, even before it. */
  bank: { told: [0, DAY_MS], booked: [DAY_MS, DAY_MS] },
} as const;
const MANUAL_WITHIN_MS = MANUAL_WITHIN_DAYS * DAY_MS;

/** @returns a report for each day. @throws {GatewayError} `UNAVAILABLE` while the statement cannot be read. */
export async function compareStatement(
  services: Pick<Services, 'database' | 'mode'>,
  { rail, statement, days, nowMs, withBalances, report }: Comparison,
): Promise<readonly Report[]> {
  const { database, mode } = services;
  const vault = isNetwork(rail) ? networkVault(rail) : BANK;
  const { own, held, waiting } = await readKnown(services, rail, days);
  const periods = periodsOf({ rail, days, nowMs }, waiting[0]?.at);
  // The ledger first: bookings made while the statement is read are not missing there.
  const ofPeriod = await readLinesBetween(database, mode, vault, periods.booked);
  const manual = isNetwork(rail)
    ? await readLinesBetween(database, mode, vault, periods.byHand, MANUAL_JOURNALS)
    : [];
  const isOfDay = (ms: number) => ms >= periods.from && ms < periods.end;
  const isLineOfDay = ({ postedAt }: VaultLine) => isOfDay(millisOf(postedAt));
  const found = new Map(days.map((day) => [day, new DayFindings()]));
  const moneys = new Set(ofPeriod.map(moneyOfLine));
  // Of the many movements of a file, only those with an amount that the ledger has are compared with its lines.
  const isMissing = (entry: StatementEntry): boolean => {
    if (rail !== BANK_FILE || entry.untold !== 'any' || moneys.has(moneyOf(entry))) return false;
    found.get(brasiliaDay(entry.at.getTime()))?.addMissing(entry);
    return true;
  };
  const reported = await readReported(services, {
    ...{ rail, statement, waiting, period: periods.told },
    ofDays: ofPeriod.filter(isLineOfDay),
    isOfDay: (at) => isOfDay(at.getTime()),
    isMissing,
    report,
  });
  report?.({ phase: 'comparing', done: reported.length, total: reported.length });
  const booked = reported.flatMap(({ booked }) => booked ?? []);
  const lines = [...ofPeriod, ...manual, ...(await readLinesOf(database, vault, booked))];
  const free = lines.filter((line) => !held.has(nameOf(line)));
  const match = matchStatement(reported, free, {
    ...{ isOfDay: isLineOfDay, kinds: statement.kinds },
    before: (entry) => own.get(keyOf(entry)),
  });
  const stored = storedEntries(reported, match, days);
  const agreed = Map.groupBy(match.agreed, ({ entry }) => brasiliaDay(entry.at.getTime()));
  for (const finding of match.findings) found.get(brasiliaDay(millisOf(finding.at)))?.add(finding);
  const reports: Report[] = [];
  for (const day of days) {
    const until = new Date(Math.min(brasiliaMidnight(dayAfter(day)), nowMs));
    const balances = withBalances && day === days.at(-1) ? await balancesOf(rail, statement) : [];
    const findings = found.get(day) ?? new DayFindings();
    for (const finding of balances.flatMap((each) => balanceFinding(each, nowMs))) findings.add(finding);
    const suspense = await readOpenSuspense(database, mode, vault, until);
    const oldest = [findings.oldestAt(), suspense.oldestAt].filter((at) => at != null).toSorted();
    reports.push({
      ...{ rail, day, until: instantOf(until), madeAt: instantOf(new Date(nowMs)) },
      matched: agreed.get(day)?.length ?? 0,
      ...findings.counts(),
      ...{ inSuspense: suspense.count, oldestOpenAt: oldest[0] ?? null },
      get findings() {
        return findings.first();
      },
      balances,
      entries: stored.get(day) ?? [],
    });
  }
  return reports;
}

/** Findings of a day: their exact numbers, and the first `FINDINGS_MAX` of them. */
class DayFindings {
  /** Of entries that no line can stand for, and all others; each the oldest first. */
  readonly #missing: StatementEntry[] = [];
  readonly #others: Finding[] = [];
  readonly #counts = new Map<Finding['finding'], number>();

  add(finding: Finding): void {
    this.#count(finding.finding);
    if (this.#others.length < FINDINGS_MAX) this.#others.push(finding);
  }

  addMissing(entry: StatementEntry): void {
    this.#count('missing_here');
    if (this.#missing.length < FINDINGS_MAX) this.#missing.push(entry);
  }

  first(): readonly Finding[] {
    const missing = this.#missing.map((entry) =>
      entryFinding({ entry, booked: undefined, isOfDay: true }, undefined),
    );
    return [...missing, ...this.#others]
      .toSorted((one, other) => millisOf(one.at) - millisOf(other.at))
      .slice(0, FINDINGS_MAX);
  }

  oldestAt(): Instant | undefined {
    const missing = this.#missing[0] && instantOf(this.#missing[0].at);
    return [missing, this.#others[0]?.at].filter((at) => at != null).toSorted()[0];
  }

  counts() {
    const count = (kind: Finding['finding']) => this.#counts.get(kind) ?? 0;
    return {
      missingHere: count('missing_here'),
      missingThere: count('missing_there'),
      amountDiffers: count('amount_differs'),
      detailsDiffer: count('details_differ'),
      balancesDiffer: count('balance_differs'),
    };
  }

  #count(kind: Finding['finding']): void {
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
  }
}

function isNetwork(rail: string): boolean {
  return rail !== PIX && rail !== BANK_FILE;
}

/**
 * The past part of the days, and the margins that are read around them.
 *
 * @param since - time of the oldest entry that waits for a booking.
 */
function periodsOf({ rail, days, nowMs }: Pick<Comparison, 'rail' | 'days' | 'nowMs'>, since?: Date) {
  const { told: reported, booked } = isNetwork(rail) ? MARGINS.network : MARGINS[rail as 'pix' | 'bank'];
  const from = brasiliaMidnight(days[0]);
  const end = brasiliaMidnight(dayAfter(days.at(-1) ?? days[0]));
  const to = Math.min(end, nowMs);
  // Providers refuse a period that has not begun; clocks of networks may be ahead of ours.
  const last = rail === PIX ? nowMs : Infinity;
  return {
    from,
    end,
    told: {
      from: new Date(from - reported[0]),
      to: new Date(Math.min(to + reported[1], last)),
      ...(end <= nowMs && { whole: new Date(end) }),
    },
    booked: { from: new Date(from - booked[0]), to: new Date(Math.min(to + booked[1], nowMs)) },
    byHand: {
      from: new Date(since ? brasiliaMidnight(brasiliaDay(since.getTime())) : from),
      to: new Date(Math.min(to + MANUAL_WITHIN_MS, nowMs)),
    },
  };
}

async function balancesOf(rail: string, { balances }: RailStatement): Promise<readonly ComparedBalance[]> {
  const reported = balances ? await queryRail(rail, balances) : [];
  return reported.map((each) => {
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
