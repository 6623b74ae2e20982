/** How a server of the benchmarks, a process of its own, meets the program that drives it. */
import type { RequestListener } from 'node:http';
import { close, listen } from '../../src/server/http/listen.ts';

/** URL of the database, given by the driving program. */
export const DATABASE_URL = process.env.BENCH_DATABASE_URL ?? '';
/** Most connections that each server keeps. */
export const CONNECTIONS = 10;

/** Listens, tells the driving program where, and ends when that program lets go of it, or ends itself. */
export async function serve(handle: RequestListener, end: () => Promise<unknown>): Promise<void> {
  const { server, port } = await listen(handle, { host: '127.0.0.1', port: 0 });
  process.once('disconnect', async () => {
    await close(server, 100);
    await end();
    process.exit();
  });
  process.send?.({ port });
}
