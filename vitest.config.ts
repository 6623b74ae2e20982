import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    pool: 'forks',
    testTimeout: 20_000,
    hookTimeout: 60_000,
    // Node runs TypeScript itself: tests load the modules that the gateway runs, in one module graph.
    experimental: { viteModuleRunner: false },
  },
});
