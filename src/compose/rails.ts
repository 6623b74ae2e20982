/** Builds the rails of a mode from their plan: the configured ones, and for the others those of the sandbox or none. */

import { assert } from '../base/errors/assert.ts';
import { type Currency, NETWORKS } from '../base/money/currency.ts';
import { NO_RAILS, railsMissing, refusingRails } from '../resolvers/services/no-rails.ts';
import type { NamedRail, RailPart, RailTools } from '../resolvers/services/rail-part.ts';
import type { ChainRail, IdentityCheck, Rails, Screening } from '../resolvers/services/rails.ts';
import type { RailPlan } from './rails-file.ts';

/** The rails of a mode, and their background work. */
export interface RailSet {
  readonly rails: Rails;
  readonly parts: readonly NamedRail[];
}

const PASSES_EVERYBODY: IdentityCheck = { check: async () => 'passed' };
/** People decide about step-ups of live accounts, once for each customer; in a sandbox scenarios decide. */
const PEOPLE_DECIDE: IdentityCheck = {
  ...PASSES_EVERYBODY,
  cases: { provider: null, levels: [], validMs: 365 * 24 * 3_600_000 },
};
const CLEARS_EVERYTHING: Screening = { screen: async () => 'cleared' };

/**
 * @param plan - undefined when nothing is configured.
 * @param inProcess - substitutes for rails that are not configured; a request to a rail without a substitute fails.
 * @returns the rails, not yet started.
 */
export function makeRails(plan: RailPlan | undefined, tools: RailTools, inProcess: Rails): RailSet {
  if (!plan) return { rails: inProcess, parts: [] };
  const parts: NamedRail[] = [];
  const made = <Port>(name: string, part: RailPart<Port> | undefined): Port | undefined => {
    if (part) parts.push({ name, part });
    return part?.port;
  };
  const pix = made('pix', plan.pix?.(tools));
  const signer = made('signer', plan.signer?.(tools));
  const rates = made('rates', plan.rates?.(tools));
  const networks = new Map<string, ChainRail>();
  for (const [network, make] of plan.networks) {
    assert(signer, 'networks are read with a signer');
    const port = made(network, make({ ...tools, network, signer, rates: rates ?? inProcess.rates }));
    if (port) networks.set(network, port);
  }
  const configured: Partial<Rails> = {
    ...(pix && { pix }),
    ...definedOf('bankAccount', plan.bankAccount),
    ...definedOf('rates', rates),
    ...definedOf('signerPage', signer?.page),
    ...definedOf('liquidity', made('liquidity', plan.liquidity?.(tools))),
    ...definedOf('identity', made('identity', identityOf(plan, tools))),
    ...definedOf('screening', made('screening', screeningOf(plan.screening, tools))),
  };
  if (inProcess !== NO_RAILS) {
    const chain = chainOver(networks, inProcess.chain);
    return { rails: { ...inProcess, ...configured, chain }, parts };
  }
  const others = refusingRails((part) => railsMissing([part]));
  const chain = chainOver(networks, undefined);
  return { rails: { ...others, ...configured, chain, missing: missingOf(configured, networks) }, parts };
}

function identityOf({ identity }: RailPlan, tools: RailTools): RailPart<IdentityCheck> | undefined {
  if (identity !== 'off') return identity?.(tools);
  return off(tools.mode === 'live' ? PEOPLE_DECIDE : PASSES_EVERYBODY, 'everybody passes');
}

function definedOf<Name extends keyof Rails>(name: Name, port: Rails[Name] | undefined): Partial<Rails> {
  return port === undefined ? {} : { [name]: port };
}

function screeningOf(plan: RailPlan['screening'], tools: RailTools): RailPart<Screening> | undefined {
  return plan === 'off' ? off(CLEARS_EVERYTHING, 'everything is cleared') : plan?.(tools);
}

function off<Port>(port: Port, meaning: string): RailPart<Port> {
  return { port, checks: async () => [{ check: 'off', ok: true, detail: `off: ${meaning}` }] };
}

/** Rails that are not configured, by the names of `railsFor`. */
function missingOf(configured: Partial<Rails>, networks: ReadonlyMap<string, ChainRail>): readonly string[] {
  const parts = (['pix', 'rates', 'identity', 'screening', 'liquidity'] as const).filter(
    (name) => !configured[name],
  );
  return [...parts, ...Object.keys(NETWORKS).filter((name) => !networks.has(name))];
}

/** @returns one rail over all networks: each call goes to the network of its currency. */
function chainOver(networks: ReadonlyMap<string, ChainRail>, others: ChainRail | undefined): ChainRail {
  const of = ({ network }: Currency): ChainRail => {
    const found = networks.get(network) ?? others;
    if (!found) throw railsMissing([network]);
    return found;
  };
  return {
    networkFee: async (currency) => of(currency).networkFee(currency),
    depositAddress: async (currency) => of(currency).depositAddress(currency),
    watchDeposit: async (order) => of(order.currency).watchDeposit(order),
    send: async (order) => of(order.currency).send(order),
    refund: async (order) => of(order.currency).refund(order),
    sendBack: async (order) => of(order.currency).sendBack(order),
    statementOf: (network) => (networks.get(network) ?? others)?.statementOf?.(network),
  };
}
