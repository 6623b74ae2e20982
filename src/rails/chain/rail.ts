/**
 * The rail of one network: accepts orders and issues addresses in every process. Its background work runs in the
 * process that holds the network's lease.
 */
import { randomUUID } from 'node:crypto';
import { deriveDepositAddress } from '../../base/chain/deposit-address.ts';
import { GatewayError } from '../../base/errors/errors.ts';
import { repeat } from '../../resolvers/engine/repeat.ts';
import type { RailPart } from '../../resolvers/services/rail-part.ts';
import { type ChainRail, RailRefused, type RefundOrder } from '../../resolvers/services/rails.ts';
import type { RailStatement } from '../../resolvers/services/statement.ts';
import { nextDepositIndex } from '../../store/engine/deposits.ts';
import { storeAddress } from '../../store/rails/chain-arrivals.ts';
import { leaseNetwork, readNetwork, releaseNetwork, storeTrouble } from '../../store/rails/chain-network.ts';
import { addOrder, addRefused, feeOfOrder, type NewOrder } from '../../store/rails/chain-orders.ts';
import { unknownTransfers } from './after-restore.ts';
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

/** Protocol-specific facts of a network. */
export type NetworkKind = Pick<
  NetworkFacts,
  'family' | 'coin' | 'headMaxAgeMs' | 'stuckMs' | 'validMs' | 'gas' | 'replace'
>;

/** The rail, with a function that runs one cycle of its work, for tests. */
export interface NetworkRail extends RailPart<ChainRail> {
  readonly start: () => { readonly stop: () => Promise<void> };
  /** Runs one cycle. @returns delay until the next cycle. Unit: ms. */
  readonly cycle: () => Promise<number>;
}

const REFUSED = 'the amount to return is not above its fee';
/** Duration of a lease, after which another process takes over the networks of a dead process. */
const LEASE_MS = 30_000;

/** @param driverOf - makes the driver of a node. @returns the rail of a network; nothing runs yet. */
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
  const statement = networkStatement(parts);
  return {
    port: portOf(parts, quote, statement, () => wake()),
    unknownPayments: unknownTransfers(parts, statement),
    cycle,
    start: () => {
      const stopping = new AbortController();
      const options = { failedMs: facts.pollMs, complaint: `${key.network} cannot be processed` };
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

/** @returns a function that runs one cycle of the network's work if this process holds the lease. */
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

/** Data of an order that the caller supplies. */
type OrderRequest = Pick<
  NewOrder,
  'key' | 'intent' | 'currency' | 'to' | 'amountMinor' | 'feeMinor' | 'proof'
>;

function portOf(
  parts: NetworkParts,
  quote: ChainRail['networkFee'],
  statement: RailStatement,
  wake: () => void,
): ChainRail {
  const { database, key, facts } = parts;
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
    // The fee stored at the first attempt counts. So a repeated call never refuses an order that was sent, and never
    // sends one that was refused, even if the fee has changed.
    if ((await feeOfOrder(database, key, name)) >= amountMinor) throw new RailRefused(REFUSED);
  };
  return {
    networkFee: quote,
    depositAddress: async () => {
      const state = await readNetwork(database, key);
      // Until the network is being watched, deposits would go unnoticed, so no address is issued.
      if (!state || state.height === null)
        throw new GatewayError('UNAVAILABLE', `${key.network} is not read yet; try again later`, {
          retryAfter: 30,
        });
      const index = await nextDepositIndex(database, `${key.mode}:${facts.family}`);
      const address = facts.deriveAddress(index);
      await storeAddress(database, { mode: key.mode, family: facts.family }, { index, address });
      return address;
    },
    // Every issued address is watched already.
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
