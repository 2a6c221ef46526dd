import { expect, test } from 'vitest'
import { hour_ms, minute_ms } from '../../../src/base/time/time.ts'
import type { Fact } from '../../../src/domain/fact.ts'
import type { Ledger } from '../../../src/ledger/ledger.ts'
import { openHealthView } from '../../../src/ledger/views/view-health.ts'
import { md5Of } from '../../ledger/fixture.ts'
import { until } from '../../rig/waiting.ts'
import { Watched } from './rig.ts'

/** Changes facts on their way to the ledger, as a fault of a worker would. */
function changing(change: (fact: Fact) => Fact): (ledger: Ledger) => Ledger {
  return (ledger) => ({ ...ledger, record: (facts) => ledger.record(facts.map(change)) })
}

async function isReady(watched: Watched, text: string): Promise<void> {
  const isThere = () => {
    return watched.service
      .assets(watched.project_id)
      .some(({ md5, status }) => md5 === md5Of(text) && status === 'ready')
  }
  const state = () => [watched.service.assets(watched.project_id), watched.log.slice(-10)]
  await until(`${text} is ready`, isThere, state)
}

test('after a sleep of hours the daemon records its absence, and its health is good', {
  timeout: 60_000,
}, async () => {
  const watched = await Watched.begin()
  await watched.synced()
  await watched.green()
  const view = openHealthView(watched.state_dir)
  try {
    const from_ms = watched.clock.now_ms()
    watched.clock.jumpWall(2 * hour_ms)
    await until(
      'the absence is recorded',
      () => {
        return view.absences(watched.clock.now_ms()).some(({ to_ms }) => to_ms > from_ms + hour_ms)
      },
      () => watched.log.slice(-5),
    )
    expect(await watched.broken()).toEqual([])
  } finally {
    view.close()
  }
})

test('a file whose fact is refused is named, and does not stop the scan or other files', {
  timeout: 60_000,
}, async () => {
  let is_faulty = true
  const watched = await Watched.begin({
    tree: { 'a.txt': 'a', 'odd.txt': 'odd', 'z.txt': 'z' },
    wrap_ledger: changing((fact) => {
      if (!is_faulty || !('stat' in fact) || fact.path !== 'odd.txt') return fact
      return { ...fact, stat: { ...fact.stat!, size: 3.5 } } as Fact
    }),
  })
  await watched.red('record')
  await isReady(watched, 'a')
  await isReady(watched, 'z')
  expect(await watched.broken()).toEqual(['record'])
  const { problems } = await watched.verdict()
  expect(problems[0]).toMatchObject({ about: 'docs/odd.txt' })
  expect(JSON.parse((await watched.get('/readyz/folder/docs')).text)).toMatchObject({
    problems: [{ kind: 'record', about: 'docs/odd.txt' }],
  })
  is_faulty = false
  watched.daemon.rescan()
  await isReady(watched, 'odd')
  await watched.green()
})

test('an upload whose fact is refused rests, is named, and is tried again after half an hour', {
  timeout: 60_000,
}, async () => {
  let is_faulty = true
  let odd = 0
  const tries: string[] = []
  const watched = await Watched.begin({
    tree: {},
    wrap_ledger: changing((fact) => {
      if (fact.type === 'slot_reserved' && odd === 0) odd = fact.content
      if (!('content' in fact) || fact.content !== odd) return fact
      tries.push(fact.type)
      return is_faulty && fact.type === 'ingest_started'
        ? { ...fact, not_before_ms: fact.not_before_ms + 0.5 }
        : fact
    }),
  })
  watched.write({ 'odd.txt': 'odd' })
  watched.daemon.rescan()
  await watched.red('record')
  watched.write({ 'a.txt': 'a' })
  await isReady(watched, 'a')
  expect((await watched.verdict()).problems).toMatchObject([
    { kind: 'record', about: `content ${odd}` },
  ])
  expect(tries.filter((type) => type === 'ingest_started')).toHaveLength(1)
  is_faulty = false
  watched.clock.skip(31 * minute_ms)
  await isReady(watched, 'odd')
  await watched.green()
})
