/** Serves the pages, and passes GraphQL on to the gateway with the API key, which stays here. */
import { defineConfig } from 'vite';

const gateway = {
  target: process.env.CROSSRAMP_URL ?? 'http://localhost:4000',
  headers: { authorization: `Bearer ${process.env.CROSSRAMP_KEY}` },
  // The proxy keeps a stream open after the gateway's side broke: the browser has to hear of it to connect again.
  configure: (proxy) => proxy.on('proxyRes', (from, _request, to) => from.on('error', () => to.destroy())),
};
const proxy = { '/graphql': gateway };

export default defineConfig({
  server: { proxy },
  preview: { proxy },
  build: { rolldownOptions: { input: ['index.html', 'apollo.html', 'urql.html'] } },
});
