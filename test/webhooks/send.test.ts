/**
 * Goal: C-62, C-63: whatever a receiver does, a try ends in time, reads little, follows nothing and says what happened.
 * Method: receivers on loopback, of node:http where they behave and of plain sockets where they do not; names through
 * resolvers of the test's own. What must not be reached is a listener that counts its connections.
 */

import { generateKeyPairSync, sign } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import net, { type AddressInfo } from 'node:net';
import tls from 'node:tls';
import { afterEach, describe, expect, test } from 'vitest';
import { closeWebhookConnections, sendWebhook, type WebhookRequest } from '../../src/webhooks/send.ts';

const BODY = '{"note":"ação"}';
const KIB = 1024;

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  closeWebhookConnections();
  await Promise.all(closers.splice(0).map((close) => close()));
});

/** Listens on loopback; counts the connections, and ends them with the test. */
async function listen(server: net.Server) {
  const open = new Set<net.Socket>();
  const seen = { connections: 0 };
  server.on('connection', (socket) => {
    seen.connections += 1;
    open.add(socket);
    socket.on('close', () => open.delete(socket)).on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(
    () =>
      new Promise((resolve) => {
        for (const socket of open) socket.destroy();
        server.close(() => resolve());
      }),
  );
  const { port } = server.address() as AddressInfo;
  return { port, seen, open, url: `http://127.0.0.1:${port}/hook?a=b` };
}

/** A receiver that answers as the handler does, once it has the whole request. */
async function receive(handler: (request: http.IncomingMessage, response: http.ServerResponse) => void) {
  const got: { method: string; url: string; headers: http.IncomingHttpHeaders; body: string }[] = [];
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      got.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
      handler(request, response);
    });
  });
  return { got, ...(await listen(server)) };
}

/** A receiver that answers with these bytes, whatever it is sent; `then` goes on with the connection. */
function receiveRaw(answer: string | Buffer, then: (socket: net.Socket) => void = (socket) => socket.end()) {
  return listen(
    net.createServer((socket) => {
      socket.once('data', () => {
        socket.write(answer);
        then(socket);
      });
    }),
  );
}

const send = (url: string, change: Partial<WebhookRequest> = {}) =>
  sendWebhook({
    url,
    headers: { 'content-type': 'application/json', 'webhook-id': 'evt_1_a' },
    body: BODY,
    allowsLoopback: true,
    ...change,
  });
const closed = (sockets: Set<net.Socket>) =>
  Promise.all([...sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve))));

describe('C-62: answers', () => {
  test('200: the request arrives unchanged, the answer is stored', async () => {
    const { url, got, port } = await receive((_, response) => response.end('thanks'));
    const outcome = await send(url);
    expect(outcome).toEqual({
      status: 200,
      error: null,
      durationMs: expect.any(Number),
      answer: 'thanks',
      retryAfter: null,
    });
    expect(Number.isSafeInteger(outcome.durationMs)).toBe(true);
    expect(got).toEqual([
      {
        method: 'POST',
        url: '/hook?a=b',
        body: BODY,
        headers: {
          'content-type': 'application/json',
          'webhook-id': 'evt_1_a',
          'content-length': String(Buffer.byteLength(BODY)),
          'accept-encoding': 'identity',
          host: `127.0.0.1:${port}`,
          connection: 'keep-alive',
        },
      },
    ]);
  });

  test('bytes are sent as they are', async () => {
    const { url, got } = await receive((_, response) => response.end());
    await send(url, { body: Buffer.from(BODY) });
    expect(got[0]?.body).toBe(BODY);
  });

  test.each([204, 400, 410, 429, 500, 503])('status %i is returned as an outcome', async (status) => {
    const { url } = await receive((_, response) =>
      response.writeHead(status, { 'retry-after': '120' }).end(),
    );
    expect(await send(url)).toMatchObject({ status, error: null, answer: '', retryAfter: '120' });
  });

  test.each([301, 302, 303, 307, 308])('a redirect %i is not followed', async (status) => {
    const aim = await receive((_, response) => response.end('reached'));
    const { url } = await receive((_, response) =>
      response.writeHead(status, { location: aim.url }).end('moved'),
    );
    expect(await send(url)).toMatchObject({ status, error: null, answer: 'moved' });
    expect(aim.seen.connections).toBe(0);
  });

  test('informational answers (1xx) are not the answer', async () => {
    const early = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(10);
    const { url } = await receiveRaw(`HTTP/1.1 100 Continue\r\n\r\n${early}HTTP/1.1 204 No Content\r\n\r\n`);
    expect(await send(url)).toMatchObject({ status: 204, error: null });
  });

  test('an answer that ends with the connection is complete', async () => {
    const { url } = await receiveRaw('HTTP/1.0 200 OK\r\n\r\nthanks');
    expect(await send(url)).toMatchObject({ status: 200, error: null, answer: 'thanks' });
  });
});

