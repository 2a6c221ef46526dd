import { defineConfig } from 'vitest/config'

// The interface as others see it: files named *.client.ts, which start the program and the tools
// of this package.
export default defineConfig({
  test: {
    root: new URL('../../..', import.meta.url).pathname,
    include: ['test/contract/client/*.client.ts'],
    globalSetup: ['test/rig/build-first.ts'],
    setupFiles: ['test/rig/no-leaks.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
