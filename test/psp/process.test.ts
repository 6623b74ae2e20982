/**
 * Goal: a PSP that is killed loses nothing that it has answered for, and a gateway finds its settings. Method: the command as a
 * process, SIGKILL while it answers, and the same folder again.
 */
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { begin, crossramp } from '../support/process.ts';

const home = mkdtempSync(join(tmpdir(), 'psp-process-'));
afterAll(() => rmSync(home, { recursive: true }));

const PAYOUTS = 40;

interface Message {
  readonly url: string;
  readonly controlUrl: string;
  readonly railsFile: string;
}

const options = ['psp', '--home', home, '--control-port', '0', '--json'];

async function start() {
  const { child, ended } = begin({}, ...options, '--port', '0');
  const said = await new Promise<Message>((resolve, reject) => {
    let text = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk;
      if (text.endsWith('\n')) resolve(JSON.parse(text));
    });
    ended.then(({ stderr }) => reject(new Error(stderr)));
  });
  return { child, ended, ...said };
}

/** A call with the certificate and the secret that the settings name. */
function call(railsFile: string, method: string, path: string, body?: object, token?: string) {
  const { pix } = JSON.parse(readFileSync(railsFile, 'utf8')).sandbox;
  const read = (name: string) => readFileSync(join(home, pix[name]), 'utf8');
  const tls = { ca: read('caFile'), cert: read('certificateFile'), key: read('keyFile') };
  const basic = Buffer.from(`${pix.clientId}:${read('clientSecretFile')}`).toString('base64');
  const authorization = token ? `Bearer ${token}` : `Basic ${basic}`;
  const url =
    path === '/oauth/token' ? pix.tokenUrl : `${path.startsWith('/v3') ? pix.payouts.url : pix.url}${path}`;
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    request(url, { ...tls, method, headers: { authorization }, agent: false }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      response.on('error', reject);
    })
      .on('error', reject)
      .end(body && JSON.stringify(body));
  });
}

test('keeps everything that it answered when it is killed, and continues after a restart', {
  timeout: 60_000,
}, async () => {
  const first = await start();
  const tokenOf = async (railsFile: string) =>
    JSON.parse((await call(railsFile, 'POST', '/oauth/token', { grant_type: 'client_credentials' })).text)
      .access_token;
  const token = await tokenOf(first.railsFile);
  const { pixKey } = JSON.parse(readFileSync(first.railsFile, 'utf8')).sandbox.pix;
  const charge = { calendario: { expiracao: 600 }, valor: { original: '10.00' }, chave: pixKey };
  const answered: string[] = [];
  const calls = Array.from({ length: PAYOUTS }, async (_, index) => {
    const txid = `killedpsp${String(index).padStart(20, '0')}`;
    const { status } = await call(first.railsFile, 'PUT', `/cob/${txid}`, charge, token);
    if (status === 201) answered.push(txid);
    if (answered.length === PAYOUTS / 4) first.child.kill('SIGKILL');
  });
  await Promise.allSettled(calls);
  await first.ended;
  expect(answered.length).toBeGreaterThanOrEqual(PAYOUTS / 4);
  const second = await start();
  // The token of before holds, and the certificates are those of before.
  for (const txid of answered)
    expect((await call(second.railsFile, 'GET', `/cob/${txid}`, undefined, token)).status).toBe(200);
  second.child.kill('SIGTERM');
  expect(await second.ended).toMatchObject({ code: 0, stderr: '' });
});

test('the control server reads JSON as `curl -d` sends it, which labels it as a form', async () => {
  const { child, ended, controlUrl } = await start();
  const rules = [{ on: 'payout', fault: 'timeout', rate: 0.1, ms: 500 }];
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const asked = { method: 'PUT', headers, body: JSON.stringify({ seed: 7, rules }) };
  expect(await (await fetch(`${controlUrl}/faults`, asked)).json()).toEqual({ seed: 7, rules });
  const cleared = { method: 'PUT', body: '{"rules": []}' };
  expect((await fetch(`${controlUrl}/faults`, cleared)).status).toBe(200);
  child.kill('SIGTERM');
  expect(await ended).toMatchObject({ code: 0 });
});

test('a second PSP on a folder ends, and leaves the settings of the first unchanged', async () => {
  const first = await start();
  const settings = readFileSync(first.railsFile, 'utf8');
  expect(await crossramp({}, ...options, '--port', '0')).toMatchObject({
    code: 1,
    stderr: `crossramp: another PSP works with ${home}/psp.sqlite: stop it, or choose another --home\n`,
  });
  expect(readFileSync(first.railsFile, 'utf8')).toBe(settings);
  first.child.kill('SIGTERM');
  expect(await first.ended).toMatchObject({ code: 0 });
});

test('a port in use is reported in the terms of the command', async () => {
  const holder = createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  const { port } = holder.address() as AddressInfo;
  const { code, stderr } = await crossramp({}, ...options, '--port', String(port));
  expect(code).toBe(1);
  expect(stderr).toBe(
    `crossramp: port ${port} of 127.0.0.1 is in use: stop what listens there, or choose another port\n`,
  );
  holder.close();
});

test('a folder of any name works, from any working directory; its settings are printed in a form for shells', async () => {
  const odd = join(home, 'a folder, 100%');
  const { child, ended } = begin({}, 'psp', '--home', odd, '--control-port', '0', '--port', '0');
  await once(child.stdout as NodeJS.ReadableStream, 'data');
  child.kill('SIGTERM');
  const { code, stdout } = await ended;
  expect([code, stdout]).toEqual([0, expect.stringContaining(`RAILS_FILE='${odd}/rails.json' npm start`)]);
  const { pix } = JSON.parse(readFileSync(join(odd, 'rails.json'), 'utf8')).sandbox;
  expect(readFileSync(join(odd, pix.caFile), 'utf8')).toContain('BEGIN CERTIFICATE');
});

test.each([
  [['--callback-port', '0'], 2, /Expected a port from 1 to 65535/],
  [['--home', '/dev/null/psp'], 1, /^crossramp: \/dev\/null\/psp is below a file, not in a folder\n$/],
])('%j is refused in one line', async (given, status, words) => {
  const { code, stderr } = await crossramp({}, ...options, '--port', '0', ...given);
  expect([code, stderr]).toEqual([status, expect.stringMatching(words)]);
});
