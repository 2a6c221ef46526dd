import { expect, onTestFinished, test } from 'vitest'
import { createFileLines, createLog } from '../../src/base/text/log.ts'
import { logReport } from '../../src/daemon/health/log-report.ts'
import { FakeClock } from '../rig/fake-clock.ts'

function startReport() {
  const lines_written: string[] = []
  const clock = new FakeClock()
  const destination = { write: (text: string) => void lines_written.push(text) }
  const log = createLog({ level: 'info', format: 'json', destination })
  const lines = createFileLines({ log, clock, files_per_second: 10 })
  onTestFinished(() => lines.close())
  return { report: logReport(log, lines, clock), written: () => lines_written.join('') }
}

test('a trouble is logged with the name that status shows, and its field keeps the short one', () => {
  const { report, written } = startReport()
  report.trouble('blob', 'resolved', 'info')
  expect(JSON.parse(written())).toMatchObject({ about: 'blob', msg: 'the blob store: resolved' })
})