describe('C-63, C-64: the part of an answer that is read and stored', () => {
  test('4 KiB are stored, cut between characters', async () => {
    const { url } = await receive((_, response) => response.end(`a${'ç'.repeat(4000)}`));
    expect((await send(url)).answer).toBe(`a${'ç'.repeat(2047)}`);
  });

  test('characters that PostgreSQL could not store are replaced', async () => {
    const { url } = await receive((_, response) =>
      response.end(Buffer.from([0x61, 0, 0xff, 0xed, 0xa0, 0x80, 0x62])),
    );
    const { answer } = await send(url);
    expect(answer).toMatch(/^a\uFFFD+b$/);
    expect(answer?.isWellFormed()).toBe(true);
  });

  test('compressed answers are not decompressed', async () => {
    const { url } = await receive((_, response) =>
      response.setHeader('content-encoding', 'gzip').end('not gzip'),
    );
    expect(await send(url)).toMatchObject({ status: 200, error: null, answer: 'not gzip' });
  });

  test('64 KiB are read, and the connection serves again', async () => {
    const { url, seen } = await receive((_, response) => response.end('x'.repeat(64 * KIB)));
    for (let i = 0; i < 3; i++) {
      expect(await send(url)).toMatchObject({ status: 200, error: null, answer: 'x'.repeat(4 * KIB) });
    }
    expect(seen.connections).toBe(1);
  });

  test('an endless answer is cut off, and the connection closed', async () => {
    let written = 0;
    const { url, open } = await receive((_, response) => {
      const pour = () => {
        if (response.destroyed) return;
        written += 16 * KIB;
        response.write('x'.repeat(16 * KIB), () => setImmediate(pour));
      };
      pour();
    });
    const outcome = await send(url);
    expect(outcome).toMatchObject({ status: 200, error: null, answer: 'x'.repeat(4 * KIB) });
    await closed(open);
    // What the kernel's buffers take is written, not read.
    expect(written).toBeLessThan(32 * KIB * KIB);
  });

  test('an answer with a huge Content-Length is not read to its end', async () => {
    const { url } = await receiveRaw(
      `HTTP/1.1 200 OK\r\ncontent-length: 10000000000\r\n\r\n${'x'.repeat(65 * KIB)}`,
      () => {},
    );
    expect(await send(url)).toMatchObject({ status: 200, error: null });
  });

  test.each([
    ['one field', `x: ${'a'.repeat(20 * KIB)}\r\n`],
    ['many fields', 'x-field: a value\r\n'.repeat(5000)],
  ])('header fields beyond 16 KiB are refused: %s', async (_, fields) => {
    const { url } = await receiveRaw(`HTTP/1.1 200 OK\r\n${fields}\r\n`);
    expect(await send(url)).toMatchObject({ status: null, error: 'HPE_HEADER_OVERFLOW', answer: null });
  });

  test('header fields without an end are refused', async () => {
    const { url, open } = await receiveRaw('HTTP/1.1 200 OK\r\n', (socket) => {
      const pour = () => {
        if (!socket.destroyed) socket.write('x: a\r\n'.repeat(100), () => setImmediate(pour));
      };
      pour();
    });
    expect(await send(url)).toMatchObject({ status: null, error: 'HPE_HEADER_OVERFLOW' });
    await closed(open);
  });
});

