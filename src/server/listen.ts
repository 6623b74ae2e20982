/** The HTTP server itself: what it takes of connections before there is a request, and how it ends. */
import { createServer, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { type AddressCheck, limitedAddress, plainAddress } from './client-address.ts';

/** What connections may take of the process; times are in milliseconds. */
export interface ConnectionLimits {
  /** Most connections at once; those over it are closed at once. */
  readonly total: number;
  /** Most connections at once of one client address; trusted proxies have no such limit. */
  readonly perAddress: number;
  /** A request's header fields must have come by then, from the opening of the connection or the end of the last answer. */
  readonly headersMs: number;
  /** A whole request must have come by then. An answer may take any time. */
  readonly requestMs: number;
}

/** Where a server listens. */
export interface Listening {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** None if it is not given. */
  readonly connections?: ConnectionLimits;
  /** Which addresses are trusted proxies; none if it is not given. */
  readonly isTrusted?: AddressCheck;
}

/** How often connections are looked at whose request has not come in time. */
const CHECK_MS = 500;
/** A client that takes nothing of its answer for so long is given up; streams say something every 15 seconds. */
const SILENCE_MS = 60_000;

/** Starts to listen. @returns the server and the port that it got. @throws the system's error, such as EADDRINUSE. */
export async function listen(
  handle: RequestListener,
  { host, port, connections, isTrusted = () => false }: Listening,
): Promise<{ server: Server; port: number }> {
  const server = createServer(
    {
      // What is wrong with a request is said in a problem, by the application.
      requireHostHeader: false,
      ...(connections && {
        connectionsCheckingInterval: CHECK_MS,
        headersTimeout: Math.min(connections.headersMs, connections.requestMs),
        requestTimeout: connections.requestMs,
      }),
    },
    handle,
  );
  server.on('checkExpectation', handle);
  if (connections) limitConnections(server, connections, isTrusted);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve());
  });
  const address = server.address();
  return { server, port: typeof address === 'object' && address ? address.port : port };
}

/** Stops listening and waits for what is under way, up to `graceMs`. */
export async function close(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearTimeout(timer);
}

function limitConnections(
  server: Server,
  { total, perAddress }: ConnectionLimits,
  isTrusted: AddressCheck,
): void {
  const open = new Map<string, number>();
  server.maxConnections = total;
  server.setTimeout(SILENCE_MS);
  server.prependListener('connection', (socket: Socket) => {
    const address = plainAddress(socket.remoteAddress ?? '');
    if (isTrusted(address)) return;
    const client = limitedAddress(address);
    const count = (open.get(client) ?? 0) + 1;
    if (count > perAddress) return void socket.destroy();
    open.set(client, count);
    socket.once('close', () => {
      const left = (open.get(client) ?? 1) - 1;
      if (left > 0) open.set(client, left);
      else open.delete(client);
    });
  });
}
