import { expect, onTestFinished, test } from 'vitest'
import { createFileLines, createLog } from '../../src/base/text/log.ts'
import { logReport } from '../../src/daemon/health/log-report.ts'
import { FakeClock } from '../rig/fake-clock.ts'

test('a trouble told in the words of the service ends its sentences once', () => {
  let written = ''
  const clock = new FakeClock()
  const log = createLog({
    level: 'info',
    format: 'json',
    destination: {
      write: (text) => {
        written += text
      },
    },
  })
  const lines = createFileLines({ log, clock, files_per_second: 10 })
  onTestFinished(() => lines.close())
  logReport(log, lines, clock).trouble('account', 'refused: This key is not valid.. Renew the token', 'error')
  expect(written).toContain('account: refused: This key is not valid. Renew the token')
})
