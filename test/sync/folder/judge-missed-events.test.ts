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
  ['all is told', [heard, heard], ['hears', 'hears']],
  ['one is missed, and then all is told', [one_missed, heard, one_missed], ['doubtful', 'hears', 'doubtful']],
  ['misses again and again', [one_missed, one_missed, one_missed], ['doubtful', 'doubtful', 'rebuild']],
  [
    'quiet proves nothing',
    [one_missed, quiet, one_missed, one_missed],
    ['doubtful', 'doubtful', 'doubtful', 'rebuild'],
  ],
  [
    'and again after it was made anew',
    [one_missed, one_missed, one_missed, quiet, one_missed, one_missed, one_missed],
    ['doubtful', 'doubtful', 'rebuild', 'hears', 'doubtful', 'doubtful', 'deaf'],
  ],
  [
    'made anew, it hears: what comes later counts from the start',
    [one_missed, one_missed, one_missed, heard, one_missed, one_missed, one_missed],
    ['doubtful', 'doubtful', 'rebuild', 'hears', 'doubtful', 'doubtful', 'rebuild'],
  ],
  [
    'none of ten changes told, twice',
    [
      { reported: 0, missed: 10 },
      { reported: 0, missed: 10 },
    ],
    ['rebuild', 'deaf'],
  ],
  ['none of nine', [{ reported: 0, missed: 9 }], ['doubtful']],
  ['one of a hundred goes by in a storm', [{ reported: 400, missed: 4 }], ['hears']],
])('%s', (_what, scans, verdicts) => {
  expect(judge(...scans)).toEqual(verdicts)
})
