/**
 * Goal: the PSP is an API Pix as the Central Bank publishes it: charges, PIX, refunds, callbacks, tokens. Method: calls over
 * mTLS; every request, answer and callback is checked against the published OpenAPI (test/support/psp.ts).
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decodeBrCode } from '../../src/base/pix/br-code.ts';
import { createAuthority, issue } from '../../src/psp/ca.ts';
import { apiPixSchema } from '../support/api-pix-schema.ts';
import { type CallbackReceiver, receiveCallbacks, usePsp } from '../support/psp.ts';

/** Nothing ends before the clock is set ahead. */
const SETTLE_MS = 3_600_000;
const psp = usePsp({ settleMs: SETTLE_MS });
let hooks: CallbackReceiver;
let made = 0;
const newTxid = () => `crossramptest${String(++made).padStart(19, '0')}`;
const period = () => {
  const at = (ms: number) => encodeURIComponent(new Date(Date.now() + ms).toISOString());
  return `inicio=${at(-3_600_000)}&fim=${at(30 * 86_400_000)}`;
};
const key = () => String(psp.holder.keys[0]);
const charge = (original = '550.00') => ({
  calendario: { expiracao: 600 },
  devedor: { cpf: '52998224725', nome: 'Ana Souza' },
  valor: { original },
  chave: key(),
  solicitacaoPagador: 'Pedido 1',
});
const errorOf = ({ status, json }: { status: number; json: { type?: string } }) =>
  `${status} ${json?.type?.split('/').at(-1)}`;

test('the schema checks of these tests detect errors', async () => {
  const schema = await apiPixSchema();
  expect(schema.ofRequest('PUT', '/v2/cob/x', { valor: { original: '5' } })).not.toEqual([]);
  expect(schema.ofAnswer('GET', `/v2/cob/${newTxid()}`, 200, { txid: 'x' })).not.toEqual([]);
  expect(schema.ofAnswer('GET', '/v2/pix?x=1', 418, {})).toEqual(['undeclared: GET /v2/pix?x=1 answers 418']);
  expect(schema.ofCallback({ pix: [{ endToEndId: 'short' }] })).not.toEqual([]);
});

beforeAll(async () => {
  hooks = await receiveCallbacks(psp);
  expect((await psp.call('PUT', `/v2/webhook/${key()}`, { webhookUrl: hooks.url })).status).toBe(200);
});
afterAll(async () => {
  expect(hooks.problems).toEqual([]);
  await hooks.close();
});

async function paid(amount = '550.00', more = {}) {
  const txid = newTxid();
  await psp.call('PUT', `/v2/cob/${txid}`, charge(amount));
  const { json } = await psp.control('POST', '/pay', { txid, payerTaxId: '52998224725', ...more });
  return { txid, endToEndId: json.endToEndIds[0] as string };
}

