import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

interface LockedPackage {
  resolved?: string
  gypfile?: boolean
  engines?: { node?: string }
}

const lock: { packages: Record<string, LockedPackage> } = JSON.parse(
  readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8'),
)

// Two lines of the lock file are written by hand, and `npm install` takes them away: write them again.
test('no better-sqlite3 is compiled where it is not needed', () => {
  // npm forgets that this one says `"gypfile": false`, compiles it, and leaves it out where there is no compiler (npm/cli#9837).
  expect(lock.packages['node_modules/better-sqlite3-napi']).toMatchObject({ gypfile: false })
  // It says that it runs on newer ones, too: there nobody loads it (src/base/sqlite-driver.ts).
  expect(lock.packages['node_modules/better-sqlite3']).toMatchObject({ engines: { node: '<22.14' } })
})

test('the lock file names no registry', () => {
  expect(Object.values(lock.packages).filter(({ resolved }) => resolved !== undefined)).toEqual([])
})
