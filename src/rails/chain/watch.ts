/**
 * Reads a network block by block and reports arrivals at the gateway's addresses. A transfer in a block is reported as
 * seen on the answer of one provider; as confirmed only by a quorum, once the block is final. Progress is stored after
 * `receive` accepted the event, so a killed process reports the event again. After a reorganisation the chain is read
 * again from the fork.
 */
import { assert } from '../../base/errors/assert.ts';
import { currencyOfLedger } from '../../base/money/currency.ts';
import { fromMinor } from '../../base/money/money.ts';
import { instantOf } from '../../base/time/instant.ts';
import type { DepositEvent } from '../../resolvers/services/rail-event.ts';
import {
  type ArrivalRow,
  findArrival,
  missArrivals,
  readAddresses,
  readOpenArrivals,
  storeArrival,
} from '../../store/rails/chain-arrivals.ts';
import {
  type KnownBlock,
  type NetworkState,
  readBlocks,
  readNetwork,
  storeFinalHeight,
  storeHeadTime,
  storeReadBlocks,
} from '../../store/rails/chain-network.ts';
import { ownHashes } from '../../store/rails/chain-orders.ts';
import { agreedBlockTime, NoAgreement, queryAll, queryQuorum, reachedBy } from './agree.ts';
import type { Arrival, Block, BlockRef, NetworkDriver } from './driver.ts';
import type { NetworkParts } from './parts.ts';

/** Reads the network. */
export interface Watcher {
  /**
   * Reads a part of the available blocks.
   * @returns whether more are available.
   * @throws if reading fails; earlier progress is stored.
   */
  readonly readOn: () => Promise<boolean>;
}

/** Maximum number of final blocks read together; fewer if providers limit the range. */
const RANGE_MAX = 1_000;
/** Number of blocks compared together when the fork is searched. */
const STEP_BACK = 32;
/**
 * Addresses up to this many indexes back are read again, because an address may be stored after one with a higher
 * index.
 */
const INDEX_SLACK = 1_000;

/** Current view of the chain: the provider that is read, its height, and the final height. */
interface View {
  readonly lead: NetworkDriver;
  readonly head: Block;
  readonly final: number;
}

/** A quorum of providers contradicts the blocks read so far, or the provider from which blocks are read. */
class OtherChain extends Error {
  readonly by: readonly string[];

  constructor(message: string, by: readonly string[]) {
    super(message);
    this.by = by;
  }
}

/** @returns the watcher of a network; it works only when called. */
export function createWatcher(parts: NetworkParts): Watcher {
  const { database, facts, key } = parts;
  const addresses = new Set<string>();
  let lastIndex = 0;
  let range = RANGE_MAX;
  /** Providers of the last quorum that another provider contradicted. */
  let trusted: readonly string[] = [];

  const learnAddresses = async () => {
    const where = { mode: key.mode, family: facts.family };
    for (const { index, address } of await readAddresses(database, where, lastIndex - INDEX_SLACK)) {
      addresses.add(address);
      lastIndex = Math.max(lastIndex, index);
    }
  };

  const settle = async ({ final }: View): Promise<boolean> => {
    const { finalHeight, height } = (await readNetwork(database, key)) ?? {};
    const upTo = Math.min(final, height ?? 0);
    const from = (finalHeight ?? upTo) + 1;
    if (from > upTo) return false;
    const to = Math.min(upTo, from + range - 1);
    try {
      await settleRange(parts, { from, to }, addresses);
      range = Math.min(RANGE_MAX, range * 2);
    } catch (error) {
      // A provider may limit the range to fewer blocks.
      range = Math.max(1, Math.floor((to - from + 1) / 2));
      throw error;
    }
    return to < upTo;
  };

  const cycle = async (): Promise<boolean> => {
    const view = await viewOf(parts, trusted);
    // Addresses are read after the view, so that every address paid in these blocks is known.
    await learnAddresses();
    await storeHeadTime(database, key, view.head.atMs);
    const state = await readNetwork(database, key);
    if (!state || state.height === null) return begin(parts, view);
    if (await isRewritten(view, state)) await walkBack(parts, view, state);
    await readNew(parts, view, addresses);
    const isMore = await settle(view);
    // While final blocks are unread, a missing transfer may still be in one of them.
    if (!isMore) await reportDropped(parts, view);
    const ageMs = parts.database.nowMs() - view.head.atMs;
    if (ageMs > facts.headMaxAgeMs)
      throw new Error(`the newest block of ${view.lead.provider} is ${Math.round(ageMs / 1000)} seconds old`);
    return isMore;
  };
  return {
    readOn: async () => {
      try {
        return await cycle();
      } catch (error) {
        if (error instanceof OtherChain) trusted = error.by;
        throw error;
      }
    },
  };
}

function lastOf({ height, hash }: NetworkState): KnownBlock {
  return { height: height ?? 0, hash: hash ?? '' };
}

