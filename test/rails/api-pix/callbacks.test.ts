/**
 * Goal: only the provider is heard, whichever way callbacks come, and what it tells is stored before it is answered (C-33, C-34).
 * Method: callers with and without its certificate at the port for callbacks, and behind a proxy; bodies right and wrong.
 */
import { createServer, request as plainRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAuthority, issue } from '../../../src/psp/ca.ts';
import { callbackToken, callbackUrl } from '../../../src/rails/api-pix/callers.ts';
import { createCalls } from '../../../src/rails/api-pix/client.ts';
import { type HearingParts, hearing } from '../../../src/rails/api-pix/hearing.ts';
import { PspUnavailable } from '../../../src/rails/api-pix/http.ts';
import { createApiPix } from '../../../src/rails/api-pix/index.ts';
import { startListener } from '../../../src/rails/api-pix/listener.ts';
import type { ApiPixSettings, CallbackSettings } from '../../../src/rails/api-pix/settings.ts';
import { freePort } from '../../support/free-port.ts';
import { callBack, inventedPix, type Sent } from './call-back.ts';
import { useStand } from './harness.ts';

const stand = useStand({}, { works: true, confirm: false });
const SECRET = 's'.repeat(32);

test('the port for callbacks takes TLS 1.2 and 1.3, and nothing older', async () => {
  const { port } = new URL((stand.settings.callback as CallbackSettings).url);
  const { certificate: cert, key } = stand.psp.certificates.gateway;
  const protocolWith = (version: 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3') =>
    new Promise<string | null>((resolve) => {
      const socket = connect(
        {
          ...{ host: '127.0.0.1', port: Number(port), cert, key, rejectUnauthorized: false },
          // OpenSSL itself would not begin with the old version at its usual level.
          ...{ minVersion: version, maxVersion: version, ciphers: 'DEFAULT@SECLEVEL=0' },
        },
        () => {
          resolve(socket.getProtocol());
          socket.destroy();
        },
      ).once('error', ({ code }: NodeJS.ErrnoException) => resolve(code ?? null));
    });
  expect(await protocolWith('TLSv1.2')).toBe('TLSv1.2');
  expect(await protocolWith('TLSv1.3')).toBe('TLSv1.3');
  expect(await protocolWith('TLSv1.1')).toMatch(/PROTOCOL_VERSION|ECONNRESET/);
});

const post = (sent: Sent) => callBack(stand, sent);
const pix = inventedPix;

/** No call is made with these. */
const partsWith = (settings: ApiPixSettings): HearingParts => ({
  tools: stand.tools,
  settings,
  api: createCalls(
    () => Promise.reject(new Error('not called')),
    { get: async () => '', refused: () => {}, lacking: () => [] },
    settings,
  ),
  confirm: () => Promise.reject(new Error('not called')),
});
const hearingWith = (infractionsUrl: string | null) =>
  hearing(
    partsWith({ ...stand.settings, infractionsUrl }),
    stand.settings.callback as NonNullable<ApiPixSettings['callback']>,
  );

const told = async (endToEndId: string) => (await stand.inbound.eventsOf(`pix:${endToEndId}`)).length;

describe('the port for callbacks', () => {
  test('accepts only the provider', async () => {
    const { ca, psp } = stand.psp.certificates;
    expect(await post({ identity: psp })).toBe(200);
    expect(await post({})).toEqual(expect.any(String));
    expect(await post({ identity: issue(createAuthority('Another'), { name: 'Crossramp PSP' }) })).toEqual(
      expect.any(String),
    );
    // Signed by the same authority, for somebody else.
    expect(await post({ identity: issue(ca, { name: 'Another customer' }) })).toBe(403);
    expect(stand.logged).toContain('a callback of the PIX provider was refused');
  });

  test('stores every entry before it answers; a wrong one is refused after the others were accepted', async () => {
    const identity = stand.psp.certificates.psp;
    const [first, second, wrong] = [pix(), pix(), pix({ valor: '3,00' })];
    expect(await post({ identity, body: JSON.stringify({ pix: [first, wrong, second] }) })).toBe(400);
    expect([
      await told(first.endToEndId),
      await told(second.endToEndId),
      await told(wrong.endToEndId),
    ]).toEqual([1, 1, 0]);
    expect(await post({ identity, body: JSON.stringify({ pix: [first, second] }) })).toBe(200);
    expect([await told(first.endToEndId), await told(second.endToEndId)]).toEqual([1, 1]);
  });

  test('a returned payout without its rtrId is refused, so that the provider reports it again with one (C-34)', async () => {
    const identity = stand.psp.certificates.psp;
    const back = (rtrId: object) =>
      JSON.stringify({
        pix: [
          pix({
            gnExtras: { idEnvio: 'unknown1' },
            devolucoes: [{ ...rtrId, valor: '1.00', status: 'DEVOLVIDO' }],
          }),
        ],
      });
    const rtrId = 'D9999999920261122100000000000009';
    expect(await post({ identity, body: back({}) })).toBe(400);
    expect(await post({ identity, body: back({ rtrId }) })).toBe(200);
    expect(await told(rtrId)).toBe(1);
  });

  test.each([
    ['no JSON', { body: '{' }, 400],
    ['no list', { body: '{}' }, 400],
    ['a list of anything', { body: '{"pix":[1,null,"x"]}' }, 400],
    ['a moment that is none', { body: JSON.stringify({ pix: [pix({ horario: 'soon' })] }) }, 400],
    ['too much', { body: `{"pix":[],"x":"${'x'.repeat(1_100_000)}"}` }, 413],
    ['another path', { path: '/pix/more' }, 404],
    ['the address itself, as when it is registered', { path: '', body: '{"evento":"teste_webhook"}' }, 200],
    ['another method', { method: 'GET' }, 405],
  ])('%s', async (_name, sent, status) => {
    const identity = stand.psp.certificates.psp;
    const answer = await post({ identity, ...sent });
    // Whoever sends too much may find the connection closed before the answer is read.
    expect(status === 413 && typeof answer === 'string' ? 413 : answer).toBe(status);
  });

  test.each([
    '',
    '***',
    'a txid/of no form',
  ])('money whose txid is %j is not refused: it names no charge (C-34)', async (txid) => {
    const identity = stand.psp.certificates.psp;
    const payment = pix({ txid });
    expect(await post({ identity, body: JSON.stringify({ pix: [payment] }) })).toBe(200);
    expect(await stand.inbound.eventsOf(`pix:${payment.endToEndId}`)).toMatchObject([
      { outcome: 'suspense' },
    ]);
  });

  test('accepts further data of a provider: unknown members, and the payer', async () => {
    const identity = stand.psp.certificates.psp;
    const row = await stand.inbound.onramp(stand.merchant);
    await stand.inbound.reach(row, 'depositpix/QRCODE');
    const { process } = await stand.inbound.rowOf(row.end2end);
    const payment = pix({
      txid: process?.txid,
      valor: '100.00',
      gnExtras: { pagador: { cpf: '11144477735', nome: 'X' } },
      other: { deep: [] },
    });
    expect(await post({ identity, body: JSON.stringify({ pix: [payment] }) })).toBe(200);
    await stand.until(async () => (await stand.inbound.rowOf(row.end2end)).process?.payerTaxId !== undefined);
    expect((await stand.inbound.rowOf(row.end2end)).process?.payerTaxId).toBe('11144477735');
  });
});

test('one of several processes has the port, and another follows when it ends', async () => {
  const { callback } = stand.settings;
  if (!callback?.listen) throw new Error('there is no port');
  const port = await freePort();
  const own = { ...callback, url: `https://127.0.0.1:${port}`, listen: { ...callback.listen, port } };
  const settings = { ...stand.settings, callback: own };
  const [first, second] = [startListener(partsWith(settings), 20), startListener(partsWith(settings), 20)];
  await Promise.all([first?.attempted, second?.attempted]);
  const identity = stand.psp.certificates.psp;
  expect(await post({ identity, to: own.url })).toBe(200);
  await first?.stop();
  await stand.until(async () => (await post({ identity, to: own.url })) === 200);
  await second?.stop();
});

describe('behind a proxy', () => {
  let server: Server;
  let url: string;
  let token: string;

  beforeAll(async () => {
    const callback: CallbackSettings = {
      url: 'https://gateway.invalid/rails/live/pix',
      listen: null,
      clientCa: stand.psp.certificates.ca.certificate,
      clientNames: ['Crossramp PSP'],
      proxyHeader: 'x-client-cert',
      proxies: ['127.0.0.1/32'],
      secret: SECRET,
      suffix: 'added',
      secretIn: 'path',
      confirm: true,
    };
    const settings = { ...stand.settings, callback };
    const part = createApiPix(settings, stand.tools);
    token = (callbackUrl(settings) as string).slice(callback.url.length);
    server = createServer(
      (incoming, response) => void part.handle?.(incoming, response, (incoming.url ?? '').slice(1)),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  const send = (path: string, certificate: string | undefined, localAddress = '127.0.0.1'): Promise<number> =>
    new Promise((resolve, reject) => {
      const headers = certificate === undefined ? {} : { 'x-client-cert': certificate };
      plainRequest(url + path, { method: 'POST', headers, localAddress, agent: false }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      })
        .on('error', reject)
        .end('{"pix":[]}');
    });

  test('a certificate that the proxy passes on is checked here, and so are the path and the proxy', async () => {
    const { ca, psp } = stand.psp.certificates;
    const escaped = encodeURIComponent(psp.certificate);
    const der = psp.certificate.replaceAll(/-----[^-]+-----|\s/g, '');
    const ended = issue(ca, { name: 'Crossramp PSP', validUntil: new Date(Date.now() - 60_000) });
    const foreign = issue(createAuthority('Another'), { name: 'Crossramp PSP' });
    expect(await send(`${token}/pix`, escaped)).toBe(200);
    expect(await send(`${token}/pix?ignorar=`, `:${der}:`)).toBe(200);
    expect(await send(`${token}/pix`, undefined)).toBe(403);
    expect(await send(`${token}/pix`, 'SUCCESS')).toBe(403);
    expect(await send(`${token}/pix`, encodeURIComponent(ended.certificate))).toBe(403);
    expect(await send(`${token}/pix`, encodeURIComponent(foreign.certificate))).toBe(403);
    expect(await send('/pix', escaped)).toBe(403);
    expect(await send(`/${'0'.repeat(64)}/pix`, escaped)).toBe(403);
    expect(await send(`${token}/pix`, escaped, '127.0.0.2')).toBe(403);
  });
});

test('without a list of disputes a report of fraud is accepted and a dispute is refused, because its return by MED counts (C-33)', async () => {
  const endToEndId = pix().endToEndId;
  const facts = { endToEndId, horario: new Date().toISOString(), status: 'ABERTA' };
  const infracoes = [
    { ...facts, idInfracao: 'pushed-dispute', tipo: 'DISPUTA' },
    { ...facts, idInfracao: 'pushed-report', tipo: 'INFRACAO' },
  ];
  const unlisted = hearingWith(null);
  expect(await unlisted.infractions({ infracoes })).toMatchObject({ status: 403 });
  expect(await told('pushed-dispute')).toBe(0);
  expect(await told('pushed-report')).toBe(1);
  // Opened by a call, while such a list was configured: it ends by a call too.
  const opened = { ...facts, idInfracao: 'opened-before', tipo: 'DISPUTA' };
  const before = hearingWith(stand.settings.infractionsUrl);
  expect(await before.infractions({ infracoes: [opened] })).toMatchObject({ status: 200 });
  const ended = [{ ...opened, status: 'REJEITADA' }];
  expect(await unlisted.infractions({ infracoes: ended })).toMatchObject({ status: 200 });
  expect(await told('opened-before')).toBe(2);
});

describe('a caller who is identified by the secret path alone', () => {
  let server: Server;
  let url: string;
  let suffix: CallbackSettings['suffix'] = 'added';
  const settingsWith = (infractionsUrl: string | null) => ({
    ...stand.settings,
    infractionsUrl,
    callback: {
      url: 'https://gateway.invalid/rails/live/pix',
      listen: null,
      clientCa: null,
      clientNames: [],
      proxyHeader: null,
      proxies: [],
      secret: SECRET,
      suffix,
      secretIn: 'path' as const,
      confirm: true,
    },
  });
  let infractionsUrl: string | null = null;

  beforeAll(async () => {
    server = createServer(
      (incoming, response) =>
        void createApiPix(settingsWith(infractionsUrl), stand.tools).handle?.(
          incoming,
          response,
          (incoming.url ?? '').slice(1),
        ),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const settings = settingsWith(null);
    const token = (callbackUrl(settings) as string).slice(settings.callback.url.length);
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${token}`;
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  const tell = async (path: string, body: object): Promise<number> =>
    (await fetch(`${url}/${path}`, { method: 'POST', body: JSON.stringify(body) })).status;

  test('cannot have a payment booked that the provider does not know (C-36)', async () => {
    const invented = pix({ valor: '9999.00' });
    expect(await tell('pix', { pix: [invented] })).toBe(200);
    expect(await told(invented.endToEndId)).toBe(0);
  });

  test('may call the registered URL itself, where the bank adds no suffix to it (`suffix: "none"`)', async () => {
    suffix = 'none';
    try {
      const settings = settingsWith(null);
      expect(callbackUrl(settings)).toBe(`${settings.callback.url}/${callbackToken(settings)}`);
      await stand.psp.control('PUT', '/faults', {
        seed: 1,
        rules: [{ on: 'callback', fault: 'lost', rate: 1, ms: 0 }],
      });
      const settledAt = new Date(Date.now() - 60 * 3_600_000).toISOString();
      const { json } = await stand.psp.control('POST', '/pay', { amount: '5.00', settledAt, wait: false });
      const [endToEndId] = json.endToEndIds;
      const send = async (body: string) => (await fetch(url, { method: 'POST', body })).status;
      // The bank tries the address when it is registered; a body of another form is no report.
      expect(await send('')).toBe(200);
      expect(await send(JSON.stringify({ evento: 'teste_webhook' }))).toBe(200);
      expect(await send(JSON.stringify({ pagamentos: [pix({ endToEndId })] }))).toBe(400);
      expect(await told(endToEndId)).toBe(0);
      expect(await send(JSON.stringify({ pix: [pix({ endToEndId, valor: '5.00' })] }))).toBe(200);
      expect(await told(endToEndId)).toBe(1);
    } finally {
      suffix = 'added';
    }
  });

  test('has payments booked with the provider’s data', async () => {
    // Nobody else tells of it: its callback is lost, and it is older than what the statement is read for.
    const lost = { on: 'callback', fault: 'lost', rate: 1, ms: 0 };
    await stand.psp.control('PUT', '/faults', { seed: 1, rules: [lost] });
    const settledAt = new Date(Date.now() - 60 * 3_600_000).toISOString();
    const { json } = await stand.psp.control('POST', '/pay', { amount: '7.00', settledAt, wait: false });
    const [endToEndId] = json.endToEndIds;
    expect(await tell('pix', { pix: [pix({ endToEndId, valor: '7000.00' })] })).toBe(200);
    const { rows } = await stand.app.owner.query(
      `select body->>'amount' as amount from rail_news where key = $1`,
      [`pix:${endToEndId}`],
    );
    expect(rows).toEqual([{ amount: '7.00' }]);
  });

  test('cannot end a payout that is open at the provider', async () => {
    const wrong = {
      endToEndId: pix().endToEndId,
      valor: '1.00',
      gnExtras: { idEnvio: 'unknown2' },
      status: 'REALIZADO',
    };
    expect(await tell('pix', { pix: [wrong] })).toBe(200);
    expect((await stand.inbound.eventsOf('pix:unknown2')).length).toBe(0);
  });

  test('cannot open a dispute: the list of the provider is read instead, and without one nothing is accepted', async () => {
    const { json } = await stand.psp.control('POST', '/pay', { amount: '8.00', wait: false });
    const [endToEndId] = json.endToEndIds;
    const invented = { idInfracao: 'invented', endToEndId, tipo: 'DISPUTA', status: 'ABERTA' };
    infractionsUrl = null;
    expect(await tell('infracoes', { infracoes: [invented] })).toBe(403);
    infractionsUrl = stand.settings.infractionsUrl;
    const real = { kind: 'INFRACAO', status: 'ABERTA', endToEndId, wait: false };
    await stand.psp.control('PUT', '/infractions/real', real);
    expect(await tell('infracoes', { infracoes: [invented] })).toBe(200);
    expect(await stand.inbound.eventsOf('pix:invented')).toEqual([]);
    expect(await stand.inbound.eventsOf('pix:real')).toMatchObject([{ kind: 'infraction' }]);
  });

  test('is answered once the report is stored, even if the provider is unreachable; nothing is booked (C-36)', async () => {
    stand.meddle = undefined;
    const away = createApiPix(settingsWith(null), stand.tools, async () => {
      throw new PspUnavailable('away');
    });
    const own = createServer(
      (incoming, response) => void away.handle?.(incoming, response, (incoming.url ?? '').slice(1)),
    );
    await new Promise<void>((resolve) => own.listen(0, '127.0.0.1', resolve));
    const port = (own.address() as AddressInfo).port;
    const payment = pix();
    const { pathname } = new URL(url);
    const answer = await fetch(`http://127.0.0.1:${port}${pathname}/pix`, {
      method: 'POST',
      body: JSON.stringify({ pix: [payment] }),
    });
    expect([answer.status, await told(payment.endToEndId)]).toEqual([200, 0]);
    const { rows } = await stand.app.owner.query(
      `select outcome, last_error from rail_news where kind = 'unconfirmed' and body ->> 'endToEndId' = $1`,
      [payment.endToEndId],
    );
    expect(rows).toEqual([{ outcome: 'pending', last_error: 'the provider could not be queried about it' }]);
    await new Promise((resolve) => own.close(resolve));
  });

  test('is named by the checks', async () => {
    const checks = await createApiPix(settingsWith(null), stand.tools).checks();
    expect(checks.find(({ check }) => check === 'callers')?.detail).toContain('known only by a secret path');
  });
});

test('an address that this machine lacks stops the start with an error that names the setting', () => {
  const { callback } = stand.settings;
  if (!callback?.listen) throw new Error('there is no port');
  const own = { ...callback, listen: { ...callback.listen, host: '192.0.2.1' } };
  expect(() => startListener(partsWith({ ...stand.settings, callback: own }))).toThrow(
    /^live\.pix\.callback\.listen: expected an address of this machine, got 192\.0\.2\.1:/,
  );
});
