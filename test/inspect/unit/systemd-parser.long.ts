import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { dropInOf } from '../../../src/inspect/unit/drop-in.ts'
import { mountUnit } from '../../../src/inspect/unit/unit-text.ts'
import { makeStore } from '../../rig/tree.ts'
import { facts, promptTo, unitConfig } from './unit-config.ts'

const has_systemd = spawnSync('systemd-analyze', ['--version']).status === 0
if (!has_systemd)
  console.warn('the tests with systemd’s own parser are skipped: systemd-analyze is not installed')

/** One file name. unit-text.test.ts shows that names a unit cannot hold are refused. */
const name = fc
  .oneof(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
    fc.string({
      unit: fc.constantFrom(...' \t\u0001\v\u007f\u00a0"\'\\%$:-~#;=x20sn*'),
      minLength: 1,
      maxLength: 12,
    }),
  )
  .filter((text) => !/[\n\r\0/]/.test(text) && text !== '.' && text !== '..')

const directory = makeStore()

/** The unit as systemd holds it after reading, and what it complained of. */
function readBySystemd(drop_in: string): { dump: string; complaints: string } {
  const unit = join(directory, 'sluice.service')
  writeFileSync(unit, drop_in)
  const env = { ...process.env, SYSTEMD_LOG_LEVEL: 'debug' }
  const { stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', unit], {
    encoding: 'utf8',
    env,
  })
  const complaints = stderr.split('\n').filter((line) => line.startsWith(`${unit}:`))
  return { dump: stdout, complaints: complaints.join('\n') }
}

describe.skipIf(!has_systemd)('systemd’s own parser', () => {
  test('reads the same paths, with any names', () => {
    fc.assert(
      fc.property(name, name, (watched, written) => {
        const config = unitConfig([`/srv/a/${watched}`], {
          prompts: [promptTo({ file: { dir: `/srv/b/${written}` } })],
        })
        const { dump, complaints } = readBySystemd(dropInOf(config, facts))
        expect(complaints).toBe('')
        expect(dump).toContain(`ReadOnlyPaths: -/srv/a/${watched}\n`)
        expect(dump).toContain(`ReadWritePaths: -/srv/b/${written}\n`)
        expect(dump).toContain(`RequiresMountsFor: /srv/a/${watched} (origin-file)\n`)
      }),
      { numRuns: 300 },
    )
  })

  test('names mount units in the same way', () => {
    fc.assert(
      fc.property(name, name, (first, second) => {
        const path = `/${first}/${second}`
        const { stdout } = spawnSync('systemd-escape', ['--path', '--suffix=mount', '--', path], {
          encoding: 'utf8',
        })
        expect(mountUnit(path)).toBe(stdout.trimEnd())
      }),
      { numRuns: 300 },
    )
  })
})
