/** Settings of an EVM network in RAILS_FILE (docs/rails.md). */
import { Settings, SettingsError } from '../../base/settings.ts';
import { amountsOf, hotAddressOf, millisFrom, minorOf, xpubOf } from '../chain/settings.ts';

/** An EVM network, as an operator configures it. */
export interface EvmSettings {
  /** URLs of nodes, the preferred one first. */
  readonly providers: readonly string[];
  readonly quorum: number;
  readonly finality: number | 'safe' | 'finalized';
  readonly xpub: string;
  readonly hotAddress: string;
  /** Amounts by raw ledger code, minor units. */
  readonly sweep: ReadonlyMap<string, bigint>;
  readonly networkFees: ReadonlyMap<string, bigint>;
  /** Wei. */
  readonly gasFloat: bigint;
  readonly maxFeePerGas: bigint;
  readonly minTipPerGas: bigint;
  readonly pollMs: number;
  readonly stuckMs: number;
  readonly timeLimitMs: number;
}

const GWEI_DECIMALS = 9;
const COIN_DECIMALS = 18;
const PROVIDERS_MAX = 5;

/** @throws {SettingsError} naming the member and the accepted form. */
export function readEvmSettings(json: unknown, path: string): EvmSettings {
  const all = new Settings(json, path);
  all.choice('kind', ['evm']);
  const providers = providersOf(all);
  const settings: EvmSettings = {
    providers,
    quorum: all.integer('quorum', { min: 1, max: providers.length, fallback: Math.min(2, providers.length) }),
    finality: finalityOf(all),
    xpub: xpubOf(all, 'ETH'),
    hotAddress: hotAddressOf(all, 'ETH'),
    sweep: amountsOf(all, 'sweep'),
    networkFees: amountsOf(all, 'networkFees'),
    gasFloat: minorOf(all, 'gasFloat', COIN_DECIMALS, '0'),
    maxFeePerGas: minorOf(all, 'maxFeeGwei', GWEI_DECIMALS, '500'),
    minTipPerGas: minorOf(all, 'minTipGwei', GWEI_DECIMALS, '0'),
    pollMs: millisFrom(all, 'pollSeconds', 1, 60, 3),
    stuckMs: millisFrom(all, 'stuckSeconds', 10, 86_400, 180),
    timeLimitMs: millisFrom(all, 'timeoutSeconds', 1, 60, 10),
  };
  all.end();
  return settings;
}

/** URLs, or objects that name the file of a URL that has something secret in it. */
function providersOf(all: Settings): readonly string[] {
  const given = all.raw('providers');
  if (!Array.isArray(given) || given.length === 0 || given.length > PROVIDERS_MAX)
    return all.refuse('providers', `a list of one to ${PROVIDERS_MAX} URLs, or objects with "urlFile"`);
  return given.map((each: unknown, index) => {
    const path = `${all.at('providers')}[${index}]`;
    if (typeof each === 'string') return new Settings({ url: each }, path).url('url');
    const place = new Settings(each, path);
    const url = place.urlIn('urlFile');
    place.end();
    return url;
  });
}

function finalityOf(all: Settings): EvmSettings['finality'] {
  if (all.has('finality') && all.has('confirmations'))
    throw new SettingsError(`${all.at('finality')}: expected nothing where there is "confirmations"`);
  return all.has('finality')
    ? all.choice('finality', ['safe', 'finalized'] as const)
    : all.integer('confirmations', { min: 1, max: 1_000, fallback: 12 });
}
