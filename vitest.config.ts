import { defineConfig } from 'vitest/config'

// Threads and child processes run what tsc made: dist is built once, before the first test.
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/build-first.ts'],
    setupFiles: ['test/no-leaks.ts'],
    pool: 'forks',
    maxWorkers: 2,
    provide: { local_journeys: 'default' },
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
})
