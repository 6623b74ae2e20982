/**
 * Goal: with two providers no money moves by the word of one: a provider that lies, lags or is dead stops the reading of the network and
 * raises an alarm, and never makes a wrong credit. Method: a real node behind two proxies, one of which the test bends.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, expect, test } from 'vitest';
import { TOKEN_CONTRACTS } from '../../../src/base/chain/token-contract.ts';
import { instantOf, millisOf } from '../../../src/base/time/instant.ts';
import type { DepositEvent } from '../../../src/resolvers/services/rail-event.ts';
import { startRpcProxy, type Twist } from '../../support/rpc-proxy.ts';
import { FINAL, PAYEE, PAYER, USDT, useNetwork, useTwoProviders } from './harness.ts';

const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const net = useNetwork();
const providers = useTwoProviders(net);
beforeEach(() => net.takeOver({ providers: [providers.bent.url, providers.honest.url] }));

/** Makes the second provider bend one answer. */
const bend =
  (method: string, change: (result: never, params: readonly unknown[]) => unknown): Twist =>
  (call, result) =>
    call.method === method ? change(result as never, call.params) : result;
const confirmed = () => net.told('deposit_confirmed');

async function depositIsFinal(): Promise<string> {
  const address = await net.address();
  await net.node.pay(PAYER, address, 20n * USDT, 'USDT_ETH');
  await net.node.mine(FINAL);
  return address;
}

/** Nothing is credited while a provider is bent, an alarm says why, and everything is credited when it is honest again. */
async function holdsBack(): Promise<void> {
  await net.turns();
  expect(confirmed()).toEqual([]);
  expect(net.alarms).toContain('a network cannot be read');
  const [reading] = (await net.rail.checks()).filter(({ check }) => check === 'reading');
  expect(reading).toMatchObject({ ok: false });
  providers.bent.twist = undefined;
  providers.bent.isDead = false;
  await net.turns(4);
  expect(confirmed()).toEqual(['deposit_confirmed 20 USDT_ETH']);
}

test('one that reports another amount', async () => {
  await depositIsFinal();
  providers.bent.twist = bend('eth_getLogs', (logs: { data: string }[]) =>
    logs.map((log) => ({ ...log, data: `0x${2_000_000_000n.toString(16).padStart(64, '0')}` })),
  );
  await holdsBack();
});

test('one that hides a deposit', async () => {
  await depositIsFinal();
  providers.bent.twist = bend('eth_getLogs', () => []);
  await holdsBack();
});

test('one that invents a deposit: it is seen, never confirmed, and dropped', async () => {
  await net.takeOver({ providers: [providers.honest.url, providers.bent.url] });
  const address = await net.address();
  await net.node.mine();
  const hash = `0x${'ab'.repeat(32)}`;
  providers.bent.twist = async ({ method, params }, result, ask) => {
    const block = (await ask('eth_getBlockByNumber', ['latest', false])) as { number: string; hash: string };
    const made = { blockNumber: block.number, blockHash: block.hash, logIndex: '0x0', transactionHash: hash };
    if (method === 'eth_getTransactionReceipt' && params[0] === hash)
      return { ...made, status: '0x1', logs: [made] };
    const [filter] = params as [{ fromBlock: string }];
    if (method !== 'eth_getLogs' || filter.fromBlock !== block.number) return result;
    const topics = [TRANSFER, PAYER, address].map(
      (each) => `0x${each.slice(2).toLowerCase().padStart(64, '0')}`,
    );
    const data = `0x${(20n * USDT).toString(16).padStart(64, '0')}`;
    return [{ ...made, address: TOKEN_CONTRACTS.get('USDT_ETH'), topics, data }];
  };
  await net.turns(1);
  expect(net.told('deposit_seen')).toEqual(['deposit_seen 20 USDT_ETH']);
  providers.bent.twist = undefined;
  await net.node.mine(FINAL);
  await net.turns();
  expect(confirmed()).toEqual([]);
  expect(net.told('deposit_dropped')).toEqual(['deposit_dropped 20 USDT_ETH']);
  expect(net.alarms).toContain('a transfer reported by one provider is in no final block');
});