/** Finds the highest block that a quorum reaches, so that no single provider can run ahead. */
async function viewOf({ providers, facts }: NetworkParts, trusted: readonly string[]): Promise<View> {
  const answers = await queryAll(providers, async (lead) => ({
    lead,
    head: await lead.head(),
    final: await lead.finalHeight(),
  }));
  const views = answers.flatMap(({ value }) => (value ? [value] : []));
  const final = reachedBy(
    views.map(({ lead, final }) => ({ provider: lead.provider, value: final })),
    facts.quorum,
  );
  if (final === undefined) {
    const why = answers
      .map(({ provider, error }) => `${provider}: ${error?.message ?? 'answers'}`)
      .join('; ');
    throw new Error(`fewer than ${facts.quorum} providers answer: ${why}`);
  }
  const ordered = views.toSorted((left, right) => right.head.height - left.head.height);
  const found = ordered.find(({ lead }) => trusted.includes(lead.provider)) ?? ordered[facts.quorum - 1];
  assert(found, 'enough providers have answered');
  return { ...found, final };
}

/** Begins at the last final block: earlier blocks contain no deposits of the gateway. */
async function begin({ database, key }: NetworkParts, { lead, final }: View): Promise<boolean> {
  const block = await lead.block(final);
  if (!block) throw new Error(`${lead.provider} has no block ${final}`);
  await database.withTx((tx) => storeReadBlocks(tx, key, [block]));
  return true;
}

/** Reads blocks that may still change, one at a time. `settleRange` reads final blocks in ranges. */
async function readNew(
  parts: NetworkParts,
  { lead, head, final }: View,
  addresses: ReadonlySet<string>,
): Promise<void> {
  const { database, key } = parts;
  const state = await readNetwork(database, key);
  if (!state) return;
  let at = lastOf(state);
  while (at.height < head.height) {
    const isFinal = at.height < final;
    const block = await lead.block(isFinal ? final : at.height + 1);
    // The next cycle finds the fork.
    if (!block || (!isFinal && block.parentHash !== at.hash)) return;
    if (!isFinal) {
      const found = await lead.arrivals({ from: block.height, to: block.height }, addresses);
      if (found.some((each) => each.block.hash !== block.hash)) return;
      if (!(await reportSeen(parts, found))) return;
    }
    await database.withTx((tx) => storeReadBlocks(tx, key, [block]));
    at = block;
  }
}

/** @returns whether the chain has another block at the last read height. */
async function isRewritten({ lead }: View, state: NetworkState): Promise<boolean> {
  const last = lastOf(state);
  // A provider that is behind has no answer for a block that it does not have yet.
  const there = await lead.block(last.height);
  return there !== undefined && there.hash !== last.hash;
}

/** Goes back to the last common block. Arrivals in later blocks are missing until they are found again. */
async function walkBack(parts: NetworkParts, { lead }: View, state: NetworkState): Promise<void> {
  const { database, key, log } = parts;
  const { common, gone } = await findFork(parts, lead, state);
  const isDeep = common.height < (state.finalHeight ?? 0);
  if (isDeep) {
    await checkGone(parts, gone);
    log.error({ ...key, height: common.height }, 'the network rewrote blocks that were final');
  }
  await database.withTx(async (tx) => {
    await missArrivals(tx, key, common.height);
    await storeReadBlocks(tx, key, [common]);
    if (isDeep) await storeFinalHeight(tx, key, common.height);
  });
  log.warn({ ...key, from: state.height, to: common.height }, 'the network rewrote its newest blocks');
}

/** A final block is gone only when a quorum of providers reports another block in its place. */
async function checkGone({ providers, facts }: NetworkParts, gone: KnownBlock): Promise<void> {
  const what = `block ${gone.height}`;
  const { value, by } = await queryQuorum(
    providers,
    facts.quorum,
    what,
    async (each) => (await each.block(gone.height))?.hash ?? null,
  );
  if (value === null) throw new Error(`${by.join(', ')} have no ${what}, which was final`);
  if (value === gone.hash)
    throw new OtherChain(`${what} is there by ${by.join(', ')}, but not at the provider that is read`, by);
}

/**
 * Fork between the chain and the blocks that were read: the last common block, and the first read block that is gone.
 */
interface Fork {
  readonly common: KnownBlock;
  readonly gone: KnownBlock;
}

async function findFork(
  { database, key }: NetworkParts,
  provider: NetworkDriver,
  state: NetworkState,
): Promise<Fork> {
  let gone = lastOf(state);
  for (;;) {
    // Only the last block of each range is stored, so some heights have no stored block.
    const known = await readBlocks(database, key, gone.height - 1, STEP_BACK);
    for (const block of known) {
      const there = await provider.block(block.height);
      if (there?.hash === block.hash) return { common: block, gone };
      gone = block;
    }
    if (known.length === 0)
      throw new Error(
        `the network has another block ${gone.height}, and the blocks read before it are not stored any more: is it another network?`,
      );
  }
}

