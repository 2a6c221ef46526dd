import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { healthOf } from '../../../src/status/health/health.ts'
import { problem_kinds } from '../../../src/status/health/problems.ts'
import { Metrics } from '../../../src/status/metrics.ts'
import { now_ms } from '../../status/any-facts.ts'

const rules_file = fileURLToPath(new URL('../../../config/sluice.alerts.yaml', import.meta.url))
const has_promtool = spawnSync('promtool', ['--version']).error === undefined
if (!has_promtool)
  console.log('skipped: promtool check, because promtool (package prometheus) is not installed')

/** The metrics page, with a value for each metric. */
async function metricsText(names: readonly string[] = ['docs']): Promise<string> {
  const metrics = new Metrics('9.9.9', now_ms)
  const nothing = {
    ignored: [],
    odd_names: [],
    special: [],
    unreadable: [],
    other_mounts: [],
    narrower: [],
    narrower_total: 0,
  }
  const totals = {
    files: 1,
    directories: 0,
    bytes: 10,
    odd_names_total: 0,
    unreadable_total: 0,
    missed: 2,
  }
  const summary = { ...nothing, ...totals }
  metrics.facts(
    [
      ...names.map((folder) => ({
        type: 'scan_finished' as const,
        folder,
        began_ms: now_ms - 1_500,
        summary,
      })),
      { type: 'bytes_accepted', content: 1 },
      { type: 'run_written', run: 1, report_path: '/r', targets: [] },
      { type: 'run_failed', run: 2, error: { code: 'x', message: 'no' } },
    ],
    now_ms,
  )
  metrics.sent(10)
  metrics.request('put', 'ok')
  metrics.request('create', 'account')
  metrics.arrived([{ seq: 1, ready_ms: now_ms, saved_ms: now_ms - 4_000 }])
  const facts = {
    now_ms,
    paused: undefined,
    absences: [],
    folders: [],
    waiting: { since_ms: now_ms - 60_000, name: 'docs/secret name.txt', held: false },
    unchecked: undefined,
    failing: [],
    troubles: [{ about: 'account', message: 'no', hint: undefined, since_ms: now_ms }],
    audits: [
      {
        project_id: 'project_1',
        since_ms: now_ms - 1_000,
        round_ms: 1,
        running_ms: undefined,
        emptied: undefined,
      },
    ],
    prompts: [],
    given_up: [],
    disk: { path: '/var', free_bytes: 1_000 },
    stuck: [],
    ledger_fault: undefined,
  }
  const limits = {
    scan_late_ms: 1,
    queue_age_ms: 1,
    offline_ms: 1,
    unreachable_ms: 1,
    audit_late_ms: 1,
  }
  const health = healthOf(facts, { ...limits, prompt_late_ms: 1, disk_free_bytes: 1 })
  return metrics.text({
    facts,
    health,
    folders: [],
    prompts: [
      {
        name: 'digest',
        checked_ms: 0,
        last_written_due_ms: now_ms,
        open_runs: [],
        last_ended: undefined,
        empty: undefined,
      },
    ],
    audits: [
      { project_id: 'project_1', last_full: { ended_ms: now_ms - 1_000 } },
      { project_id: 'project_2', last_full: undefined },
    ],
    outdated: 3,
    upload_calls: 4,
    bandwidth_bytes_per_s: undefined,
    last_ready_ms: now_ms,
    last_delivery_ms: now_ms,
  })
}

function promtool(args: string[], input?: string) {
  const { status, stdout, stderr } = spawnSync('promtool', args, { input, encoding: 'utf8' })
  return { status, out: stdout + stderr }
}

interface Rule {
  alert: string
  expr: string
  for: string
  annotations: { summary: string; description: string }
}

describe('the alert rules', () => {
  const { groups } = parse(readFileSync(rules_file, 'utf8')) as { groups: { rules: Rule[] }[] }
  const rules = groups.flatMap((group) => group.rules)

  test.each([...problem_kinds])(
    '%s has a rule, which waits a moment and says what to do',
    (kind) => {
      const found = rules.filter(({ expr }) => expr.includes(`{kind="${kind}"}`))
      expect(found).toHaveLength(1)
      expect(found[0]!.for).toMatch(/^\d+m$/)
      expect(found[0]!.annotations.summary).not.toBe('')
      expect(found[0]!.annotations.description).not.toBe('')
    },
  )

  test('use only existing metrics', async () => {
    const text = await metricsText()
    const names = new Set(text.match(/^# TYPE \S+/gm)?.map((line) => line.slice('# TYPE '.length)))
    for (const { expr } of rules) {
      for (const name of expr.match(/sluice_\w+/g) ?? []) expect(names).toContain(name)
    }
  })

  test.skipIf(!has_promtool)('promtool check rules', () => {
    expect(promtool(['check', 'rules', rules_file])).toMatchObject({
      status: 0,
      out: expect.stringContaining('SUCCESS'),
    })
  })
})

describe('the metrics', () => {
  test('count what happened, and contain no file name', async () => {
    const text = await metricsText()
    expect(text).toContain('sluice_events_missed_total{folder="docs"} 2\n')
    expect(text).toContain('sluice_prompt_runs_total{state="written"} 1\n')
    expect(text).toContain('sluice_requests_total{call="create",outcome="account"} 1\n')
    expect(text).toContain('sluice_save_to_ready_seconds_bucket{le="5"} 1\n')
    expect(text).toContain('sluice_queue_oldest_age_seconds 60\n')
    expect(text).toContain('sluice_problems{kind="account"} 1\n')
    expect(text).toMatch(/^sluice_last_audit_timestamp_seconds\{project="project_1"\} \d/m)
    expect(text, 'that was never audited').not.toContain('project_2')
    expect(text).not.toContain('secret name')
  })

  test.skipIf(!has_promtool)('promtool check metrics', async () => {
    expect(promtool(['check', 'metrics'], await metricsText())).toEqual({ status: 0, out: '' })
  })

  test.skipIf(!has_promtool)('are valid for a hundred folders with any names', async () => {
    const odd = [
      '"quoted"',
      'new\nline',
      'back\\slash',
      '議事録 📈',
      '{a="b"}',
      'tab\t',
      "it's",
      '\\n',
    ]
    const names = Array.from({ length: 100 }, (_, at) => `${odd[at % odd.length]} ${at}`)
    const text = await metricsText(names)
    expect(text.match(/^sluice_events_missed_total\{folder="/gm)).toHaveLength(100)
    expect(promtool(['check', 'metrics'], text)).toEqual({ status: 0, out: '' })
  })
})
