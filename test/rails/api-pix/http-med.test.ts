/**
 * Goal: MED cases at a provider whose form only the settings know are found, decided and answered once; a callback about one counts only as
 * the provider confirms it. Method: settings, answers of a provider as values, and a gateway with the PSP over the wire, with its faults.
 */
import { afterEach, describe, expect, test } from 'vitest';
import { Settings } from '../../../src/base/process/settings.ts';
import type { ApiPix } from '../../../src/rails/api-pix/client.ts';
import { PspProblem } from '../../../src/rails/api-pix/http.ts';
import { answerCase, caseOfCallback, findCase, listCases } from '../../../src/rails/api-pix/http-med.ts';
import { readHttpMed } from '../../../src/rails/api-pix/http-med-settings.ts';
import { sendMedAnswers } from '../../../src/resolvers/med/send-answers.ts';
import type { MedAnswerOrder } from '../../../src/resolvers/services/rails.ts';
import type { ProcessRow } from '../../../src/templates/facts.ts';
import { callBack } from './call-back.ts';
import { useStand } from './harness.ts';

const settingsOf = (url: string, changes: object = {}) => ({
  ...{ kind: 'http', listUrl: `${url}/med/cases?since={from}&until={to}&page={page}` },
  ...{ caseUrl: `${url}/med/cases/{case}`, amounts: 'centavos', callback: '$.infracoes[0].idInfracao' },
  paths: {
    ...{
      cases: '$.data.cases',
      pages: '$.pageCount',
      found: '$.case',
      case: '$.id',
      endToEndId: '$.transfer.e2e',
    },
    ...{ state: '$.status', kind: '$.type', amount: '$.transfer.cents', reason: '$.reason' },
    ...{ openedAt: '$.openedAt', dueAt: '$.answerBy' },
  },
  words: {
    ...{ open: ['RECEIVED', 'CONTESTED'], accepted: ['UPHELD'], rejected: ['DISMISSED'] },
    ...{ cancelled: ['WITHDRAWN'], dispute: ['REFUND_REQUEST'] },
  },
  answer: {
    url: `${url}/med/cases/{case}/answers/{answer}`,
    fileUrl: `${url}/med/cases/{case}/files/{sha256}`,
    body: { standpoint: 'analysis', text: 'body', files: 'fileHashes' },
    words: { contest: 'DISAGREE', agree: 'AGREE' },
  },
  ...changes,
});
const read = (changes: object = {}) =>
  readHttpMed(new Settings(settingsOf('https://bank.invalid', changes), 'med'));

describe('settings of MED cases by HTTP', () => {
  const { paths, words, answer } = settingsOf('https://bank.invalid');
  test.each([
    ['med.kind', { kind: 'other' }],
    ['med.listUrl', { listUrl: 'https://bank.invalid/cases' }],
    ['med.caseUrl', { caseUrl: 'https://bank.invalid/cases' }],
    ['med.paths.case', { paths: { ...paths, case: 'id' } }],
    ['med.paths.kind', { paths: { ...paths, kind: undefined } }],
    ['med.words.open', { words: { ...words, open: [] } }],
    ['med.words.rejected', { words: { ...words, rejected: ['UPHELD'] } }],
    ['med.words.other', { words: { ...words, other: ['x'] } }],
    ['med.answer.body.text', { answer: { ...answer, body: { ...answer.body, text: 'words' } } }],
    ['med.answer.body', { answer: { ...answer, body: { text: 'body' } } }],
    ['med.answer.words.agree', { answer: { ...answer, words: { contest: 'x' } } }],
    ['med.headers', { headers: { authorization: 'x' } }],
    ['med.other', { other: 1 }],
  ])('that are wrong are refused by their path: %s', (path, changes) => {
    expect(() => read(changes)).toThrow(path);
  });

  test('accept an authorization header if no token is sent', () => {
    expect(read({ token: false, headers: { authorization: 'Key x' } }).headers).toEqual({
      authorization: 'Key x',
    });
  });
});

