/** The server of the signer: HTTP over a Unix socket, or over TLS with certificates on both sides. */
import { chmodSync, lstatSync, readFileSync, rmSync } from 'node:fs';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect } from 'node:net';
import { readRequest } from './read-request.ts';
import type { SignerService } from './signer.ts';
import { type Reason, Refusal, SignerError } from './signer-error.ts';

/** Where the signer listens. */
export type ListenAddress =
  | { readonly socket: string }
  | {
      readonly host: string;
      readonly port: number;
      readonly certificateFile: string;
      readonly keyFile: string;
      /** Of the authority whose certificates may call. */
      readonly clientCaFile: string;
    };

/** What the server tells the operator. */
export interface SignerLog {
  readonly signed: (facts: { readonly id: string; readonly network: string; readonly hash: string }) => void;
  /** Has to be looked at: a gateway that works as it should is not refused. */
  readonly alarm: (facts: { readonly reason: string; readonly detail: string; readonly id?: string }) => void;
}

const BODY_MAX = 64 * 1024;
const REQUEST_MS = 10_000;
const SOCKET_MODE = 0o600;

/**
 * @param count - counts a refusal, and returns how often there was one of its reason.
 * @throws {SignerError} when another process listens there, or nobody may.
 */
export async function openServer(
  service: SignerService,
  address: ListenAddress,
  log: SignerLog,
  count: (reason: Reason) => number,
): Promise<Server> {
  const answer: RequestListener = (request, response) => {
    respond(service, log, count, request, response).catch((error: unknown) => {
      log.alarm({ reason: 'failed', detail: String(error) });
      reply(response, 500, { reason: 'failed' });
    });
  };
  const server = 'socket' in address ? createServer(answer) : createTlsServer(tlsOf(address), answer);
  server.requestTimeout = REQUEST_MS;
  if ('socket' in address) await clear(address.socket);
  await listen(server, address).catch((error: NodeJS.ErrnoException) => {
    throw cannotListen(address, error.code ?? error.message);
  });
  return server;
}

async function respond(
  service: SignerService,
  log: SignerLog,
  count: (reason: Reason) => number,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const call = `${request.method} ${request.url}`;
  if (call === 'GET /describe') return reply(response, 200, service.describe());
  if (call !== 'POST /sign') return reply(response, 404, { reason: 'no_such_call' });
  let id: string | undefined;
  try {
    const order = readRequest(await bodyOf(request));
    id = order.id;
    const signed = await service.sign(order);
    log.signed({ id, network: order.network, hash: signed.hash });
    reply(response, 200, signed);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { reason, message: detail } = error;
    const facts = { reason, detail, ...(id !== undefined && { id }), times: count(reason) };
    log.alarm(facts);
    reply(response, 403, { reason, detail });
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size > BODY_MAX) throw new Refusal('unreadable', `a request has at most ${BODY_MAX} bytes`);
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function reply(response: ServerResponse, status: number, body: object): void {
  if (response.headersSent) return;
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function tlsOf({ certificateFile, keyFile, clientCaFile }: Exclude<ListenAddress, { socket: string }>) {
  return {
    cert: readFileSync(certificateFile),
    key: readFileSync(keyFile),
    ca: readFileSync(clientCaFile),
    requestCert: true,
    rejectUnauthorized: true,
    minVersion: 'TLSv1.2',
  } as const;
}

/** A process that was killed leaves its socket behind; one that answers is somebody else's. */
async function clear(path: string): Promise<void> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return;
  const isTaken = await new Promise<boolean>((resolve) => {
    const probe = connect(path, () => resolve(true)).once('error', () => resolve(false));
    probe.unref();
  });
  if (isTaken || !found.isSocket()) throw new SignerError(`${path} is in use: choose another --socket`);
  rmSync(path);
}

/** A folder that is not there is told as one that may not be written, as if for a port: the system's words would lead astray. */
function cannotListen(address: ListenAddress, code: string): SignerError {
  if ('socket' in address)
    return new SignerError(
      `cannot listen at ${address.socket} (${code}): its folder has to be there, this user has to be allowed to write in it, and a path has about 100 characters at most`,
    );
  return new SignerError(
    `cannot listen at ${address.host}:${address.port} (${code}): choose another --listen`,
  );
}

function listen(server: Server, address: ListenAddress): Promise<void> {
  const mask = process.umask(0o777 & ~SOCKET_MODE);
  return new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    const ready = () => {
      if ('socket' in address) chmodSync(address.socket, SOCKET_MODE);
      resolve();
    };
    if ('socket' in address) server.listen(address.socket, ready);
    else server.listen(address.port, address.host, ready);
  }).finally(() => process.umask(mask));
}
