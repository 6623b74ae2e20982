/**
 * `npm run endurance`: kills, failovers, faults of the network, wrong clocks and full disks, one after the other, under traffic with webhooks: more than an
 * hour, for a machine that does nothing else. Losses are judged by each test, times are reported. `SEED` repeats a run. It needs PostgreSQL 16
 * (`npm ci --prefix test/postgres-versions`); with `PATRONI_ROOT` (docs/reliability.md) it includes failovers by Patroni and a full disk of the database.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { loadavg } from 'node:os';

const SEED = process.env.SEED ?? String(Math.floor(Math.random() * 2 ** 31));

/** Tests with their sizes: 500 kills of gateways and workers, 125 of PostgreSQL, 20 faults of each of 8 kinds, 30 failovers by the test. */
const PARTS: readonly (readonly [file: string, sizes: Record<string, string>])[] = [
  ['test/kills-crash.test.ts', { KILLS: '625', MERCHANTS: '6' }],
  ['test/operate/failover.test.ts', { FAILOVER_ROUNDS: '10' }],
  ['test/operate/patroni.test.ts', {}],
  ['test/chaos.test.ts', { CHAOS_SECONDS: '960', CHAOS_RATE: '8', CHAOS_FAULTS: 'short' }],
  ['test/wrong-clocks.test.ts', {}],
  ['test/log-trouble.test.ts', {}],
];

let failed = 0;
for (const [file, sizes] of PARTS) {
  const begunAt = performance.now();
  const sized = Object.entries(sizes).map(([name, value]) => `${name}=${value}`);
  process.stdout.write(`\nSEED=${SEED} ${[...sized, file].join(' ')}\n`);
  const child = spawn('npx', ['vitest', 'run', '--reporter=dot', '--silent=false', file], {
    env: { ...process.env, SEED, ...sizes },
    stdio: 'inherit',
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) failed += 1;
  const seconds = Math.round((performance.now() - begunAt) / 1_000);
  process.stdout.write(
    `${file}: ${code === 0 ? 'held' : 'FAILED'}, ${seconds} s, load ${loadavg()[0]?.toFixed(1)}\n`,
  );
}
process.exitCode = failed > 0 ? 1 : 0;