test('one that is far behind', async () => {
  const head = await net.node.call('eth_blockNumber');
  await depositIsFinal();
  providers.bent.twist = async ({ method, params }, result, ask) =>
    method === 'eth_getBlockByNumber' && (params[0] === 'latest' || Number(params[0]) > Number(head))
      ? params[0] === 'latest'
        ? ask('eth_getBlockByNumber', [head, false])
        : null
      : result;
  await net.turns();
  expect(confirmed()).toEqual([]);
  providers.bent.twist = undefined;
  await net.turns();
  expect(confirmed()).toHaveLength(1);
});

test('one that is far behind, queried first for the times of blocks', async () => {
  const third = await startRpcProxy(net.node.url);
  await net.takeOver({ providers: [providers.bent.url, providers.honest.url, third.url] });
  await net.turns(1);
  await depositIsFinal();
  await net.turns();
  providers.bent.twist = ({ method, params }, result) =>
    method === 'eth_getBlockByNumber' && params[0] !== 'latest' ? null : result;
  const period = { from: new Date(Date.now() - 3_600_000), to: new Date(Date.now() + 3_600_000) };
  const read = await net.rail.port.statementOf?.('ETH')?.read(period);
  expect(read).toContainEqual(expect.objectContaining({ kind: 'deposit', amount: '20' }));
  await third.stop();
});

test('one that is dead', async () => {
  await depositIsFinal();
  providers.bent.isDead = true;
  await holdsBack();
});

test('one that is of another chain, or answers nonsense', async () => {
  await depositIsFinal();
  providers.bent.twist = bend('eth_getBlockByNumber', () => 'nonsense');
  await holdsBack();
  providers.bent.twist = bend('eth_chainId', () => '0x2');
  expect(await net.rail.checks()).toContainEqual(
    expect.objectContaining({
      check: 'providers',
      ok: false,
      detail: expect.stringContaining('expected chain 1'),
    }),
  );
});

test('C-33: a deposit has the age of its block, however slowly a provider reports that', async () => {
  await depositIsFinal();
  const minuteAgo = Math.floor(Date.now() / 1_000) - 60;
  const older: Twist = async ({ method, params }, result) => {
    if (method !== 'eth_getBlockByNumber' || params[0] === 'latest') return result;
    await sleep(200);
    return { ...(result as object), timestamp: `0x${minuteAgo.toString(16)}` };
  };
  Object.assign(providers.bent, { twist: older });
  Object.assign(providers.honest, { twist: older });
  await net.turns(4);
  providers.honest.twist = undefined;
  const [seen] = net.events as DepositEvent[];
  expect(seen).toMatchObject({ kind: 'deposit_confirmed', seenAt: instantOf(new Date(minuteAgo * 1_000)) });
});

/** A block that is said to be an hour older than it is, so that a late deposit would count as one in time. */
const anHourOlder = bend('eth_getBlockByNumber', (block: { timestamp: string } | null) =>
  block === null ? null : { ...block, timestamp: `0x${(Number(block.timestamp) - 3_600).toString(16)}` },
);

test('C-33: one that reports another time of a block', async () => {
  await depositIsFinal();
  providers.bent.twist = anHourOlder;
  await holdsBack();
});

test('C-33: of three, one that reports another time of a block is outvoted, queried first or followed', async () => {
  const third = await startRpcProxy(net.node.url);
  await net.takeOver({ providers: [providers.bent.url, providers.honest.url, third.url] });
  providers.bent.twist = anHourOlder;
  await depositIsFinal();
  const since = Date.now() - 1_800_000;
  await net.turns(4);
  const deposits = (net.events as DepositEvent[]).filter(({ kind }) => kind.startsWith('deposit'));
  expect(deposits.length).toBeGreaterThan(0);
  for (const { seenAt } of deposits) expect(millisOf(seenAt)).toBeGreaterThan(since);
  await third.stop();
});

test('of three, a lying one is outvoted', async () => {
  const third = await startRpcProxy(net.node.url);
  await net.takeOver({ providers: [providers.bent.url, providers.honest.url, third.url] });
  await depositIsFinal();
  providers.bent.twist = bend('eth_getLogs', () => []);
  await net.turns(4);
  expect(confirmed()).toEqual(['deposit_confirmed 20 USDT_ETH']);
  await third.stop();
});

