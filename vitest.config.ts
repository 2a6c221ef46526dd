import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** What takes longest, by the start of its path: begun last, it would run alone while the other core has nothing to do. */
const long = ['test/journeys/', 'test/bench/', 'test/cli/', 'test/daemon/health/', 'test/prompts/']

/** Measures the memory of its process, or changes what all of a process share: a process of its own. */
const alone =
  'test/{service/blobs/blobs,base/cron,prompts/plan/scheduler,disk/scan/scan-threads}.test.ts'

/** Each project by itself, for a process goes on to the next file only where that may share it. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId, project }: TestSpecification) => {
      const at = long.findIndex((start) => moduleId.startsWith(`${project.config.root}/${start}`))
      return (project.config.isolate ? 0 : long.length + 1) + (at < 0 ? long.length : at)
    }
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b))
  }
}

const of_every_file = {
  setupFiles: ['test/rig/commit-seed.ts', 'test/rig/no-leaks.ts'],
  pool: 'forks' as const,
  provide: { local_journeys: 'default' as const },
  testTimeout: 60_000,
  hookTimeout: 60_000,
}

// Threads and child processes run what tsc made: dist is built once, before the first test.
export default defineConfig({
  test: {
    projects: [
      { test: { ...of_every_file, name: 'alone', include: [alone] } },
      // Elsewhere files share a process, and what one has imported is there for the next.
      {
        test: {
          ...of_every_file,
          name: 'shared',
          setupFiles: [
            'test/rig/commit-seed.ts',
            'test/rig/warm-threads/setup.ts',
            'test/rig/no-leaks.ts',
          ],
          include: ['test/**/*.test.ts'],
          exclude: [alone, '**/node_modules/**'],
          isolate: false,
        },
      },
      // Only root can run them: disks that are mounted and unmounted. `npm run test:root` runs them, `npm test` does not.
      { test: { ...of_every_file, name: 'root', include: ['test/**/*.root.ts'] } },
    ],
    globalSetup: ['test/rig/build-first.ts'],
    // A process that ends removes the folders of all the tests that were made in it.
    teardownTimeout: 60_000,
    sequence: { sequencer: LongFirst },
    // Twice the cores it must do with: half of the time a file waits for processes, threads, timers and disks.
    maxWorkers: 4,
  },
})
