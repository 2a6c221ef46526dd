import { defineConfig } from 'vitest/config'

// The client against a real object store: files named *.azure.ts, one at a time, for each starts a store of its own.
export default defineConfig({
  test: {
    root: new URL('../../..', import.meta.url).pathname,
    include: ['test/remote/azure/*.azure.ts'],
    globalSetup: ['test/rig/build-first.ts'],
    setupFiles: ['test/rig/no-leaks.ts'],
    pool: 'forks',
    maxWorkers: 1,
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
