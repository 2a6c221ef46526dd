import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { expect, test } from 'vitest'
import { journeyFiles, localJourneyFiles } from './journey-files.ts'

/** What the two profiles answer plays no part in these: a daemon's own clockwork, a file that is never sent, a command line. */
const of_one_profile = ['idle.test.ts', 'reporter-daemon.test.ts', 'stop.test.ts', 'verify.test.ts']

test('every journey is made against both profiles: nobody binds one to the default', () => {
  const bound = journeyFiles().filter((file) => readFileSync(file, 'utf8').includes("profile: 'default'"))
  expect(bound.map((file) => basename(file)).filter((name) => !of_one_profile.includes(name))).toEqual([])
  const undecided = journeyFiles().filter((file) => !/\b(localJ|j)ourneys\(/.test(readFileSync(file, 'utf8')))
  expect(undecided.map((file) => basename(file)).filter((name) => !of_one_profile.includes(name))).toEqual([])
  expect(localJourneyFiles().length).toBeGreaterThan(20)
})