test('one that is followed and replaces final blocks: confirmed deposits stay, and the others are followed', async () => {
  const third = await startRpcProxy(net.node.url);
  await net.takeOver({ providers: [providers.honest.url, providers.bent.url, third.url] });
  const address = await depositIsFinal();
  await net.node.mine(FINAL);
  await net.turns();
  expect(confirmed()).toHaveLength(1);
  const { height } = (await net.owner.query('select height::int as height from chain_network')).rows[0];
  const other = (hash: string) => `0xabababab${hash.slice(10)}`;
  providers.bent.twist = bend(
    'eth_getBlockByNumber',
    (block: { number: string; hash: string; parentHash: string }) =>
      block && Number(block.number) > height - 2 * FINAL
        ? { ...block, hash: other(block.hash), parentHash: other(block.parentHash) }
        : block,
  );
  await net.node.pay(PAYER, address, 30n * USDT, 'USDT_ETH');
  await net.node.mine(FINAL);
  await net.turns(4);
  expect(net.alarms).not.toContain('the network rewrote blocks that were final');
  expect(confirmed()).toEqual(['deposit_confirmed 20 USDT_ETH', 'deposit_confirmed 30 USDT_ETH']);
  expect(net.told('deposit_dropped')).toEqual([]);
  await third.stop();
});

test('that return few blocks per request after a deep rewrite: nothing is dropped before later blocks were read', async () => {
  const address = await net.address();
  const before = await net.node.call('evm_snapshot');
  await net.node.pay(PAYER, address, 20n * USDT, 'USDT_ETH');
  await net.node.mine(FINAL);
  await net.turns();
  expect(confirmed()).toHaveLength(1);
  await net.node.call('evm_revert', before);
  await net.node.forget();
  await net.node.call('anvil_setNextBlockBaseFeePerGas', '0x3b9aca07');
  await net.node.mine(6);
  await net.node.pay(PAYER, address, 20n * USDT, 'USDT_ETH');
  await net.node.mine(10);
  const few: Twist = ({ method, params }, result) => {
    const [filter] = params as [{ fromBlock: string; toBlock: string }];
    return method === 'eth_getLogs' && Number(filter.toBlock) - Number(filter.fromBlock) > 2
      ? 'too many'
      : result;
  };
  providers.bent.twist = few;
  providers.honest.twist = few;
  await net.turns(30);
  providers.honest.twist = undefined;
  expect(net.told('deposit_dropped')).toEqual([]);
  const { rows } = await net.owner.query('select state from chain_arrival');
  expect(rows).toEqual([{ state: 'confirmed' }]);
});

test('that return few blocks per request: the next request asks for half as many', async () => {
  await net.turns();
  await depositIsFinal();
  await net.node.mine(40);
  const few: Twist = ({ method, params }, result) => {
    const [filter] = params as [{ fromBlock: string; toBlock: string }];
    return method === 'eth_getLogs' && Number(filter.toBlock) - Number(filter.fromBlock) > 11
      ? 'too many'
      : result;
  };
  providers.bent.twist = few;
  providers.honest.twist = few;
  await net.turns(3);
  providers.honest.twist = undefined;
  expect(confirmed()).toEqual(['deposit_confirmed 20 USDT_ETH']);
});

test('one that reports a transfer of ours as failed or impossible: it is not reported, and not sent again', async () => {
  await net.send('CRX1:1', 20n * USDT);
  await net.turns(1);
  providers.bent.twist = (call, result) => {
    if (call.method === 'eth_getTransactionReceipt' && result)
      return { ...(result as object), status: '0x0' };
    return result;
  };
  await net.node.mine(FINAL);
  await net.turns();
  expect(net.told('broadcast_failed', 'broadcast_confirmed')).toEqual([]);
  providers.bent.twist = bend('eth_getTransactionReceipt', () => null);
  await net.turns();
  expect(net.told('broadcast_failed', 'broadcast_confirmed')).toEqual([]);
  providers.bent.twist = undefined;
  await net.turns();
  expect(net.told('broadcast_failed', 'broadcast_confirmed')).toEqual(['broadcast_confirmed CRX1:1']);
  expect(await net.node.balance(PAYEE, 'USDT_ETH')).toBe(20n * USDT);
  expect(net.signer.signed).toHaveLength(1);
});
