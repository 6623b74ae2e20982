/** Goal: what the sender makes is what the signer signs: payouts, replacements, gas and sweeps. Method: the signer as a process, a real node. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Signer, signerAt } from '../../../src/rails/chain/signer.ts';
import {
  newSigner,
  OPEN_POLICY,
  type SignerHome,
  type SignerProcess,
  startSigner,
} from '../../support/signer.ts';
import type { TestSigner } from '../../support/test-signer.ts';
import { ETHER, FINAL, PAYEE, PAYER, USDT, useNetwork } from './harness.ts';

const net = useNetwork();
let home: SignerHome;
let running: SignerProcess;

beforeAll(async () => {
  home = await newSigner(OPEN_POLICY);
  running = await startSigner(home);
});
afterAll(async () => {
  await running?.end('SIGKILL');
  home?.remove();
});

test('payouts, one of them replaced at a higher fee, and swept deposits', async () => {
  const signer: Signer = signerAt(home);
  const hotAddress = home.facts.hot.ETH as string;
  net.signer = { ...signer, hotAddress, xpub: home.facts.xpub.ETH as string } as TestSigner;
  await net.node.give(hotAddress, 10n * ETHER);
  await net.node.give(hotAddress, 10_000n * USDT, 'USDT_ETH');
  await net.takeOver({ sweep: { USDT_ETH: '50' }, stuckMs: 0, maxFeeGwei: '20' });
  expect((await net.rail.checks()).filter(({ ok }) => !ok)).toEqual([]);
  const address = await net.address();
  await net.node.pay(PAYER, address, 60n * USDT, 'USDT_ETH');
  await net.send('CRX1:1', 20n * USDT);
  await net.send('CRX2:1', 3_000n * USDT);
  await net.turns(3);
  expect(net.told('broadcast_failed')).toEqual(['broadcast_failed CRX2:1']);
  for (let round = 0; round < 10; round++) {
    await net.node.mine(FINAL);
    await net.turns(2);
  }
  expect(net.told('broadcast_confirmed')).toEqual(['broadcast_confirmed CRX1:1']);
  expect(await net.node.balance(PAYEE, 'USDT_ETH')).toBe(20n * USDT);
  expect(await net.node.balance(address, 'USDT_ETH')).toBe(0n);
  const { rows } = await net.owner.query(
    `select o.intent, count(*)::int as made from chain_attempt a join chain_order o on o.id = a.order_id
      where o.key = 'CRX1:1' and a.raw is not null group by o.intent`,
  );
  expect(rows[0].made).toBeGreaterThan(1);
});
