/** Settings that networks have alike (docs/rails.md). */
import { addressForm, parseAddress } from '../../base/address.ts';
import { currencyOf } from '../../base/currency.ts';
import { deriveDepositAddress } from '../../base/deposit-address.ts';
import { toMinor } from '../../base/money.ts';
import type { Settings } from '../../base/settings.ts';

const PROVIDERS_MAX = 5;

/**
 * @param form - of the objects that may stand in place of a URL, in words.
 * @param nodeOf - reads one of them.
 * @returns the nodes, the preferred one first; none twice, because one node would agree with itself. @throws {SettingsError}
 */
export function nodesOf<Node extends { readonly url: string }>(
  all: Settings,
  form: string,
  nodeOf: (json: unknown, path: string) => Node,
): readonly Node[] {
  const given = all.raw('providers');
  if (!Array.isArray(given) || given.length === 0 || given.length > PROVIDERS_MAX)
    return all.refuse('providers', `a list of one to ${PROVIDERS_MAX} URLs, or objects with ${form}`);
  const nodes = given.map((json: unknown, index) => nodeOf(json, `${all.at('providers')}[${index}]`));
  if (new Set(nodes.map(({ url }) => new URL(url).href)).size < nodes.length)
    return all.refuse('providers', 'each node once');
  return nodes;
}

/** @returns the extended public key that deposit addresses of a network come of. @throws {SettingsError} */
export function xpubOf(all: Settings, network: string): string {
  const xpub = all.text('xpub');
  try {
    deriveDepositAddress(network, xpub, 0);
    return xpub;
  } catch {
    return all.refuse(
      'xpub',
      'the extended public key of an account (xpub…, depth 3; private keys belong to the signer)',
    );
  }
}

/** @returns the address of the hot wallet, in canonical form. @throws {SettingsError} */
export function hotAddressOf(all: Settings, network: string): string {
  const address = parseAddress(network, all.text('hotAddress'));
  return address ?? all.refuse('hotAddress', `the address of the hot wallet, ${addressForm(network)}`);
}

/** @returns an amount in minor units of so many decimals. @throws {SettingsError} */
export function minorOf(all: Settings, name: string, decimals: number, fallback?: string): bigint {
  const amount = all.decimal(name, fallback);
  const given = amount.split('.')[1]?.length ?? 0;
  return given > decimals ? all.refuse(name, `at most ${decimals} decimals`) : toMinor(amount, decimals);
}

/**
 * @returns amounts by currency of the network, minor units: `{ "USDT_ETH": "50" }`; none where there is no such member.
 * @throws {SettingsError}
 */
export function amountsOf(all: Settings, name: string, network: string): ReadonlyMap<string, bigint> {
  if (!all.has(name)) return new Map();
  const given = all.part(name);
  const found = given.names().map((code): [string, bigint] => {
    const currency = currencyOf(code);
    if (currency?.network !== network)
      return given.refuse(code, `the code of a currency on ${network} of the catalogue as the name`);
    return [code, minorOf(given, code, currency.decimals)];
  });
  return new Map(found);
}

/** @returns a time in milliseconds, from a member in seconds. @throws {SettingsError} */
export function millisFrom(all: Settings, name: string, min: number, max: number, fallback: number): number {
  return 1_000 * all.integer(name, { min, max, fallback });
}
