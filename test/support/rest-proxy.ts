/** A proxy to the REST interface of a Patroni, on which requests can get lost. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Requests that are lost: `of a primary` are those by which it asks others whether it may go on without etcd; no other member sends them. */
export type Lost = 'none' | 'of a primary' | 'all';

/** The proxy. */
export interface RestProxy {
  readonly port: number;
  /** Has requests get no answer from now on. */
  readonly lose: (lost: Lost) => void;
  readonly close: () => Promise<void>;
}

/** @param port - of the REST interface on this machine. */
export async function startRestProxy(port: number): Promise<RestProxy> {
  let lost: Lost = 'none';
  const pass = (asked: IncomingMessage, answer: ServerResponse) => {
    if (lost === 'all' || (lost === 'of a primary' && asked.url === '/failsafe')) return;
    const { method, url: path, headers } = asked;
    const passed = request({ host: '127.0.0.1', port, method, path, headers }, (answered) => {
      answer.writeHead(answered.statusCode ?? 502, answered.headers);
      answered.pipe(answer);
    });
    passed.on('error', () => answer.destroy());
    asked.pipe(passed);
  };
  const server = createServer(pass);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    lose: (kind) => {
      lost = kind;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
