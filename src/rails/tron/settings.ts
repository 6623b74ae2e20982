/** Settings of TRON in RAILS_FILE (docs/rails.md). */
import { Settings } from '../../base/settings.ts';
import { minorOf, type NetworkSettings, type NodeForm, readNetworkSettings } from '../chain/settings.ts';
import type { TronNode } from './api.ts';

/** The network, as an operator configures it. Amounts of TRX are in sun. */
export interface TronSettings extends NetworkSettings<TronNode> {
  readonly maxFeeLimit: bigint;
}

const NETWORK = 'TRX';
const TRX_DECIMALS = 6;

/** @throws {SettingsError} naming the member and the accepted form. */
export function readTronSettings(json: unknown, path: string, network: string): TronSettings {
  const all = new Settings(json, path);
  all.choice('kind', ['tron']);
  if (network !== NETWORK) all.refuse('kind', `another kind for ${network}`);
  const settings: TronSettings = {
    ...readNetworkSettings(all, network, TRX_DECIMALS, NODE),
    maxFeeLimit: minorOf(all, 'maxFee', TRX_DECIMALS, '60'),
  };
  all.end();
  return settings;
}

const NODE: NodeForm<TronNode> = {
  words: '"url", "apiKeyFile" and "name"',
  read: (node) => ({
    url: node.url('url'),
    apiKey: node.has('apiKeyFile') ? node.contents('apiKeyFile') : undefined,
  }),
};
