import { defineConfig } from 'vitest/config'

// Tests the client against a real object store. Files are named *.azure.ts and run one at a time,
// because each starts a store.
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
