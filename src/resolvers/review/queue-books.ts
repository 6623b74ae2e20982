/** Cases of the books and of prices. */
import { currencyOfLedger } from '../../base/money/currency.ts';
import { fromMinor } from '../../base/money/money.ts';
import { brasiliaDay, brasiliaMidnight, dayAfter } from '../../base/time/brasilia-day.ts';
import { isoMillis } from '../../base/time/instant.ts';
import { readWaitingPrices } from '../../store/engine/price-proposals.ts';
import { readLastClose } from '../../store/ledger/book-closes.ts';
import { readManualJournals } from '../../store/ledger/manual-journals.ts';
import { readFoundDefects } from '../../store/ledger/verify-state.ts';
import { readOpenReconciliations } from '../../store/rails/reconciliation.ts';
import { APPROVAL_MS } from '../../templates/money-out.ts';
import { after, CASES_MAX, type CaseReader, type FoundCase, ofHouse } from './found-case.ts';

/** Number of days of reports that are scanned. */
const REPORT_DAYS = 60;
const DAY_MS = 86_400_000;

/** @returns manual journals that wait for a second person, oldest first. */
export async function readJournals({ context }: CaseReader): Promise<readonly FoundCase[]> {
  const filter = { state: 'proposed', limit: CASES_MAX } as const;
  const journals = await readManualJournals(context.database, context.mode, filter);
  return journals
    .map(({ id, accountId, currency, amountMinor, reason, madeAt }) => ({
      ...ofHouse(String(id), isoMillis(madeAt)),
      accountId,
      money: { currency, amount: fromMinor(amountMinor, currencyOfLedger(currency).decimals) },
      detail: reason,
    }))
    .toReversed();
}

/** @returns prices of the platform that wait for a second person, oldest first. */
export async function readPrices({ context }: CaseReader): Promise<readonly FoundCase[]> {
  const since = new Date((await context.clock.nowMs()) - APPROVAL_MS);
  const waiting = await readWaitingPrices(context.database, context.mode, { since, limit: CASES_MAX });
  return waiting.map(({ accountId, template, madeAt }) => ({
    ...ofHouse(template, madeAt),
    accountId,
    dueAt: after(madeAt, APPROVAL_MS),
    detail: template,
  }));
}

/** @returns days that are not closed: each is due by the end of the day after it; before the first close no day is. */
export async function readUnclosedDays({ context }: CaseReader): Promise<readonly FoundCase[]> {
  const { database, mode, clock } = context;
  const last = await readLastClose(database, mode);
  if (!last) return [];
  const today = brasiliaDay(await clock.nowMs());
  const found: FoundCase[] = [];
  for (let day = dayAfter(last.day); day < today && found.length < CASES_MAX; day = dayAfter(day)) {
    const since = new Date(brasiliaMidnight(dayAfter(day))).toISOString();
    const dueAt = new Date(brasiliaMidnight(dayAfter(day, 2))).toISOString();
    found.push({ ...ofHouse(day, since), dueAt, detail: day });
  }
  return found;
}

/** @returns reconciliations of the last days with open findings. */
export async function readReports({ context }: CaseReader): Promise<readonly FoundCase[]> {
  const since = brasiliaDay((await context.clock.nowMs()) - REPORT_DAYS * DAY_MS);
  const reports = await readOpenReconciliations(context.database, context.mode, { since, limit: CASES_MAX });
  return reports.map(({ rail, day, madeAt, oldestOpenAt }) => ({
    ...ofHouse(`${rail}/${day}`, isoMillis(oldestOpenAt ?? madeAt)),
    detail: rail,
  }));
}

/** @returns defects of the books. One journal can have several defects of the same name: they are one case. */
export async function readDefects({ context }: CaseReader): Promise<readonly FoundCase[]> {
  const found = await readFoundDefects(context.database, context.mode, CASES_MAX);
  const cases = found.map(({ accountId, defect: [name, at, detail], foundAt }) => ({
    ...ofHouse(at === null ? name : `${name}/${at}`, isoMillis(foundAt)),
    accountId,
    detail: `${name}: ${detail}`,
  }));
  return [...new Map(cases.map((each) => [`${each.accountId} ${each.reference}`, each])).values()];
}
