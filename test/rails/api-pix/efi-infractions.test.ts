/**
 * Goal: infractions as Efí lists them are cases with the provider's due time; they are answered once though Efí has no idempotency key, and
 * the money of an accepted one is booked by the return by MED alone. Method: the entry of Efí's documents, and the PSP over the wire.
 */
import { describe, expect, test } from 'vitest';
import { readEfiInfraction } from '../../../src/rails/api-pix/efi-infractions.ts';
import { sendMedAnswers } from '../../../src/resolvers/med/send-answers.ts';
import type { ProcessRow } from '../../../src/templates/facts.ts';
import { useStand } from './harness.ts';

/** As the documents of Efí have it. */
const ENTRY = {
  idInfracao: '8ad75c93-6150-422c-929e-822f361c7a6b',
  endToEndId: 'E09089356202312181249APId91a6304',
  protocolo: '1313',
  dataTransacao: '2023-12-22T16:01:35Z',
  valor: '100',
  status: 'ABERTA',
  razao: 'Solicitacao de devolução',
  tipoSituacao: 'golpe',
  dadosAnalise: { abertura: '2023-12-22T16:01:35Z', prazoFinalizacao: '2023-12-29T16:01:35Z' },
};

describe('an entry of Efí’s list', () => {
  test('is a report of fraud, without an amount, and each status has its meaning', () => {
    const report = {
      ...{ kind: 'infraction', infractionId: ENTRY.idInfracao, endToEndId: ENTRY.endToEndId, amount: null },
      ...{ reason: 'Solicitacao de devolução: golpe', reportedAt: '2023-12-22T16:01:35.000Z' },
      dueAt: '2023-12-29T16:01:35.000Z',
    };
    for (const status of ['ABERTA', 'EM_DEFESA'])
      expect(readEfiInfraction({ ...ENTRY, status }, 'x')).toEqual([report]);
    for (const [status, decision] of [
      ['ACEITA', 'accepted'],
      ['REJEITADA', 'rejected'],
      ['CANCELADA_EFI', 'cancelled'],
    ])
      expect(readEfiInfraction({ ...ENTRY, status }, 'x')).toEqual([report, { ...report, decision }]);
  });

  test.each([
    ['status', { ...ENTRY, status: 'OUTRA' }],
    ['idInfracao', { ...ENTRY, idInfracao: 1 }],
    ['dadosAnalise.abertura', { ...ENTRY, dadosAnalise: { ...ENTRY.dadosAnalise, abertura: 'ontem' } }],
    ['prazoFinalizacao', { ...ENTRY, dadosAnalise: { abertura: '2023-12-22T16:01:35Z' } }],
    ['status', null],
  ])('that cannot be read says which member: %s', (member, entry) => {
    expect(() => readEfiInfraction(entry, 'infracoes[0]')).toThrow(member);
  });
});

describe('an infraction at Efí', () => {
  const stand = useStand(
    ({ url }) => ({ infractionsUrl: null, efiInfractionsUrl: `${url}/v2/gn/infracoes` }),
    { works: false },
  );
  const live = () => stand.app.services.forMode('live');
  const poll = async () => {
    await stand.app.owner.query(`update pix_cursor set free_at = now() - interval '1 second'`);
    await stand.part.poll();
  };
  const finished = async () => {
    const made = await stand.inbound.onramp(stand.merchant);
    await stand.inbound.reach(made, 'depositpix/QRCODE');
    const row = await stand.inbound.rowOf(made.end2end);
    await stand.psp.control('POST', '/pay', { txid: row.process?.txid, payerTaxId: row.clientTaxId });
    await poll();
    await stand.inbound.reach(row, 'success/DONE');
    return stand.inbound.rowOf(made.end2end);
  };
  const nameOf = ({ end2end }: ProcessRow) => `efi-${end2end}`;
  const tell = async (row: ProcessRow, status: string) => {
    const facts = { kind: 'DISPUTA', status, endToEndId: row.pixE2e, wait: false };
    await stand.psp.control('PUT', `/infractions/${nameOf(row)}`, facts);
    await poll();
  };
  const ask = async (query: string, variables: Record<string, unknown>) => {
    const { json } = await stand.app.graphql(query, variables, { key: stand.merchant.apiKey });
    expect(json.errors, JSON.stringify(json)).toBeUndefined();
    return json.data;
  };
  const casesOf = async ({ end2end }: ProcessRow) => {
    const query =
      'query ($e: String!) { medCases(end2end: $e) { nodes { caseId kind state answers { state failure } } } }';
    return (await ask(query, { e: end2end })).medCases.nodes;
  };

  test('is answered once even if Efí’s response was lost, and the answer names its files', async () => {
    const row = await finished();
    await tell(row, 'ABERTA');
    const [{ caseId }] = await casesOf(row);
    await ask('mutation ($id: String!) { makeMedEvidence(input: { caseId: $id }) { errors { message } } }', {
      id: caseId,
    });
    await ask(
      'mutation ($id: String!) { answerMedCase(input: { caseId: $id, analysis: CONTEST, body: "Entregue." }) { errors { message } } }',
      { id: caseId },
    );
    const rule = (rate: number) => ({ seed: 1, rules: [{ on: 'defence', fault: 'timeout', rate, ms: 0 }] });
    await stand.psp.control('PUT', '/faults', rule(1));
    await sendMedAnswers(live(), { warn: () => {} });
    expect(await casesOf(row)).toMatchObject([{ state: 'OPEN', answers: [{ state: 'PENDING' }] }]);
    await stand.psp.control('PUT', '/faults', rule(0));
    await stand.app.owner.query(
      `update med_answer set send_at = now() - interval '1 minute' where state = 'pending'`,
    );
    await sendMedAnswers(live(), { warn: () => {} });
    expect(await casesOf(row)).toMatchObject([{ state: 'ANSWERED', answers: [{ state: 'SENT' }] }]);
    const { json } = await stand.psp.control('GET', '/books');
    const own = json.defences.filter(
      ({ infractionId }: { infractionId: string }) => infractionId === nameOf(row),
    );
    expect(own).toHaveLength(1);
    expect(own[0].reason).toMatch(/^Entregue\.\nmed-\d+-pt\.html: SHA-256 [0-9a-f]{64}$/);
  });

  test('that is accepted is booked once, by the return in the statement', async () => {
    const row = await finished();
    await tell(row, 'ABERTA');
    expect(await casesOf(row)).toMatchObject([{ kind: 'INFRACTION', state: 'OPEN' }]);
    await tell(row, 'ACEITA');
    await poll();
    await stand.inbound.reach(row, 'dispute/ACCEPTED');
    expect(
      (await casesOf(row)).map(({ kind, state }: Record<string, string>) => `${kind} ${state}`).toSorted(),
    ).toEqual(['DISPUTE ACCEPTED', 'INFRACTION ACCEPTED']);
    await stand.inbound.verified(row.accountId);
  });
});
