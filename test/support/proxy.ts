/** A way to a server on which connections can fall silent without being closed, as on a phone that changes its network. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** The way. */
export interface TestProxy {
  readonly url: string;
  /** Nothing passes any more on the connections that there are; new ones are not concerned. */
  readonly silence: () => void;
  readonly close: () => Promise<void>;
}

/** Starts a proxy to a port of this machine, to be closed by the test that starts it. */
export async function startProxy(port: number): Promise<TestProxy> {
  const pairs = new Set<readonly [Socket, Socket]>();
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    const pair = [near, far] as const;
    pairs.add(pair);
    near.pipe(far);
    far.pipe(near);
    for (const socket of pair) {
      socket.on('error', () => {});
      socket.on('close', () => {
        pairs.delete(pair);
        for (const each of pair) each.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    silence: () => {
      for (const [near, far] of pairs) {
        near.unpipe(far).pause();
        far.unpipe(near).pause();
      }
    },
    close: async () => {
      for (const pair of pairs) for (const socket of pair) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
