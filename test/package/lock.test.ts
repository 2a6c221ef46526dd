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

test('no better-sqlite3 is compiled where it is not needed: `node .ci/mend-lock.mjs`, which npm calls, too', () => {
  expect(lock.packages['node_modules/better-sqlite3-napi']).toMatchObject({ gypfile: false })
  expect(lock.packages['node_modules/better-sqlite3']).toMatchObject({ engines: { node: '<22.14' } })
})

test('the lock file names no registry', () => {
  expect(Object.values(lock.packages).filter(({ resolved }) => resolved !== undefined)).toEqual([])
})
