/**
 * Goal: what a provider over the wire has and the gateway does not, and the other way round, is found by reconciliation. Method: a
 * gateway and the PSP without callbacks, so that nothing is known before it is asked for.
 */

import { describe, expect, test } from 'vitest';
import { BRL } from '../../../src/base/money/currency.ts';
import { brasiliaDay } from '../../../src/base/time/brasilia-day.ts';
import { operatorContext } from '../../../src/cli/with-store.ts';
import { capitalPaidIn } from '../../../src/ledger/journals.ts';
import { PspUnavailable } from '../../../src/rails/api-pix/http.ts';
import { reconcile } from '../../../src/resolvers/reconciliation/reconcile.ts';
import { platformAccount } from '../../../src/store/account/accounts.ts';
import { lockHeads } from '../../../src/store/engine/processes.ts';
import { postJournals } from '../../../src/store/ledger/posting.ts';
import { depositFor } from '../../resolvers/inbound/support.ts';
import { useOneDay } from '../../support/one-day.ts';
import { errorsIn } from '../../support/refusals.ts';
import { useStand } from './harness.ts';

useOneDay();
const stand = useStand(({ url }) => ({ balanceUrl: `${url}/v2/gn/saldo` }), { works: false });

async function today() {
  const { services, database } = stand.app;
  const context = await operatorContext(services, await platformAccount(database, 'live'));
  const day = { name: 'day', value: brasiliaDay(Date.now()) };
  return reconcile(context, { day }, { made: null, bind: async () => {} });
}

/** Has the provider asked about every order now, and the statement read. */
async function query() {
  await stand.app.owner.query(
    `update pix_order set ask_at = now() - interval '1 second' where ask_at is not null`,
  );
  await stand.app.owner.query(`update pix_cursor set free_at = now() - interval '1 second'`);
  await stand.part.poll();
}

/** Books capital. */
async function capital(minor: bigint) {
  const { database } = stand.app;
  const accountId = await platformAccount(database, 'live');
  const journal = capitalPaidIn(BRL, minor);
  const request = { accountId, ref: `capital ${minor}`, transactionId: null, journal };
  await database.withTx(async (tx) => {
    await lockHeads(tx, [accountId], 'live');
    await postJournals(tx, [request], new Date());
  });
}

