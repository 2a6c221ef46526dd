import { expect, test } from 'vitest'
import { day_ms, system_clock } from '../../src/base/time/time.ts'
import { surveyFolder } from '../../src/inspect/plan/survey.ts'
import { makeTree } from '../rig/tree.ts'

const clock = system_clock
const younger_than_ms = [30 * day_ms]

test('shows counts, sizes, types, ages, and ignored files by rule', async () => {
  const root = makeTree({
    'a.TXT': 'four',
    'sub/b.txt': { text: 'old one', aged_ms: 60 * day_ms },
    'sub/c': 'x',
    '~$a.docx': 'lock',
    '.sluiceignore': '*.bak\n',
    'd.bak': 'x',
  })
  const survey = await surveyFolder(root, { clock, younger_than_ms })
  expect(survey).toMatchObject({
    offline: null,
    all: { files: 3, bytes: 12 },
    younger: [{ files: 2, bytes: 5 }],
    types: [
      { extension: 'txt', files: 2, bytes: 11 },
      { extension: '', files: 1, bytes: 1 },
    ],
    stopped: undefined,
  })
  expect(survey.ignored.map(({ rule, count }) => [rule, count])).toContainEqual(['*.bak', 1])
})

test('stops counting at the limits for files and time', async () => {
  const root = makeTree(Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`${at}.txt`, 'x'])))
  const files = { max_files: 10, max_time_ms: 60_000 }
  expect((await surveyFolder(root, { clock, younger_than_ms, limits: files })).stopped).toBe('files')
  const time = { max_files: 1_000, max_time_ms: 0 }
  const late = { ...clock, sleep: async () => {} }
  expect((await surveyFolder(root, { clock: late, younger_than_ms, limits: time })).stopped).toBe('time')
})

test('a missing folder is offline, not an error', async () => {
  const survey = await surveyFolder(`${makeTree()}/none`, { clock, younger_than_ms })
  expect(survey).toMatchObject({
    offline: expect.stringContaining('does not exist (not mounted?)'),
    all: { files: 0, bytes: 0 },
  })
})
