/** Settings of the inventory (docs/rails.md). */
import { currencyOf } from '../../base/money/currency.ts';
import { fromMinor } from '../../base/money/money.ts';
import { Settings, SettingsError } from '../../base/process/settings.ts';

/** Maximum holdings and debts of the house in a currency. Unit: minor units. */
export type PositionLimits = Readonly<ReturnType<typeof readLimits>>;

/** The limits by raw ledger code. */
export type InventorySettings = Readonly<ReturnType<typeof readInventorySettings>>;

/** @throws {SettingsError} naming the member and the accepted form. */
export function readInventorySettings(json: unknown, path: string) {
  const settings = new Settings(json, path);
  settings.choice('kind', ['inventory']);
  const positions = settings.end(settings.part('positions'));
  return { positions: new Map(positions.names().map((code) => [code, readLimits(positions, code)])) };
}

function readLimits(positions: Settings, code: string) {
  const currency = currencyOf(code);
  if (!currency)
    throw new SettingsError(`${positions.at(code)}: expected a currency such as USDT_TRX, or BRL`);
  const settings = positions.part(code);
  const limits = settings.end({
    currency,
    longMinor: settings.minor('long', currency.decimals, '0'),
    shortMinor: settings.minor('short', currency.decimals, '0'),
    targetMinor: settings.minor('target', currency.decimals, '0'),
  });
  if (limits.targetMinor > limits.longMinor)
    settings.refuse('target', `at most long, ${fromMinor(limits.longMinor, currency.decimals)}`);
  return limits;
}
