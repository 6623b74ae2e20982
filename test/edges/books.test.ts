/**
 * Goal: the operator settles what an account holder owes after a lost dispute, and books capital, once and balanced; house
 * accounts that may not be below nothing are not. Method: real operations over HTTP, then the ledger is looked at.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { type Currency, currencyOf } from '../../src/base/money/currency.ts';
import * as journals from '../../src/ledger/journals.ts';
import { platformAccount } from '../../src/store/account/accounts.ts';
import { postJournals } from '../../src/store/ledger/posting.ts';
import { verifyLedger } from '../../src/store/ledger/verify.ts';
import { useApp } from '../support/app.ts';
import { graphqlClient } from '../support/graphql-client.ts';

const app = useApp();
const USDT = currencyOf('USDT_TRX') as Currency;
/** More than is owed to anybody here. */
const MUCH = 10n ** 15n;
let shop: Awaited<ReturnType<typeof app.addAccount>>;
const { ask, refusal, create, trigger, fund, until } = graphqlClient(app, () => shop.apiKey);

beforeAll(async () => {
  shop = await app.addAccount();
});

const settle = (amount: string, source: string, key = '') =>
  `mutation { settleReceivable(input: { account: "${shop.accountId}", currency: "USDT_TRX", amount: "${amount}", source: ${source}${key && `, idempotencyKey: "${key}"`} }) { booking { journalId currency amount } errors { code message path } } }`;
const house = async (accountId: unknown, name: string) => {
  const { rows } = await app.owner.query(
    `select a.currency, b.balance from ledger_account a join ledger_balance b
       on b.account_id = a.account_id and b.ledger_account_id = a.id where a.account_id = $1 and a.house = $2`,
    [String(accountId), name],
  );
  return rows
    .filter(({ balance }) => balance !== '0')
    .map(({ currency, balance }) => `${currency} ${balance}`);
};

describe('receivables', () => {
  test('of a lost dispute are settled out of the balance (L63) and by capital (L64), never beyond the receivable', async () => {
    const { transaction } = await create('createOnramp', {
      amount: { brl: '550.00' },
      currency: 'USDT_TRX',
      clientName: 'Ana Souza',
      clientTaxId: '529.982.247-25',
    });
    const { end2end } = transaction;
    await trigger(end2end, 'pay');
    await until(end2end, 'success/DONE');
    const { balances } = await ask('{ balances { available currency { code } } }');
    const { available } = balances.find(
      (each: { currency: { code: string } }) => each.currency.code === 'USDT_TRX',
    );
    const payee = {
      clientName: 'Ana Souza',
      clientTaxId: '529.982.247-25',
      pixKey: 'ana@example.com',
      pixKeyType: 'EMAIL',
    };
    await create('createOfframp', { amount: { crypto: available }, currency: 'USDT_TRX', ...payee });
    await trigger(end2end, 'dispute-open');
    await trigger(end2end, 'dispute-accept');
    const [receivable] = await house(shop.accountId, 'A.recv');
    const whole = -Number(receivable?.split(' ')[1]) / 1e6;
    expect(whole).toBeGreaterThan(50);

    expect(await refusal(settle('10', 'BALANCE'), {}, app.platformKey)).toMatchObject({
      code: 'INSUFFICIENT_BALANCE',
    });
    await fund('USDT_TRX', '10');
    const {
      settleReceivable: { booking: settleReceivable },
    } = await ask(settle('10', 'BALANCE', 'one'), {}, app.platformKey);
    expect(settleReceivable).toMatchObject({ currency: 'USDT_TRX', amount: '10' });
    const again = await ask(settle('10', 'BALANCE', 'one'), {}, app.platformKey);
    expect(again.settleReceivable.booking).toEqual(settleReceivable);
    const rest = (whole - 10).toFixed(6);
    expect(await refusal(settle((whole - 9).toFixed(6), 'CAPITAL'), {}, app.platformKey)).toMatchObject({
      code: 'LIMIT_EXCEEDED',
    });
    await ask(settle(rest, 'CAPITAL'), {}, app.platformKey);
    expect(await house(shop.accountId, 'A.recv')).toEqual([]);
    expect((await verifyLedger(app.database, BigInt(shop.accountId))).defects).toEqual([]);
    const { rows } = await app.owner.query(
      `select act from audit_entry where account_id = $1 and act = 'receivable.settle'`,
      [String(shop.accountId)],
    );
    expect(rows).toHaveLength(2);
  });

  test('C-40: are no matter for a key of the account', async () => {
    expect(await refusal(settle('1', 'CAPITAL'))).toMatchObject({ code: 'FORBIDDEN' });
  });
});

test('capital is paid in (L65) and withdrawn (L66) on the account of the platform', async () => {
  const second = await app.addKey(await platformAccount(app.database, 'sandbox'), ['platform:books']);
  const book = async (direction: string, currency: string, amount: string) => {
    const {
      bookCapital: { manualJournal: bookCapital },
    } = await ask(
      `mutation { bookCapital(input: { currency: "${currency}", amount: "${amount}", direction: ${direction} }) { manualJournal { id: proposalId } errors { code message path } } }`,
      {},
      app.platformKey,
    );
    await ask(
      `mutation { approveJournal(input: { proposalId: "${bookCapital.id}" }) { manualJournal { id: proposalId } errors { code message path } } }`,
      {},
      second.apiKey,
    );
  };
  await book('IN', 'USDT_TRX', '1000');
  await book('OUT', 'USDT_TRX', '400');
  await book('IN', 'BRL', '50.00');
  const { rows } = await app.owner.query('select id from account where is_platform and mode = $1', [
    'sandbox',
  ]);
  const platform = BigInt(rows[0].id);
  expect((await house(platform, 'E.capital')).sort()).toEqual(['BRL 5000', 'USDT_TRX 600000000']);
  expect(await house(platform, 'A.custody')).toEqual(['USDT_TRX -600000000']);
  expect(await house(platform, 'A.pix')).toEqual(['BRL -5000']);
  expect((await verifyLedger(app.database, platform)).defects).toEqual([]);
});

describe('house accounts that may not be below nothing are not', () => {
  const post = (journal: ReturnType<typeof journals.pixRefunded>) =>
    app.database.withTx((tx) =>
      postJournals(
        tx,
        [{ accountId: BigInt(shop.accountId), ref: `floor ${journal.name}`, transactionId: null, journal }],
        new Date(),
      ),
    );

  test('C-30: neither money owed to payers, payees and unknown senders, nor money on its way in or owed to the house', async () => {
    await fund('USDT_TRX', '1');
    const refused = [
      journals.pixRefunded(MUCH),
      journals.payoutSettled(MUCH),
      journals.suspenseReleased(USDT, MUCH),
      journals.depositConfirmed(USDT, MUCH),
      journals.receivableSettled(USDT, 1n),
    ];
    for (const journal of refused)
      await expect(post(journal), journal.name).rejects.toThrow(/ledger_balance_side/);
  });
});