describe('a case of a provider', () => {
  const CASE = {
    ...{ id: 'c-1', transfer: { e2e: 'E1', cents: 1205 }, type: 'REFUND_REQUEST', status: 'RECEIVED' },
    ...{ reason: 'golpe', openedAt: '2026-05-01T12:00:00Z', answerBy: '2026-05-08T12:00:00Z' },
  };
  const answering = (body: unknown, status = 200) => {
    const calls: { url: string; hasToken: boolean; body: string | undefined }[] = [];
    const exchange: ApiPix['exchange'] = async (call, hasToken) => {
      calls.push({ url: call.url, hasToken, body: call.body });
      return { status, body: typeof body === 'string' ? body : JSON.stringify(body) };
    };
    return { api: { exchange }, calls };
  };
  const find = (body: unknown, changes: object = {}) =>
    findCase(answering({ case: body }).api, { clientId: 'id', med: read(changes) }, 'c-1');

  test('that is open is a dispute by its kind, with its amount in BRL and its times', async () => {
    expect(await find(CASE)).toEqual([
      {
        ...{ kind: 'dispute_opened', disputeId: 'c-1', endToEndId: 'E1', amount: '12.05', reason: 'golpe' },
        ...{ openedAt: '2026-05-01T12:00:00.000Z', dueAt: '2026-05-08T12:00:00.000Z' },
      },
    ]);
    expect(await find({ ...CASE, type: 'FRAUD_REPORT' })).toMatchObject([
      { kind: 'infraction', infractionId: 'c-1', reportedAt: '2026-05-01T12:00:00.000Z' },
    ]);
  });

  test.each([
    ['UPHELD', { kind: 'dispute_accepted' }],
    ['DISMISSED', { kind: 'dispute_rejected' }],
    ['WITHDRAWN', { kind: 'dispute_rejected', isCancelled: true }],
  ])('that is %s is opened and decided', async (status, decision) => {
    expect(await find({ ...CASE, status })).toMatchObject([{ kind: 'dispute_opened' }, decision]);
  });

  test.each([
    ['brl', '12.5', '12.50'],
    ['brl', '0.1', '0.10'],
    ['centavos', '7', '0.07'],
    ['centavos', '999999999999', '9999999999.99'],
  ])('has an amount in %s without a loss of digits: %s is %s', async (amounts, cents, amount) => {
    const text = JSON.stringify({ case: { ...CASE, transfer: { e2e: 'E1', cents: 'N' } } }).replace(
      '"N"',
      cents,
    );
    const { api } = answering(text);
    expect(await findCase(api, { clientId: 'id', med: read({ amounts }) }, 'c-1')).toMatchObject([
      { amount },
    ]);
  });

  test.each([
    ['another word', { ...CASE, status: 'ELSE' }],
    ['no EndToEndId', { ...CASE, transfer: {} }],
    ['an odd time', { ...CASE, openedAt: 'ontem' }],
    ['an amount of nothing', { ...CASE, transfer: { e2e: 'E1', cents: 0 } }],
    ['an id that leads elsewhere', { ...CASE, id: '..' }],
    ['a time beyond the year 9999', { ...CASE, answerBy: '9999-12-31T23:59:59-03:00' }],
    ['a fraction of a centavo', { ...CASE, transfer: { e2e: 'E1', cents: 1.5 } }],
    ['another id', { ...CASE, id: 'c-2' }],
    ['nothing', null],
  ])('with %s says nothing', async (_name, body) => {
    await expect(find(body)).rejects.toMatchObject({ name: 'PspUnavailable' });
  });

  test('is queried without the token if the settings require it, and may be missing', async () => {
    const { api, calls } = answering({ case: CASE });
    await findCase(api, { clientId: 'id', med: read({ token: false }) }, 'a/../b').catch(() => {});
    expect(calls).toEqual([
      { url: 'https://bank.invalid/med/cases/a%2F..%2Fb', hasToken: false, body: undefined },
    ]);
    const missing = answering({}, 404);
    expect(await findCase(missing.api, { clientId: 'id', med: read() }, 'c-1')).toBeUndefined();
  });

  test.each([
    ['c-1', 'c-1'],
    [4711, '4711'],
  ])('is named by a callback as the list names it: %j', (idInfracao, id) => {
    expect(caseOfCallback(read(), { infracoes: [{ idInfracao }] })).toBe(id);
  });

  test.each(['', 1.5, 2 ** 53, null, 'x'.repeat(501)])('is not named by %j', (idInfracao) => {
    expect(() => caseOfCallback(read(), { infracoes: [{ idInfracao }] })).toThrow('med.callback');
  });

  test('that is unreadable does not hide the others of its list', async () => {
    const list = answering({ data: { cases: [{ ...CASE, status: 'ELSE' }, CASE] }, pageCount: 3 });
    const part = { from: '2026-05-01T00:00:00Z', to: '2026-05-02T00:00:00Z', page: 0 };
    const { read: entries, wrong, pages } = await listCases(list.api, { clientId: 'id', med: read() }, part);
    expect([entries.length, pages]).toEqual([1, 3]);
    expect(wrong?.message).toContain('ELSE');
    expect(list.calls[0]?.url).toContain(
      'since=2026-05-01T00%3A00%3A00Z&until=2026-05-02T00%3A00%3A00Z&page=1',
    );
    await expect(listCases(answering({}).api, { clientId: 'id', med: read() }, part)).rejects.toMatchObject({
      name: 'PspUnavailable',
    });
  });

  test('without answer ids counts as answered before if the provider refuses a second answer', async () => {
    const order = {
      key: 'a-1',
      kind: 'dispute',
      reference: 'c-1',
      analysis: 'agree',
      body: 'x',
      files: [],
    } as const;
    const own = {
      url: 'https://bank.invalid/cases/{case}/answer',
      body: { s: 'analysis', 'o.t': 'body', f: 'files' },
    };
    const send = (changes: object, more: Partial<MedAnswerOrder>) =>
      answerCase(
        answering({}, 409).api,
        { clientId: 'id', med: read({ answer: { ...answer(), ...changes } }) },
        {
          ...{ ...order, isRepeat: true },
          ...more,
        } as MedAnswerOrder,
      );
    const answer = () => settingsOf('https://bank.invalid').answer;
    await expect(send(own, {})).resolves.toBeUndefined();
    await expect(send(own, { isRepeat: false })).rejects.toBeInstanceOf(PspProblem);
    await expect(send({}, {})).rejects.toBeInstanceOf(PspProblem);
    const { api, calls } = answering({});
    const files = [{ name: 'a.pdf', type: 'application/pdf', hash: 'ab', content: Buffer.from('%PDF') }];
    const med = read({ answer: { ...answer(), ...own, fileUrl: undefined } });
    await answerCase(api, { clientId: 'id', med }, { ...order, files, isRepeat: false });
    expect(JSON.parse(calls[0]?.body ?? '')).toEqual({
      ...{ s: 'AGREE', o: { t: 'x' } },
      f: [{ name: 'a.pdf', type: 'application/pdf', sha256: 'ab', content: 'JVBERg==' }],
    });
  });
});

