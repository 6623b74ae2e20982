/**
 * All kinds of rails: a new one is a folder below `rails/`, and a line here. Code and packages of a kind are loaded
 * only if it is configured.
 */
import type { NetworkTools } from '../rails/chain/network-tools.ts';
import type { Signer } from '../rails/chain/signer.ts';
import type { RailPart, RailTools } from '../resolvers/services/rail-part.ts';
import type {
  ChainRail,
  IdentityCheck,
  Liquidity,
  PixRail,
  RateSource,
  Screening,
} from '../resolvers/services/rails.ts';

/** Creates a rail from its settings. */
export type MakeRail<Port, Tools extends RailTools = RailTools> = (tools: Tools) => RailPart<Port>;

/**
 * Reads the settings of a rail under a name such as `pix` or `ETH`. @throws {SettingsError} naming the member and the
 * accepted form.
 */
export type ReadRail<Port, Tools extends RailTools = RailTools> = (
  json: unknown,
  path: string,
  name: string,
) => MakeRail<Port, Tools>;

/** Kinds by their name in the settings. */
export type Kinds<Port, Tools extends RailTools = RailTools> = Readonly<
  Record<string, () => Promise<ReadRail<Port, Tools>>>
>;

/** PIX: charges, refunds and payouts at a payment service provider. */
export const PIX_KINDS: Kinds<PixRail> = {
  'api-pix': async () => {
    const { createApiPix, readApiPixSettings } = await import('../rails/api-pix/index.ts');
    return kindOf(readApiPixSettings, createApiPix);
  },
};

/** Networks; each is created with its name and the signer. */
export const NETWORK_KINDS: Kinds<ChainRail, NetworkTools> = {
  evm: async () => {
    const { createEvm, readEvmSettings } = await import('../rails/evm/index.ts');
    return kindOf(readEvmSettings, createEvm);
  },
  tron: async () => {
    const { createTron, readTronSettings } = await import('../rails/tron/index.ts');
    return kindOf(readTronSettings, createTron);
  },
};

/** The signer of the networks. */
export const SIGNER_KINDS: Kinds<Signer> = {
  process: async () => {
    const { readSignerSettings, createSigner } = await import('../rails/chain/signer-process.ts');
    return kindOf(readSignerSettings, createSigner);
  },
};

/** Sources of rates. */
export const RATE_KINDS: Kinds<RateSource> = {
  feeds: async () => {
    const rail = await import('../rails/rates/index.ts');
    return kindOf(rail.readRateSettings, rail.createRates);
  },
};

/** Venues where positions are bought and sold. */
export const LIQUIDITY_KINDS: Kinds<Liquidity> = {
  inventory: async () => {
    const rail = await import('../rails/inventory/index.ts');
    return kindOf(rail.readInventorySettings, rail.createInventory);
  },
};

/** Screening by lists and providers; its settings are those of one screener, or a list of them. */
export const SCREENING: () => Promise<ReadRail<Screening>> = async () => {
  const rail = await import('../rails/screening/index.ts');
  return kindOf(rail.readScreeningSettings, rail.createScreening);
};

/** Identity checks of customers. */
export const IDENTITY_KINDS: Kinds<IdentityCheck> = {
  http: async () => {
    const { createHttpIdentity, readHttpSettings } = await import('../rails/identity/index.ts');
    return kindOf(readHttpSettings, createHttpIdentity);
  },
  sumsub: async () => {
    const { createSumsub, readSumsubSettings } = await import('../rails/identity/index.ts');
    return kindOf(readSumsubSettings, createSumsub);
  },
};

/** @returns the kind, whose `read` reads the settings and whose `create` makes the rail. */
export function kindOf<Settings, Port, Tools extends RailTools>(
  read: (json: unknown, path: string, name: string) => Settings,
  create: (settings: Settings, tools: Tools) => RailPart<Port>,
): ReadRail<Port, Tools> {
  return (json, path, name) => {
    const settings = read(json, path, name);
    return (tools) => create(settings, tools);
  };
}
