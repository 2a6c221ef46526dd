import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** What takes longest, by the start of its path: begun last, it would run alone while the other core has nothing to do. */
const long = [
  'test/crash/',
  'test/secrets/',
  'test/bench/',
  'test/journey/',
  'test/bad-input/',
  'test/cli/',
  'test/demo/',
]

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId, project }: TestSpecification) => {
      const at = long.findIndex((start) => moduleId.startsWith(`${project.config.root}/${start}`))
      return at < 0 ? long.length : at
    }
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b))
  }
}

// Threads and child processes run what tsc made: dist is built once, before the first test.
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/build-first.ts'],
    setupFiles: ['test/no-leaks.ts'],
    sequence: { sequencer: LongFirst },
    pool: 'forks',
    // One more than the cores it must do with: much of the time is spent waiting for processes, threads and disks.
    maxWorkers: 3,
    provide: { local_journeys: 'default' },
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
