/**
 * Goal: what API Pix does not have is as at Efí, and what goes wrong on demand does: payouts, returns, disputes, look-ups, faults.
 * Method: calls over mTLS, callbacks to a server that wants the PSP's certificate, the control API.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type CallbackReceiver, receiveCallbacks, usePsp } from '../support/psp.ts';
import { eventually } from '../support/receiver.ts';

/** Nothing ends before the clock is set ahead. */
const SETTLE_MS = 3_600_000;
const psp = usePsp({ settleMs: SETTLE_MS });
let hooks: CallbackReceiver;
let sent = 0;
const key = () => String(psp.holder.keys[0]);
const newId = () => `envio${++sent}`;
const payout = (valor = '12.34') => ({
  valor,
  pagador: { chave: key() },
  favorecido: { chave: 'ana@example.com' },
});
const send = (id: string, valor?: string) => psp.call('PUT', `/v3/gn/pix/${id}`, payout(valor));
const find = (id: string) => psp.call('GET', `/v2/gn/pix/enviados/id-envio/${id}`);
const later = () => psp.control('POST', '/clock', { advanceMs: SETTLE_MS });
const period = () => {
  const at = (ms: number) => encodeURIComponent(new Date(Date.now() + ms).toISOString());
  return `inicio=${at(-3_600_000)}&fim=${at(30 * 86_400_000)}`;
};

beforeAll(async () => {
  hooks = await receiveCallbacks(psp);
  await psp.call('PUT', `/v2/webhook/${key()}`, { webhookUrl: hooks.url });
});
beforeEach(async () => {
  await psp.control('PUT', '/faults', { rules: [] });
});
afterAll(() => hooks.close());

describe('a payout', () => {
  test('is accepted, settles a second later, and is reported under the caller’s id', async () => {
    const id = newId();
    const { status, json } = await send(id);
    expect({ status, json }).toMatchObject({
      status: 201,
      json: { idEnvio: id, status: 'EM_PROCESSAMENTO' },
    });
    await later();
    await expect
      .poll(() => hooks.got.at(-1)?.body.pix)
      .toMatchObject([
        { endToEndId: json.e2eId, tipo: 'SOLICITACAO', status: 'REALIZADO', gnExtras: { idEnvio: id } },
      ]);
    expect((await find(id)).json).toMatchObject({
      status: 'REALIZADO',
      endToEndId: json.e2eId,
      valor: '12.34',
    });
    expect((await psp.call('GET', `/v2/gn/pix/enviados/${json.e2eId}`)).json.idEnvio).toBe(id);
    expect((await psp.call('GET', `/v2/gn/pix/enviados?${period()}`)).json.pix).toMatchObject([
      { idEnvio: id },
    ]);
  });

  test('is never sent twice under one id', async () => {
    const id = newId();
    await send(id);
    expect(await send(id)).toMatchObject({ status: 409, json: { nome: 'id_envio_duplicado' } });
    const { json } = await psp.control('GET', '/books');
    expect(json.payouts.filter((each: { id: string }) => each.id === id)).toHaveLength(1);
  });

  test('fails as planned, also if the failure is requested while it is in progress', async () => {
    const [planned, made] = [newId(), newId()];
    await psp.control('POST', '/plans', {
      act: 'payout',
      facts: { amount: '3.21' },
      reason: 'Conta encerrada',
    });
    await send(planned, '3.21');
    await send(made);
    await psp.control('POST', `/payouts/${made}/fail`);
    expect(hooks.got.at(-1)?.body.pix).toMatchObject([
      { status: 'NAO_REALIZADO', horario: null, gnExtras: { idEnvio: made, erro: { codigo: 'AC03' } } },
    ]);
    await later();
    await expect.poll(async () => (await find(planned)).json.status).toBe('NAO_REALIZADO');
    expect((await find(planned)).json.gnExtras.erro.motivo).toBe('Conta encerrada');
  });

  test('can be returned, whole or in parts', async () => {
    const id = newId();
    await send(id, '10.00');
    await psp.control('POST', `/payouts/${id}/settle`);
    await psp.control('POST', `/payouts/${id}/return`, { amount: '4.00' });
    const { json } = await psp.control('POST', `/payouts/${id}/return`, { amount: '6.00' });
    expect(hooks.got.at(-1)?.body.pix[0].devolucoes).toMatchObject([
      { valor: '4.00', status: 'DEVOLVIDO' },
      { valor: '6.00', rtrId: json.returnId },
    ]);
    expect((await find(id)).json.devolucoes).toHaveLength(2);
  });

  test('is refused with a reason of its own', async () => {
    const refused = async (body: object, id = newId()) => {
      const { status, json } = await psp.call('PUT', `/v3/gn/pix/${id}`, { ...payout(), ...body });
      return `${status} ${json.nome}`;
    };
    expect(await refused({ valor: '0.00' })).toBe('400 valor_invalido');
    expect(await refused({ pagador: { chave: 'other@example.com' } })).toBe('400 chave_invalida');
    expect(await refused({ favorecido: {} })).toBe('400 valor_invalido');
    expect(await refused({}, 'with-hyphen')).toBe('400 valor_invalido');
    expect((await find('never')).json.type).toMatch(/PixEnviadoNaoEncontrado$/);
    await psp.call('DELETE', `/v2/webhook/${key()}`);
    expect(await refused({})).toBe('400 webhook_nao_cadastrado');
    await psp.call('PUT', `/v2/webhook/${key()}`, { webhookUrl: hooks.url });
  });

  test('ends by its amount, if requested', async () => {
    await psp.restart({ playsAmounts: true });
    const [well, badly, back] = [newId(), newId(), newId()];
    await send(well, '10.00');
    await send(badly, '10.01');
    await send(back, '4.00');
    expect(await send(newId(), '20.01')).toMatchObject({ status: 422, json: { nome: 'pagamento_negado' } });
    await later();
    await expect.poll(async () => (await find(well)).json.status).toBe('REALIZADO');
    await expect.poll(async () => (await find(badly)).json.status).toBe('NAO_REALIZADO');
    await later();
    await expect
      .poll(async () => (await find(back)).json.devolucoes)
      .toMatchObject([{ valor: '2.00' }, { valor: '2.00' }]);
    await psp.restart();
  });
});

