/** The rail of one network: takes orders, gives addresses out, and works in the process that holds the network's lease. */
import { randomUUID } from 'node:crypto';
import { deriveDepositAddress } from '../../base/chain/deposit-address.ts';
import { GatewayError } from '../../base/errors/errors.ts';
import { repeat } from '../../resolvers/engine/repeat.ts';
import type { RailPart } from '../../resolvers/services/rail-part.ts';
import { type ChainRail, RailRefused, type RefundOrder } from '../../resolvers/services/rails.ts';
import { nextDepositIndex } from '../../store/engine/deposits.ts';
import { storeAddress } from '../../store/rails/chain-arrivals.ts';
import { leaseNetwork, readNetwork, releaseNetwork, storeTrouble } from '../../store/rails/chain-network.ts';
import { addOrder, addRefused, feeOfOrder, type NewOrder } from '../../store/rails/chain-orders.ts';
import { checksOf } from './checks.ts';
import type { NetworkDriver, NetworkFacts } from './driver.ts';
import { feeQuoter } from './fees.ts';
import { createGasPrices } from './gas-price.ts';
import type { NetworkTools } from './network-tools.ts';
import type { NetworkParts } from './parts.ts';
import { createSender } from './send.ts';
import type { NetworkSettings, NodeAddress } from './settings.ts';
import { networkStatement } from './statement.ts';
import { createSweeper, type SweepFrom } from './sweep.ts';
import { createWatcher } from './watch.ts';

/** Properties of a kind of networks. */
export type NetworkKind = Pick<
  NetworkFacts,
  'family' | 'coin' | 'headMaxAgeMs' | 'stuckMs' | 'gas' | 'replace'
>;

/** The rail, and one turn of its work for whoever does not want to wait for it. */
export interface NetworkRail extends RailPart<ChainRail> {
  readonly start: () => { readonly stop: () => Promise<void> };
  /** Looks at the network once. @returns after how many milliseconds the next look is due. */
  readonly cycle: () => Promise<number>;
}

const REFUSED = 'what goes back is no more than what it costs';
/** A process that dies gives its networks back by that. */
const LEASE_MS = 30_000;

/**
 * @param driverOf - queries one of the nodes.
 * @returns the rail of a network; none of it runs yet.
 */
export function createNetworkRail<Node extends NodeAddress>(
  settings: NetworkSettings<Node>,
  tools: NetworkTools,
  kind: NetworkKind,
  driverOf: (node: Node) => NetworkDriver,
): NetworkRail {
  const { network, mode, rates } = tools;
  const { xpub, hotAddress, pollMs, quorum, networkFees, gasFloat } = settings;
  const deriveAddress = (index: number) => deriveDepositAddress(network, xpub, index);
  const facts = { ...kind, network, xpub, hotAddress, pollMs, quorum, deriveAddress };
  const providers = settings.providers.map(driverOf);
  const parts: NetworkParts = { ...tools, key: { mode, network }, facts, providers };
  const { key, log } = parts;
  const cycle = cyclesOf(parts, settings.sweep);
  let wake = () => {};
  const quote = feeQuoter(parts, { fixed: networkFees, rates });
  return {
    port: portOf(parts, quote, () => wake()),
    cycle,
    start: () => {
      const stopping = new AbortController();
      const options = { failedMs: facts.pollMs, complaint: `${key.network} cannot be worked on` };
      const loop = repeat(stopping.signal, log, options, cycle);
      wake = loop.wake;
      const stop = async () => {
        stopping.abort();
        await loop.done;
        await cycle.release();
      };
      return { stop };
    },
    checks: () => checksOf(parts, gasFloat),
  };
}

