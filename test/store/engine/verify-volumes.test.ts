/**
 * Goal: volumes that are not what the transactions say are found, each planted here; and nothing is found where nothing is wrong
 * (C-21). Method: transactions of the real application at many steps; damage is done inside a
 * database transaction that is rolled back.
 */
import { beforeAll, expect, test } from 'vitest';
import { brasiliaDay } from '../../../src/base/time/brasilia-day.ts';
import { verifyVolumes } from '../../../src/store/engine/verify-volumes.ts';
import { verifyLedger } from '../../../src/store/ledger/verify.ts';
import { useApp } from '../../support/app.ts';
import { findAfterDamage } from '../../support/damage.ts';
import { newCustomer, newShop, type Shop } from '../../support/limits.ts';
import { useOneDay } from '../../support/one-day.ts';

useOneDay();
const app = useApp({ rateLimit: null });
const [ana, bruno] = [newCustomer(), newCustomer()];
let shop: Shop;
let today: string;

beforeAll(async () => {
  shop = await newShop(app);
  await shop.limit({ daily: '100000', stepUp: '1000000' });
  const cancelled = (await shop.onramp(ana, '40')).json.end2end;
  await shop.post(`/v2/onramp/${cancelled}/cancel`, {});
  await shop.onramp(ana, '100.10');
  await shop.checkout(ana, '50');
  await shop.pay(await shop.charge(ana, '70.25', 'onramp'), await app.services.clock.nowMs());
  await shop.pay(await shop.charge(bruno, '30', 'onramp'), await app.services.clock.nowMs());
  today = brasiliaDay(await app.services.clock.nowMs());
});

/** Damages volumes or transactions, and gives what the auditor says of it. */
function found(...damage: readonly string[]): Promise<string[]> {
  return findAfterDamage(app, shop.accountId, (tx) => verifyVolumes(tx, shop.accountId, 2), damage);
}

const ofDay = (subject: string) => `where account_id = $ACCOUNT and subject = '${subject}'`;
const counting = (brl: string) => `where account_id = $ACCOUNT and process #>> '{counted,brl}' = '${brl}'`;

test('C-21: nothing is wrong with volumes of transactions that are open, paid or over, and of imported history', async () => {
  expect((await verifyLedger(app.database, shop.accountId, { slice: 2 })).defects).toEqual([]);
  expect(await verifyVolumes(app.database, app.accountId, 3)).toEqual([]);
  expect(await found()).toEqual([]);
});

test('C-21: a volume that is more or less than its transactions, missing, or without a customer', async () => {
  expect(await found(`update volume_day set open = open - 0.01 ${ofDay(ana)}`)).toEqual([
    expect.stringMatching(
      /^volume of a day: \*\*\*\.\d{3}\.\d{3}-\*\* on \S+: 150\.09 BRL open and 70\.25 paid, the transactions say 150\.10? BRL open and 70\.25 paid$/,
    ),
  ]);
  expect(await found(`update volume_day set paid = paid + 5 ${ofDay(bruno)}`)).toHaveLength(1);
  expect(await found(`update volume_day set day = day - 1 ${ofDay(bruno)}`)).toHaveLength(3);
  expect(
    await found(
      `insert into volume_day (account_id, subject, day, paid) values ($ACCOUNT, '11144477735', '${today}', 1)`,
    ),
  ).toHaveLength(1);
  expect(await found(`update volume_day set subject = '11144477735' ${ofDay(bruno)}`)).toEqual([
    expect.stringMatching(
      /^counted amount: \S+ counts 30(\.00)? BRL paid on \S+, and the day has no volume$/,
    ),
    expect.stringMatching(/^volume of a day: .* the transactions say 0 BRL open and 0 paid$/),
  ]);
});

test('C-21: a transaction whose counted amount contradicts its step', async () => {
  const set = (path: string, value: string) =>
    `update transaction set process = jsonb_set(process, '{counted,${path}}', '${value}')`;
  for (const damage of [
    `update transaction set process = process - 'counted' ${counting('30')}`,
    `${set('brl', '"31"')} ${counting('30')}`,
    `${set('isPaid', 'false')} ${counting('30')}`,
    `${set('subject', `"${ana}"`)} ${counting('30')}`,
  ]) {
    const defects = await found(damage);
    expect(
      defects.filter((each) => each.startsWith('counted amount')),
      damage,
    ).toHaveLength(1);
    expect(
      defects.some((each) => each.startsWith('volume of a day')),
      damage,
    ).toBe(true);
  }
});

test('an account from before transactions stored their counted amount: only later days are compared', async () => {
  const damage = [
    `update transaction set process = process - 'counted' ${counting('30')}`,
    `update volume_day set paid = paid + 5 ${ofDay(bruno)}`,
  ];
  expect(await found(...damage)).toHaveLength(2);
  const since = `update account set volumes_from = $2::date + 1 where id = $1`;
  await app.owner.query(since, [String(shop.accountId), today]);
  expect(await found(...damage)).toEqual([]);
});
