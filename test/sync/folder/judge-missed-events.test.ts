import { expect, test } from 'vitest'
import { judgeHearing, unproven } from '../../../src/sync/folder/missed-events.ts'

const limits = { deaf_after_scans: 3, deaf_after_files: 10 }

function judge(...scans: { reported: number; missed: number }[]): string[] {
  let hearing = unproven
  return scans.map((scan) => {
    const judged = judgeHearing(hearing, scan, limits)
    hearing = judged.hearing
    return judged.verdict
  })
}

const quiet = { reported: 0, missed: 0 }
const heard = { reported: 5, missed: 0 }
const one_missed = { reported: 5, missed: 1 }

test.each([
  ['nothing happens', [quiet, quiet], ['hears', 'hears']],
  ['all changes are reported', [heard, heard], ['hears', 'hears']],
  ['one is missed, then all are reported', [one_missed, heard, one_missed], ['doubtful', 'hears', 'doubtful']],
  ['events are missed again and again', [one_missed, one_missed, one_missed], ['doubtful', 'doubtful', 'rebuild']],
  [
    'a scan without changes proves nothing',
    [one_missed, quiet, one_missed, one_missed],
    ['doubtful', 'doubtful', 'doubtful', 'rebuild'],
  ],
  [
    'events are missed again with the new watcher',
    [one_missed, one_missed, one_missed, quiet, one_missed, one_missed, one_missed],
    ['doubtful', 'doubtful', 'rebuild', 'hears', 'doubtful', 'doubtful', 'deaf'],
  ],
  [
    'the new watcher reports events: later misses count from zero',
    [one_missed, one_missed, one_missed, heard, one_missed, one_missed, one_missed],
    ['doubtful', 'doubtful', 'rebuild', 'hears', 'doubtful', 'doubtful', 'rebuild'],
  ],
  [
    'none of ten changes is reported, twice',
    [
      { reported: 0, missed: 10 },
      { reported: 0, missed: 10 },
    ],
    ['rebuild', 'deaf'],
  ],
  ['none of nine is reported', [{ reported: 0, missed: 9 }], ['doubtful']],
  ['one of a hundred is missed among many', [{ reported: 400, missed: 4 }], ['hears']],
])('%s', (_what, scans, verdicts) => {
  expect(judge(...scans)).toEqual(verdicts)
})
