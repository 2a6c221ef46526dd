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
  'in a window of %i columns each log line stands complete above the bar, and the summary below it',
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

    const [first = '', ...lines] = screenOf(terminal.shown(), columns)
    const logged = [first, ...lines.splice(0, 2)]
    for (const [at, line] of logged.entries()) {
      const path = `docs/${names[at]}`
      expect(line).toMatch(/^\[[\d:]+\] WARN: sync: refused: /)
      const reason = 'The service cannot use this file (status failed): it does not say why'
      expect(line.endsWith(` WARN: sync: refused: ${path}: ${reason}`)).toBe(true)
    }
    expect(lines[0]).toMatch(/^█+ 4 of 4 files /)
    expect(lines.slice(1, 4)).toEqual([
      'ready      1 file, 4 B',
      '           new: 1 uploaded (4 B)',
      'refused    3 files, 462 B',
    ])
    for (const [at, name] of names.entries()) {
      expect(lines.at(at - 4)).toMatch(new RegExp(`^ +\\(?docs/${name}[,)]$`))
    }
    expect(lines.at(-1)).toBe('')
  },
)
