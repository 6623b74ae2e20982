/**
 * Goal: a deposit whose way back the network reverts is held again, and goes back once when it is ordered again (C-34). Method: as live.test.ts.
 */
import { expect, test } from 'vitest';
import { toMinor } from '../../../src/base/money/money.ts';
import { testSigner } from '../../support/test-signer.ts';
import { PAYER, USDT } from './harness.ts';
import { useLiveEvm } from './live-app.ts';

const signer = testSigner();
const evm = useLiveEvm(signer);
const { app, inbound, until } = evm;

test('C-34: a deposit whose return the network refused is held again, and returned once', async () => {
  const { node } = evm;
  const { accountId, apiKey: key } = await app.addAccount({ mode: 'live' });
  const sold = await app.post(
    '/v2/offramp',
    {
      ...{ from: 'external', currency_entry_paid_code: 'USDT_ETH', amount_paid: '20' },
      ...{ client_name: 'Ana Souza', client_tax_id: '52998224725' },
      ...{ pix_key: '52998224725', pix_key_type: 'cpf' },
    },
    { key },
  );
  const { end2end } = sold.json;
  const row = () => inbound.rowOf(end2end);
  const isAt = (step: string) => async () => `${(await row()).component}/${(await row()).state}` === step;
  await until(async () => (await row()).depositAddress !== null);
  const { depositAddress, exactDepositAmount } = await row();
  const paid = toMinor(exactDepositAmount as string, 6) + USDT;
  await node.pay(PAYER, depositAddress as string, paid, 'USDT_ETH');
  await until(isAt('crypto_deposit/OVERPAID'));
  const refund = async () =>
    expect((await app.post(`/v2/offramp/${end2end}/refund`, {}, { key })).status).toBe(200);
  const states = async () =>
    (await app.owner.query('select state from chain_order order by id')).rows.map(({ state }) => state);

  const left = await node.balance(PAYER, 'USDT_ETH');
  await refund();
  await until(async () => (await states()).at(-1) === 'sent');
  const float = await node.balance(signer.hotAddress, 'USDT_ETH');
  await node.give(signer.hotAddress, 0n, 'USDT_ETH');
  await until(isAt('crypto_deposit/OVERPAID'));
  expect(await inbound.bookOf(accountId)).toMatchObject({ 'M.blocked USDT_ETH': String(paid) });
  await node.give(signer.hotAddress, float, 'USDT_ETH');
  await refund();
  await until(isAt('refund/DONE'));
  expect(await states()).toEqual(['failed', 'confirmed']);
  expect((await node.balance(PAYER, 'USDT_ETH')) - left).toBe(paid - toMinor('2.50', 6));
  // Gas of both; the deposit left once.
  const journals = (await inbound.journalsOf(accountId)).split(' ').toSorted();
  expect(journals).toEqual(['L12', 'L12', 'L30', 'L31', 'L33', 'L34']);
  await inbound.verified(accountId);
});
