/** The PSP over the wire, for tests: whatever is asked and answered is checked against the published OpenAPI. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import type { Identity } from '../../src/psp/ca.ts';
import { type PspOptions, type RunningPsp, startPsp } from '../../src/psp/psp.ts';
import { apiPixSchema } from './api-pix-schema.ts';

/** An answer, read whole. */
export interface PspAnswer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly json: any;
}

/** A PSP of a test file, in a folder of its own. */
export interface TestPsp extends RunningPsp {
  readonly home: string;
  /** Calls the API with the gateway's certificate and a token. @throws where the published OpenAPI says otherwise. */
  readonly call: (method: string, path: string, body?: unknown, options?: CallOptions) => Promise<PspAnswer>;
  /** Calls the control server. */
  readonly control: (method: string, path: string, body?: unknown) => Promise<PspAnswer>;
  /** Ends the PSP and starts it again on what it kept. */
  readonly restart: (options?: Partial<PspOptions>) => Promise<void>;
}

/** What a call does otherwise. */
export interface CallOptions {
  /** The request is meant to be wrong, so that it is not checked. */
  readonly isWrong?: boolean;
  /** null: none. */
  readonly token?: string | null;
  readonly identity?: Identity | null;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Starts a PSP before the tests of the file and ends it after them. */
export function usePsp(options: Partial<PspOptions> = {}): TestPsp {
  const home = mkdtempSync(join(tmpdir(), 'psp-'));
  let running: RunningPsp;
  let token: string | undefined;
  const start = async (more: Partial<PspOptions> = {}) => {
    running = await startPsp({ home, port: 0, controlPort: 0, ...options, ...more });
    Object.assign(test, running, { close: () => running.close() });
  };
  const tokenOf = async () => {
    const { id, secret } = running.client;
    const authorization = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
    const { json } = await send(
      running,
      'POST',
      '/oauth/token',
      { grant_type: 'client_credentials' },
      undefined,
      {
        authorization,
      },
    );
    return json.access_token as string;
  };
  const test = {
    home,
    call: async (method: string, path: string, body?: unknown, given: CallOptions = {}) => {
      token ??= await tokenOf();
      const bearer = given.token === undefined ? token : given.token;
      const headers = { ...(bearer !== null && { authorization: `Bearer ${bearer}` }), ...given.headers };
      const answer = await send(running, method, path, body, given.identity, headers);
      const schema = await apiPixSchema();
      const problems = [
        ...(given.isWrong || body === undefined ? [] : schema.ofRequest(method, path, body)),
        ...(given.isWrong || answer.status === 401 || answer.status === 429
          ? schema.ofProblem(answer.status, answer.json)
          : schema.ofAnswer(method, path, answer.status, answer.json)),
      ];
      if (problems.length > 0) throw new Error(`${method} ${path} ${answer.status}: ${problems.join('; ')}`);
      return answer;
    },
    control: async (method: string, path: string, body?: unknown) => {
      const response = await fetch(running.controlUrl + path, {
        method,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return { status: response.status, json: await response.json() };
    },
    restart: async (more: Partial<PspOptions> = {}) => {
      await running.close();
      await start(more);
    },
  } as TestPsp;
  beforeAll(() => start());
  afterAll(async () => {
    await running.close();
    rmSync(home, { recursive: true });
  });
  return test;
}

/** One request over mTLS; no identity: the gateway's. */
function send(
  { url, certificates }: RunningPsp,
  method: string,
  path: string,
  body: unknown,
  identity: Identity | null | undefined,
  headers: Readonly<Record<string, string>>,
): Promise<PspAnswer> {
  const by = identity === undefined ? certificates.gateway : identity;
  const tls = { ca: certificates.ca.certificate, ...(by && { cert: by.certificate, key: by.key }) };
  return new Promise((resolve, reject) => {
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    request(url + path, { ...tls, method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response
        .on('data', (chunk) => chunks.push(chunk))
        .on('end', () => {
          const answer = Buffer.concat(chunks).toString();
          resolve({ status: response.statusCode ?? 0, json: answer === '' ? undefined : JSON.parse(answer) });
        })
        .on('error', reject);
    })
      .on('error', reject)
      .end(text);
  });
}

/** A gateway's end of the callbacks: it takes those of the PSP alone. */
export interface CallbackReceiver {
  readonly url: string;
  /** Path and body of what came, in order; each is checked against the published OpenAPI. */
  // biome-ignore lint/suspicious/noExplicitAny: callbacks of every shape
  readonly got: { readonly path: string; readonly body: any }[];
  /** What the next ones are answered with; 200 when none is left. */
  readonly statuses: number[];
  /** What the published OpenAPI says against what came. */
  readonly problems: string[];
  readonly close: () => Promise<void>;
}

/** @param isOpen - it takes strangers too, as it must not. */
export async function receiveCallbacks(psp: RunningPsp, isOpen = false): Promise<CallbackReceiver> {
  const { gateway, ca } = psp.certificates;
  const schema = await apiPixSchema();
  const receiver = { got: [], statuses: [], problems: [] } as unknown as CallbackReceiver;
  const server: Server = createServer(
    {
      cert: gateway.certificate,
      key: gateway.key,
      ca: ca.certificate,
      requestCert: true,
      rejectUnauthorized: !isOpen,
    },
    async (incoming, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(chunk as Buffer);
      const body = JSON.parse(Buffer.concat(chunks).toString());
      const status = receiver.statuses.shift() ?? 200;
      if (body.pix?.length !== 0) {
        receiver.got.push({ path: incoming.url ?? '', body });
        // A payout is told of in the same list, with a moment that is null where it failed: that is Efí's form.
        if (body.pix?.every(({ tipo }: { tipo?: string }) => tipo === undefined))
          receiver.problems.push(...schema.ofCallback(body));
      }
      response.writeHead(status).end();
    },
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(receiver, {
    url: `https://127.0.0.1:${port}/hooks`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}
