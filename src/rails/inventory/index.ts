/**
 * Conversion against the house's own funds, within limits by currency. The conversion is booked when it is asked for; the answer
 * says whether it stands. Answers are given one after another, under one lock, so they never pass a limit together.
 */
import { BRL, type Currency, currencyOfLedger } from '../../base/currency.ts';
import { fromMinor, toMinor } from '../../base/money.ts';
import { lockAccounts } from '../../resolvers/services/lock-accounts.ts';
import type { RailCheck, RailPart, RailTools } from '../../resolvers/services/rail-part.ts';
import type { HousePosition, Liquidity, Order } from '../../resolvers/services/rails.ts';
import { platformAccount } from '../../store/account/accounts.ts';
import type { Tx } from '../../store/database.ts';
import {
  type ConversionAnswer,
  keepConversion,
  readConversion,
  readFunds,
} from '../../store/rails/inventory.ts';
import { networkFeeOf, sourceOf, targetOf } from '../../templates/amounts.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import type { InventorySettings, PositionLimits } from './settings.ts';

export { readInventorySettings } from './settings.ts';

/** What a conversion moves in one currency: in above zero, out below. */
interface Leg {
  readonly currency: Currency;
  readonly amountMinor: bigint;
}

/** @returns the rail; nothing runs for it. */
export function createInventory({ positions }: InventorySettings, tools: RailTools): RailPart<Liquidity> {
  const report = async () => {
    const limits = [...positions.values()];
    const owned = await readOwned(
      tools.database,
      tools.mode,
      limits.map(({ currency }) => currency),
    );
    return limits.map((each) => positionOf(each, owned(each.currency)));
  };
  return {
    port: { convert: (order) => convert(positions, tools, order), positions: report },
    checks: async () => (await report()).map(checkOf),
  };
}

async function convert(
  positions: InventorySettings['positions'],
  tools: RailTools,
  { key, row }: Order,
): Promise<ConversionAnswer> {
  const { database, mode, log } = tools;
  const house = await platformAccount(database, mode);
  const order = { accountId: row.accountId, key };
  const legs = legsOf(row);
  return database.withTx(async (tx) => {
    const { nowMs } = await lockAccounts(tx, tools, [house]);
    const before = await readConversion(tx, order);
    if (before) return before;
    const owned = await readOwned(
      tx,
      mode,
      legs.map(({ currency }) => currency),
    );
    const beyond = legs.find((leg) => !fits(positions.get(leg.currency.code), owned(leg.currency), leg));
    const answer = beyond ? 'failed' : 'settled';
    if (beyond)
      log.warn(
        { mode, end2end: row.end2end, currency: beyond.currency.code },
        'a conversion is beyond the limit of a position',
      );
    await keepConversion(tx, order, answer, new Date(nowMs));
    return answer;
  });
}

function legsOf(row: ProcessRow): readonly Leg[] {
  const [source, target] = [sourceOf(row), targetOf(row)];
  const given = target.amount + networkFeeOf(row, target.currency);
  return [
    { currency: source.currency, amountMinor: source.amount },
    { currency: target.currency, amountMinor: -given },
  ];
}

/** BRL without limits is not limited; crypto without limits is not converted. What brings a position back is never refused. */
function fits(
  limits: PositionLimits | undefined,
  ownedMinor: bigint,
  { currency, amountMinor }: Leg,
): boolean {
  if (!limits) return currency.code === BRL.code;
  const then = ownedMinor + amountMinor;
  return amountMinor > 0n ? then <= limits.longMinor : then >= -limits.shortMinor;
}

/** @returns what the house owns in each currency, minor units, without conversions that have no answer yet or were refused. */
async function readOwned(
  tx: Tx,
  mode: RailTools['mode'],
  currencies: readonly Currency[],
): Promise<(currency: Currency) => bigint> {
  const rows = await readFunds(
    tx,
    mode,
    currencies.map(({ code }) => code),
  );
  const owned = new Map(
    rows.map(({ currency, bookedMinor, open }) => {
      const openMinor = toMinor(open ?? '0', currencyOfLedger(currency).decimals);
      return [currency, BigInt(bookedMinor ?? 0) - openMinor];
    }),
  );
  return ({ code }) => owned.get(code) ?? 0n;
}

function positionOf({ currency, ...limits }: PositionLimits, ownedMinor: bigint): HousePosition {
  const text = (minor: bigint) => fromMinor(minor, currency.decimals);
  return {
    currency,
    owned: text(ownedMinor),
    target: text(limits.targetMinor),
    long: text(limits.longMinor),
    short: text(limits.shortMinor),
    missing: text(limits.targetMinor - ownedMinor),
    isWithin: ownedMinor <= limits.longMinor && ownedMinor >= -limits.shortMinor,
  };
}

function checkOf({ currency, owned, long, short, target, isWithin }: HousePosition): RailCheck {
  const least = short === '0' ? '0' : `-${short}`;
  const detail = `${owned} of ${least} to ${long}, target ${target}`;
  return { check: `position in ${currency.code}`, ok: isWithin, detail };
}
