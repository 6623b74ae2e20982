/**
 * Goal: what limits count, and on which day (C-21, C-22; docs/limits.md). Method: the real application; payments are told to
 * the engine with the moment at which they were settled.
 */

import { beforeAll, describe, expect, test } from 'vitest';
import { brasiliaDay } from '../../src/base/time/brasilia-day.ts';
import { verifyVolumes } from '../../src/store/engine/verify-volumes.ts';
import { useApp } from '../support/app.ts';
import { newCustomer, newShop, type Shop, stepOf } from '../support/limits.ts';
import { useOneDay } from '../support/one-day.ts';
import { errorsIn } from '../support/refusals.ts';
import { whitelist } from '../support/rest-routes.ts';

const DAY_MS = 86_400_000;
const LONG = { expires_in: 2_592_000 };
useOneDay();
const app = useApp({ rateLimit: null });
let shop: Shop;

beforeAll(async () => {
  shop = await newShop(app);
});

const now = () => app.services.clock.nowMs();
const today = async () => brasiliaDay(await now());
const inDays = async (days: number) => brasiliaDay((await now()) + days * DAY_MS);
const idOf = (answer: { readonly json: { readonly end2end: string } }) => answer.json.end2end;
const volumeOf = (day: string, open: string, paid: string) => ({ day, open, paid });

