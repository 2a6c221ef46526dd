import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createLog } from '../../src/base/text/log.ts'
import { system_clock } from '../../src/base/time/time.ts'
import { openSecrets } from '../../src/config/secrets.ts'
import { startDaemon } from '../../src/daemon/daemon.ts'
import { begin, localJourneys } from '../journeys/rig/harness.ts'
import { makeTree } from '../rig/tree.ts'
import { until } from '../rig/waiting.ts'
import { plainSettings } from './ask/answer-run-rig.ts'

localJourneys('the reporter in the daemon', (profile) => {
  test('new files are scanned, asked about once, reported and delivered', async () => {
    const [dir, copies] = [makeTree(), makeTree()]
    const journey = await begin({ profile, tree: { 'docs/a.md': 'The harbour.' } }, 'not started')
    const plain = plainSettings(journey.project_id, dir)
    const copy = { kind: 'file', name: 'copy', dir: copies, file_name: 'copy.md' } as const
    const prompt = {
      ...plain,
      scope: { ...plain.scope, folders: ['docs'] },
      deliver: [copy],
      wait_for_files_ms: 20_000,
    }
    const config = { ...journey.config(), prompts: [prompt] }
    const { secrets } = openSecrets(config, {})
    const log = createLog({ level: 'error', format: 'json', destination: { write: () => {} } })
    const daemon = await startDaemon({ config, secrets, clock: system_clock, log, mode: 'run' })
    onTestFinished(() => daemon.stop())
    await daemon.ledger.record([
      { type: 'run_due', prompt: 'digest', due_ms: Date.now(), cause: 'user' },
    ])
    await until('the report is delivered', () => readdirSync(copies).length === 1)
    const report = readdirSync(dir).find((name) => name.endsWith('.md'))!
    expect(readFileSync(join(dir, report), 'utf8')).toContain('a.md')
    expect(journey.requests('chats.start')).toHaveLength(1)
    await daemon.stop()
    // The harness cannot read the ledger of this daemon.
    journey.ends({
      left_out: ['docs/a.md'],
      also_there: [createHash('md5').update('The harbour.').digest('hex')],
    })
  })
})
