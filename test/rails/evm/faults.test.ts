/**
 * Goal: with everything going wrong that can, nothing is paid twice, lost or stuck, and what is told as final is what the network has. Method: two
 * faulty providers of a real node, a signer whose answers get lost, events that are not accepted, reorganisations, blocks that do not come, and
 * processes that die, all by chance. `CHAIN_ROUNDS` makes it longer, `CHAIN_SEED` another one.
 */
import { expect, test } from 'vitest';
import { type RpcProxy, startRpcProxy } from '../../support/rpc-proxy.ts';
import { FINAL, PAYEE, PAYER, USDT, useNetwork } from './harness.ts';

const net = useNetwork();
const ROUNDS = Number(process.env.CHAIN_ROUNDS ?? 25);
const SEED = Number(process.env.CHAIN_SEED ?? 20_261_122);
const QUIET_ROUNDS = 25;

/** Mulberry32: chance that can be had again. */
function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

test(`${ROUNDS} rounds of faults, seed ${SEED}`, { timeout: 60_000 + ROUNDS * 2_000 }, async () => {
  const draw = chance(SEED);
  const proxies: RpcProxy[] = [await startRpcProxy(net.node.url), await startRpcProxy(net.node.url)];
  const settings = { providers: proxies.map(({ url }) => url), stuckMs: 200 };
  await net.takeOver(settings);
  const addresses = [await net.address(), await net.address(), await net.address()];
  for (const each of proxies)
    each.fault = () => {
      const drawn = draw();
      return drawn < 0.05 ? 'before' : drawn < 0.1 ? 'after' : undefined;
    };
  let ordered = 0;
  for (let round = 0; round < ROUNDS; round++) {
    net.signer.fault = draw() < 0.2 ? 'lost' : draw() < 0.1 ? 'limit' : undefined;
    net.lost = draw() < 0.2 ? 1 : 0;
    for (const end = ordered + Math.floor(draw() * 3); ordered < end; ordered++)
      await net.send(`CRX${ordered}:1`, 1n * USDT);
    if (draw() < 0.5)
      await net.node.pay(PAYER, addresses[round % 3] as string, BigInt(round + 1), 'USDT_ETH');
    await net.rail.cycle();
    if (draw() < 0.6) await net.node.mine(1 + Math.floor(draw() * 2));
    if (draw() < 0.1) await net.node.call('anvil_reorg', 1 + Math.floor(draw() * (FINAL - 1)), []);
    if (draw() < 0.1) await net.node.forget();
    if (draw() < 0.15) await net.takeOver(settings);
    await net.owner.query(`update chain_order set due_at = '2020-01-01' where state = 'queued'`);
  }
  for (const each of proxies) each.fault = undefined;
  net.signer.fault = undefined;
  net.lost = 0;
  for (let round = 0; round < QUIET_ROUNDS; round++) {
    await net.owner.query(`update chain_order set due_at = '2020-01-01' where state = 'queued'`);
    await net.node.mine();
    await net.turns(2);
  }

  const { rows } = await net.owner.query(
    'select state, count(*)::int as count from chain_order group by state',
  );
  expect(rows).toEqual([{ state: 'confirmed', count: ordered }]);
  expect(await net.node.balance(PAYEE, 'USDT_ETH')).toBe(BigInt(ordered) * USDT);
  expect(new Set(net.told('broadcast_confirmed')).size).toBe(ordered);
  expect(net.told('broadcast_failed')).toEqual([]);
  const confirmed = new Map(
    net.events.flatMap((each) =>
      each.kind === 'deposit_confirmed' ? [[`${each.txHash}:${each.logIndex}`, each] as const] : [],
    ),
  );
  for (const address of addresses) {
    const told = [...confirmed.values()].filter((each) => each.address === address);
    const minor = told.reduce((sum, { amount }) => sum + BigInt(Math.round(Number(amount) * 1e6)), 0n);
    expect(minor).toBe(await net.node.balance(address, 'USDT_ETH'));
  }
  const gas = new Map(
    net.events.flatMap((each) =>
      each.kind === 'gas_spent' ? [[each.txHash, BigInt(each.gas.amountMinor)]] : [],
    ),
  );
  const spent = [...gas.values()].reduce((sum, each) => sum + each, 0n);
  expect(spent).toBe(100n * 10n ** 18n - (await net.node.balance(net.signer.hotAddress)));
  for (const each of proxies) await each.stop();
});