describe('reconciliation over the wire', () => {
  test('finds an unreported payment, until the statement was read', async () => {
    const { json } = await stand.psp.control('POST', '/pay', { amount: '8.00', wait: false });
    const [id] = json.endToEndIds;
    expect(await today()).toMatchObject({
      matched: 0,
      missingHere: 1,
      findings: [{ finding: 'missing_here', id, amountThere: '8.00', why: 'the rail never told it' }],
      balances: [{ currency: 'BRL', there: '8', here: '0', inFlight: '8', agrees: true }],
    });
    await query();
    expect(await today()).toMatchObject({
      ...{ matched: 1, missingHere: 0, inSuspense: 1, findings: [] },
      balances: [{ there: '8', here: '8', inFlight: '0' }],
    });
  });

  test('queries a payment by id that was reported days after it was made', async () => {
    const settledAt = new Date(Date.now() - 3 * 86_400_000).toISOString();
    const { json } = await stand.psp.control('POST', '/pay', { amount: '6.00', wait: false, settledAt });
    const before = await today();
    const [endToEndId] = json.endToEndIds;
    const event = {
      kind: 'payment',
      txid: null,
      endToEndId,
      amount: '6.00',
      settledAt,
      payerTaxId: null,
    } as const;
    expect(await stand.tools.receive(event)).toMatchObject({ outcome: 'suspense' });
    expect(await today()).toMatchObject({ matched: before.matched, missingThere: 0, findings: [] });
    stand.meddle = async (call, go) =>
      call.url.endsWith(`/pix/${endToEndId}`) ? { status: 404, body: '{}' } : go(call);
    expect(await today()).toMatchObject({
      missingThere: 1,
      findings: [{ kind: 'payment', amountHere: '6' }],
    });
    stand.meddle = undefined;
  });

  test('has payouts in the provider’s present state', async () => {
    const row = await stand.inbound.offrampInstant(stand.merchant);
    await stand.tools.receive(depositFor(await stand.inbound.rowOf(row.end2end)));
    await stand.inbound.reach(row, 'pix_out/SENDING');
    await stand.until(async () => {
      await query();
      return (await stand.inbound.stepOf(row)) === 'success/DONE';
    });
    expect(await today()).toMatchObject({ matched: 2, findings: [] });
    // It ended days before it was told, and booked: it is asked for by its name.
    await stand.app.owner.query(`update pix_order set ended_at = ended_at - interval '3 days'`);
    expect(await today()).toMatchObject({ matched: 1, findings: [] });
    await stand.app.owner.query(`update pix_order set ended_at = ended_at + interval '3 days'`);
    const { rows } = await stand.app.owner.query(`select psp_id from pix_order where kind = 'payout'`);
    const { status } = await stand.psp.control('POST', `/payouts/${rows[0].psp_id}/return`, {});
    expect(status).toBe(200);
    await stand.app.owner.query(`update pix_order set ended_at = ended_at - interval '3 days'`);
    await query();
    expect(await today()).toMatchObject({ matched: 1, missingThere: 0, amountDiffers: 0 });
    await stand.app.owner.query(`update pix_order set ended_at = ended_at + interval '3 days'`);
    expect(await today()).toMatchObject({ matched: 3, findings: [] });
    stand.meddle = async (call, go) =>
      call.method === 'GET' && call.url.includes('/gn/pix/enviados') ? { status: 404, body: '{}' } : go(call);
    expect(await today()).toMatchObject({
      matched: 1,
      missingThere: 2,
      findings: [
        { finding: 'missing_there', kind: 'payout', transaction: row.end2end },
        // It lies in suspense, and is named by what it is.
        { finding: 'missing_there', kind: 'payout_return', transaction: row.end2end },
      ],
    });
    stand.meddle = undefined;
  });

  test('queries returns by id that were reported days after they ended, of a payment and from suspense', async () => {
    const { app, inbound, merchant, psp } = stand;
    const stranger = { payerTaxId: '11144477735', wait: false };
    const row = await inbound.onramp(merchant);
    await stand.until(async () => (await inbound.rowOf(row.end2end)).process?.txid !== undefined);
    const { txid } = (await inbound.rowOf(row.end2end)).process ?? {};
    await psp.control('POST', '/pay', { ...stranger, txid });
    await psp.control('POST', '/pay', { ...stranger, amount: '7.00' });
    await query();
    await inbound.reach(row, 'refund/INITIAL');
    const { rows } = await app.owner.query(
      `select id from suspense_entry where state = 'open' and amount_minor = 700`,
    );
    const platform = await platformAccount(app.database, 'live');
    const { apiKey } = await app.addKey(platform, ['platform:risk']);
    const { json } = await app.graphql(
      `mutation { returnSuspense(input: { suspenseId: "${rows[0].id}", reason: "checked" }) { suspenseEntry { state } errors { code message path } } }`,
      {},
      { key: apiKey },
    );
    expect(errorsIn(json)).toBeUndefined();
    const ended = async (isSo = 'is_done') =>
      (await app.owner.query(`select psp_id from pix_order where kind = 'return' and ${isSo}`)).rows;
    await stand.until(async () => (await ended('true')).length === 2);
    for (const { psp_id: id } of await ended('true')) await psp.control('POST', `/refunds/${id}/settle`, {});
    await stand.until(async () => {
      await query();
      return (await ended()).length === 2;
    });
    await inbound.reach(row, 'refund/DONE');
    const { matched, findings } = await today();
    expect(findings).toEqual([]);
    await app.owner.query(
      `update pix_order set ended_at = ended_at - interval '3 days' where kind = 'return'`,
    );
    expect(await today()).toMatchObject({ matched: matched - 2, findings: [] });
    await app.owner.query(
      `update pix_order set ended_at = ended_at + interval '3 days' where kind = 'return'`,
    );
  });

  test('finds that the bank has less than the ledger', async () => {
    await capital(250n);
    const { findings, balancesDiffer } = await today();
    expect(balancesDiffer).toBe(1);
    const found = findings.find(({ kind }) => kind === 'balance');
    expect(found).toMatchObject({ finding: 'balance_differs', currency: 'BRL', id: null });
    expect(Number(found?.amountHere) - Number(found?.amountThere)).toBe(2.5);
  });

  test('C-34: capital matches no unreported payment', async () => {
    await capital(900n);
    const { json } = await stand.psp.control('POST', '/pay', { amount: '9.00', wait: false });
    const [id] = json.endToEndIds;
    const { findings } = await today();
    expect(findings.map(({ finding, id: of }) => [finding, of])).toContainEqual(['missing_here', id]);
  });

  test('reports that the provider is unreachable', async () => {
    stand.meddle = async () => {
      throw new PspUnavailable('it is away');
    };
    await expect(today()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    stand.meddle = undefined;
  });
});
