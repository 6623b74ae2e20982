/** The servers of the signer: one for the gateway, over a Unix socket or mutual TLS, and one for the page. */
import { chmodSync, lstatSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect } from 'node:net';
import { readJson, reply } from './http.ts';
import { readRequest } from './read-request.ts';
import type { RefusalLog } from './refusal-log.ts';
import type { SignerService } from './signer.ts';
import { type Reason, Refusal, SignerError } from './signer-error.ts';

/** Address for the gateway. */
export type ListenAddress =
  | { readonly socket: string }
  | {
      readonly host: string;
      readonly port: number;
      readonly certificateFile: string;
      readonly keyFile: string;
      /** Certificate of the authority that issues the callers' certificates. */
      readonly clientCaFile: string;
    };

/** Address of the signer's page: with TLS, or on a loopback address behind a proxy that terminates TLS. */
export type PageAddress = { readonly host: string; readonly port: number } & (
  | { readonly certificateFile: string; readonly keyFile: string }
  | { readonly certificateFile?: undefined }
);

/** Log of the server. */
export interface SignerLog extends Pick<RefusalLog, 'refused'> {
  readonly signed: (facts: { readonly id: string; readonly network: string; readonly hash: string }) => void;
}

const REQUEST_MS = 10_000;
const SOCKET_MODE = 0o600;

/**
 * @param count - counts a refusal, and returns the number of refusals for its reason.
 * @throws {SignerError} if another process listens on the address, or the address is not permitted.
 */
export async function openServer(
  service: SignerService,
  address: ListenAddress,
  log: SignerLog,
  count: (reason: Reason) => number,
): Promise<Server> {
  const server = 'socket' in address ? createServer() : createTlsServer(tlsOf(address));
  server.requestTimeout = REQUEST_MS;
  server.on('request', (request, response) => {
    respond(service, log, count, request, response).catch((error: unknown) => {
      log.refused({ reason: 'failed', detail: String(error) });
      reply(response, 500, { reason: 'failed' });
    });
  });
  if ('socket' in address) await clear(address.socket);
  await listen(server, address).catch((error: NodeJS.ErrnoException) => {
    throw cannotListen(address, '--listen', error.code ?? error.message);
  });
  return server;
}

/** @throws {SignerError} if the address is not permitted. */
export async function openPageServer(address: PageAddress): Promise<Server> {
  const server =
    address.certificateFile === undefined
      ? createServer()
      : createTlsServer({
          cert: readFileSync(address.certificateFile),
          key: readFileSync(address.keyFile),
          minVersion: 'TLSv1.2',
        });
  server.requestTimeout = REQUEST_MS;
  await listen(server, address).catch((error: NodeJS.ErrnoException) => {
    throw cannotListen(address, '--page', error.code ?? error.message);
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
    const order = readRequest(await readJson(request));
    id = order.id;
    const signed = await service.sign(order);
    log.signed({ id, network: order.network, hash: signed.hash });
    reply(response, 200, signed);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { reason, message: detail } = error;
    log.refused({ reason, detail, ...(id !== undefined && { id }), times: count(reason) });
    reply(response, 403, { reason, detail });
  }
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

/** Removes the socket that a killed process left behind. A socket that answers belongs to a running process. */
async function clear(path: string): Promise<void> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return;
  const isUsed = await new Promise<boolean>((resolve) => {
    const probe = connect(path, () => resolve(true)).once('error', () => resolve(false));
    probe.unref();
  });
  if (isUsed || !found.isSocket()) throw new SignerError(`${path} is in use: choose another --socket`);
  rmSync(path);
}

/**
 * Describes why listening failed. A missing folder gets the message of a folder without write access, because the
 * system's own message would mislead.
 */
function cannotListen(address: ListenAddress | PageAddress, option: string, code: string): SignerError {
  if ('socket' in address)
    return new SignerError(
      `cannot listen at ${address.socket} (${code}): its folder must exist, this user must be allowed to write in it, and a path has at most about 100 characters`,
    );
  return new SignerError(
    `cannot listen at ${address.host}:${address.port} (${code}): choose another ${option}`,
  );
}

function listen(server: Server, address: ListenAddress | PageAddress): Promise<void> {
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
