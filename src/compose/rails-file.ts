/**
 * Reads RAILS_FILE: the rails of each mode, with their settings (docs/rails.md). Every member is checked at the start.
 */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { ACCOUNT_MODES, type AccountMode } from '../base/access/account-mode.ts';
import { NETWORKS } from '../base/money/currency.ts';
import { Settings, SettingsError } from '../base/process/settings.ts';
import { ConfigError } from '../config.ts';
import type { NetworkTools } from '../rails/chain/network-tools.ts';
import type { Signer } from '../rails/chain/signer.ts';
import type { RailTools } from '../resolvers/services/rail-part.ts';
import type {
  ChainRail,
  IdentityCheck,
  Liquidity,
  PixRail,
  RateSource,
  Screening,
} from '../resolvers/services/rails.ts';
import {
  IDENTITY_KINDS,
  type Kinds,
  LIQUIDITY_KINDS,
  type MakeRail,
  NETWORK_KINDS,
  PIX_KINDS,
  RATE_KINDS,
  SCREENING,
  SIGNER_KINDS,
} from './rail-kinds.ts';

/** The rails of a mode, read but not built; a rail that is not configured is undefined. */
export interface RailPlan {
  readonly pix: MakeRail<PixRail> | undefined;
  readonly networks: ReadonlyMap<string, MakeRail<ChainRail, NetworkTools>>;
  /** Present if there are networks. */
  readonly signer: MakeRail<Signer> | undefined;
  readonly rates: MakeRail<RateSource> | undefined;
  readonly liquidity: MakeRail<Liquidity> | undefined;
  /** `off`: every customer passes, and people decide about step-ups. */
  readonly identity: MakeRail<IdentityCheck> | 'off' | undefined;
  /** `off`: every transaction is cleared. */
  readonly screening: MakeRail<Screening> | 'off' | undefined;
  /** Account at the bank, as the bank names it in its files. */
  readonly bankAccount?: string | undefined;
  /** For a sandbox: the control API of its PIX provider (`crossramp psp`), which plays scenarios. */
  readonly pspControl?: string | undefined;
}

/** The rails of an installation. */
export type RailsFile = Readonly<Partial<Record<AccountMode, RailPlan>>>;

/**
 * @param file - undefined: no rails are configured.
 * @throws {ConfigError} naming the file, and the member with its accepted form.
 */
export async function readRailsFile(file: string | undefined): Promise<RailsFile> {
  if (file === undefined) return {};
  try {
    const modes = new Settings(withFilesFrom(dirname(file), JSON.parse(readFileSync(file, 'utf8'))), '');
    refuseSharedListener(modes);
    const plans: Partial<Record<AccountMode, RailPlan>> = {};
    for (const mode of ACCOUNT_MODES) if (modes.has(mode)) plans[mode] = await planOf(modes.part(mode));
    return modes.end(plans);
  } catch (error) {
    if (error instanceof SettingsError) throw new ConfigError(`RAILS_FILE ${file}: ${error.message}`);
    if (error instanceof SyntaxError)
      throw new ConfigError(`RAILS_FILE ${file}: not JSON (${error.message})`);
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new ConfigError(`RAILS_FILE: cannot read ${file} (${code})`);
  }
}

/** If two modes listened at one address, one of them would never receive a payment. */
function refuseSharedListener(modes: Settings): void {
  const listenOf = (mode: AccountMode): unknown =>
    // biome-ignore lint/suspicious/noExplicitAny: what it is will be read later
    (modes.raw(mode) as any)?.pix?.callback?.listen;
  const [one, other] = ACCOUNT_MODES.map(listenOf);
  if (one !== undefined && one === other)
    throw new SettingsError('pix.callback.listen: expected different addresses for the two modes');
}

async function planOf(mode: Settings): Promise<RailPlan> {
  const plan = mode.end({
    pix: await readOne(mode, 'pix', PIX_KINDS),
    networks: await readNetworks(mode),
    signer: await readOne(mode, 'signer', SIGNER_KINDS, 'process'),
    rates: await readOne(mode, 'rates', RATE_KINDS, 'feeds'),
    liquidity: await readOne(mode, 'liquidity', LIQUIDITY_KINDS),
    identity: await readIdentity(mode),
    screening: await readScreening(mode),
    bankAccount: mode.has('bankAccount') ? mode.text('bankAccount') : undefined,
    pspControl: mode.has('pspControl') ? mode.url('pspControl') : undefined,
  });
  if (plan.networks.size > 0 && !plan.signer)
    mode.refuse('signer', 'the address of the signer, which networks need');
  if (plan.pspControl !== undefined && (mode.path !== 'sandbox' || !plan.pix))
    mode.refuse('pspControl', 'it in sandbox only, together with pix');
  return plan;
}

/** @param usual - default kind. */
async function readOne<Port, Tools extends RailTools>(
  parent: Settings,
  name: string,
  kinds: Kinds<Port, Tools>,
  usual?: string,
): Promise<MakeRail<Port, Tools> | undefined> {
  const json = parent.raw(name);
  if (json === undefined) return undefined;
  const kind = new Settings(json, parent.at(name)).choice('kind', Object.keys(kinds), usual);
  const read = await kinds[kind]?.();
  return read?.(json, parent.at(name), name);
}

async function readScreening(mode: Settings): Promise<RailPlan['screening']> {
  const json = mode.raw('screening');
  if (json === undefined || json === 'off') return json;
  if (typeof json !== 'object') mode.refuse('screening', '"off", a screener, or a list of screeners');
  const read = await SCREENING();
  return read(json, mode.at('screening'), 'screening');
}

async function readIdentity(mode: Settings): Promise<RailPlan['identity']> {
  if (mode.raw('identity') === 'off') return 'off';
  if (mode.has('identity') && typeof mode.raw('identity') !== 'object')
    mode.refuse('identity', '"off" or an object with a kind');
  return readOne(mode, 'identity', IDENTITY_KINDS);
}

async function readNetworks(mode: Settings): Promise<RailPlan['networks']> {
  const made = new Map<string, MakeRail<ChainRail, NetworkTools>>();
  if (!mode.has('networks')) return made;
  const networks = mode.part('networks');
  for (const name of networks.names()) {
    if (!Object.hasOwn(NETWORKS, name))
      throw new SettingsError(
        `${networks.at(name)}: expected a network of ${Object.keys(NETWORKS).join(', ')}`,
      );
    const make = await readOne(networks, name, NETWORK_KINDS);
    if (make) made.set(name, make);
  }
  return made;
}

/**
 * @returns the same settings, with relative paths of files and folders (`…File`, `socket`, `folder`) resolved from the
 * folder of the settings.
 */
function withFilesFrom(folder: string, json: unknown): unknown {
  if (Array.isArray(json)) return json.map((each) => withFilesFrom(folder, each));
  if (typeof json !== 'object' || json === null) return json;
  const isFile = (name: string) => name.endsWith('File') || name === 'socket' || name === 'folder';
  return Object.fromEntries(
    Object.entries(json).map(([name, value]) => [
      name,
      typeof value === 'string' && value !== '' && isFile(name)
        ? resolve(folder, value)
        : withFilesFrom(folder, value),
    ]),
  );
}
