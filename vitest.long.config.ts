import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { localJourneyFiles } from './test/journeys/rig/journey-files.ts'

/** Take the most time: begun last, one of them would run alone at the end. */
const longest = [
  'random/random-acts',
  'crash/kill',
  'crash/stop-after-fact',
  'scheduler-wake',
  'systemd/service',
  'disks/hung-mount',
  'disks/short-lived-files',
  'disks/swapped-disks',
]

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const at = longest.findIndex((name) => moduleId.includes(name))
      return at < 0 ? longest.length : at
    }
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b))
  }
}

/** They measure memory or rates, or use all cores by themselves: nothing runs beside them. */
const alone =
  'test/{journeys/{watching/burst,running/time-left},inspect/verify-memory,service/{blobs/large-upload,steady-memory},sim/sim}.long.ts'

/** For most of their time they wait for a clock, systemd, or a limit to pass. */
const waiting =
  'test/{journeys/{systemd/*,disks/hung-mount,machines/other-machine},prompts/{plan/scheduler-wake,journey/journey-minute},page/limits,cli/sync/unreachable}.long.ts'

const of_every_file = {
  setupFiles: ['test/rig/commit-seed.ts', 'test/rig/no-leaks.ts'],
  pool: 'forks' as const,
  provide: { local_journeys: 'hosted' as const },
  testTimeout: 1_800_000,
  hookTimeout: 120_000,
}

// The full numbers: the same build, files named *.long.ts, and the journeys against the service as the hosted one was seen to be.
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...of_every_file,
          name: 'alone',
          include: [alone],
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...of_every_file,
          name: 'long',
          include: ['test/**/*.long.ts'],
          exclude: [alone, waiting, '**/node_modules/**'],
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          ...of_every_file,
          name: 'waiting',
          include: [waiting],
          maxWorkers: 4,
          sequence: { groupOrder: 3 },
        },
      },
      // What only a release needs (`npm run test:release`): whether the benches measure, every stop and kill, a film of 4 GB.
      {
        test: {
          ...of_every_file,
          name: 'release',
          include: ['test/**/*.release.ts'],
          maxWorkers: 1,
        },
      },
      {
        test: {
          ...of_every_file,
          name: 'hosted',
          include: localJourneyFiles(),
          isolate: false,
          // They wait half of their time, as those of `waiting` beside them do.
          maxWorkers: 4,
          sequence: { groupOrder: 3 },
        },
      },
    ],
    globalSetup: ['test/rig/build-first.ts'],
    sequence: { sequencer: LongestFirst },
  },
})
