import { expect, test } from 'vitest'
import { createFileLines, createLog } from '../../../src/base/text/log.ts'
import { logText, oncePerReason } from '../../../src/cli/text/log-text.ts'
import { FakeClock } from '../../rig/fake-clock.ts'

function setup({ has_summary }: { has_summary: boolean }) {
  const written: string[] = []
  const clock = new FakeClock()
  const rows = logText({ stamp: 'none', colors: false })
  const log = createLog({
    level: 'debug',
    format: has_summary ? oncePerReason(rows) : rows,
    destination: { write: (text) => void written.push(text.trimEnd()) },
  })
  const files = createFileLines({ log, clock, files_per_second: 10 })
  return { written, log, files }
}

test('before a summary, each reason gets one line, however many files it stops', () => {
  const { written, files } = setup({ has_summary: true })
  for (let at = 0; at < 300; at++) {
    files.stopped('blocked', 'this user may not read it', `docs/closed ${at}.txt`)
    files.stopped('refused', 'the service cannot read .gz files', `docs/${at}.gz`)
  }
  files.close()
  expect(written).toEqual([
    'blocked: docs/closed 0.txt: this user may not read it',
    'refused: docs/0.gz: the service cannot read .gz files',
  ])
})

test('without one, the rest of the files is counted, and no field repeats the message', () => {
  const { written, files } = setup({ has_summary: false })
  for (let at = 0; at < 6; at++) files.stopped('blocked', 'it is locked', `docs/${at}`)
  files.close()
  expect(written).toEqual([
    'blocked: docs/0: it is locked',
    '5 more files blocked: it is locked: docs/1, docs/2, docs/3 and others',
  ])
})

test('reasons that differ for each file end after a dozen; other lines go on', () => {
  const { written, log } = setup({ has_summary: true })
  for (let at = 0; at < 100; at++) log.warn({ reason: `reason ${at}` }, `refused: ${at}`)
  log.warn({ folder: 'docs' }, 'Folder "docs" is offline')
  log.debug({ reason: 'reason 0' }, 'deferred: a')
  log.debug({ reason: 'reason 0' }, 'deferred: b')
  expect(written).toHaveLength(15)
  expect(written.slice(-3)).toEqual([
    'Folder "docs" is offline folder=docs',
    'deferred: a reason="reason 0"',
    'deferred: b reason="reason 0"',
  ])
})