describe('C-62: time', () => {
  const timeoutMs = 300;

  /** The bound above is wide for busy machines; without the timeout these would never end. */
  async function expectTimeout(url: string, status: number | null, change: Partial<WebhookRequest> = {}) {
    const outcome = await send(url, { timeoutMs, ...change });
    expect(outcome).toMatchObject({ status, error: 'TIMEOUT' });
    expect(outcome.durationMs).toBeGreaterThanOrEqual(timeoutMs - 5);
    expect(outcome.durationMs).toBeLessThan(50 * timeoutMs);
    return outcome;
  }

  test('a receiver that reads the request and sends nothing', async () => {
    const { url, open } = await receive(() => {});
    await expectTimeout(url, null);
    await closed(open);
  });

  test('a receiver that accepts the connection and reads nothing', async () => {
    const { url } = await listen(net.createServer((socket) => socket.pause()));
    await expectTimeout(url, null, { body: Buffer.alloc(32 * KIB * KIB) });
  });

  test('a receiver that does not answer a TLS handshake', async () => {
    const { port } = await listen(net.createServer(() => {}));
    await expectTimeout(`https://127.0.0.1:${port}/`, null);
  });

  test('header fields that trickle in', async () => {
    const { url } = await receiveRaw('HTTP/1.1 200 OK\r\n', (socket) => {
      const timer = setInterval(() => socket.write('x: a\r\n'), 20);
      socket.on('close', () => clearInterval(timer));
    });
    await expectTimeout(url, null);
  });

  test('a body that trickles in: the status arrived, the end did not', async () => {
    const { url, open } = await receive((_, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write('x'), 20);
      response.on('close', () => clearInterval(timer));
    });
    const { answer } = await expectTimeout(url, 200);
    expect(answer).toMatch(/^x+$/);
    await closed(open);
  });

  test('endless informational answers (1xx)', async () => {
    const { url } = await receiveRaw('', (socket) => {
      const timer = setInterval(() => socket.write('HTTP/1.1 102 Processing\r\n\r\n'), 20);
      socket.on('close', () => clearInterval(timer));
    });
    await expectTimeout(url, null);
  });

  test('a name that is never resolved', async () => {
    await expectTimeout('https://hooks.example/', null, { resolve: () => new Promise(() => {}) });
  });
});

