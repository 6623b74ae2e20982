/** The HTTP server: limits on connections and slow requests, and its shutdown. */
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type AddressCheck, limitedAddress, plainAddress } from './client-address.ts';

/** Limits on connections. Times in milliseconds. */
export interface ConnectionLimits {
  /** Maximum number of connections; further ones are closed immediately. */
  readonly total: number;
  /** Maximum number of connections of one client address; trusted proxies have no such limit. */
  readonly perAddress: number;
  /** Time limit for the header of a request, from the start of the connection or the end of the last answer. */
  readonly headersMs: number;
  /** Time limit for a whole request. Answers have no time limit. */
  readonly requestMs: number;
  /** A connection without traffic for this long is closed, unless its request is being worked on. @default 60,000 */
  readonly silenceMs?: number;
}

/** Address on which a server listens. */
export interface Listening {
  readonly host: string;
  /** TCP port; 0 means any free port. */
  readonly port: number;
  /** Limits of connections; none by default. */
  readonly connections?: ConnectionLimits;
  /** Addresses of trusted proxies; none by default. */
  readonly isTrusted?: AddressCheck;
}

/**
 * Lifetime of an idle connection, longer than that of the proxies in front of gateways (nginx and AWS: 60 s). The
 * client must close first, because a request that it sends while the server closes is lost with a reset. Unit: ms.
 */
const IDLE_MS = 75_000;
/** Interval of checks for slow requests. Unit: ms. */
const CHECK_MS = 500;
/** Streams send a ping every 15 seconds, so the time limit of idle connections never ends them. Unit: ms. */
const SILENCE_MS = 60_000;

/** Starts to listen. @returns the server and its port. @throws the system's error, such as EADDRINUSE. */
export async function listen(
  handle: RequestListener,
  { host, port, connections, isTrusted = () => false }: Listening,
): Promise<{ server: Server; port: number }> {
  const server = createServer(
    {
      // The application answers malformed requests with a problem.
      requireHostHeader: false,
      // A request that announces no body has none.
      optimizeEmptyRequests: true,
      keepAliveTimeout: IDLE_MS,
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

/** Stops listening and waits up to `graceMs` for requests that are under way. */
export async function close(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearTimeout(timer);
}

function limitConnections(
  server: Server,
  { total, perAddress, silenceMs = SILENCE_MS }: ConnectionLimits,
  isTrusted: AddressCheck,
): void {
  const open = new Map<string, number>();
  server.maxConnections = total;
  server.setTimeout(silenceMs);
  server.on('request', (_request, response) => response.on('timeout', endSilence));
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

/** Node leaves a silent connection to the listeners of its response. Only complete requests have no time limit. */
function endSilence(this: ServerResponse, socket: Socket): void {
  const isWorkedOn = this.req.complete && !this.headersSent;
  if (!isWorkedOn) socket.destroy();
}
