/**
 * Goal: one connection that breaks costs no turn (providers that fail). A block is read by many calls, of which none may fail; without
 * a second try, a tenth of broken connections keeps a network from being read at all.
 */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { NodeUnavailable } from '../../../src/rails/chain/node.ts';
import { createRpc } from '../../../src/rails/evm/rpc.ts';
import { type EvmNode, startEvmNode } from '../../support/evm-node.ts';
import { type RpcProxy, startRpcProxy } from '../../support/rpc-proxy.ts';

let node: EvmNode;
let proxy: RpcProxy;

beforeAll(async () => {
  node = await startEvmNode();
  proxy = await startRpcProxy(node.url);
});
beforeEach(() => breaks(0));
afterAll(async () => {
  await proxy.stop();
  await node.stop();
});

const rpc = () => createRpc({ name: 'node', url: proxy.url }, 5_000);

/** So many connections break, the next one does not. */
function breaks(times: number): void {
  let left = times;
  proxy.fault = () => {
    left -= 1;
    return left < 0 ? undefined : (['before', 'after'] as const)[left % 2];
  };
}

test('a call whose connection breaks twice is repeated and answered', async () => {
  breaks(2);
  expect(await rpc().call('eth_chainId', [])).toBe('0x1');
});

test('a call whose connection breaks three times fails', async () => {
  breaks(3);
  await expect(rpc().call('eth_chainId', [])).rejects.toThrow(NodeUnavailable);
});

test('an error of a node is its answer: there is no retry', async () => {
  proxy.asked.clear();
  await expect(rpc().call('eth_nonsense', [])).rejects.toThrow(/nonsense|not found/i);
  expect(proxy.asked.get('eth_nonsense')).toBe(1);
});
