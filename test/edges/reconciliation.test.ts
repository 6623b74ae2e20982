/**
 * Goal: reconciliation says what the statement and the ledger do not agree about, and nothing else. Method: real transactions of the
 * sandbox over HTTP; then differences of every kind are planted behind the back of the gateway.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { newEndToEndId } from '../../src/base/pix/end-to-end-id.ts';
import { brasiliaDay, brasiliaMidnight, dayAfter } from '../../src/base/time/brasilia-day.ts';
import { useApp } from '../support/app.ts';
import { graphqlClient } from '../support/graphql-client.ts';
import { useOneDay } from '../support/one-day.ts';
import { plantPayment } from '../support/unbooked-payment.ts';

useOneDay();
const app = useApp();
let shop: Awaited<ReturnType<typeof app.addAccount>>;
const { ask, refusal, create, trigger, until } = graphqlClient(app, () => shop.apiKey);
const platform = (document: string) => ask(document, {}, app.platformKey);
const today = async () => brasiliaDay(await app.services.clock.nowMs());

beforeAll(async () => {
  shop = await app.addAccount();
});

const REPORT = `id day isOpen matched missingHere missingThere amountDiffers inSuspense oldestOpenAt
  findings { finding kind id amountThere amountHere transaction account journal why }`;
const reconcile = async () =>
  (
    await platform(
      `mutation { reconcile(input: { day: "${await today()}" }) { reconciliation { ${REPORT} } errors { code message path } } }`,
    )
  ).reconcile.reconciliation;

async function sell(): Promise<string> {
  const { transaction } = await create('createOnramp', {
    amount: { brl: '100.00' },
    currency: 'USDT_TRX',
    clientName: 'Ana Souza',
    clientTaxId: '529.982.247-25',
  });
  await trigger(transaction.end2end, 'pay');
  await until(transaction.end2end, 'success/DONE');
  return transaction.end2end;
}

/** Changes what the rail says behind the back of the gateway. */
async function plant(sql: string, values: readonly unknown[]): Promise<void> {
  await app.owner.query('alter table rail_news disable trigger append_only');
  const { rowCount } = await app.owner.query(sql, [...values]);
  await app.owner.query('alter table rail_news enable always trigger append_only');
  expect(rowCount).toBe(1);
}
/** Three payments, a refund, a dispute, a payout, and its return. */
const KINDS_OF_DAY = 7;
/** More than it takes to sell something. Unit: ms. */
const DAY_ENDS_MS = 60_000;
const KEY_OF = `(select 'pix:' || pix_e2e from transaction where end2end = $1)`;

describe('a day', () => {
  test('on which all agrees has nothing open', async () => {
    await sell();
    const paid = await sell();
    await ask(
      `mutation { refundPayment(input: { end2end: "${paid}", amount: "20" }) { transaction { end2end } errors { code message path } } }`,
    );
    const disputed = await sell();
    await trigger(disputed, 'dispute-open');
    const payee = {
      clientName: 'Ana Souza',
      clientTaxId: '529.982.247-25',
      pixKey: '52998224725',
      pixKeyType: 'CPF',
    };
    const { transaction } = await create('createOfframp', {
      amount: { crypto: '5' },
      currency: 'USDT_TRX',
      ...payee,
    });
    await until(transaction.end2end, 'success/DONE');
    await trigger(disputed, 'dispute-accept');
    await trigger(transaction.end2end, 'pix-return');
    let report = await reconcile();
    for (let turn = 0; turn < 40 && report.matched < KINDS_OF_DAY; turn++) {
      await sleep(100);
      report = await reconcile();
    }
    expect(report).toMatchObject({ isOpen: false, findings: [], oldestOpenAt: null });
    expect(report.matched).toBe(KINDS_OF_DAY);
    const { reconciliations } = await platform(`{ reconciliations(first: 1) { nodes { ${REPORT} } } }`);
    expect(reconciliations.nodes[0]).toEqual(report);
  });

  test('finds a payment that the ledger does not have', async () => {
    const { endToEndId } = await plantPayment(app);
    expect(await reconcile()).toMatchObject({
      isOpen: true,
      missingHere: 1,
      missingThere: 0,
      amountDiffers: 0,
      findings: [
        { finding: 'MISSING_HERE', kind: 'PAYMENT', id: endToEndId, amountThere: '7.00', amountHere: null },
      ],
    });
    await app.owner.query('delete from rail_news where key = $1', [`pix:${endToEndId}`]);
  });

  test('finds another amount, and uses no line of another entry for it', async () => {
    const end2end = await sell();
    const change = (amount: string) =>
      plant(
        `update rail_news set body = jsonb_set(body, '{amount}', to_jsonb($2::text)) where key = ${KEY_OF} and kind = 'payment'`,
        [end2end, amount],
      );
    await change('99.99');
    expect(await reconcile()).toMatchObject({
      missingHere: 0,
      missingThere: 0,
      amountDiffers: 1,
      findings: [
        { finding: 'AMOUNT_DIFFERS', amountThere: '99.99', amountHere: '100', transaction: end2end },
      ],
    });
    await change('100.00');
    expect(await reconcile()).toMatchObject({ isOpen: false });
  });

  test('finds lines that the statement lacks', async () => {
    const end2end = await sell();
    await plant(`delete from rail_news where key = ${KEY_OF} and kind = 'payment'`, [end2end]);
    const report = await reconcile();
    expect(report).toMatchObject({
      missingHere: 0,
      missingThere: 1,
      findings: [
        {
          finding: 'MISSING_THERE',
          kind: 'PAYMENT',
          id: null,
          amountHere: '100',
          amountThere: null,
          transaction: end2end,
        },
      ],
    });
    expect(report.oldestOpenAt).not.toBeNull();
  });

  test('has money in suspense as open, and its payment as matched', async () => {
    const before = await reconcile();
    const nowMs = await app.services.clock.nowMs();
    await app.services.receive({
      kind: 'payment',
      txid: null,
      endToEndId: newEndToEndId({ ispb: '99999999', at: new Date(nowMs) }),
      amount: '3.00',
      settledAt: new Date(nowMs).toISOString(),
      payerTaxId: null,
    });
    expect(await reconcile()).toMatchObject({
      matched: before.matched + 1,
      inSuspense: before.inSuspense + 1,
      missingHere: before.missingHere,
      missingThere: before.missingThere,
    });
  });
});

