/**
 * Goal: reconciliation of Ethereum finds what differs, and nothing else. Method: the whole application with a rail of Ethereum on a real
 * node; the suite of all networks.
 */
import { evmAddress } from '../../../src/base/chain/address.ts';
import { useOneDay } from '../../support/one-day.ts';
import { testSigner } from '../../support/test-signer.ts';
import { reconciles } from '../reconciled.ts';
import { FINAL, PAYER } from './harness.ts';
import { useLiveEvm } from './live-app.ts';

const signer = testSigner('a wallet to be reconciled');
const THIEF = evmAddress(Buffer.from('dead'.repeat(10), 'hex'));
useOneDay();
const evm = useLiveEvm(signer, { sweep: { USDT_ETH: '15' } });
const { app, until, trade } = evm;

/** A session is paid by a deposit, which is swept, and a delivery leaves. */
async function live(): Promise<void> {
  const { apiKey } = await app.addAccount({ mode: 'live' });
  await trade(apiKey);
  await until(async () => {
    const { rows } = await app.owner.query('select 1 from chain_order where ended_at is null');
    return rows.length === 0;
  });
  await evm.rail.cycle();
  await evm.rail.cycle();
}

reconciles({
  app,
  mode: 'live',
  network: 'ETH',
  token: 'USDT_ETH',
  coin: 'ETH_ETH',
  other: 'USDC_ETH',
  hot: () => signer.hotAddress,
  stranger: PAYER,
  thief: THIEF,
  rail: () => evm.rail,
  pay: async (from, to, minor, currency) => {
    const hash = await evm.node.pay(from, to, minor, currency);
    // The first block after it may have been put together before it came.
    while ((await evm.node.call('eth_getTransactionReceipt', hash)) === null) await evm.node.mine();
    return hash;
  },
  settle: () => evm.node.mine(FINAL),
  give: async (address, minor, currency) =>
    evm.node.give(address, (await evm.node.balance(address, currency)) + minor, currency),
  live,
});
