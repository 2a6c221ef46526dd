import { expect, test } from 'vitest'
import type { HealthStatus } from '../../src/status/health/health-facts.ts'
import { LineWriter } from '../../src/status/text/lines.ts'
import { healthLines } from '../../src/status/text/text-health.ts'

const now_ms = Date.UTC(2026, 0, 2)
const reason = {
  kind: 'folder',
  about: 'docs',
  message: 'docs has been offline for 3 h: there is nothing here',
  hint: 'mount it again',
  since: '2026-01-01T21:00:00.000Z',
} as const

function text(health: Partial<HealthStatus>, is_fine = true): string[] {
  const writer = new LineWriter(100)
  healthLines(writer, { state: 'healthy', paused: null, problems: [], ...health }, now_ms, is_fine)
  return writer.lines.map((line) => line.text)
}

test('one line without problems; with problems, what is wrong and what to do', () => {
  expect(text({})).toEqual(['Sluice works without faults'])
  expect(text({ state: 'unhealthy', problems: [reason] })).toEqual([
    'health: 1 problem',
    '  folder: docs has been offline for 3 h: there is nothing here',
    '    mount it again',
  ])
})

test('without a daemon the health is unknown, and the last known state is shown', () => {
  expect(text({ state: 'unknown' })).toEqual([
    'health: unknown, no daemon is running, so nothing is tried',
  ])
  expect(text({ state: 'unknown', problems: [reason, reason] })[0]).toBe(
    'health: unknown, no daemon is running, so nothing is tried; 2 problems when it was last known',
  )
})

test('a fault below that is no problem yet: nothing says `without faults`', () => {
  expect(text({}, false)).toEqual(['Sluice works; see below what needs attention'])
  expect(text({ paused: '2026-01-01T22:00:00.000Z' }, false)).toEqual([
    'Sluice works; see below what needs attention; paused for 2 h: nothing is uploaded meanwhile',
  ])
})

test('shows a pause beside the health', () => {
  expect(text({ paused: '2026-01-01T22:00:00.000Z' })).toEqual([
    'Sluice works without faults; paused for 2 h: nothing is uploaded meanwhile',
  ])
})