test('C-13: a day that is none, or that has not begun, is refused by name', async () => {
  const wrong = (day: string) =>
    refusal(
      `mutation { reconcile(input: { day: "${day}" }) { reconciliation { id: reconciliationId } errors { code message path } } }`,
      {},
      app.platformKey,
    );
  expect(await wrong('2026-02-30')).toMatchObject({ code: 'BAD_REQUEST' });
  expect(await wrong(dayAfter(await today()))).toMatchObject({ code: 'INVALID_PARAMETER' });
  expect(
    await refusal('{ reconciliations(first: 101) { nodes { id: reconciliationId } } }', {}, app.platformKey),
  ).toMatchObject({
    code: 'INVALID_PARAMETER',
  });
});

test('C-40: it is closed to a key of the account', async () => {
  expect(await refusal('{ reconciliations { nodes { id: reconciliationId } } }')).toMatchObject({
    code: 'FORBIDDEN',
  });
  expect(
    await refusal(
      'mutation { reconcile(input: {}) { reconciliation { id: reconciliationId } errors { code message path } } }',
    ),
  ).toMatchObject({ code: 'FORBIDDEN' });
});

test('C-52: under a key it is done once; a report never changes', async () => {
  const once =
    'mutation { reconcile(input: { idempotencyKey: "night" }) { reconciliation { id: reconciliationId day } errors { code message path } } }';
  const first = (await platform(once)).reconcile.reconciliation;
  expect((await platform(once)).reconcile.reconciliation).toEqual(first);
  expect(first.day).toBe(dayAfter(await today(), -1));
  await expect(app.owner.query('update reconciliation set matched = 0')).rejects.toThrow(/append-only/);
  const { rows } = await app.owner.query(
    `select count(*)::int as count from audit_entry where act = 'books.reconcile' and object_id = $1`,
    [first.day],
  );
  expect(rows).toEqual([{ count: 1 }]);
});

test('a charge that is paid before midnight and once more after it: the first uses no line of the next day', async () => {
  const nowMs = await app.services.clock.nowMs();
  const midnightMs = brasiliaMidnight(dayAfter(brasiliaDay(nowMs + DAY_ENDS_MS)));
  await app.services.sandbox?.advanceClock(midnightMs - nowMs - DAY_ENDS_MS);
  const end2end = await sell();
  await app.services.sandbox?.advanceClock(2 * DAY_ENDS_MS);
  await trigger(end2end, 'pay');
  const second = async () => {
    const { rows } = await app.owner.query(
      `select n.key from suspense_entry s join rail_news n on n.id = s.news_id
        join transaction t on t.account_id = n.account_id and t.id = n.transaction_id where t.end2end = $1`,
      [end2end],
    );
    return rows[0]?.key as string | undefined;
  };
  await expect.poll(second).toBeDefined();
  const agreed = await reconcile();
  expect(agreed).toMatchObject({ missingThere: 0, findings: [] });

  const settledAt = `'"2020-01-01T12:00:00.000Z"'`;
  await plant(`update rail_news set body = jsonb_set(body, '{settledAt}', ${settledAt}) where key = $1`, [
    await second(),
  ]);
  expect(await reconcile()).toMatchObject({
    matched: agreed.matched - 1,
    missingThere: 1,
    findings: [{ finding: 'MISSING_THERE', kind: 'PAYMENT', amountHere: '100' }],
  });
});