test('a look-up finds the owner of a tax id and of keys with a set owner, and refuses guessing', async () => {
  const look = (chave: string) => psp.call('GET', `/v2/dict/${encodeURIComponent(chave)}`);
  expect((await look('52998224725')).json.titular.cpf).toBe('52998224725');
  expect((await look('ana@example.com')).json.titular).toEqual({ nome: 'Titular da chave' });
  await psp.control('PUT', '/directory/ana@example.com', { taxId: '11222333000181', name: 'Padaria' });
  expect((await look('ana@example.com')).json.titular).toEqual({ nome: 'Padaria', cnpj: '11222333000181' });
  expect((await look('nobody@nowhere.invalid')).status).toBe(404);
  // Meanwhile some of it comes back: on a slow machine it takes more guesses.
  await eventually(
    'a guess that is stopped',
    async () => (await look('nobody@nowhere.invalid')).status === 429,
  );
});

test('disputes and reports are reported and listed', async () => {
  const { json } = await psp.control('POST', '/pay', { key: key(), amount: '5.00' });
  const [endToEndId] = json.endToEndIds;
  await psp.control('PUT', '/infractions/i1', {
    kind: 'DISPUTA',
    status: 'ABERTA',
    endToEndId,
    amount: '5.00',
  });
  expect(hooks.got.at(-1)).toMatchObject({
    path: '/hooks/infracoes',
    body: { infracoes: [{ idInfracao: 'i1', tipo: 'DISPUTA', status: 'ABERTA', valor: '5.00', endToEndId }] },
  });
  await psp.control('PUT', '/infractions/i1', { kind: 'DISPUTA', status: 'ACEITA', endToEndId });
  const listed = await psp.call('GET', `/v2/gn/infracoes?${period()}`);
  expect(listed.json.infracoes).toMatchObject([{ idInfracao: 'i1', status: 'ACEITA' }]);
});

