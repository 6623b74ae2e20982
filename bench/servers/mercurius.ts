/** Mercurius over Fastify as its documentation sets it up, on the gateway's schema with plain resolvers, compiled by its JIT. */
import { createServer, type RequestListener } from 'node:http';
import Fastify from 'fastify';
import mercurius from 'mercurius';
import { contextOf, end, resolvers, typeDefs } from './plain-resolvers.ts';
import { serve } from './ready.ts';

const { Transaction, ...others } = resolvers;
let handle: RequestListener | undefined;
const app = Fastify({
  // Its listener is put on the server that all rivals have.
  serverFactory: (listener) => {
    handle = listener as RequestListener;
    return createServer();
  },
});
await app.register(mercurius, {
  schema: typeDefs,
  // The same resolvers; it has another name for what tells the type.
  resolvers: { ...others, Transaction: { resolveType: Transaction.__resolveType } } as never,
  jit: 1,
  context: ({ headers }) => contextOf(headers.authorization),
});
await app.ready();
await serve(handle as RequestListener, async () => {
  await app.close();
  await end();
});
