/**
 * Goal: a return or an end that the provider reports and does not show yet when asked is stored, and booked once it shows it (C-36).
 * Method: true callbacks of the provider's certificate while answers lack what they report, on a rail without a list of disputes.
 */
import { afterEach, expect, test } from 'vitest';
import { newEndToEndId, newReturnId } from '../../../src/base/pix/end-to-end-id.ts';
import type { ProcessRow } from '../../../src/templates/facts.ts';
import { depositFor } from '../../resolvers/inbound/support.ts';
import { callBack, inventedPix } from './call-back.ts';
import { useStand } from './harness.ts';

const stand = useStand({ infractionsUrl: null }, { works: true });
const UNSHOWN = 'the provider does not show its return or its end yet';
const origin = () => ({ ispb: '12345678', at: new Date() });

afterEach(async () => {
  stand.meddle = undefined;
  await stand.psp.control('PUT', '/faults', { seed: 1, rules: [] });
});

const report = (pix: object) =>
  callBack(stand, { identity: stand.psp.certificates.psp, body: JSON.stringify({ pix: [pix] }) });
const openReports = async (endToEndId: string) =>
  (
    await stand.app.owner.query(
      `select outcome, last_error as error from rail_news where kind = 'unconfirmed' and body ->> 'endToEndId' = $1 order by id`,
      [endToEndId],
    )
  ).rows;

/** Has the provider asked about stored reports now, `attempts` times before. */
async function askAgain(attempts: number): Promise<void> {
  await stand.app.owner.query(
    `update rail_news set due_at = now() - interval '1 second', attempts = $1 where kind = 'unconfirmed' and outcome = 'pending'`,
    [attempts],
  );
  await stand.part.poll();
}

async function paid(): Promise<{ readonly row: ProcessRow; readonly endToEndId: string }> {
  const row = await stand.inbound.onramp(stand.merchant);
  await stand.inbound.reach(row, 'depositpix/QRCODE');
  const { process } = await stand.inbound.rowOf(row.end2end);
  const { json } = await stand.psp.control('POST', '/pay', { txid: process?.txid });
  await stand.inbound.reach(row, 'success/DONE');
  return { row, endToEndId: json.endToEndIds[0] };
}

/** The provider's answer about one PIX has more members. */
function show(part: string, more: object): void {
  stand.meddle = async (call, go) => {
    const answer = await go(call);
    if (call.method !== 'GET' || !call.url.includes(part)) return answer;
    return { ...answer, body: JSON.stringify({ ...JSON.parse(answer.body), ...more }) };
  };
}

const med = (more: object = {}) => ({
  id: `MED${newReturnId(origin()).slice(-8)}`,
  rtrId: newReturnId(origin()),
  valor: '100.00',
  natureza: 'MED_FRAUDE',
  status: 'DEVOLVIDO',
  horario: { solicitacao: new Date().toISOString() },
  ...more,
});
const reportOf = (endToEndId: string, devolucoes: readonly object[]) =>
  inventedPix({ endToEndId, valor: '100.00', chave: stand.settings.pixKey, devolucoes });

const FORMS: Readonly<Record<string, object>> = {
  'with both names': {},
  'without rtrId': { rtrId: undefined },
  'without any name': { id: undefined, rtrId: undefined },
};
for (const [form, names] of Object.entries(FORMS))
  test(`a return by MED ${form} that the answer lacks is stored, and its dispute is booked once the answer has it (C-36)`, async () => {
    const { row, endToEndId } = await paid();
    const back = med(names);
    expect(await report(reportOf(endToEndId, [back]))).toBe(200);
    expect(await openReports(endToEndId)).toEqual([{ outcome: 'pending', error: UNSHOWN }]);
    await askAgain(2);
    show(`/pix/${endToEndId}`, { devolucoes: [{ ...back, status: 'EM_PROCESSAMENTO' }] });
    await askAgain(3);
    expect(await openReports(endToEndId)).toEqual([{ outcome: 'pending', error: UNSHOWN }]);
    expect(await stand.inbound.stepOf(row)).toBe('success/DONE');
    show(`/pix/${endToEndId}`, { devolucoes: [back] });
    await askAgain(4);
    await stand.inbound.reach(row, 'dispute/ACCEPTED');
    await stand.until(async () => (await openReports(endToEndId))[0]?.outcome === 'noted');
    await stand.inbound.verified(row.accountId);
  });

