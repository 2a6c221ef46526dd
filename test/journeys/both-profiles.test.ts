import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { expect, test } from 'vitest'
import { journeyFiles, localJourneyFiles } from './rig/journey-files.ts'

/** Journeys about disks, which do not depend on the answers of the service. */
const about_disks = ['held-up', 'other-disk', 'real-mounts', 'three-watchers']

test('every journey except those about disks runs against both profiles; no test file names a fixed profile', () => {
  const bound = journeyFiles().filter((file) => {
    const text = readFileSync(file, 'utf8')
    // A journey outside these functions would only run with a profile of its own.
    return text.includes("profile: 'default'") || !/\b(localJ|diskJ|j)ourneys\(/.test(text)
  })
  expect(bound.map((file) => basename(file))).toEqual([])
  const of_disks = journeyFiles().filter((file) =>
    readFileSync(file, 'utf8').includes('diskJourneys('),
  )
  expect(of_disks.map((file) => basename(file).replace(/\.(test|root)\.ts$/, '')).sort()).toEqual(
    about_disks,
  )
  expect(localJourneyFiles().length).toBeGreaterThan(20)
})
