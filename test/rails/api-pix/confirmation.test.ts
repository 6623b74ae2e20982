/**
 * Goal: a report from outside is money when the provider confirms it, and never lost while the provider is unreachable (C-36). Method:
 * callbacks by the provider's certificate and by others of its authority, true and false ones; the PSP over the wire, with faults.
 */
import { afterEach, describe, expect, test } from 'vitest';
import { PspSilent } from '../../../src/rails/api-pix/http.ts';
import { createApiPix } from '../../../src/rails/api-pix/index.ts';
import type { CallbackSettings } from '../../../src/rails/api-pix/settings.ts';
import type { ProcessRow } from '../../../src/templates/facts.ts';
import { callBack, inventedPix } from './call-back.ts';
import { useStand } from './harness.ts';

const stand = useStand({}, { works: true });
const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;

afterEach(async () => {
  stand.meddle = undefined;
  await faults();
});

const faults = (...rules: object[]) => stand.psp.control('PUT', '/faults', { seed: 1, rules });
/** Nothing reports payments by itself, until `faults()`: a return that only polls find takes seconds. */
const silence = () => faults({ on: 'callback', fault: 'lost', rate: 1, ms: 0 });
const report = (pix: readonly object[], path = '/pix') =>
  callBack(stand, { identity: stand.psp.certificates.psp, body: JSON.stringify({ pix }), path });
const gets = (part: string) => stand.calls.filter((call) => call === `GET /v2${part}`).length;

async function charged(): Promise<ProcessRow> {
  const row = await stand.inbound.onramp(stand.merchant);
  await stand.inbound.reach(row, 'depositpix/QRCODE');
  return stand.inbound.rowOf(row.end2end);
}

/** Somebody pays, the callback of it is lost, and the list of the provider lacks it: the report alone tells of it. */
async function paidUnlisted(row: ProcessRow, more: object = {}): Promise<string> {
  stand.meddle = async (call, go) => {
    const answer = await go(call);
    if (!call.url.includes('/v2/pix?')) return answer;
    return { ...answer, body: JSON.stringify({ ...JSON.parse(answer.body), pix: [] }) };
  };
  return paidUnseen(row, more);
}

/** Somebody pays, and the callback of it is lost. */
async function paidUnseen(row: ProcessRow, more: object = {}): Promise<string> {
  await silence();
  const { json } = await stand.psp.control('POST', '/pay', { txid: row.process?.txid, wait: false, ...more });
  return json.endToEndIds[0];
}

const reportOf = ({ process }: ProcessRow, endToEndId: string, more: object = {}) =>
  inventedPix({ endToEndId, txid: process?.txid, valor: '100.00', chave: stand.settings.pixKey, ...more });

const openReports = async (endToEndId: string) =>
  (
    await stand.app.owner.query(
      `select outcome, last_error as error from rail_news where kind = 'unconfirmed' and body ->> 'endToEndId' = $1 order by id`,
      [endToEndId],
    )
  ).rows;
const due = (attempts: number) =>
  stand.app.owner.query(
    `update rail_news set due_at = now() - interval '1 second', attempts = $1 where kind = 'unconfirmed' and outcome = 'pending'`,
    [attempts],
  );

