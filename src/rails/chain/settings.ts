/** Settings that networks have alike (docs/rails.md). */
import { addressForm, parseAddress } from '../../base/address.ts';
import { type Currency, currencyOf } from '../../base/currency.ts';
import { deriveDepositAddress } from '../../base/deposit-address.ts';
import { isDecimal, toMinor } from '../../base/money.ts';
import type { Settings } from '../../base/settings.ts';

/** @returns the extended public key that deposit addresses of a network come of. @throws {SettingsError} */
export function xpubOf(all: Settings, network: string): string {
  const xpub = all.text('xpub');
  try {
    deriveDepositAddress(network, xpub, 0);
    return xpub;
  } catch {
    return all.refuse('xpub', 'the extended public key of an account (xpub…, depth 3)');
  }
}

/** @returns the address of the hot wallet, in canonical form. @throws {SettingsError} */
export function hotAddressOf(all: Settings, network: string): string {
  const address = parseAddress(network, all.text('hotAddress'));
  return address ?? all.refuse('hotAddress', `the address of the hot wallet, ${addressForm(network)}`);
}

/** @returns amounts by currency, minor units: `{ "USDT_ETH": "50" }`; none where there is no such member. @throws {SettingsError} */
export function amountsOf(all: Settings, name: string): ReadonlyMap<string, bigint> {
  if (!all.has(name)) return new Map();
  const given = all.part(name);
  const found = given.names().map((code): [string, bigint] => {
    const currency: Currency | undefined = currencyOf(code);
    const amount = given.raw(code);
    if (!currency || typeof amount !== 'string' || !isDecimal(amount) || amount.startsWith('-'))
      return given.refuse(code, 'a currency of the catalogue with a decimal amount as a text, such as "50"');
    return [code, toMinor(amount, currency.decimals)];
  });
  return new Map(found);
}

/** @returns a time in milliseconds, from a member in seconds. @throws {SettingsError} */
export function millisFrom(all: Settings, name: string, min: number, max: number, fallback: number): number {
  return 1_000 * all.integer(name, { min, max, fallback });
}
