import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

interface LockedPackage {
  resolved?: string
  gypfile?: boolean
  engines?: { node?: string }
}

const root = fileURLToPath(new URL('../../..', import.meta.url))
const on_disk = readFileSync(`${root}/package-lock.json`, 'utf8')
/**
 * The committed lock file. `npm ci` repairs the one on the disk only after it has compiled too
 * much.
 */
const committed = existsSync(`${root}/.git`)
  ? execFileSync('git', ['show', 'HEAD:package-lock.json'], { cwd: root, encoding: 'utf8' })
  : on_disk
const lock: { packages: Record<string, LockedPackage> } = JSON.parse(committed)

test('no better-sqlite3 is compiled if it is not needed: `node .ci/mend-lock.mjs`, which npm calls as well', () => {
  expect(lock.packages['node_modules/better-sqlite3-napi']).toMatchObject({ gypfile: false })
  expect(lock.packages['node_modules/better-sqlite3']).toMatchObject({
    engines: { node: '<22.14' },
  })
})

test('the lock file names no registry', () => {
  expect(Object.values(lock.packages).filter(({ resolved }) => resolved !== undefined)).toEqual([])
})
