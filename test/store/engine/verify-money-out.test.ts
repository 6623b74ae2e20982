/**
 * Goal: money out that is not what the transactions say is found, each defect planted here; and nothing is found where nothing is
 * wrong (C-25). Method: withdrawals and refunds of the real application; damage is done inside a database transaction that is rolled
 * back.
 */

import { beforeAll, expect, test, vi } from 'vitest';
import { verifyMoneyOut } from '../../../src/store/engine/verify-money-out.ts';
import { verifyLedger } from '../../../src/store/ledger/verify.ts';
import { useApp } from '../../support/app.ts';
import { findAfterDamage } from '../../support/damage.ts';
import { newCustomer, newShop, type Shop } from '../../support/limits.ts';
import { useOneDay } from '../../support/one-day.ts';
import { errorsIn } from '../../support/refusals.ts';
import { whitelist } from '../../support/rest-routes.ts';

useOneDay();
const app = useApp({ rateLimit: null });
let shop: Shop;
/** Withdrawals that left, were approved, wait for approval and were cancelled; a payment that was refunded in part. */
let ids: Record<'left' | 'approved' | 'waiting' | 'cancelled' | 'refunded', string>;

beforeAll(async () => {
  shop = await newShop(app);
  await shop.limit({ daily: '100000', stepUp: '1000000' });
  await app.post('/v2/sandbox/fund', { currency: 'BRL', amount: '2000' }, { key: shop.apiKey });
  await whitelist(app, shop.accountId, 'grp_bank', [
    { pixKeyType: 'email', target: 'ana@example.com', usableInMs: -1_000 },
  ]);
  await shop.approveAbove('130');
  const withdraw = async (amount_received: string): Promise<string> => {
    const body = { currency_receive_code: 'BRL', group_id: 'grp_bank', amount_received };
    const answer = await shop.post('/v2/withdrawal', body);
    expect(answer.status, answer.text).toBe(201);
    return answer.json.end2end;
  };
  const left = await withdraw('60');
  const [approved, waiting, cancelled] = [
    await withdraw('200'),
    await withdraw('300'),
    await withdraw('400'),
  ];
  await shop.approve(approved);
  await shop.tell(cancelled, { on: 'cancelled' });
  const refunded = await shop.charge(newCustomer(), '50', 'checkout');
  await shop.pay(refunded, await app.services.clock.nowMs());
  const isDone = async () => expect((await shop.row(refunded)).component).toMatch(/^success/);
  await vi.waitFor(isDone, { timeout: 20_000 });
  const query = `mutation { refundPayment(input: { end2end: "${refunded}", amount: "20" }) { transaction { component } errors { code message path } } }`;
  const { json } = await app.post('/graphql', { query }, { key: shop.apiKey });
  expect(errorsIn(json)).toBeUndefined();
  ids = { left, approved, waiting, cancelled, refunded };
});

function found(...damage: readonly string[]): Promise<string[]> {
  return findAfterDamage(app, shop.accountId, (tx) => verifyMoneyOut(tx, shop.accountId, 2), damage);
}

const of = (end2end: string) =>
  `where account_id = $ACCOUNT and transaction_id = (select id from transaction where end2end = '${end2end}')`;

test('C-25: money out that left, was approved, waits, was given up, or is a refund has no defect', async () => {
  const { rows } = await app.owner.query(
    `select kind || ' ' || state as what from money_out where account_id = $1 order by 1`,
    [String(shop.accountId)],
  );
  expect(rows.map(({ what }) => what)).toEqual([
    'refund passed',
    'withdrawal approved',
    'withdrawal held',
    'withdrawal passed',
  ]);
  expect(await found()).toEqual([]);
  expect((await verifyLedger(app.database, shop.accountId, { slice: 2 })).defects).toEqual([]);
  expect(await verifyMoneyOut(app.database, app.accountId, 3)).toEqual([]);
});

test('C-25: sums of a minute that are more or less than the payments, missing, or of no payment', async () => {
  const [wrong] = await found(
    'update money_out_minute set approved = approved + 1 where account_id = $ACCOUNT',
  );
  expect(wrong).toMatch(
    /^money out of a minute: \S+Z: \d+(\.\d+)? BRL unapproved and 201(\.0+)? approved, the payments say \d+(\.\d+)? BRL unapproved and 200/,
  );
  const all = 'delete from money_out_minute where account_id = $ACCOUNT';
  const late = `insert into money_out_minute values ($ACCOUNT, '2100-01-01T00:00Z', 5, 0)`;
  expect((await found(all)).length).toBeGreaterThan(0);
  expect(await found(late)).toEqual([expect.stringMatching(/^money out of a minute: 2100-01-01T00:00Z: 5/)]);
  expect((await verifyLedger(app.database, shop.accountId)).defects).toEqual([]);
});

test('C-25: a payment that is missing, has another amount, or is counted though it did not leave', async () => {
  const defectOf = (end2end: string, words: string) =>
    expect.stringMatching(new RegExp(`^money out: ${end2end} ${words}`));
  for (const [damage, end2end, words] of [
    [`delete from money_out ${of(ids.left)}`, ids.left, 'left the balance, and counts nothing'],
    [
      `update money_out set brl = 59 ${of(ids.left)}`,
      ids.left,
      'counts 59 BRL as withdrawal \\d+, the transaction says 60',
    ],
    [
      `update money_out set brl = 19 ${of(ids.refunded)}`,
      ids.refunded,
      'counts 19 BRL as refund D\\w+, the transaction says 20',
    ],
    [
      `update money_out set ref = 'D0' ${of(ids.refunded)}`,
      ids.refunded,
      'counts 20(\\.\\d+)? BRL as refund D0, the transaction says nothing',
    ],
    [`delete from money_out ${of(ids.waiting)}`, ids.waiting, 'waits for approval, and is not among'],
    [
      `update money_out set transaction_id = (select id from transaction where end2end = '${ids.cancelled}') ${of(ids.waiting)}`,
      ids.cancelled,
      'waits for no approval, and is among',
    ],
    [
      `update transaction set component = 'approval_withdrawl_dash', state = 'CANCELLED' where end2end = '${ids.approved}'`,
      ids.approved,
      'is back in the balance, and counts 200',
    ],
  ] as const)
    expect(await found(damage), damage).toContainEqual(defectOf(end2end, words));
});
