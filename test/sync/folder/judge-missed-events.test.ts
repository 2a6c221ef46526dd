import { expect, test } from 'vitest'
import { judgeWatcher, unproven } from '../../../src/sync/folder/missed-events.ts'

const limits = { replace_after_scans: 3, replace_after_files: 10 }

function judge(...scans: { reported: number; missed: number }[]): string[] {
  let proof = unproven
  return scans.map((scan) => {
    const judged = judgeWatcher(proof, scan, limits)
    proof = judged.proof
    return judged.verdict
  })
}

const quiet = { reported: 0, missed: 0 }
const heard = { reported: 5, missed: 0 }
const one_missed = { reported: 5, missed: 1 }

test.each([
  ['nothing happens', [quiet, quiet], ['reliable', 'reliable']],
  ['all changes are reported', [heard, heard], ['reliable', 'reliable']],
  [
    'one is missed, then all are reported',
    [one_missed, heard, one_missed],
    ['doubtful', 'reliable', 'doubtful'],
  ],
  [
    'events are missed again and again',
    [one_missed, one_missed, one_missed],
    ['doubtful', 'doubtful', 'replace'],
  ],
  [
    'a scan without changes proves nothing',
    [one_missed, quiet, one_missed, one_missed],
    ['doubtful', 'doubtful', 'doubtful', 'replace'],
  ],
  [
    'events are missed again with the new watcher',
    [one_missed, one_missed, one_missed, quiet, one_missed, one_missed, one_missed],
    ['doubtful', 'doubtful', 'replace', 'reliable', 'doubtful', 'doubtful', 'give_up'],
  ],
  [
    'the new watcher reports events: later misses count from zero',
    [one_missed, one_missed, one_missed, heard, one_missed, one_missed, one_missed],
    ['doubtful', 'doubtful', 'replace', 'reliable', 'doubtful', 'doubtful', 'replace'],
  ],
  [
    'none of ten changes is reported, twice',
    [
      { reported: 0, missed: 10 },
      { reported: 0, missed: 10 },
    ],
    ['replace', 'give_up'],
  ],
  ['none of nine is reported', [{ reported: 0, missed: 9 }], ['doubtful']],
  ['one of a hundred is missed among many', [{ reported: 400, missed: 4 }], ['reliable']],
])('%s', (_what, scans, verdicts) => {
  expect(judge(...scans)).toEqual(verdicts)
})
