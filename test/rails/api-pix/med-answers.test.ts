/**
 * Goal: an answer to a MED case reaches the provider once, with its files, and the provider's decision closes the case; a provider that is
 * away, answers nothing or refuses changes neither. Method: a gateway and the PSP over the wire, with the faults of the PSP.
 */
import { afterEach, describe, expect, test } from 'vitest';
import { raiseMedAlarms } from '../../../src/resolvers/med/raise-alarms.ts';
import { sendMedAnswers } from '../../../src/resolvers/med/send-answers.ts';
import type { ProcessRow } from '../../../src/templates/facts.ts';
import { useStand } from './harness.ts';

const stand = useStand((psp) => ({ infractionsUrl: `${psp.url}/v2/gn/infracoes` }), { works: false });
const LOG = { warn: () => {} };
const live = () => stand.app.services.forMode('live');

afterEach(async () => {
  await stand.psp.control('PUT', '/faults', { seed: 1, rules: [] });
});

async function finished(): Promise<ProcessRow> {
  const made = await stand.inbound.onramp(stand.merchant);
  await stand.inbound.reach(made, 'depositpix/QRCODE');
  const row = await stand.inbound.rowOf(made.end2end);
  await stand.psp.control('POST', '/pay', { txid: row.process?.txid, payerTaxId: row.clientTaxId });
  await poll();
  await stand.inbound.reach(row, 'success/DONE');
  return stand.inbound.rowOf(made.end2end);
}

async function poll() {
  await stand.app.owner.query(`update pix_cursor set free_at = now() - interval '1 second'`);
  await stand.part.poll();
}

const nameOf = ({ end2end }: ProcessRow) => `med-${end2end}`;
async function tell(row: ProcessRow, status: string, more: object = {}) {
  const facts = { kind: 'DISPUTA', status, endToEndId: row.pixE2e, wait: false, ...more };
  expect((await stand.psp.control('PUT', `/infractions/${nameOf(row)}`, facts)).status).toBe(200);
  await poll();
}

async function query(query: string, variables: object) {
  const { json } = await stand.app.graphql(query, variables as never, { key: stand.merchant.apiKey });
  expect(json.errors, JSON.stringify(json)).toBeUndefined();
  return json.data;
}
async function caseOf({ end2end }: ProcessRow) {
  const { medCases } = await query(
    'query ($e: String!) { medCases(end2end: $e) { nodes { caseId state dueAt reason answers { answerId state failure } history { event } } } }',
    { e: end2end },
  );
  expect(medCases.nodes).toHaveLength(1);
  return medCases.nodes[0];
}
async function answered(row: ProcessRow) {
  const { caseId } = await caseOf(row);
  await query('mutation ($id: String!) { makeMedEvidence(input: { caseId: $id }) { errors { message } } }', {
    id: caseId,
  });
  const { answerMedCase } = await query(
    'mutation ($id: String!) { answerMedCase(input: { caseId: $id, analysis: CONTEST, body: "Entregue na carteira." }) { errors { message } } }',
    { id: caseId },
  );
  expect(answerMedCase.errors).toEqual([]);
}
const send = async () => {
  await stand.app.owner.query(
    `update med_answer set send_at = now() - interval '1 minute' where state = 'pending'`,
  );
  await sendMedAnswers(live(), LOG);
};
async function defencesOf(row: ProcessRow) {
  const { json } = await stand.psp.control('GET', '/books');
  return json.defences.filter(({ infractionId }: { infractionId: string }) => infractionId === nameOf(row));
}
const fault = (name: string, rate = 1) =>
  stand.psp.control('PUT', '/faults', { seed: 1, rules: [{ on: 'defence', fault: name, rate, ms: 0 }] });

describe('a MED case over the wire', () => {
  test('has due time and reason of the provider, is answered with its evidence, and is decided', async () => {
    const row = await finished();
    const dueAt = new Date(Date.now() + 40 * 3_600_000).toISOString();
    await tell(row, 'ABERTA', { dueAt, reason: 'golpe' });
    await stand.inbound.reach(row, 'dispute/OPEN');
    expect(await caseOf(row)).toMatchObject({ state: 'OPEN', dueAt, reason: 'golpe' });
    await raiseMedAlarms(live(), LOG);
    await answered(row);
    await send();
    const { state, answers, history } = await caseOf(row);
    expect(state).toBe('ANSWERED');
    expect(history.map(({ event }: { event: string }) => event)).toEqual([
      'opened',
      'due_48h',
      'evidence_made',
      'answered',
      'answer_sent',
    ]);
    const [defence, ...more] = await defencesOf(row);
    expect(more).toEqual([]);
    expect(defence).toMatchObject({
      id: answers[0].answerId,
      analysis: 'REJEITAR',
      reason: 'Entregue na carteira.',
    });
    expect(JSON.parse(defence.files)).toHaveLength(1);
    await tell(row, 'REJEITADA');
    await stand.inbound.reach(row, 'dispute/REJECTED');
    expect(await caseOf(row)).toMatchObject({ state: 'REJECTED' });
    await stand.inbound.verified(row.accountId);
  });

  test.each([
    'unavailable',
    'unauthorized',
    'timeout',
  ])('is answered once though the provider is %s for a while', async (name) => {
    const row = await finished();
    await tell(row, 'ABERTA');
    await answered(row);
    await fault(name);
    await send();
    expect(await caseOf(row)).toMatchObject({ state: 'OPEN', answers: [{ state: 'PENDING' }] });
    await fault(name, 0);
    await send();
    await send();
    expect(await caseOf(row)).toMatchObject({ state: 'ANSWERED', answers: [{ state: 'SENT' }] });
    expect(await defencesOf(row)).toHaveLength(1);
  });

  test('stays open if the provider refuses a late answer', async () => {
    const row = await finished();
    await tell(row, 'ABERTA', { dueAt: new Date(Date.now() - 60_000).toISOString() });
    await answered(row);
    await send();
    const { state, answers } = await caseOf(row);
    expect([state, answers[0].state]).toEqual(['OPEN', 'REFUSED']);
    expect(answers[0].failure).toContain('PrazoEncerrado');
    expect(await defencesOf(row)).toEqual([]);
  });

  test('that the payer’s bank withdraws releases the blocked amount', async () => {
    const row = await finished();
    await tell(row, 'ABERTA');
    await stand.inbound.reach(row, 'dispute/OPEN');
    await tell(row, 'CANCELADA');
    await stand.inbound.reach(row, 'dispute/REJECTED');
    expect(await caseOf(row)).toMatchObject({ state: 'CANCELLED' });
    await stand.inbound.verified(row.accountId);
  });

  test('accepted against an answer is debited once, and booked', async () => {
    const row = await finished();
    await tell(row, 'ABERTA');
    await answered(row);
    await send();
    await tell(row, 'ACEITA');
    await tell(row, 'ACEITA');
    await stand.inbound.reach(row, 'dispute/ACCEPTED');
    expect(await caseOf(row)).toMatchObject({ state: 'ACCEPTED' });
    const { json } = await stand.psp.control('GET', '/books');
    expect(json.disputes.filter(({ id }: { id: string }) => id === nameOf(row))).toHaveLength(1);
    await stand.inbound.verified(row.accountId);
  });
});
