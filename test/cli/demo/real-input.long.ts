import { spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { dirname, relative } from 'node:path'
import { expect, test } from 'vitest'
import { until } from '../../rig/waiting.ts'
import { beginDemo } from './begin-demo.ts'

/** A folder of some thousand files of many kinds and sizes that most machines have. */
const folder = '/usr/share/doc'

function filesIn(path: string): string[] {
  const { stdout } = spawnSync('find', [path, '-type', 'f', '-print0'], {
    maxBuffer: 1e9,
    encoding: 'utf8',
  })
  return stdout.split('\0').slice(0, -1)
}

test.skipIf(!existsSync(folder))(
  'a large real folder: every file is accounted for, and the service has the same bytes',
  async () => {
    const demo = beginDemo(folder, '--stay')
    let is_over = false
    void demo.ended.then(() => {
      is_over = true
    })
    await until(
      'it stays, or is over',
      () => is_over || demo.out().includes('config  '),
      demo.err,
      600_000,
    )
    const count = (found: RegExpMatchArray | null) => Number(found?.[1]?.replaceAll(',', '') ?? 0)
    const [, plan = '', sync = ''] = demo.out().split(/^\$ sluice (?:plan|sync)\n/m)
    const summed = (text: string, lines: RegExp) =>
      [...text.matchAll(lines)].reduce((sum, found) => sum + count(found), 0)

    const on_disk = filesIn(folder)
    const ignored = summed(plan, /^ {2}ignored ([\d,]+) by /gm)
    const states = summed(sync, /^(?:ready|refused|skipped) +([\d,]+) files?/gm)
    // An ignored directory counts once, with everything below it.
    if (ignored === 0) expect(states).toBe(on_disk.length)
    else expect(on_disk.length - states).toBeGreaterThanOrEqual(ignored)
    const assets = await demo.connection().assets()
    const there = new Map(
      on_disk.map((file) => [relative(dirname(folder), file), statSync(file).size]),
    )
    expect(
      assets.filter(({ filename, size_in_bytes }) => there.get(filename) !== size_in_bytes),
    ).toEqual([])
    expect(new Set(assets.map(({ filename }) => filename)).size).toBe(assets.length)
    expect(demo.out()).toMatch(/; no differences$/m)

    demo.stop()
    expect([0, 3]).toContain(await demo.ended)
    expect(demo.left()).toEqual([])
  },
  600_000,
)
