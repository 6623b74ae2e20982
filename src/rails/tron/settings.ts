/** Settings of TRON in RAILS_FILE (docs/rails.md). */
import { Settings } from '../../base/process/settings.ts';
import { type NodeForm, readNetworkSettings } from '../chain/settings.ts';
import type { TronNode } from './api.ts';

/** Settings of TRON. Amounts of TRX are in sun. */
export type TronSettings = Readonly<ReturnType<typeof readTronSettings>>;

const NETWORK = 'TRX';
const TRX_DECIMALS = 6;

/** @throws {SettingsError} naming the member and the accepted form. */
export function readTronSettings(json: unknown, path: string, network: string) {
  const all = new Settings(json, path);
  all.choice('kind', ['tron']);
  if (network !== NETWORK) all.refuse('kind', `another kind for ${network}`);
  return all.end({
    ...readNetworkSettings(all, network, TRX_DECIMALS, NODE),
    maxFeeLimit: all.minor('maxFee', TRX_DECIMALS, '60'),
  });
}

const NODE: NodeForm<TronNode> = {
  words: '"url", "apiKeyFile" and "name"',
  read: (node) => ({
    url: node.url('url'),
    apiKey: node.has('apiKeyFile') ? node.contents('apiKeyFile') : undefined,
  }),
};
