import { existsSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { second_ms } from '../../../src/base/time/time.ts'
import { openHealthView } from '../../../src/ledger/views/view-health.ts'
import { Home, until } from '../sluice.ts'

/** Debian's place of the library, for any architecture. */
const library = readdirSync('/usr/lib')
  .map((name) => `/usr/lib/${name}/faketime/libfaketimeMT.so.1`)
  .find((file) => existsSync(file))
if (!library) console.log('skipped: sleeps of the machine, because libfaketime is not installed')

test.skipIf(!library).each(['+2h', '+6m', '+3d'])(
  'the wall clock jumps by %s, as after a sleep: health is good, and new files get in',
  async (jump) => {
    const home = await Home.make({ 'a.txt': 'one' })
    home.configure({ constants: { health: { check_ms: second_ms / 5 } } })
    const clock_file = join(home.path, 'clock')
    const setClock = (offset: string) => {
      writeFileSync(`${clock_file}.new`, `${offset}\n`)
      renameSync(`${clock_file}.new`, clock_file)
    }
    setClock('+0')
    home.environment = {
      LD_PRELOAD: library!,
      FAKETIME_TIMESTAMP_FILE: clock_file,
      FAKETIME_NO_CACHE: '1',
      // Both names: the older one is that of versions before 0.9.9.
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      DONT_FAKE_MONOTONIC: '1',
      NO_FAKE_STAT: '1',
    }
    const daemon = await home.run()
    await until('the first file is in', () => home.readyAssets() === 1, daemon.err)
    const from_ms = Date.now()
    setClock(jump)
    const view = openHealthView(join(home.path, 'state'))
    try {
      await until(
        'the absence is recorded',
        () => view.absences(from_ms).some(({ to_ms }) => to_ms > from_ms + 5 * 60 * second_ms),
        daemon.err,
      )
    } finally {
      view.close()
    }
    home.write({ 'b.txt': 'two' })
    await until('the second file is in', () => home.readyAssets() === 2, daemon.err)
    const { code, out } = await home.sluice('status')
    expect([code, out]).toEqual([0, expect.stringContaining('Sluice works without faults')])
    expect(daemon.err()).not.toMatch(/cannot|refused/)
  },
  60_000,
)
