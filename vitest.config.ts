import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

// As scripts/run.js does: test files load the same modules again and again.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('node_modules/.cache/node', import.meta.url));

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    pool: 'forks',
    // Tests wait as much as they work: one file more at once than there are cores.
    maxWorkers: availableParallelism() + 1,
    // For a machine that does much else: only what hangs takes so long, and waits inside of tests end before.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } },
    // Node runs TypeScript itself: tests load the modules that the gateway runs, in one module graph.
    experimental: { viteModuleRunner: false },
  },
});
