/** Settings of TRON in RAILS_FILE (docs/rails.md). */
import { Settings } from '../../base/settings.ts';
import { amountsOf, hotAddressOf, millisFrom, minorOf, nodesOf, xpubOf } from '../chain/settings.ts';
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

/** @throws {SettingsError} naming the member and the accepted form. */
export function readTronSettings(json: unknown, path: string, network: string): TronSettings {
  const all = new Settings(json, path);
  all.choice('kind', ['tron']);
  if (network !== NETWORK) all.refuse('kind', `another kind for ${network}`);
  const providers = nodesOf(all, '"url" and "apiKeyFile"', nodeOf);
  const settings: TronSettings = {
    providers,
    quorum: all.integer('quorum', { min: 1, max: providers.length, fallback: Math.min(2, providers.length) }),
    xpub: xpubOf(all, NETWORK),
    hotAddress: hotAddressOf(all, NETWORK),
    sweep: amountsOf(all, 'sweep', network),
    networkFees: amountsOf(all, 'networkFees', network),
    gasFloat: minorOf(all, 'gasFloat', TRX_DECIMALS, '0'),
    maxFeeLimit: minorOf(all, 'maxFee', TRX_DECIMALS, '60'),
    pollMs: millisFrom(all, 'pollSeconds', 1, 60, 3),
    timeLimitMs: millisFrom(all, 'timeoutSeconds', 1, 60, 10),
  };
  all.end();
  return settings;
}

/** A URL, or an object that also names the file of a key. */
function nodeOf(json: unknown, path: string): TronPlace {
  const node = new Settings(typeof json === 'string' ? { url: json } : json, path);
  const apiKey = node.has('apiKeyFile') ? node.contents('apiKeyFile') : undefined;
  const read = { url: node.url('url'), apiKey };
  node.end();
  return read;
}
