import { defineConfig } from 'vitest/config'

// The full numbers: the same build, files named *.long.ts, one at a time so that they do not disturb each other.
export default defineConfig({
  test: {
    include: ['test/**/*.long.ts'],
    globalSetup: ['test/build-first.ts'],
    setupFiles: ['test/no-leaks.ts'],
    pool: 'forks',
    maxWorkers: 1,
    fileParallelism: false,
    provide: { local_journeys: 'hosted' },
    testTimeout: 1_800_000,
    hookTimeout: 120_000,
  },
})