describe('a report by the certificate of the provider', () => {
  test('P01: of a PIX to another receiver is not booked, and an operator sees that it was denied', async () => {
    const row = await charged();
    const { endToEndId } = inventedPix();
    const forged = reportOf(row, endToEndId, { chave: 'attacker@example.com' });
    expect(await report([forged])).toBe(200);
    expect(await openReports(endToEndId)).toEqual([
      { outcome: 'pending', error: 'the provider does not know it' },
    ]);
    await due(9);
    await stand.part.poll();
    expect(await openReports(endToEndId)).toEqual([
      { outcome: 'failed', error: 'the provider does not know it' },
    ]);
    expect(await stand.inbound.eventsOf(`pix:${endToEndId}`)).toEqual([]);
    expect(await stand.inbound.stepOf(row)).toBe('depositpix/QRCODE');
    expect(stand.logged.join()).toContain('was denied by the provider');
    const checks = await stand.part.checks();
    expect(checks.find(({ check }) => check === 'reports')?.detail).toContain('1 were denied');
  });

  test('of a payment is booked with the data of the provider’s answer; several reports share a query', async () => {
    const row = await charged();
    const endToEndId = await paidUnseen(row);
    const before = gets(`/pix/${endToEndId}`);
    expect(await report([reportOf(row, endToEndId)])).toBe(200);
    expect(gets(`/pix/${endToEndId}`) - before).toBe(1);
    await stand.inbound.reach(row, 'success/DONE');
    const { json } = await stand.psp.control('POST', '/pay', { amount: '1.00', times: 20, wait: false });
    const several = json.endToEndIds.map((id: string) => inventedPix({ endToEndId: id, valor: '1.00' }));
    const [pages, single] = [gets('/pix'), stand.calls.length];
    expect(await report(several)).toBe(200);
    expect(gets('/pix') - pages).toBeGreaterThanOrEqual(1);
    expect(stand.calls.slice(single).filter((call) => call.startsWith('GET /v2/pix/E'))).toEqual([]);
    for (const id of json.endToEndIds) expect(await stand.inbound.eventsOf(`pix:${id}`)).toHaveLength(1);
  });

  test('that differs from the answer is denied, and the provider’s data are booked', async () => {
    const row = await charged();
    const endToEndId = await paidUnseen(row, { amount: '60.00' });
    expect(await report([reportOf(row, endToEndId)])).toBe(200);
    expect(await openReports(endToEndId)).toEqual([
      { outcome: 'failed', error: 'the provider has the amount 60.00' },
    ]);
    await stand.until(async () => (await stand.inbound.rowOf(row.end2end)).process?.paid === '60.00');
  });

  test('waits while the provider is unreachable, and is booked once it answers', async () => {
    const row = await charged();
    const endToEndId = await paidUnseen(row);
    stand.meddle = async () => {
      throw new PspSilent('unreachable');
    };
    expect(await report([reportOf(row, endToEndId)])).toBe(200);
    expect(await openReports(endToEndId)).toEqual([
      { outcome: 'pending', error: 'the provider could not be queried about it' },
    ]);
    expect(await stand.inbound.stepOf(row)).toBe('depositpix/QRCODE');
    stand.meddle = undefined;
    await due(9);
    await stand.part.poll();
    await stand.inbound.reach(row, 'success/DONE');
    expect((await openReports(endToEndId)).map(({ outcome }) => outcome)).toEqual(['noted']);
  });

  test('of a payment that the provider does not show yet is booked when it does', async () => {
    const row = await charged();
    const endToEndId = await paidUnseen(row);
    await faults({ on: 'read', fault: 'missing', rate: 1 }, { on: 'callback', fault: 'lost', rate: 1 });
    expect(await report([reportOf(row, endToEndId)])).toBe(200);
    expect(await openReports(endToEndId)).toMatchObject([{ outcome: 'pending' }]);
    await faults();
    await due(2);
    await stand.part.poll();
    await stand.inbound.reach(row, 'success/DONE');
  });

  const FAULTS: Readonly<Record<string, (body: string) => string>> = {
    'gives no answer about': () => {
      throw new PspSilent('unreachable');
    },
    'answers unreadably about': (body) => body.replace(/"horario":"[^"]+"/, '"horario":"x"'),
  };
  for (const [fault, spoil] of Object.entries(FAULTS))
    test(`of five payments waits only for the one that the provider ${fault}, and books the other four (C-36)`, async () => {
      await silence();
      // Too old for the statement.
      const settledAt = new Date(Date.now() - 60 * 3_600_000).toISOString();
      const { json } = await stand.psp.control('POST', '/pay', {
        ...{ amount: '1.00', times: 5, wait: false, settledAt },
      });
      const [broken, ...others] = json.endToEndIds as string[];
      stand.meddle = async (call, go) => {
        const answer = await go(call);
        if (call.url.endsWith(`/pix/${broken}`)) return { ...answer, body: spoil(answer.body) };
        if (!call.url.includes('/v2/pix?')) return answer;
        const page = JSON.parse(answer.body);
        const pix = page.pix.filter((each: { endToEndId: string }) => each.endToEndId !== broken);
        return { ...answer, body: JSON.stringify({ ...page, pix }) };
      };
      const five = json.endToEndIds.map((endToEndId: string) =>
        inventedPix({ endToEndId, valor: '1.00', horario: settledAt }),
      );
      expect(await report(five)).toBe(200);
      for (const id of others) expect(await stand.inbound.eventsOf(`pix:${id}`)).toHaveLength(1);
      for (const id of others) expect(await openReports(id)).toEqual([]);
      expect(await openReports(broken as string)).toMatchObject([{ outcome: 'pending' }]);
    });

  test('that the provider refuses to look up counts as unknown; another refusal ends it at the last request', async () => {
    const statuses = { 400: 'failed', 422: 'failed', 409: 'failed', 403: 'pending', 429: 'pending' };
    for (const [status, outcome] of Object.entries(statuses)) {
      const pix = inventedPix();
      stand.meddle = async (call, go) =>
        call.url.endsWith(`/pix/${pix.endToEndId}`) ? { status: Number(status), body: '{}' } : go(call);
      expect(await report([pix])).toBe(200);
      expect(await openReports(pix.endToEndId)).toMatchObject([{ outcome: 'pending' }]);
      await due(9);
      await stand.part.poll();
      if (outcome === 'failed')
        await stand.until(async () => (await openReports(pix.endToEndId))[0]?.outcome === 'failed');
      expect(await openReports(pix.endToEndId), status).toMatchObject([{ outcome }]);
      await stand.app.owner.query(`delete from rail_news where kind = 'unconfirmed' and outcome = 'pending'`);
    }
  });

  test('that is repeated is not denied sooner', async () => {
    const pix = inventedPix();
    for (let turn = 0; turn < 7; turn++) expect(await report([pix])).toBe(200);
    await stand.app.owner.query(
      `update rail_news set due_at = now() - interval '1 second' where kind = 'unconfirmed' and outcome = 'pending'`,
    );
    await stand.part.poll();
    expect(await openReports(pix.endToEndId)).toMatchObject([{ outcome: 'pending' }]);
  });

  test('is stored even if ten thousand denied ones are stored', async () => {
    await stand.app.owner.query(
      `insert into rail_news (mode, rail, kind, key, body, outcome)
        select 'live', 'pix', 'unconfirmed', 'pix:filling' || n, '{}', 'failed' from generate_series(1, 10000) n`,
    );
    const pix = inventedPix();
    expect(await report([pix])).toBe(200);
    expect(await openReports(pix.endToEndId)).toMatchObject([{ outcome: 'pending' }]);
    await stand.app.owner.query(`delete from rail_news where key like 'pix:filling%'`);
  });

  test('with an amount of an invalid form is refused with 400', async () => {
    for (const valor of ['0010.00', '00', '01.5'])
      expect(await report([inventedPix({ valor })]), valor).toBe(400);
  });

  test('names the payer where the provider does not; P05: in every notation', async () => {
    for (const cpf of ['111.444.777-35', ' 11144477735 ', 11144477735, '00011144477735']) {
      const row = await charged();
      const endToEndId = await paidUnlisted(row);
      await report([reportOf(row, endToEndId, { pagador: { cpf } })]);
      await stand.until(async () => (await stand.inbound.rowOf(row.end2end)).process?.paid !== undefined);
      expect((await stand.inbound.rowOf(row.end2end)).process?.payerTaxId, String(cpf)).toBe('11144477735');
      expect(await stand.inbound.stepOf(row)).not.toBe('success/DONE');
    }
    const own = await charged();
    const endToEndId = await paidUnlisted(own);
    await report([reportOf(own, endToEndId, { pagador: { cpf: '529.982.247-25' } })]);
    await stand.inbound.reach(own, 'success/DONE');
  });

  test.each([
    ['***.444.777-**', '***444777**'],
    ['***444777**', '***444777**'],
    ['xxx.444.777-xx', '***444777**'],
    ['•••.444.777–••', '***444777**'],
    ['000***444777**', '000***444777**'],
    ['**.222.333/0001-**', '**2223330001**'],
    ['XX.222.333/0001-81', '**222333000181'],
  ])('whose payer’s visible digits %s contradict the customer’s is returned', async (shown, stored) => {
    const row = await charged();
    const endToEndId = await paidUnlisted(row);
    const member = shown.includes('222') ? 'cnpj' : 'cpf';
    expect(await report([reportOf(row, endToEndId, { pagador: { [member]: shown } })])).toBe(200);
    await faults();
    await stand.inbound.reach(row, 'refund/DONE');
    expect((await stand.inbound.rowOf(row.end2end)).process?.payerTaxId).toBe(stored);
  });

  test.each([
    '***.982.247-**',
    'XXX982247xx',
    '●●●.982.247-25',
    '000***982247**',
    '***444777',
    '***********',
  ])('whose payer’s visible digits %s contradict nothing names no payer', async (cpf) => {
    const row = await charged();
    const endToEndId = await paidUnlisted(row);
    expect(await report([reportOf(row, endToEndId, { pagador: { cpf } })])).toBe(200);
    await stand.inbound.reach(row, 'success/DONE');
    expect((await stand.inbound.rowOf(row.end2end)).process?.payerTaxId).toBeNull();
  });

  test.each([
    ['***982247**', '52998224725', 'success/DONE', '52998224725'],
    ['***444777**', '11144477735', 'refund/DONE', '11144477735'],
    ['***444777**', '52998224725', 'refund/DONE', '***444777**'],
    ['***982247**', '11144477735', 'success/DONE', null],
    ['***444777**', '***982247**', 'refund/DONE', '***444777**'],
  ])('whose payer is %s in the provider’s answer, and %s in the report, ends with %s', async (answered, cpf, step, stored) => {
    const row = await charged();
    const endToEndId = await paidUnlisted(row, { payerTaxId: answered });
    expect(await report([reportOf(row, endToEndId, { pagador: { cpf } })])).toBe(200);
    await faults();
    await stand.inbound.reach(row, step);
    expect((await stand.inbound.rowOf(row.end2end)).process?.payerTaxId).toBe(stored);
  });

  test.each([
    ['the provider names', { payerTaxId: '11144477735', payerName: 'JOSÉ  LIMA' }, {}, 'JOSÉ LIMA'],
    [
      'the report names with the same document',
      { payerTaxId: '11144477735' },
      { cpf: '111.444.777-35', nome: ' JOSE\tLIMA ' },
      'JOSE LIMA',
    ],
    [
      'the report names with another document',
      { payerTaxId: '11144477735' },
      { cpf: '529.982.247-25', nome: 'ANA SOUZA' },
      undefined,
    ],
    [
      'the bank writes as the customer is written',
      { payerTaxId: '52998224725', payerName: 'ANA SOUZA' },
      {},
      undefined,
    ],
  ])('a payer whom %s is stored by name where it is another', async (_, paid, pagador, stored) => {
    const row = await charged();
    const endToEndId = await paidUnlisted(row, paid);
    expect(await report([reportOf(row, endToEndId, { pagador })])).toBe(200);
    await stand.until(async () => (await stand.inbound.rowOf(row.end2end)).process?.paid !== undefined);
    expect((await stand.inbound.rowOf(row.end2end)).process?.payerName).toBe(stored);
  });

  test('P07: to the URL itself, with or without a list, is accepted', async () => {
    const bodies = [(pix: object) => ({ pix: [pix] }), (pix: object) => [pix], (pix: object) => pix];
    for (const body of bodies) {
      const row = await charged();
      const endToEndId = await paidUnseen(row);
      const identity = stand.psp.certificates.psp;
      const sent = { identity, path: '', body: JSON.stringify(body(reportOf(row, endToEndId))) };
      expect(await callBack(stand, sent)).toBe(200);
      expect(await stand.inbound.eventsOf(`pix:${endToEndId}`)).toHaveLength(1);
    }
    const identity = stand.psp.certificates.psp;
    expect(await callBack(stand, { identity, path: '', body: '{}' })).toBe(200);
    for (const empty of [{ pix: [] }, { infracoes: [] }])
      expect(await callBack(stand, { identity, path: '', body: JSON.stringify(empty) })).toBe(200);
    for (const [path, body] of [
      ['', '{"payments":[{"id":1}]}'],
      ['', '{"foo":1}'],
      ['', '{"evento":"outro"}'],
      ['', '{"evento":"teste_webhook","pagamento":{"id":1}}'],
      ['', '[]'],
      ['/pix', '[]'],
      ['/pix', '{}'],
      ['/infracoes', '[]'],
      ['/infracoes', '{}'],
    ] as const)
      expect(await callBack(stand, { identity, path, body }), `C-36: ${path} ${body}`).toBe(400);
    for (const name of ['pix', 'valor', 'txid', 'horario', 'e2eId', 'EndToEndID', 'end_to_end_id'])
      expect(await callBack(stand, { identity, path: '', body: `{"${name}":"1.00"}` }), name).toBe(400);
  });

  test('P06: with an unreadable return is booked, also by the statement, and the return is shown to an operator', async () => {
    const row = await charged();
    const endToEndId = await paidUnseen(row);
    const devolucoes = [{ id: 'd1', rtrId: 'D9', valor: '1.00', status: 'CANCELADO' }];
    stand.meddle = async (call, go) => {
      const answer = await go(call);
      return { ...answer, body: withReturns(answer.body, endToEndId, devolucoes) };
    };
    expect(await report([reportOf(row, endToEndId, { devolucoes })])).toBe(200);
    await stand.inbound.reach(row, 'success/DONE');
    const open = await openReports(endToEndId);
    expect(open).toEqual([
      { outcome: 'pending', error: expect.stringContaining('devolucoes[0].status must be EM_PROCESSAMENTO') },
    ]);
    const before = stand.logged.length;
    await stand.app.owner.query(`update pix_cursor set free_at = now() - interval '1 second'`);
    await stand.part.poll();
    expect(stand.logged.slice(before)).not.toContain(
      'a part of the statement of the PIX provider cannot be read',
    );
    await due(9);
    await stand.part.poll();
    expect((await openReports(endToEndId)).map(({ outcome }) => outcome)).toContain('failed');
  });
});

