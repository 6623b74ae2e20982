/** Exit code 0 where the gateway on this machine is ready (`/readyz`), 1 otherwise: the health check of the image. */
const port = process.env.PORT ?? '4000';
const isReady = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(4_000) }).then(
  ({ ok }) => ok,
  () => false,
);
process.exitCode = isReady ? 0 : 1;
