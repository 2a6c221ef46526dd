import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { expect, test } from 'vitest'
import { journeyFiles, localJourneyFiles } from './rig/journey-files.ts'

/** What the service answers is no part of them. */
const about_disks = ['held-up', 'other-disk', 'real-mounts', 'three-watchers']

test('every journey but those about disks alone is made against both profiles: nobody binds one to the default, or makes one beside', () => {
  const bound = journeyFiles().filter((file) => {
    const text = readFileSync(file, 'utf8')
    // What is made outside of them knows no profile but one of its own.
    return text.includes("profile: 'default'") || !/\b(localJ|diskJ|j)ourneys\(/.test(text)
  })
  expect(bound.map((file) => basename(file))).toEqual([])
  const of_disks = journeyFiles().filter((file) => readFileSync(file, 'utf8').includes('diskJourneys('))
  expect(of_disks.map((file) => basename(file).replace(/\.(test|root)\.ts$/, '')).sort()).toEqual(about_disks)
  expect(localJourneyFiles().length).toBeGreaterThan(20)
})