describe('the limit of the day', () => {
  beforeAll(() => shop.limit({ daily: '50000', stepUp: '1000000' }));

  test('C-21: counts all families of a customer together, and no other customer', async () => {
    const taxId = newCustomer();
    expect((await shop.onramp(taxId, '30000')).status).toBe(201);
    expect((await shop.offramp(taxId, '15000')).status).toBe(201);
    expect((await shop.checkout(taxId, '5000.01')).json).toMatchObject({
      status: 422,
      code: 'LIMIT_EXCEEDED',
    });
    expect((await shop.checkout(taxId, '5000')).status).toBe(201);
    expect((await shop.checkout(newCustomer(), '50000')).status).toBe(201);
    expect(await shop.volumes(taxId)).toEqual([volumeOf(await today(), '50000', '0')]);
  });

  test('C-21: a payment counts on the day on which the rail settled it; an excess is held, and counts once it is released', async () => {
    const taxId = newCustomer();
    const ids = [];
    for (let n = 0; n < 2; n++) {
      ids.push(idOf(await shop.onramp(taxId, '30000', LONG)));
      await app.services.sandbox?.advanceClock(DAY_MS);
    }
    const [first = '', second = ''] = ids;
    const settledAtMs = (await now()) - 1_000;
    const day = brasiliaDay(settledAtMs);
    expect(stepOf((await shop.pay(first, settledAtMs)).row)).toBe('depositpix/PAID');
    expect(stepOf((await shop.pay(second, settledAtMs)).row)).toBe('compliance/UNCOMPLIANT');
    expect(await shop.volumes(taxId)).toEqual([volumeOf(day, '0', '30000')]);
    // Screening, which was ordered when the money came, changes nothing any more.
    await shop.reach(first, 'success/DONE');
    expect(stepOf(await shop.row(second))).toBe('compliance/UNCOMPLIANT');
    await shop.tell(second, { on: 'released' });
    await shop.reach(second, 'success/DONE');
    expect(await shop.volumes(taxId)).toEqual([volumeOf(day, '0', '60000')]);
  });

  test('C-21: a held payment is returned when it is rejected, and never counted', async () => {
    const taxId = newCustomer();
    const id = idOf(await shop.onramp(taxId, '30000', LONG));
    await app.services.sandbox?.advanceClock(DAY_MS);
    const other = idOf(await shop.onramp(taxId, '30000', LONG));
    await shop.pay(other, await now());
    await shop.pay(id, await now());
    await shop.tell(id, { on: 'hold_rejected' });
    await shop.reach(id, 'refund/DONE');
    expect(await shop.volumes(taxId)).toEqual([volumeOf(await today(), '0', '30000')]);
  });

  test('C-21: payments on two Brasília days are two days, though one in UTC', async () => {
    const taxId = newCustomer();
    const ids = [
      idOf(await shop.onramp(taxId, '25000', LONG)),
      idOf(await shop.onramp(taxId, '25000', LONG)),
    ];
    const days = [await inDays(1), await inDays(2)] as const;
    // A payment of the future would be held (`impossible_time`).
    await app.services.sandbox?.advanceClock(3 * DAY_MS);
    const midnight = Date.parse(`${days[1]}T03:00:00Z`);
    for (const [index, id] of ids.entries()) await shop.pay(id, midnight - 1 + index);
    expect(await shop.volumes(taxId)).toEqual([
      volumeOf(days[0], '0', '25000'),
      volumeOf(days[1], '0', '25000'),
    ]);
  });

  test('C-21: a deposit over the limit is held, and nothing is paid out', async () => {
    const taxId = newCustomer();
    const made = await shop.offramp(taxId, '1000', LONG);
    const { depositAddress, exactDepositAmount } = await shop.reach(
      idOf(made),
      'crypto_deposit/WAITING_DEPOSIT',
    );
    expect(depositAddress).not.toBeNull();
    await shop.limit({ daily: '999.99' });
    const txHash = 'd1'.repeat(32);
    await shop.tell(idOf(made), {
      on: 'deposit_seen',
      txHash,
      logIndex: 0,
      amount: exactDepositAmount as string,
      from: 'TMaevXmbYNz1rwX53YGt9FK2wiSmcEq1ut',
      seenAt: new Date(await now()).toISOString(),
    });
    const { row } = await shop.tell(idOf(made), { on: 'deposit_confirmed', txHash });
    await shop.limit({ daily: '50000' });
    expect(stepOf(row)).toBe('compliance/UNCOMPLIANT');
    expect(await shop.volumes(taxId)).toEqual([]);
    await shop.tell(idOf(made), { on: 'released' });
    expect(stepOf(await shop.row(idOf(made)))).toBe('partial_success/DONE');
    expect(await shop.volumes(taxId)).toEqual([]);
  });

  test('C-21: a delivery that failed, and was credited instead, was paid all the same', async () => {
    const taxId = newCustomer();
    const wallet = { wallet: 'TMaevXmbYNz1rwX53YGt9FK2wiSmcEq1ut', external_code: 'sandbox:delivery-fail' };
    const id = idOf(await shop.onramp(taxId, '40000', wallet));
    await shop.reach(id, 'depositpix/QRCODE');
    await shop.pay(id, await now());
    await shop.reach(id, 'partial_success/DONE');
    expect(await shop.volumes(taxId)).toEqual([volumeOf(await today(), '0', '40000')]);
    expect((await shop.onramp(taxId, '10000.01')).json).toMatchObject({ code: 'LIMIT_EXCEEDED' });
  });

  test('C-21: the payee of a session that asks for one later is checked then', async () => {
    const made = await app.graphql(
      `mutation { createOfframp(input: { amount: { brl: "1000" }, currency: "USDT_TRX", from: EXTERNAL, accept: true }) {
        transaction { end2end } errors { code message path } } }`,
      {},
      { key: shop.apiKey },
    );
    expect(errorsIn(made.json)).toBeUndefined();
    const { end2end } = made.json.data.createOfframp.transaction;
    const taxId = newCustomer();
    expect((await shop.offramp(taxId, '49500')).status).toBe(201);
    const { row } = await shop.tell(end2end, {
      on: 'identity_given',
      clientName: 'Ana Souza',
      clientTaxId: taxId,
      payout: { pixKey: 'ana@example.com', pixKeyType: 'email' },
    });
    expect(stepOf(row)).toBe('pre_kyc/LIMIT');
    expect(await shop.volumes(taxId)).toEqual([volumeOf(await today(), '49500', '0')]);
  });
});

