/** Settings of the inventory (docs/rails.md). */
import { type Currency, currencyOf } from '../../base/currency.ts';
import { fromMinor, toMinor } from '../../base/money.ts';
import { Settings, SettingsError } from '../../base/settings.ts';

/** How much of a currency the house may own or owe; minor units. */
export interface PositionLimits {
  readonly currency: Currency;
  readonly longMinor: bigint;
  readonly shortMinor: bigint;
  readonly targetMinor: bigint;
}

/** The limits by raw ledger code. */
export interface InventorySettings {
  readonly positions: ReadonlyMap<string, PositionLimits>;
}

/** @throws {SettingsError} naming the member and the accepted form. */
export function readInventorySettings(json: unknown, path: string): InventorySettings {
  const given = new Settings(json, path);
  given.choice('kind', ['inventory']);
  const positions = given.part('positions');
  given.end();
  return { positions: new Map(positions.names().map((code) => [code, readLimits(positions, code)])) };
}

function readLimits(positions: Settings, code: string): PositionLimits {
  const currency = currencyOf(code);
  if (!currency)
    throw new SettingsError(`${positions.at(code)}: expected a currency such as USDT_TRX, or BRL`);
  const given = positions.part(code);
  const limits = {
    currency,
    longMinor: amountIn(given, 'long', currency),
    shortMinor: amountIn(given, 'short', currency),
    targetMinor: amountIn(given, 'target', currency),
  };
  given.end();
  if (limits.targetMinor > limits.longMinor)
    given.refuse('target', `at most long, ${fromMinor(limits.longMinor, currency.decimals)}`);
  return limits;
}

function amountIn(given: Settings, name: string, { code, decimals }: Currency): bigint {
  const text = given.decimal(name, '0');
  try {
    return toMinor(text, decimals);
  } catch {
    return given.refuse(name, `at most ${decimals} decimals, as ${code} has`);
  }
}
