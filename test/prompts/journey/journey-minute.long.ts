import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { minute_ms } from '../../../src/base/time/time.ts'
import type { Manifest } from '../../../src/prompts/manifest.ts'
import type { ProfileName } from '../../../src/service/options.ts'
import { Home } from '../../cli/sluice.ts'
import { realWait, until } from '../../rig/waiting.ts'
import { checkCoverage } from '../check-coverage.ts'

const digest = {
  name: 'digest',
  cron: '* * * * *',
  timezone: 'Europe/Berlin',
  prompt: 'When does the lease end? {{files}}',
  intelligence: 'fast',
  scope: { folders: ['docs'] },
  first_run: 'all',
  wait_for_files: '30s',
  deliver: [{ file: { dir: '~/reports', name: '{{name}}.md' } }],
}

const toTheMinute_ms = () => minute_ms - (Date.now() % minute_ms)

describe('the real program and the real clock', () => {
  test('two daemons start, files arrive, a minute begins: one question, one report that quotes them', async () => {
    await Promise.all((['default', 'hosted'] as const).map(oneMinute))
  })
})

async function oneMinute(profile: ProfileName): Promise<void> {
  const home = await Home.make({}, { profile })
  home.configure({ prompts: [digest] })
  // The files are ready before the minute begins.
  if (toTheMinute_ms() < 15_000) await realWait('a minute of the wall clock', toTheMinute_ms())
  const running = await home.run()
  const second = await home.sluice('run')
  expect([second.code, second.err]).toEqual([
    1,
    expect.stringContaining('another Sluice process is at work on'),
  ])
  home.write({ 'lease.txt': 'The lease ends in May.\n', 'cats.txt': 'A cat sleeps all day.\n' })
  await until('both are ready', () => home.readyAssets() === 2, running.err)
  await realWait('a minute of the wall clock', toTheMinute_ms())
  const reports = join(home.path, 'reports')
  await until('the report', () => running.err().includes('report written'), running.err)

  expect(readdirSync(reports).toSorted()).toEqual(['digest.json', 'digest.md'])
  expect(readFileSync(join(reports, 'digest.md'), 'utf8')).toContain('> The lease ends in May.')
  const manifest = JSON.parse(readFileSync(join(reports, 'digest.json'), 'utf8')) as Manifest
  expect(checkCoverage(manifest)).toEqual([])
  expect(manifest.assets.map(({ name }) => name).toSorted()).toEqual([
    'docs/cats.txt',
    'docs/lease.txt',
  ])
  expect(manifest).toMatchObject({
    cause: 'schedule',
    coverage_line: {
      default: 'asked about 2 files: 2 read whole; 2 named',
      hosted: 'asked about 2 files; the service does not say which it read; 1 named',
    }[profile],
  })
  expect(manifest.due_ms % minute_ms).toBe(0)
  expect(home.service.requestLog.filter(({ place }) => place === 'chats.start')).toHaveLength(1)
  running.child.kill('SIGTERM')
  expect((await running.ended).code).toBe(0)
}
