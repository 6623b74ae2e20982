/** A separate TLS port for callbacks, where a caller without a certificate of the provider fails at the handshake. */
import { createServer } from 'node:https';
import { BlockList, isIP, isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { SettingsError } from '../../base/process/settings.ts';
import { answering } from './callback.ts';
import { listenerCheck } from './callers.ts';
import { type HearingParts, hearing } from './hearing.ts';

const REQUEST_MS = 30_000;
const HEADERS_MS = 10_000;
const HANDSHAKE_MS = 10_000;
const CONNECTIONS_MAX = 200;
/**
 * Retry interval of processes that did not get the port. One process of a machine has the port; another takes over when
 * that process ends.
 */
const AGAIN_MS = 5_000;

/** A running listener. */
export interface Listener {
  /** Resolves when the listener is ready, or another process has the port. */
  readonly attempted: Promise<void>;
  readonly stop: () => Promise<void>;
}

/**
 * Starts the listener; undefined if none is configured.
 * @throws {SettingsError} if the address does not belong to this machine, because callbacks would never arrive.
 * @param againMs - retry interval of a process that does not get the port.
 */
export function startListener(parts: HearingParts, againMs = AGAIN_MS): Listener | undefined {
  const { tools, settings } = parts;
  const { callback } = settings;
  if (!callback?.listen || callback.clientCa === null) return undefined;
  const { host, port, certificate, key } = callback.listen;
  if (!isOfThisMachine(host))
    throw new SettingsError(
      `${tools.mode}.pix.callback.listen: expected an address of this machine, got ${host}:${port}`,
    );
  const answer = answering(tools, listenerCheck(settings, callback), hearing(parts, callback));
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
      handshakeTimeout: HANDSHAKE_MS,
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
    tools.log.warn({ reason: message }, 'refused a caller without the certificate of the PIX provider'),
  );
  let again: NodeJS.Timeout | undefined;
  let isReported = false;
  const listen = () => server.listen(port, host);
  const attempted = new Promise<void>((resolve) => {
    server.on('listening', resolve);
    server.on('error', (error) => {
      if (!isReported)
        tools.log.warn({ err: error, host, port }, 'cannot listen for callbacks of the PIX provider yet');
      isReported = true;
      again = setTimeout(listen, againMs);
      resolve();
    });
  });
  listen();
  return {
    attempted,
    stop: async () => {
      clearTimeout(again);
      if (!server.listening) return;
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Names pass, because they are resolved again at each attempt; so do all addresses of 127.0.0.0/8. */
function isOfThisMachine(host: string): boolean {
  if (isIP(host) === 0) return true;
  const here = new BlockList();
  here.addSubnet('127.0.0.0', 8);
  here.addAddress('0.0.0.0');
  here.addAddress('::', 'ipv6');
  for (const each of Object.values(networkInterfaces()).flat())
    if (each) here.addAddress(each.address, each.family === 'IPv6' ? 'ipv6' : 'ipv4');
  return here.check(host, isIPv6(host) ? 'ipv6' : 'ipv4');
}