describe('MED cases by HTTP over the wire', () => {
  const stand = useStand(
    ({ url }) => ({ infractionsUrl: null, med: readHttpMed(new Settings(settingsOf(url), 'med')) }),
    {
      works: true,
    },
  );
  const live = () => stand.app.services.forMode('live');
  const poll = async () => {
    await stand.app.owner.query(`update pix_cursor set free_at = now() - interval '1 second'`);
    await stand.part.poll();
  };
  const fault = (on: string, name: string, rate = 1) =>
    stand.psp.control('PUT', '/faults', { seed: 1, rules: [{ on, fault: name, rate, ms: 0 }] });
  afterEach(() => fault('defence', 'timeout', 0));
  const finished = async () => {
    const made = await stand.inbound.onramp(stand.merchant);
    await stand.inbound.reach(made, 'depositpix/QRCODE');
    const row = await stand.inbound.rowOf(made.end2end);
    await stand.psp.control('POST', '/pay', { txid: row.process?.txid, payerTaxId: row.clientTaxId });
    await poll();
    await stand.inbound.reach(row, 'success/DONE');
    return stand.inbound.rowOf(made.end2end);
  };
  const nameOf = ({ end2end }: ProcessRow) => `http-${end2end}`;
  const setCase = (row: ProcessRow, status: string, more: object = {}) =>
    stand.psp.control('PUT', `/infractions/${nameOf(row)}`, {
      ...{ kind: 'DISPUTA', status, endToEndId: row.pixE2e, wait: false },
      ...more,
    });
  const ask = async (query: string, variables: Record<string, unknown>) => {
    const { json } = await stand.app.graphql(query, variables, { key: stand.merchant.apiKey });
    expect(json.errors, JSON.stringify(json)).toBeUndefined();
    return json.data;
  };
  const casesOf = async ({ end2end }: ProcessRow) => {
    const query =
      'query ($e: String!) { medCases(end2end: $e) { nodes { caseId kind state dueAt amount answers { state failure } } } }';
    return (await ask(query, { e: end2end })).medCases.nodes;
  };
  const answer = async (row: ProcessRow) => {
    const [{ caseId }] = await casesOf(row);
    await ask('mutation ($id: String!) { makeMedEvidence(input: { caseId: $id }) { errors { message } } }', {
      id: caseId,
    });
    await ask(
      'mutation ($id: String!) { answerMedCase(input: { caseId: $id, analysis: CONTEST, body: "Entregue." }) { errors { message } } }',
      { id: caseId },
    );
  };
  const send = async () => {
    await stand.app.owner.query(
      `update med_answer set send_at = now() - interval '1 minute' where state = 'pending'`,
    );
    await sendMedAnswers(live(), { warn: () => {} });
  };
  const defencesOf = async (row: ProcessRow) => {
    const { json } = await stand.psp.control('GET', '/books');
    return json.defences.filter(({ infractionId }: { infractionId: string }) => infractionId === nameOf(row));
  };
  const call = (body: unknown) =>
    callBack(stand, { identity: stand.psp.certificates.psp, path: '/infracoes', body: JSON.stringify(body) });

  test('are found on the list, answered with their files, and decided; the money is debited once', async () => {
    const row = await finished();
    const dueAt = new Date(Date.now() + 100 * 3_600_000).toISOString();
    await setCase(row, 'ABERTA', { dueAt });
    await poll();
    await stand.inbound.reach(row, 'dispute/OPEN');
    expect(await casesOf(row)).toMatchObject([{ kind: 'DISPUTE', state: 'OPEN', dueAt }]);
    await answer(row);
    await send();
    expect(await casesOf(row)).toMatchObject([{ state: 'ANSWERED', answers: [{ state: 'SENT' }] }]);
    const [defence, ...more] = await defencesOf(row);
    expect(more).toEqual([]);
    expect(defence).toMatchObject({ analysis: 'REJEITAR', reason: 'Entregue.' });
    expect(JSON.parse(defence.files)).toHaveLength(1);
    await setCase(row, 'ACEITA');
    await poll();
    await poll();
    await stand.inbound.reach(row, 'dispute/ACCEPTED');
    expect(await casesOf(row)).toMatchObject([{ kind: 'DISPUTE', state: 'ACCEPTED' }]);
    await stand.inbound.verified(row.accountId);
  });

  test.each([
    'unavailable',
    'timeout',
    'unauthorized',
  ])('are answered once though the provider is %s for a while', async (name) => {
    const row = await finished();
    await setCase(row, 'ABERTA');
    await poll();
    await answer(row);
    await fault('defence', name);
    await send();
    expect(await casesOf(row)).toMatchObject([{ state: 'OPEN', answers: [{ state: 'PENDING' }] }]);
    await fault('defence', name, 0);
    await send();
    await send();
    expect(await casesOf(row)).toMatchObject([{ state: 'ANSWERED', answers: [{ state: 'SENT' }] }]);
    expect(await defencesOf(row)).toHaveLength(1);
  });

  test('of a callback are booked with the provider’s data, not with the callback’s', async () => {
    const row = await finished();
    await setCase(row, 'ABERTA');
    const said = { idInfracao: nameOf(row), endToEndId: row.pixE2e, tipo: 'DISPUTA', status: 'ACEITA' };
    expect(await call({ infracoes: [said] })).toBe(200);
    await stand.inbound.reach(row, 'dispute/OPEN');
    expect(await casesOf(row)).toMatchObject([{ state: 'OPEN' }]);
    expect(await call({ infracoes: [{ ...said, idInfracao: 'made-up' }] })).toBe(404);
    expect(await call({ infracoes: [] })).toBe(400);
    await fault('read', 'unavailable');
    expect(await call({ infracoes: [said] })).toBe(503);
    await fault('read', 'unavailable', 0);
    await setCase(row, 'REJEITADA');
    expect(await call({ infracoes: [said] })).toBe(200);
    await stand.inbound.reach(row, 'dispute/REJECTED');
    await stand.inbound.verified(row.accountId);
  });
});