describe('every caller', () => {
  test('needs a certificate of its authority', async () => {
    const stranger = issue(createAuthority('Other'), { name: 'Gateway' });
    await expect(psp.call('GET', `/v2/pix?${period()}`, undefined, { identity: null })).rejects.toThrow();
    await expect(psp.call('GET', `/v2/pix?${period()}`, undefined, { identity: stranger })).rejects.toThrow();
  });

  test('needs a valid token, which is valid for its own request only', async () => {
    const look = (token: string | null) => psp.call('GET', `/v2/pix?${period()}`, undefined, { token });
    expect((await look(null)).status).toBe(401);
    expect((await look('not.one')).status).toBe(401);
    const basic = (secret: string) => ({
      authorization: `Basic ${Buffer.from(`${psp.client.id}:${secret}`).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    });
    const ask = (secret: string, form: string) =>
      psp.call('POST', '/oauth/token', form, { token: null, headers: basic(secret) });
    expect((await ask('wrong', 'grant_type=client_credentials')).status).toBe(401);
    expect((await ask(psp.client.secret, 'grant_type=password')).json.error).toBe('unsupported_grant_type');
    expect((await ask(psp.client.secret, 'grant_type=client_credentials&scope=all')).json.error).toBe(
      'invalid_scope',
    );
    const { json } = await ask(psp.client.secret, 'grant_type=client_credentials&scope=cob.read');
    expect(json).toMatchObject({ token_type: 'Bearer', expires_in: 3600, scope: 'cob.read' });
    expect(errorOf(await look(json.access_token))).toBe('403 AcessoNegado');
    await psp.restart();
    expect(
      (await psp.call('GET', `/v2/cob?${period()}`, undefined, { token: json.access_token })).status,
    ).toBe(200);
  });
});

describe('a charge', () => {
  test('is created under the caller’s id; a repeated request returns the same charge', async () => {
    const txid = newTxid();
    const { status, json } = await psp.call('PUT', `/v2/cob/${txid}`, charge());
    expect(status).toBe(201);
    expect(json).toMatchObject({ txid, status: 'ATIVA', revisao: 0, valor: { original: '550.00' } });
    expect((await psp.call('PUT', `/v2/cob/${txid}`, charge())).json).toEqual(json);
    expect((await psp.call('GET', `/v2/cob/${txid}`)).json).toEqual(json);
  });

  test('has a code that wallets can read, and a location that describes the payment', async () => {
    const { json } = await psp.call('PUT', `/v2/cob/${newTxid()}`, charge());
    const code = decodeBrCode(json.pixCopiaECola);
    expect(code).toMatchObject({ kind: 'dynamic', url: json.location });
    const { pathname } = new URL(`https://${json.location}`);
    const payload = await psp.control('GET', pathname);
    expect(payload.json).toMatchObject({ txid: json.txid, status: 'ATIVA', valor: { original: '550.00' } });
    await psp.call('PATCH', `/v2/cob/${json.txid}`, { status: 'REMOVIDA_PELO_USUARIO_RECEBEDOR' });
    expect(errorOf(await psp.control('GET', pathname))).toBe('410 CobPayloadNaoEncontrado');
  });

  test('can be revised or cancelled only while it is active', async () => {
    const txid = newTxid();
    await psp.call('PUT', `/v2/cob/${txid}`, charge());
    const revised = await psp.call('PATCH', `/v2/cob/${txid}`, { valor: { original: '10.00' } });
    expect(revised.json).toMatchObject({
      revisao: 1,
      valor: { original: '10.00' },
      solicitacaoPagador: 'Pedido 1',
    });
    const status = 'REMOVIDA_PELO_USUARIO_RECEBEDOR';
    expect((await psp.call('PATCH', `/v2/cob/${txid}`, { status })).json).toMatchObject({
      status,
      revisao: 2,
    });
    expect(errorOf(await psp.call('PATCH', `/v2/cob/${txid}`, { status }))).toBe('400 CobOperacaoInvalida');
    expect(errorOf(await psp.call('PUT', `/v2/cob/${txid}`, charge()))).toBe('400 CobOperacaoInvalida');
  });

  test('names its errors by the type of the standard', async () => {
    const put = (body: unknown, txid = newTxid()) =>
      psp.call('PUT', `/v2/cob/${txid}`, body, { isWrong: true });
    const { calendario, ...rest } = charge();
    const wrong: readonly [unknown, string][] = [
      [{ ...charge(), valor: { original: '0.00' } }, 'cob.valor.original'],
      [{ ...charge(), valor: { original: '5,00' } }, 'cob.valor.original'],
      [{ ...charge(), calendario: { expiracao: 0 } }, 'cob.calendario.expiracao'],
      [rest, 'cob.calendario'],
      [{ ...charge(), chave: 'somebody@else.invalid' }, 'cob.chave'],
      [{ ...charge(), devedor: { cpf: '52998224725' } }, 'cob.devedor'],
      [{ ...charge(), devedor: { cpf: '529', nome: 'Ana' } }, 'cob.devedor'],
    ];
    for (const [body, propriedade] of wrong) {
      const answer = await put(body);
      expect(errorOf(answer)).toBe('400 CobOperacaoInvalida');
      expect(answer.json.violacoes.map((each: { propriedade: string }) => each.propriedade)).toEqual([
        propriedade,
      ]);
    }
    expect(errorOf(await put(charge(), 'short'))).toBe('400 CobOperacaoInvalida');
    expect(errorOf(await put('[]'))).toBe('400 RequisicaoInvalida');
    expect(errorOf(await put('{'))).toBe('400 RequisicaoInvalida');
    expect(errorOf(await psp.call('GET', `/v2/cob/${newTxid()}`))).toBe('404 CobNaoEncontrado');
  });
});

describe('a PIX', () => {
  test('for a charge is reported by callback, concludes it, and is found by a query', async () => {
    const { txid, endToEndId } = await paid();
    const pix = hooks.got.at(-1);
    expect(pix?.path).toBe('/hooks/pix');
    expect(pix?.body.pix).toMatchObject([
      { endToEndId, txid, valor: '550.00', gnExtras: { pagador: { cpf: '52998224725' } } },
    ]);
    const charged = await psp.call('GET', `/v2/cob/${txid}`);
    expect(charged.json).toMatchObject({ status: 'CONCLUIDA', pix: [{ endToEndId }] });
    expect((await psp.call('GET', `/v2/pix/${endToEndId}`)).json).toEqual(pix?.body.pix[0]);
    const { json } = await psp.call('GET', `/v2/pix?${period()}&txid=${txid}`);
    expect(json.pix).toEqual(pix?.body.pix);
    expect(json.parametros.paginacao).toMatchObject({ quantidadeTotalDeItens: 1, quantidadeDePaginas: 1 });
  });

  test('can arrive twice, late, with another amount, and after the charge was cancelled', async () => {
    const txid = newTxid();
    await psp.call('PUT', `/v2/cob/${txid}`, charge());
    await psp.call('PATCH', `/v2/cob/${txid}`, { status: 'REMOVIDA_PELO_USUARIO_RECEBEDOR' });
    const settledAt = '2031-01-01T00:00:00.000Z';
    const { json } = await psp.control('POST', '/pay', { txid, amount: '1.00', times: 2, settledAt });
    expect(json).toMatchObject({ callbacks: 2, isTold: true });
    const charged = await psp.call('GET', `/v2/cob/${txid}`);
    expect(charged.json.status).toBe('REMOVIDA_PELO_USUARIO_RECEBEDOR');
    expect(charged.json.pix).toMatchObject([{ valor: '1.00', horario: settledAt }, { valor: '1.00' }]);
  });

  test('without a charge is found by a query and not reported, as in the standard', async () => {
    const before = hooks.got.length;
    const { json } = await psp.control('POST', '/pay', { key: key(), amount: '7.00' });
    expect(json).toMatchObject({ callbacks: 0 });
    expect(hooks.got.length).toBe(before);
    const found = await psp.call('GET', `/v2/pix?${period()}&txIdPresente=false`);
    expect(found.json.pix).toMatchObject([{ endToEndId: json.endToEndIds[0], valor: '7.00' }]);
  });

  test('is listed once, on one of the pages', async () => {
    for (let each = 0; each < 3; each++) await psp.control('POST', '/pay', { key: key(), amount: '8.00' });
    const pages: string[] = [];
    for (let page = 0; ; page++) {
      const path = `/v2/pix?${period()}&paginacao.itensPorPagina=2&paginacao.paginaAtual=${page}`;
      const { json } = await psp.call('GET', path);
      pages.push(...json.pix.map(({ endToEndId }: { endToEndId: string }) => endToEndId));
      if (page + 1 >= json.parametros.paginacao.quantidadeDePaginas) break;
    }
    const { json } = await psp.call('GET', `/v2/pix?${period()}`);
    expect(pages).toEqual(json.pix.map(({ endToEndId }: { endToEndId: string }) => endToEndId));
    expect(new Set(pages).size).toBe(pages.length);
    // The document says it in words, and declares no 400 for lists.
    for (const query of ['', 'inicio=x&fim=y', `${period()}&paginacao.itensPorPagina=0`])
      expect(errorOf(await psp.call('GET', `/v2/pix?${query}`, undefined, { isWrong: true }))).toBe(
        '400 PixConsultaInvalida',
      );
  });
});

describe('a refund', () => {
  const settled = async () => {
    await psp.control('POST', '/clock', { advanceMs: SETTLE_MS });
  };

  test('is accepted, ends a second later, and is reported; the same id is not accepted twice', async () => {
    const { endToEndId } = await paid();
    const path = `/v2/pix/${endToEndId}/devolucao/D1`;
    const { status, json } = await psp.call('PUT', path, { valor: '50.00' });
    expect({ status, json }).toMatchObject({ status: 201, json: { id: 'D1', status: 'EM_PROCESSAMENTO' } });
    expect(errorOf(await psp.call('PUT', path, { valor: '50.00' }))).toBe('400 PixDevolucaoInvalida');
    await settled();
    await expect
      .poll(() => hooks.got.at(-1)?.body.pix[0].devolucoes)
      .toMatchObject([{ status: 'DEVOLVIDO' }]);
    expect((await psp.call('GET', path)).json).toMatchObject({
      id: 'D1',
      rtrId: json.rtrId,
      status: 'DEVOLVIDO',
    });
  });

  test('never exceeds the remaining amount, even after a failed refund', async () => {
    const { endToEndId } = await paid('10.00');
    const refund = (id: string, valor: string) =>
      psp.call('PUT', `/v2/pix/${endToEndId}/devolucao/${id}`, { valor });
    expect((await refund('A', '6.00')).status).toBe(201);
    expect(errorOf(await refund('B', '4.01'))).toBe('400 PixDevolucaoInvalida');
    await psp.control('POST', '/refunds/A/fail', { reason: 'Conta encerrada' });
    expect(hooks.got.at(-1)?.body.pix[0].devolucoes).toMatchObject([
      { status: 'NAO_REALIZADO', motivo: 'Conta encerrada' },
    ]);
    expect((await refund('B', '10.00')).status).toBe(201);
    await settled();
    await expect
      .poll(async () => (await psp.call('GET', `/v2/pix/${endToEndId}/devolucao/B`)).json.status)
      .toBe('DEVOLVIDO');
  });

  test('fails as planned, and is refused for a missing PIX', async () => {
    const { endToEndId } = await paid('10.00');
    await psp.control('POST', '/plans', { act: 'refund', facts: { endToEndId, amount: '3.00' } });
    await psp.call('PUT', `/v2/pix/${endToEndId}/devolucao/X`, { valor: '2.00' });
    await psp.call('PUT', `/v2/pix/${endToEndId}/devolucao/Y`, { valor: '3.00' });
    await settled();
    const statusOf = async (id: string) =>
      (await psp.call('GET', `/v2/pix/${endToEndId}/devolucao/${id}`)).json.status;
    await expect.poll(() => statusOf('Y')).toBe('NAO_REALIZADO');
    expect(await statusOf('X')).toBe('DEVOLVIDO');
    const nobody = `E99999999202601010000${'x'.repeat(11)}`;
    expect(errorOf(await psp.call('PUT', `/v2/pix/${nobody}/devolucao/Z`, { valor: '1.00' }))).toBe(
      '404 PixNaoEncontrado',
    );
    expect(errorOf(await psp.call('GET', `/v2/pix/${endToEndId}/devolucao/Z`))).toBe(
      '404 PixDevolucaoNaoEncontrada',
    );
  });
});

describe('the URL of callbacks', () => {
  test('has to refuse callers without a certificate', async () => {
    const open = await receiveCallbacks(psp, true);
    const register = (url: string, headers = {}) =>
      psp.call('PUT', `/v2/webhook/${key()}`, { webhookUrl: url }, { headers });
    const answer = await register(open.url);
    expect(errorOf(answer)).toBe('400 WebhookOperacaoInvalida');
    expect(answer.json.detail).toMatch(/TLS mútuo/);
    expect((await register(open.url, { 'x-skip-mtls-checking': 'true' })).status).toBe(200);
    await open.close();
    expect((await register(open.url)).json.detail).toMatch(/inacessível/);
    expect(errorOf(await register('http://gateway.example/hooks'))).toBe('400 WebhookOperacaoInvalida');
    expect((await register(hooks.url)).status).toBe(200);
    const { json } = await psp.call('GET', `/v2/webhook/${key()}`);
    expect(json).toMatchObject({ webhookUrl: hooks.url, chave: key() });
    expect((await psp.call('GET', '/v2/webhook')).json.webhooks).toEqual([json]);
  });

  test('is removed on request', async () => {
    expect((await psp.call('DELETE', `/v2/webhook/${key()}`)).status).toBe(204);
    expect(errorOf(await psp.call('GET', `/v2/webhook/${key()}`))).toBe('404 WebhookNaoEncontrado');
    expect(errorOf(await psp.call('DELETE', `/v2/webhook/${key()}`))).toBe('404 WebhookNaoEncontrado');
    await psp.call('PUT', `/v2/webhook/${key()}`, { webhookUrl: hooks.url });
  });
});