describe('C-62: failures are outcomes', () => {
  test('a connection that is cut without an answer', async () => {
    const { url, seen } = await receiveRaw('', (socket) => socket.destroy());
    expect(await send(url)).toMatchObject({ status: null, error: 'ECONNRESET', answer: null });
    // A new connection that is cut says something about the receiver: it is not tried again at once.
    expect(seen.connections).toBe(1);
  });

  test('a connection that is reset immediately', async () => {
    const { url } = await listen(net.createServer((socket) => socket.resetAndDestroy()));
    expect(await send(url)).toMatchObject({
      status: null,
      error: expect.stringMatching(/^(ECONNRESET|EPIPE)$/),
    });
  });

  test.each([
    ['of a known length', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc'],
    ['in chunks', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n'],
  ])('an answer %s that is cut off', async (_, answer) => {
    const { url } = await receiveRaw(answer);
    expect(await send(url)).toMatchObject({ status: 200, error: 'CUT_OFF', answer: 'abc' });
  });

  test('a port without a listener', async () => {
    const { port } = await listen(net.createServer());
    await Promise.all(closers.splice(0).map((close) => close()));
    expect(await send(`http://127.0.0.1:${port}/`)).toMatchObject({ status: null, error: 'ECONNREFUSED' });
  });

  test.each([
    ['another protocol', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['random bytes', Buffer.from([0x16, 3, 1, 0, 0xff, 0xfe, 0])],
    ['a status that is none', 'HTTP/1.1 two OK\r\n\r\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'],
    [
      'a length and chunks',
      'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
  ])('no HTTP: %s', async (_, answer) => {
    const { url } = await receiveRaw(answer);
    expect(await send(url)).toMatchObject({ error: expect.stringMatching(/^HPE_/) });
  });

  test('a malformed chunk', async () => {
    const { url } = await receiveRaw('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nxyz\r\n');
    const { error } = await send(url);
    expect(error).toMatch(/^(HPE_|CUT_OFF)/);
  });

  test('an unrequested upgrade', async () => {
    const upgrade = 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n';
    const { url } = await receiveRaw(upgrade, () => {});
    expect((await send(url)).error).not.toBeNull();
  });

  test('TLS to a port that has none', async () => {
    const { port } = await receive((_, response) => response.end());
    const { status, error } = await send(`https://127.0.0.1:${port}/`);
    expect([status, error]).toEqual([null, expect.stringMatching(/^(EPROTO|ERR_SSL_)/)]);
  });

  test('plain HTTP to a port that has TLS', async () => {
    const { port } = await listen(https.createServer(certificate(['localhost'])));
    expect(await send(`http://127.0.0.1:${port}/`)).toMatchObject({
      status: null,
      error: expect.any(String),
    });
  });

  test('a name that is not resolved', async () => {
    const resolve = () => Promise.reject(Object.assign(new Error('queryA ENOTFOUND'), { code: 'ENOTFOUND' }));
    expect(await send('https://hooks.example/', { resolve })).toMatchObject({
      status: null,
      error: 'ENOTFOUND',
    });
    expect(await send('https://hooks.example/', { resolve: async () => [] })).toMatchObject({
      error: 'NO_ADDRESS: the name has no address',
    });
  });

  test('a malformed header field is our own error and throws', async () => {
    const { url, seen } = await receive((_, response) => response.end());
    await expect(send(url, { headers: { 'x-note': 'a\r\nb: c' } })).rejects.toThrow(TypeError);
    expect(seen.connections).toBe(0);
  });
});

describe('C-62: TLS', () => {
  const trusted = tls.getCACertificates('default');
  afterEach(() => tls.setDefaultCACertificates(trusted));

  async function receiveTls(names: string[], change: { until?: string; isTrusted?: boolean } = {}) {
    const { key, cert } = certificate(names, change.until);
    const seen: (string | false | undefined)[] = [];
    const server = https.createServer({ key, cert }, (request, response) => {
      seen.push(
        (request.socket as tls.TLSSocket & { servername?: string | false }).servername,
        request.headers.host,
      );
      response.end('thanks');
    });
    const { port } = await listen(server);
    if (change.isTrusted ?? true) tls.setDefaultCACertificates([...trusted, cert]);
    return { port, names: seen };
  }
  const resolve = async () => ['127.0.0.1'];

  test('SNI and certificate use the name, although the connection goes to an address', async () => {
    const { port, names } = await receiveTls(['hooks.example']);
    const outcome = await send(`https://hooks.example:${port}/`, { resolve });
    expect(outcome).toMatchObject({ status: 200, error: null, answer: 'thanks' });
    expect(names).toEqual(['hooks.example', `hooks.example:${port}`]);
  });

  test.each([
    ['of another name', ['other.example'], {}, 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['that has expired', ['hooks.example'], { until: '20210101000000Z' }, 'CERT_HAS_EXPIRED'],
    ['that nobody vouches for', ['hooks.example'], { isTrusted: false }, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  ])('a certificate %s is refused, whatever the environment says', async (_, proven, change, error) => {
    const { port, names } = await receiveTls(proven, change);
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    try {
      expect(await send(`https://hooks.example:${port}/`, { resolve })).toMatchObject({
        status: null,
        error,
      });
    } finally {
      delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    }
    expect(names).toEqual([]);
  });
});

describe('connections', () => {
  test('are kept alive: many attempts, one connection', async () => {
    const { url, seen, got } = await receive((_, response) => response.end('thanks'));
    for (let i = 0; i < 20; i++) expect((await send(url)).status).toBe(200);
    expect([seen.connections, got.length]).toEqual([1, 20]);
  });

  test('are as many as parallel attempts', async () => {
    const waiting: http.ServerResponse[] = [];
    const { url, seen } = await receive((_, response) => {
      waiting.push(response);
      if (waiting.length === 20) for (const each of waiting) each.end();
    });
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => send(url)));
    expect(outcomes.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
    expect(seen.connections).toBe(20);
  });

  test('one that was closed while idle is replaced', async () => {
    // Cuts every second request, the one that comes over the kept connection.
    let requests = 0;
    const { url, seen } = await receive((request, response) => {
      requests += 1;
      if (requests === 2) request.socket.destroy();
      else response.end('thanks');
    });
    expect((await send(url)).status).toBe(200);
    expect(await send(url)).toMatchObject({ status: 200, error: null });
    expect([seen.connections, requests]).toEqual([2, 3]);
  });

  test('one that the receiver ends after each answer is not used again', async () => {
    const { url, seen } = await receive((_, response) => response.setHeader('connection', 'close').end());
    for (let i = 0; i < 3; i++) expect((await send(url)).status).toBe(200);
    expect(seen.connections).toBe(3);
  });

  test('one that was opened for the sandbox is not used for live accounts', async () => {
    const { url, seen, got } = await receive((_, response) => response.end());
    await send(url);
    expect(await send(url, { allowsLoopback: false })).toMatchObject({ status: null, answer: null });
    expect([seen.connections, got.length]).toEqual([1, 1]);
  });

  test('end when all are closed', async () => {
    const { url, open } = await receive((_, response) => response.end());
    await send(url);
    expect(open.size).toBe(1);
    const ended = closed(open);
    closeWebhookConnections();
    await ended;
  });
});

describe('C-63: loopback is refused before any connection', () => {
  test.each([
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f.1',
    '0177.0.0.1',
    '0',
    '０x7f.１',
    '%31%32%37.0.0.1',
    '127.0.0.1.',
    'localhost',
    'localhost.',
    '[::1]',
    '[::]',
    '[::ffff:7f00:1]',
    '[::ffff:127.0.0.1]',
  ])('%s', async (host) => {
    const { port, seen } = await listen(net.createServer((socket) => socket.end()));
    for (const scheme of ['https', 'http']) {
      const outcome = await send(`${scheme}://${host}:${port}/`, { allowsLoopback: false });
      expect(outcome).toMatchObject({
        status: null,
        error: 'URL_REFUSED: the address is not public',
        answer: null,
      });
    }
    expect(seen.connections).toBe(0);
  });

  test.each([
    ['one', ['127.0.0.1']],
    ['one in another form', ['::ffff:127.0.0.1']],
    ['zero', ['0.0.0.0']],
  ])('a name with such an address: %s', async (_, addresses) => {
    const { port, seen } = await listen(net.createServer((socket) => socket.end()));
    const resolve = async () => addresses;
    const outcome = await send(`https://hooks.example:${port}/`, { allowsLoopback: false, resolve });
    expect(outcome).toMatchObject({ status: null, error: 'ADDRESS_REFUSED: the address is not public' });
    expect(seen.connections).toBe(0);
  });

  test('a name whose DNS answer changes: the connection goes to the checked address', async () => {
    const { port, seen } = await listen(net.createServer((socket) => socket.end()));
    const asked: string[] = [];
    const resolve = async (name: string) => {
      asked.push(name);
      return asked.length === 1 ? ['127.0.0.1'] : ['0.0.0.0'];
    };
    const first = await send(`https://hooks.example:${port}/`, { resolve });
    expect([seen.connections, asked, first.status]).toEqual([1, ['hooks.example'], null]);
    const second = await send(`https://hooks.example:${port}/`, { resolve });
    expect(second.error).toBe('ADDRESS_REFUSED: the address is not public');
    expect([seen.connections, asked.length]).toEqual([1, 2]);
  });

  test.each([
    ['http://hooks.example/', 'URL_REFUSED: https is required'],
    ['https://user:pass@hooks.example/', 'URL_REFUSED: the URL contains credentials'],
    ['nonsense', 'URL_REFUSED: an absolute URL that begins with https:// is expected'],
  ])('%s is not sent to', async (url, error) => {
    const asked: string[] = [];
    const resolve = async (name: string) => {
      asked.push(name);
      return ['127.0.0.1'];
    };
    expect(await send(url, { resolve })).toMatchObject({ status: null, error });
    expect(asked).toEqual([]);
  });

  test('outcomes never name an address', async () => {
    const { port } = await listen(net.createServer());
    await Promise.all(closers.splice(0).map((close) => close()));
    for (const url of [
      `http://127.0.0.1:${port}/`,
      `http://localhost:${port}/`,
      `https://0.0.0.0:${port}/`,
    ]) {
      expect((await send(url)).error).not.toMatch(/127|::1|0\.0/);
    }
  });
});

/** A certificate that vouches for itself, from 2020 until then (X.509 in DER, RFC 5280). */
function certificate(names: string[], until = '21200101000000Z'): { key: string; cert: string } {
  const tlv = (tag: number, ...parts: (Buffer | string)[]): Buffer => {
    const value = Buffer.concat(parts.map((part) => Buffer.from(part as string)));
    const length = value.length < 128 ? [value.length] : [0x82, value.length >> 8, value.length & 255];
    return Buffer.concat([Buffer.from([tag, ...length]), value]);
  };
  const hex = (text: string) => Buffer.from(text, 'hex');
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const algorithm = tlv(0x30, hex('06032b6570'));
  const issuer = tlv(0x30, tlv(0x31, tlv(0x30, hex('0603550403'), tlv(0x0c, 'Receiver'))));
  const alternatives = tlv(0x30, ...names.map((name) => tlv(0x82, name)));
  const extension = tlv(0x30, hex('0603551d11'), tlv(0x04, alternatives));
  const content = tlv(
    0x30,
    hex('a003020102'),
    hex('020101'),
    algorithm,
    issuer,
    tlv(0x30, tlv(0x17, '200101000000Z'), tlv(0x18, until)),
    issuer,
    publicKey.export({ type: 'spki', format: 'der' }),
    tlv(0xa3, tlv(0x30, extension)),
  );
  const signature = tlv(0x03, hex('00'), sign(null, content, privateKey));
  const base64 = tlv(0x30, content, algorithm, signature).toString('base64');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    cert: `-----BEGIN CERTIFICATE-----\n${base64.replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
  };
}
