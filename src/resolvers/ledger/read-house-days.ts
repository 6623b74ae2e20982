/** Volume and margin of the house by Brasília day, for the operator. */
import { invalidParameters } from '../../base/errors/errors.ts';
import { BRL, currencyOfLedger } from '../../base/money/currency.ts';
import { fromMinor, multiply, roundHalfUp, sum } from '../../base/money/money.ts';
import { brasiliaDay, dayAfter } from '../../base/time/brasilia-day.ts';
import { classOf, type HouseAccount } from '../../ledger/chart.ts';
import { readRates } from '../../store/engine/pricing.ts';
import { type HouseDayRow, readHouseDays } from '../../store/ledger/house-days.ts';
import { type Context, requireScope } from '../services/context.ts';
import { boundsOf } from './read-books.ts';

/** One day of the house; BRL as decimal text. */
export interface HouseDay {
  /** `YYYY-MM-DD` in Brasília. */
  readonly day: string;
  readonly pixIn: string;
  readonly pixOut: string;
  /** Revenue less expenses at the newest rates; null where a currency has none. */
  readonly margin: string | null;
}

/** Maximum number of days that are read at once. */
export const HOUSE_DAYS_MAX = 62;

const RESULT: readonly HouseAccount[] = ['R.fee', 'R.netfee', 'R.dust', 'X.gas', 'X.loss'];
const SETTLEMENT: HouseAccount = 'A.pix';
/** Journals of capital (L65, L66): it is no volume. */
const CAPITAL = ['L65', 'L66'];

/**
 * @param days - number of days, today among them.
 * @returns every day, oldest first; null where the house has too many ledger lines in that time to add them up.
 * @throws {GatewayError} `FORBIDDEN` without `platform:books`; `INVALID_PARAMETER`.
 */
export async function listHouseDays(context: Context, days: number): Promise<readonly HouseDay[] | null> {
  requireScope(context, 'platform:books');
  if (days < 1 || days > HOUSE_DAYS_MAX)
    throw invalidParameters([
      { parameter: 'days', message: `must be an integer from 1 to ${HOUSE_DAYS_MAX}` },
    ]);
  const { database, mode, clock } = context;
  const today = brasiliaDay(await clock.nowMs());
  const first = dayAfter(today, 1 - days);
  const filter = { mode, houses: [SETTLEMENT, ...RESULT], without: CAPITAL, ...boundsOf(first, today) };
  const [rows, rates] = await Promise.all([readHouseDays(database, filter), readRates(database, mode)]);
  if (!rows) return null;
  const byDay = Map.groupBy(rows, ({ day }) => day);
  return Array.from({ length: days }, (_, at) => {
    const day = dayAfter(first, at);
    return { day, ...amountsOf(byDay.get(day) ?? [], rates) };
  });
}

function amountsOf(rows: readonly HouseDayRow[], rates: ReadonlyMap<string, string>): Omit<HouseDay, 'day'> {
  const pix = rows.filter(({ house, currency }) => house === SETTLEMENT && currency === BRL.code);
  const amount = (member: 'debits' | 'credits') => sum(pix.map((row) => fromMinor(row[member], row.scale)));
  return { pixIn: amount('debits'), pixOut: amount('credits'), margin: marginOf(rows, rates) };
}

/** Revenue is a credit and an expense a debit, so credits less debits is the sum that both add to the margin. */
function marginOf(rows: readonly HouseDayRow[], rates: ReadonlyMap<string, string>): string | null {
  const result = rows.filter(({ house }) => ['HOUSE_REVENUE', 'HOUSE_EXPENSE'].includes(classOf(house)));
  const worth = result.map(({ currency, credits, debits, scale }) => {
    const rate = rates.get(currencyOfLedger(currency).asset);
    return rate && multiply(fromMinor(BigInt(credits) - BigInt(debits), scale), rate);
  });
  const known = worth.filter((each) => each !== undefined);
  return known.length < worth.length ? null : roundHalfUp(sum(known), BRL.decimals);
}
