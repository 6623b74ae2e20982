/**
 * Conversion with the house's own funds, within limits for each currency. A conversion is booked before its answer,
 * which confirms or refuses it. Answers are given one at a time under one lock, so that conversions together never
 * exceed a limit. Orders that arrive meanwhile share the next lock and one query of the holdings.
 */

import { type Grow, groupCommit } from '../../base/concurrency/group-commit.ts';
import { BRL, type Currency, currencyOfLedger } from '../../base/money/currency.ts';
import { fromMinor, toMinor } from '../../base/money/money.ts';
import { withAccounts } from '../../resolvers/services/lock-accounts.ts';
import type { Check, RailPart, RailTools } from '../../resolvers/services/rail-part.ts';
import type { HousePosition, Liquidity, Order } from '../../resolvers/services/rails.ts';
import { platformAccount } from '../../store/account/accounts.ts';
import type { Tx } from '../../store/connection/database.ts';
import { isOutOfReach } from '../../store/connection/database-error.ts';
import {
  type ConversionAnswer,
  readConversions,
  readFunds,
  storeConversions,
} from '../../store/rails/inventory.ts';
import { networkFeeOf, sourceOf, targetOf } from '../../templates/amounts.ts';
import type { ProcessRow } from '../../templates/facts.ts';
import type { InventorySettings, PositionLimits } from './settings.ts';

export { readInventorySettings } from './settings.ts';

/** Amount of one currency in a conversion: positive in, negative out. */
interface Leg {
  readonly currency: Currency;
  readonly amountMinor: bigint;
}

/** Holdings of the house by raw ledger code. Unit: minor units. */
type Owned = Map<string, bigint>;

/** An order and its answer. */
interface Conversion {
  readonly accountId: bigint;
  readonly key: string;
  readonly row: ProcessRow;
  readonly answer: ConversionAnswer;
  readonly isNew: boolean;
  /** The leg that would exceed its position limit; set on new answers only. */
  readonly beyond: Leg | undefined;
}

/** Maximum number of orders that share a lock. */
const TOGETHER_MAX = 100;

/** @returns the rail, which has no background work. */
export function createInventory({ positions }: InventorySettings, tools: RailTools): RailPart<Liquidity> {
  const report = async () => {
    const limits = [...positions.values()];
    const owned = await readOwned(
      tools.database,
      tools.mode,
      limits.map(({ currency }) => currency),
    );
    return limits.map((each) => positionOf(each, ownedOf(owned, each.currency)));
  };
  return {
    port: { convert: converting(positions, tools), positions: report },
    checks: async () => (await report()).map(checkOf),
  };
}

function converting(positions: InventorySettings['positions'], tools: RailTools): Liquidity['convert'] {
  return groupCommit((_begun: readonly Order[], grow: Grow<Order>) => convert(positions, tools, grow), {
    max: TOGETHER_MAX,
    failsAll: isOutOfReach,
    keyOf: ({ key, row }) => `${row.accountId} ${key}`,
  });
}

async function convert(
  positions: InventorySettings['positions'],
  tools: RailTools,
  grow: Grow<Order>,
): Promise<ConversionAnswer[]> {
  const { database, mode, log } = tools;
  const house = await platformAccount(database, mode);
  const conversions = await withAccounts(tools, [house], async (tx, { at }) => {
    const all = await answerAll(
      tx,
      positions,
      mode,
      grow(() => true),
    );
    const fresh = all.filter(({ isNew }) => isNew);
    await storeConversions(tx, fresh, at);
    return all;
  });
  for (const { row, beyond } of conversions)
    if (beyond)
      log.warn(
        { mode, transaction: row.end2end, currency: beyond.currency.code },
        'a conversion exceeds a position limit',
      );
  return conversions.map((each) => each.answer);
}

/** Answers orders one at a time. A repeated order gets its first answer. */
async function answerAll(
  tx: Tx,
  positions: InventorySettings['positions'],
  mode: RailTools['mode'],
  orders: readonly Order[],
): Promise<Conversion[]> {
  const named = orders.map(({ key, row }) => ({ accountId: row.accountId, key, row }));
  const before = await readConversions(tx, named);
  const currencies = orders.flatMap(({ row }) => legsOf(row).map(({ currency }) => currency));
  const owned = await readOwned(tx, mode, currencies);
  return named.map((order, index) => {
    const known = before[index];
    if (known) return { ...order, answer: known, isNew: false, beyond: undefined };
    const beyond = move(positions, owned, legsOf(order.row));
    return { ...order, answer: beyond ? 'failed' : 'settled', isNew: true, beyond };
  });
}

/**
 * Applies a conversion to the holdings, for the next one under the lock, unless it would exceed a limit.
 * @returns the leg that would exceed its limit; undefined if none would.
 */
function move(
  positions: InventorySettings['positions'],
  owned: Owned,
  legs: readonly Leg[],
): Leg | undefined {
  const beyond = legs.find(
    (leg) => !fits(positions.get(leg.currency.code), ownedOf(owned, leg.currency), leg),
  );
  if (beyond) return beyond;
  for (const { currency, amountMinor } of legs)
    owned.set(currency.code, ownedOf(owned, currency) + amountMinor);
  return undefined;
}

function legsOf(row: ProcessRow): readonly Leg[] {
  const [source, target] = [sourceOf(row), targetOf(row)];
  const spent = target.amount + networkFeeOf(row, target.currency);
  return [
    { currency: source.currency, amountMinor: source.amount },
    { currency: target.currency, amountMinor: -spent },
  ];
}

/**
 * Checks a limit. BRL without limits is unlimited; crypto without limits cannot be converted. A conversion that reduces
 * a position is always accepted.
 */
function fits(
  limits: PositionLimits | undefined,
  ownedMinor: bigint,
  { currency, amountMinor }: Leg,
): boolean {
  if (!limits) return currency.code === BRL.code;
  const then = ownedMinor + amountMinor;
  return amountMinor > 0n ? then <= limits.longMinor : then >= -limits.shortMinor;
}

/** @returns the house's holdings of each currency, without refused and unanswered conversions. */
async function readOwned(tx: Tx, mode: RailTools['mode'], currencies: readonly Currency[]): Promise<Owned> {
  const rows = await readFunds(
    tx,
    mode,
    currencies.map(({ code }) => code),
  );
  return new Map(
    rows.map(({ currency, bookedMinor, open }) => {
      const openMinor = toMinor(open ?? '0', currencyOfLedger(currency).decimals);
      return [currency, BigInt(bookedMinor ?? 0) - openMinor];
    }),
  );
}

function ownedOf(owned: Owned, { code }: Currency): bigint {
  return owned.get(code) ?? 0n;
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

function checkOf({ currency, owned, long, short, target, isWithin }: HousePosition): Check {
  const least = short === '0' ? '0' : `-${short}`;
  const detail = `${owned} of ${least} to ${long}, target ${target}`;
  return { check: `position in ${currency.code}`, ok: isWithin, detail };
}
