import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/leaks/*.fixture.ts'],
    setupFiles: ['test/no-leaks.ts'],
    pool: 'forks',
    teardownTimeout: 1_000,
    provide: { leak_grace_ms: 1_000 },
  },
})
