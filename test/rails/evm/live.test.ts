/**
 * Goal: a live account is paid by a transfer on a network and delivers by one, and its books say what the network has: custody is what lies on
 * all addresses, gas is what the network took (C-34, L12). Method: the whole application with a rail of Ethereum on a real node; PIX is a
 * double.
 */
import { expect, test } from 'vitest';
import { platformAccount } from '../../../src/store/account/accounts.ts';
import { testSigner } from '../../support/test-signer.ts';
import { ETHER, PAYEE, USDT } from './harness.ts';
import { useLiveEvm } from './live-app.ts';

const signer = testSigner();
const evm = useLiveEvm(signer, { confirmations: 2, sweep: { USDT_ETH: '10' } }, { isStarted: true });
const { app, inbound, until, trade } = evm;

/** A balance of a house account over all accounts, minor units. */
async function booked(house: string, currency: string): Promise<bigint> {
  const { rows } = await app.owner.query(
    `select coalesce(sum(b.balance), 0)::text as balance from ledger_account a
       join ledger_balance b on b.account_id = a.account_id and b.ledger_account_id = a.id
      where a.house = $1 and a.currency = $2`,
    [house, currency],
  );
  const amount = BigInt(rows[0].balance);
  return amount < 0n ? -amount : amount;
}

test('a swept deposit pays an offramp, an onramp delivers a transfer, and the books equal the node’s balances', async () => {
  const live = await app.addAccount({ mode: 'live' });
  const { address, deposited, bought } = await trade(live.apiKey);
  const { node } = evm;
  const done = await inbound.rowOf(bought);
  const delivered = await node.balance(PAYEE, 'USDT_ETH');
  expect(delivered).toBeGreaterThan(0n);
  expect(done.txHash).toMatch(/^0x[0-9a-f]{64}$/);

  // All gas is booked in the end: that of the transfer with its account, that of the house with the platform's.
  const spentGas = async () =>
    100n * ETHER - (await node.balance(signer.hotAddress)) - (await node.balance(address));
  await until(async () => (await booked('X.gas', 'ETH_ETH')) === (await spentGas()));
  expect(await inbound.journalsOf(live.accountId)).toContain('L12');
  expect(await inbound.journalsOf(await platformAccount(app.database, 'live'))).toBe('L12 L12');
  // Custody changed by what came and went: the hot wallet began with 1,000.
  const there =
    (await node.balance(signer.hotAddress, 'USDT_ETH')) + (await node.balance(address, 'USDT_ETH'));
  expect(there).toBe(1_000n * USDT + deposited - delivered);
  await inbound.verified(live.accountId);
  const { rows } = await app.owner.query(
    `select coalesce(sum(b.balance), 0)::text as balance from ledger_account a
       join ledger_balance b on b.account_id = a.account_id and b.ledger_account_id = a.id
      where a.house = 'A.custody' and a.currency = 'USDT_ETH'`,
  );
  // An asset stands below nothing.
  expect(BigInt(rows[0].balance)).toBe(delivered - deposited);
});
