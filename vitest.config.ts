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

/**
 * Rooms whose tests keep nothing in a module, neither a hook nor a state: their files share a process, and what one has imported
 * is there for the next. Elsewhere each file has a process of its own.
 */
const shared = 'test/{base,config,contract,disk,domain,ledger,status,sync}/**/*.test.ts'

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId, project }: TestSpecification) => {
      const at = long.findIndex((start) => moduleId.startsWith(`${project.config.root}/${start}`))
      return at < 0 ? long.length : at
    }
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b))
  }
}

const of_every_file = {
  setupFiles: 'test/no-leaks.ts',
  pool: 'forks',
  provide: { local_journeys: 'default' },
  testTimeout: 60_000,
  hookTimeout: 60_000,
} as const

// Threads and child processes run what tsc made: dist is built once, before the first test.
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...of_every_file,
          name: 'alone',
          include: ['test/**/*.test.ts'],
          exclude: [shared, '**/node_modules/**'],
        },
      },
      { test: { ...of_every_file, name: 'shared', include: [shared], isolate: false } },
    ],
    globalSetup: ['test/build-first.ts'],
    sequence: { sequencer: LongFirst },
    // One more than the cores it must do with: much of the time is spent waiting for processes, threads and disks.
    maxWorkers: 3,
  },
})
