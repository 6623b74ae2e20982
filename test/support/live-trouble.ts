/**
 * What goes wrong on a live stage: providers of the node that do not answer, blocks that are made anew without what was in them, a node that
 * hangs or is killed, and processes that get SIGKILL. Everything is counted.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { EvmNode } from './evm-node.ts';
import { control } from './live-orders.ts';
import type { LiveStage } from './live-stage.ts';
import type { Random } from './load.ts';
import { startRpcProxy } from './rpc-proxy.ts';

/** What went wrong, by its name. */
export type Happened = Readonly<
  Record<
    | 'calls'
    | 'callsLost'
    | 'answersLost'
    | 'blocksAnew'
    | 'nodeHung'
    | 'nodeKilled'
    | 'pspKilled'
    | 'signerKilled'
    | 'gatewayKilled',
    number
  >
>;

/** Who makes the trouble. */
export interface Trouble {
  readonly happened: Happened;
  /** Begins it at the bank and at the node's providers, and ends it there. */
  readonly begin: (stage: LiveStage) => Promise<void>;
  readonly end: (stage: LiveStage) => Promise<void>;
  /** Two providers of the node, of which a tenth of all calls has no answer: half of them before the node has heard of it. */
  readonly providersOf: (node: EvmNode) => Promise<readonly string[]>;
  /** Makes blocks until the signal; one in ten takes the place of the one before. */
  readonly blocks: (stage: LiveStage, signal: AbortSignal) => Promise<void>;
  /** Each of all processes dies once, or hangs, one after the other. */
  readonly round: (stage: LiveStage, owner: pg.Pool) => Promise<void>;
}

const SHARE = 0.1;
const RULES = [
  { on: 'callback', fault: 'lost', rate: 0.2 },
  // A fifth of all: a fifth is lost before.
  { on: 'callback', fault: 'doubled', rate: 0.25 },
  ...['charge', 'payout', 'refund'].map((on) => ({ on, fault: 'timeout', rate: SHARE, ms: 20 })),
];
/** Blocks carry whole seconds: more of them would run ahead of the clock. */
const BLOCK_MS = 1_000;
/** Less than what makes a block final. */
const REORG_DEPTH = 1;
/** Mean time between two that die. */
const LIFE_MS = 1_500;
const HANG_MS = 1_500;

/** @param atEnd - is called with each thing that has to be ended. */
export function newTrouble(random: Random, atEnd: (end: () => unknown) => void): Trouble {
  const happened = {
    ...{ calls: 0, callsLost: 0, answersLost: 0, blocksAnew: 0, nodeHung: 0, nodeKilled: 0 },
    ...{ pspKilled: 0, signerKilled: 0, gatewayKilled: 0 },
  };
  let isOn = false;
  /** The dice of the bank begin anew with the process: with the same seed it would do the same again and again. */
  const faults = (stage: LiveStage) =>
    control(stage, 'PUT', '/faults', { seed: random.integer(0, 2 ** 31), rules: isOn ? RULES : [] });
  const lose = () => {
    if (!isOn) return undefined;
    happened.calls += 1;
    if (!random.chance(SHARE)) return undefined;
    const when = random.pick(['before', 'after'] as const);
    happened[when === 'before' ? 'callsLost' : 'answersLost'] += 1;
    return when;
  };
  return {
    happened,
    begin: async (stage) => {
      isOn = true;
      await faults(stage);
    },
    end: async (stage) => {
      isOn = false;
      await faults(stage);
    },
    providersOf: async ({ url }) => {
      const proxies = [await startRpcProxy(url), await startRpcProxy(url)];
      for (const proxy of proxies) {
        atEnd(proxy.stop);
        proxy.fault = lose;
      }
      return proxies.map((proxy) => proxy.url);
    },
    blocks: async ({ node }, signal) => {
      while (!signal.aborted) {
        await node.mine();
        if (isOn && random.chance(SHARE)) {
          // A node that has just begun again has the states of its newest blocks alone.
          await node.call('anvil_reorg', REORG_DEPTH, []).then(
            () => (happened.blocksAnew += 1),
            () => {},
          );
        }
        await sleep(BLOCK_MS);
      }
    },
    round: async (stage, owner) => {
      for (const name of ['psp', 'signer', 'gateway'] as const) {
        await sleep(-Math.log(1 - random.next()) * LIFE_MS);
        const killed = stage.kill(name);
        // What a dead gateway holds is held for a while; that while has gone by when the next one starts.
        if (name === 'gateway') await forgetLeases(owner);
        await killed;
        if (name === 'psp') await faults(stage);
        happened[`${name}Killed`] += 1;
      }
      await sleep(-Math.log(1 - random.next()) * LIFE_MS);
      await stage.node.hang(HANG_MS);
      happened.nodeHung += 1;
      await sleep(-Math.log(1 - random.next()) * LIFE_MS);
      await stage.node.restart();
      happened.nodeKilled += 1;
    },
  };
}

/** Ends what a process held that was just killed. */
export async function forgetLeases(owner: pg.Pool): Promise<void> {
  await sleep(200);
  await owner.query('update job set leased_until = null');
  await owner.query('update idempotency_key set leased_until = clock_timestamp() where answer is null');
  await owner.query('update pix_cursor set free_at = least(free_at, clock_timestamp())');
  await owner.query(`update chain_network set leased_until = '2020-01-01'`);
}
