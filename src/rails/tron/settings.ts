/** Settings of TRON in RAILS_FILE (docs/rails.md). */
import { toMinor } from '../../base/money.ts';
import { Settings } from '../../base/settings.ts';
import { amountsOf, hotAddressOf, millisFrom, xpubOf } from '../chain/settings.ts';
import type { TronPlace } from './api.ts';

/** The network, as an operator configures it. */
export interface TronSettings {
  /** Nodes, the preferred one first. */
  readonly providers: readonly TronPlace[];
  readonly quorum: number;
  readonly xpub: string;
  readonly hotAddress: string;
  /** Amounts by raw ledger code, minor units. */
  readonly sweep: ReadonlyMap<string, bigint>;
  readonly networkFees: ReadonlyMap<string, bigint>;
  /** Sun. */
  readonly gasFloat: bigint;
  readonly maxFeeLimit: bigint;
  readonly pollMs: number;
  readonly timeLimitMs: number;
}

const NETWORK = 'TRX';
const TRX_DECIMALS = 6;
const PROVIDERS_MAX = 5;

/** @throws {SettingsError} naming the member and the accepted form. */
export function readTronSettings(json: unknown, path: string): TronSettings {
  const all = new Settings(json, path);
  all.choice('kind', ['tron']);
  const providers = providersOf(all);
  const settings: TronSettings = {
    providers,
    quorum: all.integer('quorum', { min: 1, max: providers.length, fallback: Math.min(2, providers.length) }),
    xpub: xpubOf(all, NETWORK),
    hotAddress: hotAddressOf(all, NETWORK),
    sweep: amountsOf(all, 'sweep'),
    networkFees: amountsOf(all, 'networkFees'),
    gasFloat: toMinor(all.decimal('gasFloat', '0'), TRX_DECIMALS),
    maxFeeLimit: toMinor(all.decimal('maxFee', '60'), TRX_DECIMALS),
    pollMs: millisFrom(all, 'pollSeconds', 1, 60, 3),
    timeLimitMs: millisFrom(all, 'timeoutSeconds', 1, 60, 10),
  };
  all.end();
  return settings;
}

/** URLs, or objects that also name the file of a key. */
function providersOf(all: Settings): readonly TronPlace[] {
  const given = all.raw('providers');
  if (!Array.isArray(given) || given.length === 0 || given.length > PROVIDERS_MAX)
    return all.refuse(
      'providers',
      `a list of one to ${PROVIDERS_MAX} URLs, or objects with "url" and "apiKeyFile"`,
    );
  return given.map((each: unknown, index) => {
    const place = new Settings(
      typeof each === 'string' ? { url: each } : each,
      `${all.at('providers')}[${index}]`,
    );
    const apiKey = place.has('apiKeyFile') ? place.contents('apiKeyFile') : undefined;
    const read = { url: place.url('url'), apiKey };
    place.end();
    return read;
  });
}
