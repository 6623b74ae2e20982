/** Settings of an EVM network in RAILS_FILE (docs/rails.md). */
import { NETWORKS } from '../../base/currency.ts';
import { Settings, SettingsError } from '../../base/settings.ts';
import { amountsOf, hotAddressOf, millisFrom, minorOf, nodesOf, xpubOf } from '../chain/settings.ts';

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

/** @throws {SettingsError} naming the member and the accepted form. */
export function readEvmSettings(json: unknown, path: string, network: string): EvmSettings {
  const all = new Settings(json, path);
  all.choice('kind', ['evm']);
  if (NETWORKS[network]?.chainId === undefined) all.refuse('kind', `another kind for ${network}`);
  const providers = nodesOf(all, '"urlFile"', nodeOf).map(({ url }) => url);
  const settings: EvmSettings = {
    providers,
    quorum: all.integer('quorum', { min: 1, max: providers.length, fallback: Math.min(2, providers.length) }),
    finality: finalityOf(all),
    xpub: xpubOf(all, 'ETH'),
    hotAddress: hotAddressOf(all, 'ETH'),
    sweep: amountsOf(all, 'sweep', network),
    networkFees: amountsOf(all, 'networkFees', network),
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

/** A URL, or an object that names the file of one that has something secret in it. */
function nodeOf(json: unknown, path: string): { readonly url: string } {
  if (typeof json === 'string') return { url: new Settings({ url: json }, path).url('url') };
  const node = new Settings(json, path);
  const url = node.urlIn('urlFile');
  node.end();
  return { url };
}

function finalityOf(all: Settings): EvmSettings['finality'] {
  if (all.has('finality') && all.has('confirmations'))
    throw new SettingsError(`${all.at('finality')}: expected nothing where there is "confirmations"`);
  return all.has('finality')
    ? all.choice('finality', ['safe', 'finalized'] as const)
    : all.integer('confirmations', { min: 1, max: 1_000, fallback: 12 });
}
