import { expect, onTestFinished, test } from 'vitest'
import { setStatusThere } from '../../service/set-status.ts'
import { has_terminals, PseudoTerminal } from '../pseudo-terminal.ts'
import { screenOf } from '../screen.ts'
import { Home } from '../sluice.ts'

if (!has_terminals)
  console.warn('skipped: the bar of sync on a terminal, because there is no script(1) here')

/** Names of three files that the service refuses, longer than any window of this test. */
const names = ['a', 'b', 'c'].map((letter) => `${letter.repeat(150)}.txt`)

test.skipIf(!has_terminals).each([40, 120])(
  'in a window of %i columns each new reason stands complete above the bar, once, and the summary below it',
  async (columns) => {
    const never_ms = 3_600_000
    const tree = Object.fromEntries(names.map((name) => [name, name]))
    const home = await Home.make(
      { ...tree, 'good.txt': 'good' },
      { ingest: { delay_ms: never_ms } },
    )
    const terminal = new PseudoTerminal(['sync', '--config', 'sluice.yaml'], {
      cwd: home.path,
      columns,
    })
    onTestFinished(() => terminal.close())
    await terminal.sees('0 of 4 files')
    const assets = () => home.service.assets(home.project_id)
    await expect.poll(() => assets().filter(({ status }) => status === 'ingesting').length).toBe(4)
    for (const [at, name] of names.entries()) {
      setStatusThere(
        home.service,
        assets().find(({ filename }) => filename.includes(name))!.asset_id,
        'failed',
      )
      await terminal.sees(`${at + 1} of 4 files`)
    }
    setStatusThere(
      home.service,
      assets().find(({ filename }) => filename.includes('good.txt'))!.asset_id,
      'ready',
    )
    expect(await terminal.ended).toBe(3)

    const reason = 'the service cannot read this file, and does not say why'
    const [logged = '', ...lines] = screenOf(terminal.shown(), columns)
    expect(logged).toMatch(/^\[[\d:]+\] WARN: sync: refused: /)
    expect(logged.endsWith(` WARN: sync: refused: docs/${names[0]}: ${reason}`)).toBe(true)
    expect(lines[0]).toMatch(/^█+ 4 of 4 files /)
    expect(lines.slice(1, 4)).toEqual([
      'ready      1 file, 4 B',
      '           new: 1 uploaded (4 B)',
      'not ready  3 files, 462 B',
    ])
    const next = lines.indexOf('next:')
    expect(lines.slice(4, next).join(' ').replaceAll(/ +/g, ' ')).toBe(` 3 × ${reason} (in docs/)`)
    expect(lines[next + 1]).toBe(`  sluice status --config ${home.path}/sluice.yaml`)
    expect(lines.at(-1)).toBe('')
  },
)
