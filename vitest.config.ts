import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defaultExclude, defineConfig } from 'vitest/config';

// As scripts/run.js does: test files load the same modules again and again.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('node_modules/.cache/node', import.meta.url));
// Gateways of tests share a database with the test, so they share the key of its secrets too (global-setup.ts makes it).
process.env.SECRETS_KEY_FILE ??= join(tmpdir(), `crossramp-test-${process.pid}.key`);

/** Tests that take longest: whole backups, crashes and outages of processes, installations, all screens. `npm run test:long` runs these alone. */
const LONG = [
  'test/{,*/,*/*/}*crash.test.ts',
  'test/{chaos,going-live,half-open-network,package,slots-used-up,tools,wrong-clocks}.test.ts',
  'test/clients/{bruno-requests,react-example,sdk-runtimes}.test.ts',
  'test/console/{browser,walks}.test.ts',
  'test/fuzz/*.test.ts',
  'test/operate/*.test.ts',
  'test/postgres/backup*.test.ts',
  'test/rails/bank-file-{command,memory}.test.ts',
];
const isLong = process.env.TESTS === 'long';
/** A file that is named on the command line runs whatever it is. */
const isNamed = process.argv.some((each) => each.startsWith('test/'));

export default defineConfig({
  test: {
    include: isLong ? LONG : ['test/**/*.test.ts'],
    exclude: [...defaultExclude, ...(isLong || isNamed ? [] : LONG)],
    globalSetup: ['test/support/global-setup.ts'],
    pool: 'forks',
    // Loading the gateway costs a process two seconds of CPU: files share processes, each with a database of its own.
    isolate: false,
    // Tests wait as much as they work: one file more at once than there are cores.
    maxWorkers: availableParallelism() + 1,
    // For a machine that does much else: only what hangs takes so long, and waits inside of tests end before.
    testTimeout: 120_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 20_000 } },
    // Node runs TypeScript itself: tests load the modules that the gateway runs, in one module graph.
    experimental: { viteModuleRunner: false },
  },
});
