import { chmodSync, renameSync } from 'node:fs'
import { expect, test } from 'vitest'
import { hour_ms, system_clock } from '../../src/base/time.ts'
import { openSecrets } from '../../src/config/secrets.ts'
import { openRemote } from '../../src/daemon/open-remote.ts'
import { startExaminer } from '../../src/disk/examiner.ts'
import { type VerifyOptions, verify } from '../../src/inspect/verify.ts'
import { type Difference, isWhole, type VerifySummary } from '../../src/inspect/verify-answer.ts'
import { openLedgerView } from '../../src/ledger/view.ts'
import { setFileStatusThere } from '../journey/audited.ts'
import { md5Of } from '../journey/disk-truth.ts'
import { begin, type Journey, localJourneys } from '../journey/harness.ts'
import type { ConfigChange } from '../journey/quick-config.ts'

interface Verified {
  summary: VerifySummary
  found: Difference[]
  /** `kind name`, in order. */
  named: string[]
}

async function verified(
  journey: Journey,
  options: Partial<Pick<VerifyOptions, 'full' | 'folders' | 'clock'>> = {},
  change: ConfigChange = {},
): Promise<Verified> {
  const config = journey.config(change)
  const view = openLedgerView(config.state_dir)
  const { secrets } = openSecrets(config, {})
  const clock = system_clock
  const remote = openRemote(config, () => secrets.token(), clock)
  const examiner = startExaminer()
  const found: Difference[] = []
  const onDifference = (difference: Difference) => void found.push(difference)
  const signal = new AbortController().signal
  try {
    const summary = await verify({
      config,
      view,
      remote,
      examiner,
      clock,
      full: false,
      signal,
      onDifference,
      ...options,
    })
    const named = found.map(({ kind, folder, path, asset_id }) => `${kind} ${folder ? `${folder}/${path}` : asset_id}`)
    return { summary, found, named: named.sort() }
  } finally {
    await Promise.all([examiner.close(), remote.close()])
    view.close()
  }
}

const tree = {
  'docs/a.txt': 'a',
  'docs/b.txt': 'b',
  'docs/deep/c.txt': 'c',
  'docs/empty.txt': '',
  'docs/~$lock.docx': 'x',
}

const not_sent = ['docs/empty.txt', 'docs/~$lock.docx', 'docs/also empty.txt', 'docs/~$x.docx']

/** What settles has settled by then. */
const later = { ...system_clock, now_ms: () => system_clock.now_ms() + hour_ms }

/** Everything is in, labels too, and the daemon is not there to take up what the test does. */
async function stopped(
  options: Partial<Parameters<typeof begin>[0]> & { profile: Parameters<typeof begin>[0]['profile'] },
) {
  const journey = await begin({ tree, ...options })
  journey.ends({ left_out: [...not_sent] })
  await journey.allReady()
  await journey.idle()
  await journey.stop()
  return journey
}

localJourneys('verify', (profile) => {
  test('all of one mind: nothing is named', async () => {
    const journey = await stopped({ profile })
    const { summary, named } = await verified(journey, { full: true })
    expect(named).toEqual([])
    expect(isWhole(summary)).toBe(true)
    expect(summary.projects).toMatchObject([{ expected: 3, usable: 3, unanswered: 0, unknown: 0, fault: null }])
    expect(summary.folders).toMatchObject([{ name: 'docs', offline: null, complete: true, files: 4, read: 3 }])
    expect([summary.on_the_way, summary.standing.refused]).toEqual([0, 0])
  })

  test('on disk: new, gone, written, touched, replaced; what settles, is skipped or ignored is no difference', async () => {
    const journey = await stopped({ profile, tree: { ...tree, 'docs/d.txt': 'd', 'docs/e.txt': 'e' } })
    journey.write({ 'docs/new.txt': 'n', 'docs/deep/newer.txt': 'n', 'docs/also empty.txt': '', 'docs/~$x.docx': 'x' })
    journey.remove('docs/a.txt')
    journey.write({ 'docs/b.txt': 'more' })
    chmodSync(journey.at('docs/deep/c.txt'), 0o600)
    journey.write({ 'docs/replacement': 'd' })
    renameSync(journey.at('docs/replacement'), journey.at('docs/d.txt'))
    const settling = await verified(journey, {}, { folders: { docs: { settle_ms: 60_000, settle_cap_ms: 90_000 } } })
    expect(settling.named).toEqual(['gone_from_disk docs/a.txt'])
    expect(settling.summary.on_the_way).toBe(5)
    const { named, summary, found } = await verified(journey, { clock: later })
    expect(named).toEqual([
      'changed_on_disk docs/b.txt',
      'changed_on_disk docs/d.txt',
      'changed_on_disk docs/deep/c.txt',
      'gone_from_disk docs/a.txt',
      'unknown_on_disk docs/deep/newer.txt',
      'unknown_on_disk docs/new.txt',
    ])
    expect(found.find(({ path }) => path === 'b.txt')).toMatchObject({ message: '4 bytes, known with 1' })
    expect(summary.differences).toMatchObject({ unknown_on_disk: 2, gone_from_disk: 1, changed_on_disk: 3 })
    expect(summary.projects[0]).toMatchObject({ expected: 5, usable: 5 })
    expect(isWhole(summary)).toBe(false)
    await journey.start()
    await journey.allReady()
    await journey.idle()
    expect((await verified(journey)).named).toEqual([])
    journey.ends({ also_there: [md5Of('a'), md5Of('b')] })
  })

  test('on the service: removed, failed, being read again, a label taken away, of other people', async () => {
    const journey = await stopped({
      profile,
      tree: { ...tree, 'docs/d.txt': 'd' },
      folders: { docs: { labels: ['team', 'notes'] } },
    })
    const id = (name: string) => journey.file(name)!.asset_id!
    await journey.service.removeAsset(id('docs/a.txt'))
    setFileStatusThere(journey, 'docs/b.txt', 'failed')
    setFileStatusThere(journey, 'docs/deep/c.txt', 'ingesting')
    const labels = (await journey.call('GET', '/v1/labels')).body.data as { label_id: string; name: string }[]
    const team = labels.find(({ name }) => name === 'team')!
    expect((await journey.call('DELETE', `/v1/assets/${id('docs/d.txt')}/labels/${team.label_id}`)).status).toBe(204)
    const { named, found, summary } = await verified(journey)
    expect(named).toEqual([
      'failed_on_service docs/b.txt',
      'label_missing docs/d.txt',
      'missing_on_service docs/a.txt',
      'not_ready_on_service docs/deep/c.txt',
    ])
    expect(found.find(({ kind }) => kind === 'label_missing')).toMatchObject({
      label: 'team',
      asset_id: id('docs/d.txt'),
    })
    expect(summary.projects[0]).toMatchObject({ expected: 4, usable: 1, unanswered: 0 })
    setFileStatusThere(journey, 'docs/b.txt', 'ready')
    setFileStatusThere(journey, 'docs/deep/c.txt', 'ready')
    journey.ends({ left_out: [...not_sent, 'docs/a.txt'] })
  })
})