test('an accepted dispute is debited once, up to the remainder, and is a return by MED of its PIX', async () => {
  const saldo = async () => Number((await psp.call('GET', '/v2/gn/saldo')).json.saldo);
  const { json } = await psp.control('POST', '/pay', { key: key(), amount: '9.00' });
  const [endToEndId] = json.endToEndIds;
  const before = await saldo();
  const decide = (id: string, status: string, amount?: string) =>
    psp.control('PUT', `/infractions/${id}`, { kind: 'DISPUTA', status, endToEndId, amount });
  await decide('med1', 'ABERTA', '4.00');
  expect(await saldo()).toBe(before);
  await decide('med1', 'ACEITA');
  await decide('med1', 'ACEITA');
  expect(before - (await saldo())).toBe(4);
  const returned = { valor: '4.00', natureza: 'MED_FRAUDE', status: 'DEVOLVIDO' };
  expect((await psp.call('GET', `/v2/pix/${endToEndId}`)).json.devolucoes).toMatchObject([returned]);
  const much = await psp.call('PUT', `/v2/pix/${endToEndId}/devolucao/toomuch`, { valor: '5.01' });
  expect(much.status).toBe(400);
  await decide('med2', 'ABERTA');
  await decide('med2', 'ACEITA');
  expect(before - (await saldo())).toBe(9);
  await decide('med3', 'REJEITADA', '1.00');
  expect(before - (await saldo())).toBe(9);
  const books = await psp.control('GET', '/books');
  const own = books.json.disputes.filter((each: { id: string }) => each.id.startsWith('med'));
  expect(own).toMatchObject([
    { id: 'med1', amount: '4.00' },
    { id: 'med2', amount: '5.00' },
  ]);
});

