import { expect, onTestFinished, test, vi } from 'vitest'
import { hour_ms, minute_ms } from '../../src/base/time/time.ts'
import { openPromptsView } from '../../src/ledger/views/view-prompts.ts'
import { promptStatuses } from '../../src/status/prompts.ts'
import { LineWriter } from '../../src/status/text/lines.ts'
import { promptLines } from '../../src/status/text/text-prompts.ts'
import { PromptRig } from '../cli/prompts/prompt-rig.ts'
import { openRig } from '../ledger/views/view-rig.ts'

const schedule = { cron: '0 8 * * 1', timezone: 'Europe/Berlin' }
const deliver = [{ name: 'mail', kind: 'email', to: ['team@example.org'] }] as const

test('shows the result of the last runs, failed deliveries, and the next times', async () => {
  const rig = await openRig()
  const runs = new PromptRig(rig)
  await runs.configure('digest', 'log', 'new', 'gone', 'idle and gone')
  const began_ms = rig.clock.now_ms()
  const targets = ['chat', 'mail', 'page']
  const written = {
    due_ms: began_ms,
    answer: 'all is well',
    contents: [1, 2],
    report_path: '/srv/r.md',
    targets,
  }
  const digest = await runs.written('digest', written)
  const error = { code: 'webhook.status', message: 'it answered\u001b[2J 503' }
  const not_before_ms = began_ms + 3 * hour_ms
  await rig.record({ type: 'delivered', run: digest, target: 'page' })
  await rig.record({ type: 'delivery_deferred', run: digest, target: 'chat', not_before_ms, error })
  await rig.record({ type: 'delivery_failed', run: digest, target: 'mail', error })
  const log = await runs.due('log', began_ms + minute_ms)
  await rig.record({
    type: 'run_failed',
    run: log,
    error: { code: 'answer.deadline', message: 'no answer in 15 min' },
  })
  await runs.written('gone', { ...written, due_ms: began_ms + minute_ms, targets: ['mail'] })
  await runs.due('gone', began_ms + 2 * minute_ms)
  await rig.clock.advance(hour_ms)

  const view = openPromptsView(rig.state_dir)
  onTestFinished(() => view.close())
  const prompts = ['digest', 'log', 'new'].map((name) => ({ name, schedule, deliver }))
  const statuses = promptStatuses(view, prompts, rig.clock.now_ms())
  expect(statuses).toMatchSnapshot()
  // A time in the zone of this machine names no zone.
  vi.stubEnv('TZ', 'UTC')
  onTestFinished(() => void vi.unstubAllEnvs())
  const writer = new LineWriter(100)
  promptLines(writer, statuses, rig.clock.now_ms())
  expect(writer.lines.map(({ tone, text }) => `${tone}: ${text}`)).toMatchInlineSnapshot(`
    [
      "strong: prompt digest  next 2026-01-05 08:00 Europe/Berlin",
      "good:   run 1 of 2026-01-01 01:00 Europe/Berlin: written, 2 files: /srv/r.md",
      "warn:   delivery chat of run 1 fails (1 try in 1 h, the next in 2 h): it answered\\x1b[2J 503",
      "bad:   delivery mail (mail to team@example.org) of run 1 fails (given up: repair the receiver, then run",
      "bad:     \`sluice prompts deliver 1\`): it answered\\x1b[2J 503",
      "plain: ",
      "strong: prompt log  next 2026-01-05 08:00 Europe/Berlin",
      "bad:   run 2 of 2026-01-01 01:01 Europe/Berlin: failed: no answer in 15 min",
      "faint:     \`sluice prompts show 2\` says more",
      "plain: ",
      "strong: prompt new  next 2026-01-05 08:00 Europe/Berlin",
      "faint:   has not run yet",
      "plain: ",
      "strong: prompt gone  is no longer in the configuration",
      "plain:   run 4 of 2026-01-01 00:02: waiting for files",
      "warn:   delivery mail of run 3 has not arrived",
    ]
  `)
})

test('shows nothing before the first run', () => {
  const [status] = promptStatuses(
    undefined,
    [{ name: 'digest', schedule, deliver: [] }],
    Date.UTC(2026, 10, 21),
  )
  expect(status).toMatchObject({
    next: '2026-11-23T07:00:00.000Z',
    next_local: '2026-11-23T08:00+01:00',
    last_run: null,
  })
})
