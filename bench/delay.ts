/** A way to a PostgreSQL server on which everything that is said to it arrives late, as on a network between machines. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** The way. */
export interface Delay {
  /** URL of the database by this way. */
  readonly url: string;
  readonly close: () => void;
}

/** @param ms - so much later arrives what clients send; 0 for the server itself. */
export async function startDelay(databaseUrl: string, ms: number): Promise<Delay> {
  if (ms === 0) return { url: databaseUrl, close: () => {} };
  const url = new URL(databaseUrl);
  const port = Number(url.port);
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (near) => {
    const far = connect({ port, host: '127.0.0.1', noDelay: true });
    // Timers of one length end in the order in which they began.
    near.on('data', (chunk) => setTimeout(() => far.write(chunk), ms));
    far.on('data', (chunk) => near.write(chunk));
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('error', () => {});
      one.on('close', () => {
        sockets.delete(one);
        setTimeout(() => other.destroy(), ms);
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.toString(),
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
