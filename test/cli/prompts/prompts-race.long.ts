import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createLog } from '../../../src/base/text/log.ts'
import { hour_ms, minute_ms, system_clock } from '../../../src/base/time/time.ts'
import { loadConfig } from '../../../src/config/load.ts'
import { openSecrets } from '../../../src/config/secrets.ts'
import { startDaemon } from '../../../src/daemon/daemon.ts'
import { openPromptsView } from '../../../src/ledger/views/view-prompts.ts'
import { Home, until } from '../sluice.ts'

const digest = {
  name: 'digest',
  timezone: 'UTC',
  prompt: 'Which lease ends when? {{files}}',
  intelligence: 'fast',
  scope: { folders: ['docs'] },
  first_run: 'all',
  catch_up: '6h',
  wait_for_files: '1m',
}

/** A daemon ran an hour and a half ago. A time of the prompt has passed since, while none ran. */
async function livedBefore(home: Home): Promise<void> {
  const config = loadConfig({
    file: join(home.path, 'sluice.yaml'),
    env: { HOME: home.path },
  }).config
  const clock = { ...system_clock, now_ms: () => system_clock.now_ms() - 1.5 * hour_ms }
  const log = createLog({ level: 'error', format: 'json', destination: { write: () => {} } })
  const { secrets } = openSecrets(config, {})
  const daemon = await startDaemon({ config, secrets, clock, log, mode: 'run' })
  await daemon.idle()
  await daemon.stop()
}

function runsOf(home: Home) {
  const view = openPromptsView(join(home.path, 'state'))
  try {
    return view.runs('digest', 100)
  } finally {
    view.close()
  }
}

test('two daemons and a user start at once: one works, and asks the question once', async () => {
  const home = await Home.make({ 'lease.txt': 'The lease ends in May.\n' })
  // The due time was half an hour ago, and does not return while this test runs.
  const missed_ms = Math.floor((Date.now() - hour_ms / 2) / minute_ms) * minute_ms
  home.configure({
    prompts: [{ ...digest, cron: `${new Date(missed_ms).getUTCMinutes()} * * * *` }],
  })
  await livedBefore(home)
  expect(runsOf(home)).toEqual([])

  const daemons = [home.start('run'), home.start('run')]
  const person = home.start('prompts', 'run', 'digest')
  const isMadeUp = () =>
    runsOf(home).some(({ due_ms, ended_ms }) => due_ms === missed_ms && ended_ms !== undefined)
  const haveEnded = () => daemons.every(({ child }) => child.exitCode !== null)
  await until('the missed time is made up, or no daemon is left', () => isMadeUp() || haveEnded())
  await person.ended
  // The user was first, so that both daemons found the ledger in use.
  if (!isMadeUp()) daemons.push(await home.run())
  await until('the missed time is made up', isMadeUp)

  const runs = runsOf(home)
  expect(runs.filter(({ due_ms }) => due_ms === missed_ms)).toHaveLength(1)
  expect(runs.filter(({ state }) => state === 'written')).toHaveLength(1)
  expect(home.service.requestLog.filter(({ place }) => place === 'chats.start')).toHaveLength(1)
  const losers = () => daemons.filter(({ child }) => child.exitCode !== null)
  await until('one daemon is left', () => losers().length === daemons.length - 1)
  for (const { err } of losers()) expect(err()).toContain('another Sluice process is at work on')
})
