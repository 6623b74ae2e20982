/** A TLS port of its own for callbacks: whoever has no certificate of the provider does not get past the handshake. */
import { createServer } from 'node:https';
import type { RailTools } from '../../resolvers/services/rail-part.ts';
import { answering } from './callback.ts';
import { listenerCheck } from './callers.ts';
import type { ApiPixSettings } from './settings.ts';

const REQUEST_MS = 30_000;
const HEADERS_MS = 10_000;
const CONNECTIONS_MAX = 200;

/** Where it listens, and how it ends. */
export interface Listener {
  /** @returns the port, once it listens. */
  readonly listening: Promise<number>;
  readonly stop: () => Promise<void>;
}

/** Starts the listener; undefined where none is configured. */
export function startListener(tools: RailTools, settings: ApiPixSettings): Listener | undefined {
  const { callback } = settings;
  if (!callback?.listen || callback.clientCa === null) return undefined;
  const { host, port, certificate, key } = callback.listen;
  const answer = answering(tools, listenerCheck(settings, callback));
  const prefix = new URL(callback.url).pathname.replace(/\/+$/, '');
  const server = createServer(
    {
      cert: certificate,
      key,
      ca: callback.clientCa,
      requestCert: true,
      rejectUnauthorized: true,
      minVersion: 'TLSv1.2',
      requestTimeout: REQUEST_MS,
      headersTimeout: HEADERS_MS,
    },
    (request, response) => {
      const path = request.url ?? '/';
      const rest = path.startsWith(prefix) ? path.slice(prefix.length) : path;
      answer(request, response, rest).catch((error: unknown) => {
        tools.log.error({ err: error }, 'a callback could not be answered');
        response.destroy();
      });
    },
  );
  server.maxConnections = CONNECTIONS_MAX;
  server.on('tlsClientError', ({ message }: Error) =>
    tools.log.warn({ reason: message }, 'a caller without the certificate of the PIX provider was refused'),
  );
  const listening = new Promise<number>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
  listening.catch((error: unknown) =>
    tools.log.error(
      { err: error, host, port },
      'the port for callbacks of the PIX provider cannot be opened',
    ),
  );
  return {
    listening,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
