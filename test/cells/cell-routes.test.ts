/**
 * Goal: load balancers send a request to the cell where the gateway itself would. Method: nginx and HAProxy with the configuration that the
 * command prints, before three listeners that stand for cells and say which one was asked; requests of every kind. Skipped where a program is
 * missing. Envoy's configuration is compared by its expressions alone: Envoy did not run here.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { newApiKey, newKeyId } from '../../src/base/access/api-key.ts';
import { newPersonToken } from '../../src/base/access/person-token.ts';
import { newSessionToken, newSlug } from '../../src/base/access/session-token.ts';
import { signStreamToken } from '../../src/base/access/stream-token.ts';
import { cellName } from '../../src/base/ids/cell.ts';
import { envoyRoutes, haproxyRoutes, nginxRoutes } from '../../src/cli/cell-routes.ts';
import { cellOfRequest } from '../../src/server/cell-of-request.ts';
import { freePort } from '../support/free-port.ts';
import { isInstalled } from '../support/installed.ts';

const CELLS = ['first', 'a1', 'zz'];
const servers = new Map<string, Server>();
const addresses = new Map<string, readonly string[]>();
const folder = mkdtempSync(join(tmpdir(), 'cell-routes-'));

beforeAll(async () => {
  for (const name of CELLS) {
    const server = createServer((_, response) => response.setHeader('x-cell', name).end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    servers.set(name, server);
    addresses.set(name, [`127.0.0.1:${(server.address() as AddressInfo).port}`]);
  }
});
afterAll(() => {
  for (const server of servers.values()) server.close().closeAllConnections();
  rmSync(folder, { recursive: true, force: true });
});

const streamToken = (cell: string) =>
  signStreamToken({ accountId: 123n, keyId: newKeyId(cell), expiresAt: 1_800_000_000 }, Buffer.alloc(32));
type Sent = readonly [url: string, headers?: Record<string, string>];

/** Requests of every kind, with ids of a cell. */
function requestsOf(cell: string): readonly Sent[] {
  const cookie = (name: string) => ({ cookie: `language=pt; ${name}=${newPersonToken(cell)}; other=1` });
  return [
    ['/v2/balance', { authorization: `Bearer ${newApiKey('live', cell)}` }],
    ['/graphql', { authorization: `bearer  ${newApiKey('test', cell)}` }],
    ['/graphql/stream', { authorization: `Bearer ${streamToken(cell)}` }],
    ['/graphql', { authorization: `Bearer ${newSessionToken(cell)}`, ...cookie('session') }],
    [`/graphql/stream?query=x&access_token=${streamToken(cell)}`],
    [`/pay/${newSessionToken(cell)}`],
    [`/pay/${newSessionToken(cell)}/qr.svg?x=1`, { authorization: `Bearer ${newApiKey('test', 'zz')}` }],
    [`/pay/l/${newSlug(cell)}`],
    [`/console/link/${newPersonToken(cell)}`, { cookie: `session=${newPersonToken('zz')}` }],
    ['/console', cookie('session')],
    ['/console/accounts?limit=5', cookie('__Host-session')],
    ['/console/sign-in', { cookie: `cell=${cellName(cell)}` }],
    [`/console/sign-in?lang=en&cell=${cellName(cell)}`, { cookie: 'cell=zz' }],
    [`/cells/${cellName(cell)}/rails/live/pix/x`, { authorization: `Bearer ${newApiKey('live', 'zz')}` }],
  ];
}
const REQUESTS: readonly Sent[] = [
  ...['', 'a1', 'zz'].flatMap(requestsOf),
  ['/'],
  ['/docs/scaling.md'],
  ['/pay/island-0123456789abcdef0.js'],
  ['/v2/balance?cell=a1'],
  ['/v2/balance', { authorization: 'Bearer what' }],
];

interface Balancer {
  readonly name: string;
  readonly version: string;
  readonly config: (port: number) => string;
  readonly args: (file: string) => readonly string[];
}
const BALANCERS: readonly Balancer[] = [
  {
    name: 'nginx',
    version: '-v',
    config: (port) =>
      `pid ${folder}/pid;\ndaemon off;\nevents {}\nhttp {\naccess_log off;\nclient_body_temp_path ${folder};\nproxy_temp_path ${folder};\n${nginxRoutes(addresses, `127.0.0.1:${port}`)}}\n`,
    args: (file) => ['-c', file, '-e', join(folder, 'error.log')],
  },
  {
    name: 'haproxy',
    version: '-v',
    config: (port) => haproxyRoutes(addresses, `127.0.0.1:${port}`),
    args: (file) => ['-db', '-f', file],
  },
];

describe.each(BALANCERS)('$name', ({ name, version, config, args }) => {
  const isThere = isInstalled(name, version);
  let child: ChildProcess | undefined;
  afterAll(() => void child?.kill('SIGKILL'));

  test.skipIf(!isThere)(
    'sends every kind of request to the cell that the gateway finds',
    async () => {
      const port = await freePort();
      const file = join(folder, `${name}.conf`);
      writeFileSync(file, config(port));
      let said = '';
      child = spawn(name, args(file), { stdio: ['ignore', 'pipe', 'pipe'] });
      child.stderr?.on('data', (chunk: Buffer) => {
        said += chunk.toString();
      });
      await vi.waitFor(async () => expect(await cellAsked(port, ['/']), said).toBe('first'), {
        timeout: 60_000,
      });
      for (const sent of REQUESTS) {
        const [url, headers = {}] = sent;
        const wanted = cellName(cellOfRequest({ url, headers }).cell ?? '');
        expect(await cellAsked(port, sent), JSON.stringify(sent)).toBe(wanted);
      }
    },
    120_000,
  );
});

/** Sends the request as it is written. @returns the cell that it came to. */
function cellAsked(port: number, [path, headers = {}]: Sent): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, headers, agent: false }, (answer) => {
      answer.resume();
      resolve(answer.headers['x-cell'] as string | undefined);
    })
      .on('error', reject)
      .end();
  });
}

test('Envoy: each expression is accepted, and finds the same ids', () => {
  const text = envoyRoutes(addresses);
  const expressions = [...text.matchAll(/regex: '([^']+)'[^\n]*\n {6}route: \{ cluster: crossramp_(\w+)/g)];
  expect(expressions.length).toBeGreaterThan(20);
  const found = (value: string) =>
    expressions.find(([, pattern = '']) => new RegExp(`^(?:${pattern})$`).test(value))?.[2];
  for (const cell of ['', 'a1', 'zz']) {
    const name = cellName(cell);
    expect(found(`/pay/${newSessionToken(cell)}/qr.svg`)).toBe(name);
    expect(found(`/pay/l/${newSlug(cell)}`)).toBe(name);
    expect(found(`/console/link/${newPersonToken(cell)}`)).toBe(name);
    expect(found(`Bearer ${newApiKey('live', cell)}`)).toBe(name);
    expect(found(`a=b; __Host-session=${newPersonToken(cell)}`)).toBe(name);
    expect(found(`x=1; cell=${name}`)).toBe(name);
  }
});
