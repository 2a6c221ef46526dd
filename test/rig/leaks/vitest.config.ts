import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/rig/leaks/*.fixture.ts'],
    setupFiles: ['test/rig/no-leaks.ts'],
    pool: 'forks',
    teardownTimeout: 1_000,
    provide: { leak_grace_ms: 1_000 },
  },
})