/** The PIX of an answer, with other returns. */
function withReturns(body: string, endToEndId: string, devolucoes: readonly object[]): string {
  if (!body.includes(endToEndId)) return body;
  const json = JSON.parse(body);
  const change = (pix: { endToEndId: string }) =>
    pix.endToEndId === endToEndId ? { ...pix, devolucoes } : pix;
  return JSON.stringify(Array.isArray(json.pix) ? { ...json, pix: json.pix.map(change) } : change(json));
}

describe('the time of a payment', () => {
  /** As the provider answers, too. */
  async function paidAt(horario: (row: ProcessRow) => string, row: ProcessRow): Promise<string> {
    const endToEndId = await paidUnseen(row);
    const told = horario(row);
    stand.meddle = async (call, go) => {
      const answer = await go(call);
      return { ...answer, body: answer.body.replaceAll(/"horario":"[^"]+"/g, `"horario":"${told}"`) };
    };
    expect(await report([reportOf(row, endToEndId, { horario: told })])).toBe(200);
    stand.meddle = undefined;
    return endToEndId;
  }
  const suspenseOf = async (endToEndId: string) =>
    (
      await stand.app.owner.query(
        `select s.reason from suspense_entry s join rail_news n on n.id = s.news_id where n.key = $1`,
        [`pix:${endToEndId}`],
      )
    ).rows;
  const brasilia = (ms: number) => new Date(ms - 3 * 3_600_000).toISOString().slice(0, 19);

  test('P03: without a zone is Brasília time: one after the end is late, on every machine', async () => {
    const row = await charged();
    await stand.app.owner.query(
      `update transaction set expires_at = now() - interval '90 seconds' where end2end = $1`,
      [row.end2end],
    );
    await paidAt(() => brasilia(Date.now()), row);
    await stand.until(async () => /LATE|refund/.test(await stand.inbound.stepOf(row)));
    const timely = await charged();
    await paidAt(() => brasilia(Date.now()), timely);
    await stand.inbound.reach(timely, 'success/DONE');
  });

  test('P04: before the charge existed is held: the money is in suspense, and nothing is converted', async () => {
    const row = await charged();
    const endToEndId = await paidAt(() => new Date(Date.now() - 3_600_000).toISOString(), row);
    expect(await suspenseOf(endToEndId)).toEqual([{ reason: 'impossible_time' }]);
    expect(await stand.inbound.stepOf(row)).toBe('depositpix/QRCODE');
  });

  test.each([
    ['before', 300 * SECOND_MS],
    ['after', 5 * 365 * DAY_MS],
  ])('C-36: in a future %s the end of the session is held: nothing goes back by itself', async (_side, aheadMs) => {
    const row = await charged();
    const endToEndId = await paidAt(() => new Date(Date.now() + aheadMs).toISOString(), row);
    expect(await suspenseOf(endToEndId)).toEqual([{ reason: 'impossible_time' }]);
    expect(await stand.inbound.stepOf(row)).toBe('depositpix/QRCODE');
  });

  test('P13: is read in every form of RFC 3339', async () => {
    const row = await charged();
    await paidAt(() => new Date().toISOString().replace('Z', '0000000z').replace('T', 't'), row);
    await stand.inbound.reach(row, 'success/DONE');
  });
});

describe('a report of a dispute', () => {
  const send = (infracoes: readonly object[]) =>
    callBack(stand, {
      identity: stand.psp.certificates.psp,
      path: '/infracoes',
      body: JSON.stringify({ infracoes }),
    });

  async function disputed() {
    const row = await charged();
    await stand.psp.control('POST', '/pay', { txid: row.process?.txid });
    await stand.inbound.reach(row, 'success/DONE');
    const { pixE2e } = await stand.inbound.rowOf(row.end2end);
    const endToEndId = pixE2e as string;
    const invented = { endToEndId, tipo: 'DISPUTA', status: 'ABERTA', valor: '100.00' };
    return { row, endToEndId, invented };
  }
  const UNLISTED = 'the list of the provider lacks it';

  test('that the list of the provider lacks is stored, polled for a day, and then denied (C-36)', async () => {
    const { row, endToEndId, invented } = await disputed();
    for (let turn = 0; turn < 2; turn++)
      expect(await send([{ ...invented, idInfracao: 'invented' }])).toBe(200);
    expect(await openReports(endToEndId)).toEqual([{ outcome: 'pending', error: UNLISTED }]);
    await due(9);
    await stand.part.poll();
    expect(await openReports(endToEndId)).toEqual([{ outcome: 'pending', error: UNLISTED }]);
    await due(40);
    await stand.part.poll();
    expect(await openReports(endToEndId)).toEqual([{ outcome: 'failed', error: UNLISTED }]);
    expect(stand.logged.join()).toContain('a report of a dispute was denied by the provider');
    expect(await stand.inbound.eventsOf('pix:invented')).toEqual([]);
    expect(await stand.inbound.stepOf(row)).toBe('success/DONE');
  });

  test('that the list has from ten days ago is booked at the next poll', async () => {
    const { row, endToEndId, invented } = await disputed();
    await silence();
    const horario = new Date(Date.now() - 10 * 86_400_000).toISOString();
    const decided = { ...invented, idInfracao: 'decided', status: 'ACEITA', horario };
    stand.meddle = async (call, go) => {
      const answer = await go(call);
      const url = new URL(call.url);
      if (!url.pathname.endsWith('/infracoes')) return answer;
      const [from, to] = ['inicio', 'fim'].map((name) => url.searchParams.get(name) ?? '');
      const isIn = from !== undefined && to !== undefined && from <= horario && horario <= to;
      const list = JSON.parse(answer.body);
      return { ...answer, body: JSON.stringify({ ...list, infracoes: isIn ? [decided] : [] }) };
    };
    expect(await send([decided])).toBe(200);
    expect(await stand.inbound.stepOf(row)).toBe('success/DONE');
    expect((await openReports(endToEndId)).map(({ outcome }) => outcome)).toEqual(['pending', 'pending']);
    await due(2);
    await stand.part.poll();
    await stand.inbound.reach(row, 'dispute/ACCEPTED');
    expect((await openReports(endToEndId)).map(({ outcome }) => outcome)).toEqual(['noted', 'noted']);
  });

  test('waits while the list is unreadable, without a limit of attempts', async () => {
    const { endToEndId, invented } = await disputed();
    stand.meddle = async (call, go) => {
      if (call.url.includes('/infracoes')) throw new PspSilent('unreachable');
      return go(call);
    };
    expect(await send([{ ...invented, idInfracao: 'unread' }])).toBe(200);
    await due(40);
    await stand.part.poll();
    expect(await openReports(endToEndId)).toMatchObject([{ outcome: 'pending' }]);
  });

  test('that the list has is booked, whatever else the list or the report contains', async () => {
    const { row, endToEndId, invented } = await disputed();
    await silence();
    const facts = { kind: 'DISPUTA', status: 'ABERTA', endToEndId, amount: '100.00', wait: false };
    await stand.psp.control('PUT', '/infractions/real', facts);
    expect(await send([{ ...invented, idInfracao: 'real' }])).toBe(200);
    await stand.inbound.reach(row, 'dispute/OPEN');
    // An entry that cannot be read does not matter to others.
    stand.meddle = async (call, go) => {
      const answer = await go(call);
      if (!call.url.includes('/infracoes')) return answer;
      const list = JSON.parse(answer.body);
      return { ...answer, body: JSON.stringify({ ...list, infracoes: [{}, ...list.infracoes] }) };
    };
    expect(await send([{ ...invented, idInfracao: 'real' }])).toBe(200);
    expect(await openReports(endToEndId)).toEqual([]);
    expect(await send([{ ...invented, idInfracao: 'real', valor: '0100.00' }])).toBe(400);
  });
});

describe('trust', () => {
  const checksWith = async (changes: Partial<CallbackSettings>) => {
    const callback = { ...(stand.settings.callback as CallbackSettings), ...changes };
    const checks = await createApiPix({ ...stand.settings, callback }, stand.tools).checks();
    return checks.find(({ check }) => check === 'callers');
  };

  test('needs a certificate name: doctor fails with neither confirmation nor names', async () => {
    expect(await checksWith({})).toMatchObject({ ok: true });
    expect(await checksWith({ clientNames: [] })).toMatchObject({ ok: true });
    expect(await checksWith({ confirm: false })).toMatchObject({ ok: true });
    expect(await checksWith({ confirm: false, clientNames: [] })).toMatchObject({ ok: false });
  });
});

test('false reports among true ones credit nothing, and the true ones are all booked', async () => {
  await faults(
    ...['forged', 'altered', 'misaddressed', 'foreign'].map((fault) => ({
      on: 'callback',
      fault,
      rate: 0.3,
    })),
  );
  const rows = await Promise.all(Array.from({ length: 8 }, charged));
  for (const row of rows) await stand.psp.control('POST', '/pay', { txid: row.process?.txid });
  for (const row of rows) await stand.inbound.reach(row, 'success/DONE');
  await stand.inbound.verified(stand.merchant.accountId);
  const { json } = await stand.psp.control('GET', '/books');
  const known = new Set(json.received.map((pix: { endToEndId: string }) => `pix:${pix.endToEndId}`));
  const { rows: booked } = await stand.app.owner.query(`select key from rail_news where kind = 'payment'`);
  expect(booked.filter(({ key }) => !known.has(key))).toEqual([]);
});
