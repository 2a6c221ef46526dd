import { expect, test } from 'vitest'
import { printPassAnswer, summarizePass } from '../../../src/cli/text/pass-summary.ts'
import type { ScanSummary } from '../../../src/domain/fact.ts'
import { openPassView } from '../../../src/ledger/views/view-pass.ts'
import { configFor } from '../../inspect/config-for.ts'
import { nothing_seen } from '../../ledger/fixture.ts'
import { openRig } from '../../ledger/views/view-rig.ts'
import { capturedTerminal } from '../captured-terminal.ts'
import { undescribed } from '../json/described-json.ts'

const seen: ScanSummary = { ...nothing_seen, files: 1, directories: 1, bytes: 10 }

test.each([
  ['all of it', seen, 0, []],
  [
    'a directory that cannot be read',
    { ...seen, unreadable: [{ path: 'private', code: 'EACCES' }], unreadable_total: 2 },
    3,
    ['incomplete notes: 2 × cannot be opened, give this user the right: private and 1 more'],
  ],
  [
    'a name that is not UTF-8',
    { ...seen, odd_names: ['x\\xff'], odd_names_total: 1 },
    3,
    ['incomplete notes: 1 × a name that is not UTF-8, rename it: x\\xff'],
  ],
  ['an unfinished scan', undefined, 3, ['incomplete notes: its first scan has not ended']],
])('the summary of a pass that saw %s', async (_what, summary, exit_code, lines) => {
  const rig = await openRig()
  await rig.bringIn('a.txt')
  if (summary)
    await rig.record({
      type: 'scan_finished',
      folder: 'notes',
      began_ms: rig.clock.now_ms(),
      summary,
    })
  const pass = openPassView(rig.state_dir)
  const now_ms = rig.clock.now_ms()
  const end = { view: rig.view(), pass, names: ['notes'], began_ms: now_ms, now_ms }
  const { terminal } = capturedTerminal()
  const said = summarizePass(end, terminal)
  pass.close()
  expect(said.exit_code).toBe(exit_code)
  expect(said.lines.filter((line) => line.startsWith('incomplete'))).toEqual(lines)
})

test('the answer of --json has the reasons that the text shows for files on the way', async () => {
  const rig = await openRig()
  const content = await rig.settle('a.txt')
  const now_ms = rig.clock.now_ms()
  const error = { code: 'network.reset', message: 'cut' }
  await rig.record(
    { type: 'deferred', content, not_before_ms: now_ms + 60_000, error },
    { type: 'trouble_began', about: 'api', error: { ...error, hint: 'wait' } },
  )
  const pass = openPassView(rig.state_dir)
  const end = { names: ['notes'], began_ms: now_ms, now_ms }
  const said = summarizePass(
    { ...end, view: rig.view(), pass },
    capturedTerminal().terminal,
  ).lines.join('\n')
  pass.close()
  expect(said).toContain('the service: cut')
  expect(said).toContain('1 × cut, next try in 1 min (notes/a.txt)')
  const { terminal, out } = capturedTerminal()
  printPassAnswer(
    configFor({ root: '/srv/notes', state_dir: rig.state_dir }),
    end,
    undefined,
    terminal,
  )
  const answer = JSON.parse(out())
  expect(answer).toMatchObject({
    complete: false,
    troubles: [{ about: 'api', ...error, hint: 'wait' }],
    retrying: [{ ...error, contents: 1, examples: [{ folder: 'notes', path: 'a.txt' }] }],
  })
  expect(undescribed('sync', answer)).toEqual([])
})
