/** Settings of an EVM network in RAILS_FILE (docs/rails.md). */
import { NETWORKS } from '../../base/money/currency.ts';
import { Settings, SettingsError } from '../../base/process/settings.ts';
import { type NodeAddress, type NodeForm, readNetworkSettings } from '../chain/settings.ts';

/** Settings of an EVM network. Amounts of the coin are in wei. */
export type EvmSettings = Readonly<ReturnType<typeof readEvmSettings>>;

const GWEI_DECIMALS = 9;
const COIN_DECIMALS = 18;

/** @throws {SettingsError} naming the member and the accepted form. */
export function readEvmSettings(json: unknown, path: string, network: string) {
  const all = new Settings(json, path);
  all.choice('kind', ['evm']);
  const { chainId, maxGasGwei } = NETWORKS[network] ?? {};
  if (chainId === undefined) all.refuse('kind', `another kind for ${network}`);
  return all.end({
    ...readNetworkSettings(all, network, COIN_DECIMALS, NODE),
    finality: finalityOf(all),
    maxFeePerGas: all.minor('maxFeeGwei', GWEI_DECIMALS, maxGasGwei),
    minTipPerGas: all.minor('minTipGwei', GWEI_DECIMALS, '0'),
    stuckMs: all.seconds('stuckSeconds', { min: 10, max: 86_400, fallback: 180 }),
  });
}

const NODE: NodeForm<NodeAddress> = {
  words: '"url" or "urlFile", and "name"',
  // A URL that contains a secret is read from a file.
  read: (node) => ({ url: node.has('urlFile') ? node.urlIn('urlFile') : node.url('url') }),
};

function finalityOf(all: Settings): number | 'safe' | 'finalized' {
  if (all.has('finality') && all.has('confirmations'))
    throw new SettingsError(`${all.at('finality')}: expected no member if there is "confirmations"`);
  return all.has('finality')
    ? all.choice('finality', ['safe', 'finalized'] as const)
    : all.integer('confirmations', { min: 1, max: 1_000, fallback: 12 });
}