test('a return that no answer contains is denied at the last query, and books nothing (C-36)', async () => {
  const { row, endToEndId } = await paid();
  const [shown, invented] = [med({ valor: '10.00' }), med()];
  show(`/pix/${endToEndId}`, { devolucoes: [shown] });
  expect(await report(reportOf(endToEndId, [shown, invented]))).toBe(200);
  expect(await openReports(endToEndId)).toEqual([{ outcome: 'pending', error: UNSHOWN }]);
  await askAgain(5);
  expect(await openReports(endToEndId)).toMatchObject([{ outcome: 'pending' }]);
  await askAgain(9);
  await stand.until(async () => (await openReports(endToEndId))[0]?.outcome === 'failed');
  expect(await openReports(endToEndId)).toEqual([{ outcome: 'failed', error: UNSHOWN }]);
  expect(await stand.inbound.eventsOf(`pix:${invented.id}`)).toEqual([]);
  await stand.inbound.verified(row.accountId);
});

test('an unreadable return that the answer lacks is stored (C-36)', async () => {
  const { endToEndId } = await paid();
  expect(await report(reportOf(endToEndId, [med({ status: 'CANCELADO' })]))).toBe(200);
  expect(await openReports(endToEndId)).toEqual([{ outcome: 'pending', error: UNSHOWN }]);
  await askAgain(2);
  expect(await openReports(endToEndId)).toMatchObject([{ outcome: 'pending' }]);
});

test('the end of a payout, and its return, are stored while the answer lacks them (C-36)', async () => {
  await stand.psp.control('PUT', '/faults', { seed: 1, rules: [{ on: 'callback', fault: 'lost', rate: 1 }] });
  const row = await stand.inbound.offrampInstant(stand.merchant);
  await stand.tools.receive(depositFor(await stand.inbound.rowOf(row.end2end)));
  await stand.inbound.reach(row, 'pix_out/SENDING');
  const orderOf = async () =>
    (
      await stand.app.owner.query(
        `select psp_id as id, is_done as "isDone", end_to_end_id as "endToEndId" from pix_order where key = $1 or key like $1 || ':%'`,
        [row.end2end],
      )
    ).rows[0];
  await stand.until(async () => (await orderOf()) !== undefined);
  const { id } = await orderOf();
  const path = `/enviados/id-envio/${id}`;
  const sentPix = (more: object) =>
    inventedPix({ valor: '1.00', gnExtras: { idEnvio: id }, status: 'REALIZADO', ...more });
  const [early, endToEndId] = [newEndToEndId(origin()), newEndToEndId(origin())];
  show(path, { status: 'EM_PROCESSAMENTO', endToEndId: early });
  expect(await report(sentPix({ endToEndId: early }))).toBe(200);
  expect(await openReports(early)).toEqual([{ outcome: 'pending', error: UNSHOWN }]);
  show(path, { status: 'REALIZADO', endToEndId });
  await askAgain(2);
  await stand.inbound.reach(row, 'success/DONE');
  const back = med({ valor: '1.00', natureza: undefined });
  expect(await report(sentPix({ endToEndId, devolucoes: [back] }))).toBe(200);
  expect(await openReports(endToEndId)).toEqual([{ outcome: 'pending', error: UNSHOWN }]);
  show(path, { status: 'REALIZADO', endToEndId, devolucoes: [back] });
  await askAgain(2);
  await stand.until(async () => (await stand.inbound.eventsOf(`pix:${back.rtrId}`)).length === 1);
  expect(await stand.inbound.eventsOf(`pix:${back.rtrId}`)).toMatchObject([{ kind: 'payout_returned' }]);
});