/**
 * Reports arrivals as seen.
 * @returns false, without a report, while providers disagree on the block of an arrival; the next cycle reads the block
 *   again.
 */
async function reportSeen(parts: NetworkParts, found: readonly Arrival[]): Promise<boolean> {
  const seen: { row: ArrivalRow; isKnown: boolean }[] = [];
  try {
    for (const arrival of await strangers(parts, found)) {
      const before = await findArrival(parts.database, parts.key, arrival);
      if (before?.state === 'confirmed' && before.blockHash === arrival.block.hash) continue;
      // An arrival that is already stored as seen needs no second report.
      seen.push({ row: await rowOf(parts, arrival, before, 'seen'), isKnown: before?.state === 'missing' });
    }
  } catch (error) {
    if (!(error instanceof NoAgreement)) throw error;
    parts.log.warn({ err: error, ...parts.key }, 'a deposit waits until providers agree on its block');
    return false;
  }
  for (const { row, isKnown } of seen) {
    if (!isKnown) await parts.receive(eventOf('deposit_seen', row));
    await storeArrival(parts.database, parts.key, row);
  }
  return true;
}

/** Excludes transfers between the gateway's own addresses, which are no deposits. */
async function strangers(
  { database, key }: NetworkParts,
  found: readonly Arrival[],
): Promise<readonly Arrival[]> {
  const own = await ownHashes(database, key, [...new Set(found.map(({ txHash }) => txHash))]);
  return found.filter(({ txHash }) => !own.has(txHash));
}

async function settleRange(
  parts: NetworkParts,
  range: { readonly from: number; readonly to: number },
  addresses: ReadonlySet<string>,
): Promise<void> {
  const { providers, facts, database, key, log } = parts;
  const what = `blocks ${range.from} to ${range.to}`;
  const { value, by } = await queryQuorum(providers, facts.quorum, what, async (each) => {
    const block = await each.block(range.to);
    if (!block) throw new Error(`there is no block ${range.to}`);
    return { end: block.hash, found: await each.arrivals(range, addresses) };
  });
  const [known] = await readBlocks(database, key, range.to, 1);
  if (known?.height === range.to && known.hash !== value.end)
    throw new OtherChain(
      `block ${range.to} was read as ${known.hash}, and is ${value.end} by ${by.join(', ')}`,
      by,
    );
  const arrivals = await strangers(parts, value.found);
  for (const arrival of arrivals) {
    const before = await findArrival(database, key, arrival);
    const row = await rowOf(parts, arrival, before, 'confirmed');
    await parts.receive(eventOf('deposit_confirmed', row));
    await storeArrival(database, key, row);
  }
  // A transfer that is still only seen when its height is final never happened.
  for (const row of await readOpenArrivals(database, key, range.to, ['seen'])) {
    log.error({ ...key, txHash: row.txHash }, 'a transfer reported by one provider is in no final block');
    await drop(parts, row);
  }
  await storeFinalHeight(database, key, range.to);
}

/** Reports as dropped the transfers of gone blocks that are in no later block. */
async function reportDropped(parts: NetworkParts, { head }: View): Promise<void> {
  const { database, key } = parts;
  const height = (await readNetwork(database, key))?.height ?? 0;
  if (height < head.height) return;
  for (const row of await readOpenArrivals(database, key, height, ['missing'])) await drop(parts, row);
}

async function drop({ database, key, receive }: NetworkParts, row: ArrivalRow): Promise<void> {
  await receive(eventOf('deposit_dropped', row));
  await storeArrival(database, key, { ...row, state: 'dropped' });
}

async function rowOf(
  parts: NetworkParts,
  { block, ...arrival }: Arrival,
  before: ArrivalRow | undefined,
  state: 'seen' | 'confirmed',
): Promise<ArrivalRow> {
  const seenAt = before?.seenAt ?? (await seenAtOf(parts, block));
  return { ...arrival, height: block.height, blockHash: block.hash, seenAt, state };
}

/** @returns the time of a block on the clock of the accounts. */
async function seenAtOf(
  { providers, facts, clock, database }: NetworkParts,
  block: BlockRef,
): Promise<string> {
  const atMs = await agreedBlockTime(providers, facts.quorum, block);
  return instantOf(new Date(Math.min(atMs, database.nowMs()) + (await clock.aheadMs())));
}

function eventOf(kind: DepositEvent['kind'], row: ArrivalRow): DepositEvent {
  const { txHash, logIndex, address, currency, amountMinor, from, seenAt } = row;
  const amount = fromMinor(amountMinor, currencyOfLedger(currency).decimals);
  return { kind, txHash, logIndex, address, currency, amount, from, seenAt };
}