describe('a dispute', () => {
  beforeAll(() => shop.limit({ daily: '50000', stepUp: '1000000' }));
  const paid = async (taxId: string) => {
    const id = idOf(await shop.onramp(taxId, '50000'));
    await shop.reach(id, 'depositpix/QRCODE');
    await shop.pay(id, await now());
    await shop.reach(id, 'success/DONE');
    return id;
  };
  const dispute = async (id: string, disputeId: string, amount: string) => {
    await shop.tell(id, { on: 'dispute_opened', disputeId, amount });
    const { row } = await shop.tell(id, { on: 'dispute_accepted', disputeId });
    expect(stepOf(row)).toBe('dispute/ACCEPTED');
  };

  test('C-21: about a part frees nothing once it is accepted; one about the rest frees all', async () => {
    const taxId = newCustomer();
    const id = await paid(taxId);
    await dispute(id, 'inf-1', '100');
    expect(await shop.volumes(taxId)).toEqual([volumeOf(await today(), '0', '50000')]);
    expect((await shop.onramp(taxId, '1')).json).toMatchObject({ code: 'LIMIT_EXCEEDED' });
    expect(await verifyVolumes(app.database, shop.accountId)).toEqual([]);
    await dispute(id, 'inf-2', '49900');
    expect(await shop.volumes(taxId)).toEqual([]);
    expect(await verifyVolumes(app.database, shop.accountId)).toEqual([]);
    expect((await shop.onramp(taxId, '50000')).status).toBe(201);
  });

  test('C-21: a failed refund during an accepted dispute counts the payment again, whatever was paid meanwhile', async () => {
    const taxId = newCustomer();
    const id = await paid(taxId);
    const { row } = await shop.tell(id, { on: 'payment_refunded', amount: '49900' });
    await dispute(id, 'inf-1', '100');
    expect(await shop.volumes(taxId)).toEqual([]);
    await paid(taxId);
    const returnId = row.process?.returns?.[0]?.returnId as string;
    expect((await shop.tell(id, { on: 'refund_failed', returnId })).code).toBe('ADVANCED');
    expect(await shop.volumes(taxId)).toEqual([volumeOf(await today(), '0', '100000')]);
    expect(await verifyVolumes(app.database, shop.accountId)).toEqual([]);
  });
});

describe('transactions without a movement of money count nothing', () => {
  beforeAll(() => shop.limit({ daily: '50000', stepUp: '1000000' }));

  test.each([
    ['cancelled', 'quote/CANCELLED', [{ on: 'cancelled' }]],
    ['expired', 'depositpix/EXPIRED', [{ on: 'expired', isForced: true }]],
    ['refused by the PIX rail', 'depositpix/ERROR', [{ on: 'charge_failed' }]],
  ] as const)('C-21: %s', async (_what, step, triggers) => {
    const taxId = newCustomer();
    const id = idOf(await shop.onramp(taxId, '1000'));
    await shop.reach(id, 'depositpix/QRCODE');
    expect(await shop.volumes(taxId)).toEqual([volumeOf(await today(), '1000', '0')]);
    for (const trigger of triggers) await shop.tell(id, trigger);
    expect(stepOf(await shop.row(id))).toBe(step);
    expect(await shop.volumes(taxId)).toEqual([]);
  });

  test.each([
    ['paid by somebody else', { payerTaxId: '11144477735' }],
    ['paid too little', { amount: '999.99' }],
  ])('C-21: %s', async (_what, change) => {
    const taxId = newCustomer();
    const id = idOf(await shop.onramp(taxId, '1000'));
    await shop.reach(id, 'depositpix/QRCODE');
    await shop.pay(id, await now(), change);
    await shop.reach(id, 'refund/DONE');
    expect(await shop.volumes(taxId)).toEqual([]);
  });

  test('C-21: denied after the payment, and refunded', async () => {
    const strict = await newShop(app);
    await strict.limit({ daily: '50000', stepUp: '999' });
    const taxId = newCustomer();
    const id = idOf(await strict.onramp(taxId, '1000'));
    await strict.reach(id, 'depositpix/QRCODE');
    await strict.pay(id, await now());
    await strict.reach(id, 'valida_id/PENDING');
    expect(await strict.volumes(taxId)).toEqual([volumeOf(await today(), '0', '1000')]);
    await strict.tell(id, { on: 'step_up_denied' });
    await strict.reach(id, 'refund/DONE');
    expect(await strict.volumes(taxId)).toEqual([]);
  });

  test('C-21: a conversion that failed', async () => {
    const taxId = newCustomer();
    const id = idOf(await shop.onramp(taxId, '1000', { external_code: 'sandbox:swap-fail' }));
    await shop.reach(id, 'depositpix/QRCODE');
    await shop.pay(id, await now());
    await shop.reach(id, 'refund/DONE');
    expect(await shop.volumes(taxId)).toEqual([]);
  });
});