describe('faults', () => {
  test('false reports (invented PIX, other amount, other key) arrive before the true one', async () => {
    const chargeId = 'falsereport'.padEnd(26, '0');
    await psp.call('PUT', `/v2/cob/${chargeId}`, {
      calendario: { expiracao: 3600 },
      valor: { original: '5.00' },
      chave: key(),
    });
    for (const fault of ['forged', 'altered', 'misaddressed']) {
      await psp.control('PUT', '/faults', { seed: 7, rules: [{ on: 'callback', fault, rate: 1 }] });
      const from = hooks.got.length;
      const { json } = await psp.control('POST', '/pay', { txid: chargeId });
      await psp.control('PUT', '/faults', { seed: 7, rules: [] });
      await eventually(`both reports of ${fault}`, async () => hooks.got.length === from + 2);
      const told = hooks.got.slice(from).map(({ body }) => body.pix[0]);
      const isTrue = (pix: { endToEndId: string; valor: string; chave: string }) =>
        pix.endToEndId === json.endToEndIds[0] && pix.valor === '5.00' && pix.chave === key();
      expect(told.map(isTrue).sort(), fault).toEqual([false, true]);
    }
  });

  test('a read of an existing record is answered with 404, like one that does not exist yet', async () => {
    const { json } = await psp.control('POST', '/pay', { key: key(), amount: '5.00' });
    const look = () => psp.call('GET', `/v2/pix/${json.endToEndIds[0]}`);
    await psp.control('PUT', '/faults', { seed: 7, rules: [{ on: 'read', fault: 'missing', rate: 1 }] });
    expect((await look()).status).toBe(404);
    await psp.control('PUT', '/faults', { seed: 7, rules: [] });
    expect((await look()).status).toBe(200);
  });

  const rules = (...given: object[]) => psp.control('PUT', '/faults', { seed: 7, rules: given });

  test('a request can be processed without an answer; a query finds its result', async () => {
    const id = newId();
    await rules({ on: 'payout', fault: 'timeout', ms: 5 });
    await expect(send(id)).rejects.toThrow();
    expect((await find(id)).json).toMatchObject({ idEnvio: id });
  });

  test('a request can be refused with 503 or 401 without being processed', async () => {
    const id = newId();
    await rules({ on: 'payout', fault: 'unavailable' });
    expect((await send(id)).status).toBe(503);
    await rules({ on: 'payout', fault: 'unauthorized' });
    expect((await send(id)).status).toBe(401);
    await rules();
    expect((await find(id)).status).toBe(404);
  });

  test('the same seed causes the same faults', async () => {
    const look = async () => {
      await rules({ on: 'read', fault: 'unavailable', rate: 0.5 });
      const statuses: number[] = [];
      for (let each = 0; each < 12; each++) statuses.push((await find('never')).status);
      return statuses;
    };
    const first = await look();
    expect(new Set(first)).toEqual(new Set([404, 503]));
    expect(await look()).toEqual(first);
  });

  test('the books count all faults, also those of earlier plans', async () => {
    const timesOf = async (on: string, fault: string) => {
      const { faults } = (await psp.control('GET', '/books')).json;
      return (
        faults.find((each: { on: string; fault: string }) => each.on === on && each.fault === fault)?.times ??
        0
      );
    };
    const before = await timesOf('payout', 'unavailable');
    await rules({ on: 'payout', fault: 'unavailable' });
    await send(newId());
    await send(newId());
    await rules();
    await send(newId());
    expect(await timesOf('payout', 'unavailable')).toBe(before + 2);
  });

  test('callbacks get lost, arrive twice, and arrive late', async () => {
    const told = async () => {
      const before = hooks.got.length;
      const id = newId();
      await send(id);
      await psp.control('POST', `/payouts/${id}/settle`);
      const ofIt = () =>
        hooks.got.slice(before).filter(({ body }) => body.pix?.[0].gnExtras.idEnvio === id).length;
      return ofIt;
    };
    await rules({ on: 'callback', fault: 'lost' });
    expect((await told())()).toBe(0);
    await rules({ on: 'callback', fault: 'doubled' });
    expect((await told())()).toBe(2);
    await rules({ on: 'callback', fault: 'late', ms: 60_000 });
    const late = await psp.control('POST', '/pay', { key: key(), amount: '5.00' });
    expect(late.json.isTold).toBe(true);
    const id = newId();
    await send(id);
    const { json } = await psp.control('POST', `/payouts/${id}/settle`, { wait: false });
    expect(json.callbacks).toBe(1);
    const isReported = () => hooks.got.some(({ body }) => body.pix?.[0].gnExtras?.idEnvio === id);
    expect(isReported()).toBe(false);
    await psp.control('POST', '/clock', { advanceMs: 61_000 });
    await expect.poll(isReported).toBe(true);
  });

  test('a stranger calls first, and is refused if a certificate is required', async () => {
    const before = hooks.got.length;
    await rules({ on: 'callback', fault: 'stranger' });
    const id = newId();
    await send(id);
    await psp.control('POST', `/payouts/${id}/settle`);
    const counts = async () => (await psp.control('GET', '/books')).json.callbacks;
    await expect.poll(async () => (await counts()).strangers).toBe(1);
    expect(await counts()).toMatchObject({ strangersTaken: 0 });
    expect(hooks.got.length).toBe(before + 1);
  });

  test('a refused callback is repeated, until it is accepted', async () => {
    const id = newId();
    await send(id);
    hooks.statuses.push(503, 500);
    await psp.control('POST', `/payouts/${id}/settle`);
    await expect
      .poll(() => hooks.got.filter(({ body }) => body.pix?.[0].gnExtras?.idEnvio === id).length)
      .toBe(3);
  });
});

test('the control API names unknown input, and accepts nothing from a browser', async () => {
  const wrong: readonly [string, string, object, RegExp][] = [
    ['POST', '/pay', { txid: 'none' }, /no charge/],
    ['POST', '/pay', { key: 'x', amount: '5' }, /amount must be/],
    ['POST', '/pay', { amount: '5.00', times: 0 }, /times must be/],
    ['POST', '/clock', { aheadMs: 'x' }, /aheadMs must be/],
    ['PUT', '/faults', { rules: [{ on: 'x' }] }, /rules.on must be/],
    ['POST', '/plans', { act: 'x' }, /act must be/],
    ['PUT', '/infractions/i', { kind: 'x' }, /kind must be/],
    ['PUT', '/directory/x', { taxId: '1' }, /taxId must be/],
    ['POST', '/payouts/none/fail', {}, /no payout/],
    ['POST', '/refunds/none/fail', {}, /no refund/],
  ];
  for (const [method, path, body, words] of wrong) {
    const { status, json } = await psp.control(method, path, body);
    expect(status === 400 || status === 404, path).toBe(true);
    expect(json.error).toMatch(words);
  }
  const { status } = await fetch(`${psp.controlUrl}/clock`, { headers: { origin: 'http://shop.example' } });
  expect(status).toBe(403);
});