/** The work of a network, turn by turn, as long as this process holds its lease. */
function cyclesOf(parts: NetworkParts, sweepFrom: SweepFrom) {
  const { database, key, facts, log } = parts;
  const holder = randomUUID();
  const watcher = createWatcher(parts);
  const sender = createSender(parts);
  const sweeper = createSweeper(parts, sweepFrom);
  const gasPrices = createGasPrices(parts);
  let trouble: string | null = null;
  const lease = () => {
    const nowMs = database.nowMs();
    return leaseNetwork(database, key, { holder, nowMs, untilMs: nowMs + LEASE_MS });
  };
  const watch = async (): Promise<boolean> => {
    let isMore = false;
    let now: string | null = null;
    try {
      isMore = await watcher.readOn();
    } catch (error) {
      now = error instanceof Error ? error.message : String(error);
      if (now !== trouble) log.error({ ...key, trouble: now }, 'a network cannot be read');
    }
    trouble = now;
    await storeTrouble(database, key, now, database.nowMs());
    return isMore;
  };
  const cycle = async (): Promise<number> => {
    if (!(await lease())) return facts.pollMs;
    const isMore = await watch();
    if (!(await lease())) return facts.pollMs;
    const gasPrice = gasPrices();
    await sender.processAll(gasPrice);
    await sweeper.processAll(gasPrice);
    return isMore ? 0 : facts.pollMs;
  };
  return Object.assign(cycle, { release: () => releaseNetwork(database, key, holder) });
}

/** Data of an order from callers. */
type OrderRequest = Pick<
  NewOrder,
  'key' | 'intent' | 'currency' | 'to' | 'amountMinor' | 'feeMinor' | 'proof'
>;

function portOf(parts: NetworkParts, quote: ChainRail['networkFee'], wake: () => void): ChainRail {
  const { database, key, facts } = parts;
  const statement = networkStatement(parts);
  const fromHotWallet = (order: OrderRequest): NewOrder => ({
    ...order,
    from: facts.hotAddress,
    keyIndex: null,
    depositIndex: null,
  });
  const queueOrder = async (order: OrderRequest) => {
    await addOrder(database, key, fromHotWallet(order), database.nowMs());
    wake();
  };
  const refuse = (order: OrderRequest, error: string) =>
    addRefused(database, key, fromHotWallet(order), { nowMs: database.nowMs(), error });
  const bringBack = async ({
    key: name,
    currency,
    to,
    amountMinor,
  }: Pick<
    Parameters<ChainRail['refund']>[0],
    keyof Omit<RefundOrder, 'accountId'> | 'currency' | 'to' | 'amountMinor'
  >) => {
    const fee = await quote(currency);
    const order = { key: name, intent: 'refund' as const, currency: currency.code, to, feeMinor: fee };
    if (fee < amountMinor) await queueOrder({ ...order, amountMinor: amountMinor - fee });
    else await refuse({ ...order, amountMinor }, REFUSED);
    // The cost of the first attempt counts: a larger amount was never sent, and a refused one is not sent when it
    // gets cheaper.
    if ((await feeOfOrder(database, key, name)) >= amountMinor) throw new RailRefused(REFUSED);
  };
  return {
    networkFee: quote,
    depositAddress: async () => {
      const state = await readNetwork(database, key);
      // A deposit to an address that nobody watches yet would not be seen.
      if (!state || state.height === null)
        throw new GatewayError('UNAVAILABLE', `${key.network} is not read yet; try again later`, {
          retryAfter: 30,
        });
      const index = await nextDepositIndex(database, `${key.mode}:${facts.family}`);
      const address = facts.deriveAddress(index);
      await storeAddress(database, { mode: key.mode, family: facts.family }, { index, address });
      return address;
    },
    // Every address that was given out is watched.
    watchDeposit: async () => {},
    send: ({ key: name, currency, to, amountMinor, whitelisted }) => {
      const intent = whitelisted ? ('withdrawal' as const) : ('payout' as const);
      const order = { key: name, intent, currency: currency.code, to, amountMinor, feeMinor: 0n };
      return queueOrder(whitelisted?.proof ? { ...order, proof: whitelisted.proof } : order);
    },
    refund: bringBack,
    sendBack: bringBack,
    statementOf: () => statement,
  };
}