describe('the step-up', () => {
  test('C-21: covers all families: an onramp and a checkout of 9,999 each exceed 10,000', async () => {
    await shop.limit({ daily: '50000', stepUp: '10000' });
    const taxId = newCustomer();
    const onramp = idOf(await shop.onramp(taxId, '9999'));
    await shop.reach(onramp, 'depositpix/QRCODE');
    await shop.pay(onramp, await now());
    await shop.reach(onramp, 'success/DONE');
    const checkout = idOf(await shop.checkout(taxId, '9999'));
    await shop.reach(checkout, 'valida_id_v2/PENDING');
    await shop.tell(checkout, { on: 'step_up_approved' });
    await shop.reach(checkout, 'depositpix_v2/QRCODE');
    // Approved once is approved also when it is paid.
    await shop.pay(checkout, await now());
    await shop.reach(checkout, 'success/DONE');
  });

  test('C-21: covers 30 days, and no more', async () => {
    await shop.limit({ daily: '50000', stepUp: '10000' });
    const taxId = newCustomer();
    const first = idOf(await shop.onramp(taxId, '9999'));
    await shop.reach(first, 'depositpix/QRCODE');
    await shop.pay(first, await now());
    await app.services.sandbox?.advanceClock(29 * DAY_MS);
    const within = idOf(await shop.checkout(taxId, '2'));
    await shop.reach(within, 'valida_id_v2/PENDING');
    await app.services.sandbox?.advanceClock(DAY_MS);
    const beyond = idOf(await shop.checkout(taxId, '2'));
    await shop.reach(beyond, 'depositpix_v2/QRCODE');
  });
});

test('C-21: volumes equal the transactions', async () => {
  expect(await verifyVolumes(app.database, shop.accountId)).toEqual([]);
});

describe('withdrawals of a day', () => {
  const body = { currency_receive_code: 'BRL', group_id: 'grp_bank' };
  let bank: Shop;
  beforeAll(async () => {
    bank = await newShop(app);
    await whitelist(app, bank.accountId, 'grp_bank', [
      { pixKeyType: 'email', target: 'ana@example.com', usableInMs: -400 * DAY_MS },
    ]);
    await bank.post('/v2/sandbox/fund', { currency: 'BRL', amount: '10000' });
    await bank.approveAbove('100');
  });
  const withdraw = async (amount_received: string) => {
    const answer = await bank.post('/v2/withdrawal', { ...body, amount_received });
    expect(answer.status).toBe(201);
    return answer;
  };
  const waits = async (amount: string) =>
    (await withdraw(amount)).json.component === 'approval_withdrawl_dash';

  test('C-22: of ten of 95.79 one needs no approval; a new day starts again', async () => {
    const waiting: boolean[] = [];
    for (let n = 0; n < 10; n++) waiting.push(await waits('95.79'));
    expect(waiting).toEqual([false, ...Array(9).fill(true)]);
    expect(await waits('4.21')).toBe(false);
    expect(await waits('1')).toBe(true);
    await app.services.sandbox?.advanceClock(DAY_MS);
    expect(await waits('100')).toBe(false);
    expect(await bank.moneyOut()).toEqual([
      { day: await inDays(-1), brl: '100' },
      { day: await today(), brl: '100' },
    ]);
  });

  test('C-22: rejected, approved and failed withdrawals do not count', async () => {
    await app.services.sandbox?.advanceClock(DAY_MS);
    const large = await withdraw('5000');
    await bank.approve(idOf(large));
    const free = await withdraw('60');
    expect(free.json.component).not.toBe('approval_withdrawl_dash');
    expect(await waits('60')).toBe(true);
    await bank.reach(idOf(free), 'success_withdrawl_dash/DONE');
    await bank.tell(idOf(free), { on: 'payout_returned' });
    expect(await waits('60')).toBe(false);
    expect(await verifyVolumes(app.database, bank.accountId)).toEqual([]);
  });
});
