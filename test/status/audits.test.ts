import { describe, expect, test } from 'vitest'
import type { AuditView } from '../../src/ledger/views/view-folders.ts'
import { auditStatus } from '../../src/status/assets.ts'
import { LineWriter } from '../../src/status/text/lines.ts'
import { auditLines } from '../../src/status/text/text-assets.ts'
import { undescribed } from '../cli/json/described-json.ts'

const project_id = 'project_aaaaaaaaaaaaaaaaaaaa'
const ended_ms = new Date(2026, 0, 2, 3, 12).getTime()
const hour_ms = 3_600_000
const full = {
  began_ms: ended_ms - 60_000,
  ended_ms,
  expected: 12_431,
  usable: 12_431,
  missing: 0,
  failed: 0,
  unready: 0,
  unanswered: 0,
  unknown: 7,
  slots: 0,
}

function linesOf(view: Partial<AuditView>, now_ms = ended_ms + hour_ms): string[] {
  const writer = new LineWriter(100)
  const statuses = [
    auditStatus({
      project_id,
      last_full: undefined,
      running: undefined,
      emptied: undefined,
      ...view,
    }),
  ]
  expect(undescribed('status.json#/properties/audits', statuses)).toEqual([])
  auditLines(writer, statuses, now_ms)
  return writer.lines.map(({ text }) => text.trim()).filter((text) => text !== '')
}

describe('the audit in status', () => {
  test('before the first audit, status shows nothing', () => expect(linesOf({})).toEqual([]))

  test('shows the first round while it runs', () => {
    const running = { began_ms: 1, pages: 31, checked: 3_100, missing: 0, expected: 12_431 }
    expect(linesOf({ running })).toEqual(['first audit: 3,100 of about 12,431 compared'])
  })

  test('shows the last full round in local time, with its day if that is not today', () => {
    expect(linesOf({ last_full: full })).toEqual([
      'last full audit 03:12: of 12,431 assets ready then, 12,431 usable',
    ])
    expect(linesOf({ last_full: full }, ended_ms + 50 * hour_ms)[0]).toMatch(
      /^last full audit \d{4}-\d\d-\d\d 03:12: of 12,431 assets/,
    )
  })

  test('counts unusable assets by kind', () => {
    const last_full = { ...full, usable: 12_428, missing: 2, failed: 1 }
    expect(linesOf({ last_full })).toEqual([
      'last full audit 03:12: of 12,431 assets ready then, 12,428 usable, 2 gone on the service, 1 failed',
      'on the service',
    ])
  })

  test('reports an emptied project, or another one', () => {
    const emptied = { since_ms: ended_ms, removed: 12_431, expected: 12_431 }
    // The next round finds nothing ready in the ledger, and so nothing missing.
    const last_full = { ...full, usable: 0, expected: 0 }
    expect(linesOf({ last_full, emptied }).join(' ')).toContain(
      'check project_id in the configuration',
    )
    const running = { began_ms: ended_ms, pages: 1, checked: 500, missing: 400, expected: 12_431 }
    expect(linesOf({ running }).join(' '), 'before its end').toContain(
      'check project_id in the configuration',
    )
    expect(linesOf({ last_full }).join(' ')).not.toContain('check project_id in the configuration')
  })
})
