import { defineConfig } from 'vitest/config'

// The client against a real object store: files named *.azure.ts, one at a time, for each starts a store of its own.
export default defineConfig({
  test: {
    root: new URL('../..', import.meta.url).pathname,
    include: ['test/azure/*.azure.ts'],
    globalSetup: ['test/build-first.ts'],
    setupFiles: ['test/no-leaks.ts'],
    pool: 'forks',
    maxWorkers: 1,
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
