import { expect, test } from 'vitest'
import { openSqliteReadOnly } from '../../../src/base/files/sqlite.ts'
import { day_ms, hour_ms, minute_ms } from '../../../src/base/time/time.ts'
import { openLedger } from '../../../src/ledger/open-ledger.ts'
import { openHealthView } from '../../../src/ledger/views/view-health.ts'
import { makeTree } from '../../rig/tree.ts'
import { run_fault as error, PromptBench } from '../contract/prompts/prompt-bench.ts'
import { Bench } from '../fixture.ts'
import { inspectSqlite } from '../inspect-sqlite.ts'
import { md5Of, openRig, project_id, stat } from './view-rig.ts'

const folder = {
  name: 'notes',
  root: '/srv',
  project_id,
  labels: [],
  label_from: 'none',
  rules: '',
} as const

test('finds the content that has waited longest, and skips one whose folder is offline', async () => {
  const rig = await openRig()
  const view = openHealthView(rig.state_dir)
  try {
    expect(view.oldestWaiting()).toBeUndefined()
    const began_ms = rig.clock.now_ms()
    const first = await rig.settle('first.txt')
    await rig.clock.advance(hour_ms)
    await rig.bringIn('second.txt')
    await rig.settle('third.txt')
    expect(view.oldestWaiting()).toEqual({ since_ms: began_ms, name: 'notes/first.txt', size: 10 })

    await rig.record({ type: 'folder_offline', folder: 'notes', reason: 'unmounted' })
    expect(view.oldestWaiting()).toBeUndefined()
    await rig.record({ type: 'folder_online', folder: 'notes', device: 1n })
    await rig.record({ type: 'content_refused', content: first, error })
    expect(view.oldestWaiting()).toMatchObject({
      since_ms: began_ms + hour_ms,
      name: 'notes/third.txt',
    })

    await rig.clock.advance(day_ms)
    await rig.record({ type: 'file_gone', folder: 'notes', path: 'third.txt' })
    await rig.record({ type: 'retried', folder: 'notes', path: 'first.txt' })
    // A content that was refused for a day has waited since it was wanted again.
    expect(view.oldestWaiting()).toMatchObject({
      since_ms: rig.clock.now_ms(),
      name: 'notes/first.txt',
    })
  } finally {
    view.close()
  }
})

test('contents of a folder that is online again wait since then, and hide none that has waited longer', async () => {
  const rig = await openRig()
  const view = openHealthView(rig.state_dir)
  try {
    await rig.settle('first.txt')
    await rig.record({ type: 'folder_configured', folder: { ...folder, name: 'other' } })
    await rig.record({ type: 'folder_online', folder: 'other', device: 1n })
    await rig.record({ type: 'folder_offline', folder: 'notes', reason: 'unmounted' })
    await rig.clock.advance(minute_ms)
    const other_ms = rig.clock.now_ms()
    await rig.settle('second.txt', { folder: 'other' })
    await rig.clock.advance(day_ms)
    await rig.record({ type: 'folder_online', folder: 'notes', device: 1n })
    const back_ms = rig.clock.now_ms()
    expect(view.oldestWaiting()).toEqual({ since_ms: other_ms, name: 'other/second.txt', size: 10 })
    await rig.record({ type: 'folders_removed_except', names: ['notes'] })
    expect(view.oldestWaiting()).toEqual({ since_ms: back_ms, name: 'notes/first.txt', size: 10 })
    await rig.clock.advance(day_ms)
    await rig.record({ type: 'folder_configured', folder: { ...folder, name: 'other' } })
    expect(view.folders().find(({ name }) => name === 'other')).toMatchObject({
      kept_ms: rig.clock.now_ms(),
    })
  } finally {
    view.close()
  }
})

test('failing files are those that are tried again and those that were given up', async () => {
  const rig = await openRig()
  const view = openHealthView(rig.state_dir)
  const fails = (content: number) =>
    rig.record({
      type: 'deferred',
      content,
      not_before_ms: rig.clock.now_ms(),
      error: { code: 'x', message: 'no' },
    })
  try {
    const contents: number[] = []
    for (const path of ['a.txt', 'b.txt', 'c.txt']) contents.push(await rig.settle(path))
    expect(view.failing()).toEqual([])
    const began_ms = rig.clock.now_ms()
    await fails(contents[1]!)
    await rig.clock.advance(minute_ms)
    await fails(contents[0]!)
    await fails(contents[1]!)
    const of_two = {
      given_up: false,
      contents: 2,
      since_ms: began_ms,
      name: 'notes/b.txt',
      message: 'no',
    }
    expect(view.failing()).toEqual([of_two])
    const error = { code: 'gave_up', message: 'given up after 12 tries' }
    await rig.record({ type: 'content_refused', content: contents[1]!, error })
    expect(view.failing()).toEqual([
      { ...of_two, contents: 1, since_ms: began_ms + minute_ms, name: 'notes/a.txt' },
      { ...of_two, contents: 1, given_up: true, message: error.message },
    ])
    // The list of refused files shows contents that the service refused, or that failed for the
    // first time.
    await rig.record({
      type: 'content_refused',
      content: contents[0]!,
      error: { code: 'publicapi.x', message: 'no' },
    })
    expect(view.failing().map(({ given_up }) => given_up)).toEqual([true])
    await rig.record({ type: 'retried', folder: 'notes', path: '' })
    expect(view.failing()).toEqual([])
  } finally {
    view.close()
  }
})

test('an absence lasts from one sign of life to the next, and so does each pause; a restart is none', async () => {
  const rig = await openRig()
  const view = openHealthView(rig.state_dir)
  const { clock } = rig
  const atWork = (since_ms = clock.now_ms()) => rig.record({ type: 'daemon_at_work', since_ms })
  const paused = { type: 'paused', by: 'anna', why: undefined } as const
  try {
    expect(view.absences(clock.now_ms())).toEqual([])
    expect(view.atWork_ms()).toBeUndefined()
    const began_ms = clock.now_ms()
    await atWork()
    const before = { why: 'away', from_ms: 0, to_ms: began_ms }
    await clock.advance(4 * minute_ms)
    await atWork()
    expect(view.absences(clock.now_ms())).toEqual([before])
    // The daemon was at work all the time, though nothing could be recorded.
    await clock.advance(hour_ms)
    await atWork(clock.now_ms() - hour_ms)
    expect(view.absences(clock.now_ms())).toEqual([before])
    const left_ms = clock.now_ms()
    await clock.advance(3 * day_ms)
    await atWork()
    const weekend = { why: 'away', from_ms: left_ms, to_ms: clock.now_ms() }
    expect(view.absences(clock.now_ms())).toEqual([before, weekend])
    expect(view.atWork_ms()).toBe(clock.now_ms())

    const pause_ms = clock.now_ms()
    await rig.record({ ...paused, until_ms: undefined })
    await clock.advance(minute_ms)
    await rig.record({ ...paused, until_ms: clock.now_ms() + hour_ms })
    await clock.advance(2 * hour_ms)
    const pause = { why: 'paused', from_ms: pause_ms, to_ms: pause_ms + minute_ms + hour_ms }
    expect(view.absences(clock.now_ms()), 'it ended by itself').toEqual([before, weekend, pause])
    await rig.record({ type: 'resumed' })
    await rig.record({ type: 'resumed' })
    expect(view.absences(clock.now_ms())).toEqual([before, weekend, pause])

    // The clock ran a year ahead, and is right again: that year must hide no absence.
    await atWork(clock.now_ms() + 365 * day_ms)
    await atWork()
    expect(view.absences(clock.now_ms())).toEqual([before, weekend, pause])
  } finally {
    view.close()
  }
})

test('finds the check that has been due for longest', async () => {
  const rig = await openRig()
  const view = openHealthView(rig.state_dir)
  try {
    const now_ms = rig.clock.now_ms()
    const seen = (path: string, not_before_ms: number) =>
      rig.record({ type: 'file_seen', folder: 'notes', path, stat: stat(), not_before_ms })
    await seen('a', now_ms + minute_ms)
    await seen('b', now_ms)
    expect(view.oldestCheck()).toEqual({ since_ms: now_ms, name: 'notes/b', size: 10 })
    await rig.record({ type: 'folder_offline', folder: 'notes', reason: 'unmounted' })
    expect(view.oldestCheck()).toBeUndefined()
  } finally {
    view.close()
  }
})

test('lists arrivals after a number, with the time at which each file was saved', async () => {
  const rig = await openRig()
  const view = openHealthView(rig.state_dir)
  try {
    expect(view.newestArrival()).toEqual({ seq: 0, at_ms: undefined })
    await rig.bringIn('there before.txt')
    const first_ms = rig.clock.now_ms()
    expect(view.arrivalsAfter(0, 10)).toEqual([{ seq: 1, ready_ms: first_ms, saved_ms: undefined }])
    const nothing = {
      ignored: [],
      odd_names: [],
      special: [],
      unreadable: [],
      other_mounts: [],
      narrower: [],
      narrower_total: 0,
    }
    const totals = { files: 1, directories: 0, bytes: 10, odd_names_total: 0, unreadable_total: 0 }
    const summary = { ...nothing, ...totals }
    await rig.record({ type: 'scan_finished', folder: 'notes', began_ms: first_ms, summary })
    await rig.clock.advance(minute_ms)
    await rig.bringIn('b')
    const ready_ms = rig.clock.now_ms()
    expect(view.arrivalsAfter(1, 10)).toEqual([{ seq: 2, ready_ms, saved_ms: ready_ms }])
    expect(view.arrivalsAfter(2, 10)).toEqual([])
    expect(view.newestArrival()).toEqual({ seq: 2, at_ms: ready_ms })
    // The result is the same, however many copies of it came and went.
    const gone = Array.from({ length: 120 }, (_, number) => `a-gone/${number}`)
    const md5 = md5Of(4_711)
    await rig.bringIn('copied', { md5 })
    for (const path of gone) await rig.settle(path, { md5 })
    await rig.record(...gone.map((path) => ({ type: 'file_gone', folder: 'notes', path }) as const))
    expect(view.arrivalsAfter(2, 10)).toEqual([{ seq: 3, ready_ms, saved_ms: ready_ms }])
  } finally {
    view.close()
  }
})

test('shows prompts, and deliveries that were given up until the next one arrives', async () => {
  const memory = makeTree()
  const bench = new Bench({
    memory: () => memory,
    async open({ limits, clock }) {
      return {
        ledger: await openLedger({ state_dir: memory, limits, clock }),
        inspector: inspectSqlite(memory),
      }
    },
  })
  await bench.open('docs')
  const view = openHealthView(memory)
  try {
    const prompts = new PromptBench(bench)
    await prompts.configure({ name: 'digest', first_run: 'all' })
    await bench.makeReady(await bench.settle('docs', 'a', 'text'))
    const first = await prompts.writeReport(await prompts.arrivals(['docs']), 'digest', [
      'mail',
      'hook',
    ])
    await bench.record({ type: 'delivery_failed', run: first, target: 'mail', error })
    await bench.record({ type: 'delivered', run: first, target: 'hook' })
    const at_ms = bench.clock.now_ms()
    expect(view.givenUp()).toEqual([
      { prompt: 'digest', run: first, target: 'mail', since_ms: at_ms, error },
    ])
    expect(view.lastDelivery_ms()).toBe(at_ms)
    expect(view.prompts()).toMatchObject([
      { name: 'digest', open_runs: [], last_ended: { state: 'written' } },
    ])

    await bench.makeReady(await bench.settle('docs', 'b', 'more'))
    const second = await prompts.writeReport(await prompts.arrivals(['docs']), 'digest', ['mail'])
    expect(view.givenUp()).toHaveLength(1)
    await bench.record({ type: 'delivered', run: second, target: 'mail' })
    expect(view.givenUp()).toEqual([])
    const due = await prompts.due()
    expect(view.prompts()).toMatchObject([
      { open_runs: [{ run: due }], last_ended: { run: second } },
    ])
    await bench.record({ type: 'run_failed', run: due, error })
    expect(view.prompts()).toMatchObject([
      { last_ended: { run: due, state: 'failed', why: error.message } },
    ])

    for (let run = 0, number = 1; number <= 3; number++) {
      expect(view.prompts()).toMatchObject([{ empty: undefined }])
      await bench.makeReady(await bench.settle('docs', `c${number}`, `c${number}`))
      const fresh = await prompts.arrivals(['docs'])
      run = await prompts.due()
      await prompts.plan(run, fresh)
      await prompts.answer(run, '')
      const left = fresh.map(({ asset_id }) => asset_id)
      const written = { run, report_path: '/r.md', targets: [], left, empty: 'no answer' }
      await bench.record({ type: 'run_written', ...written })
    }
    const names = ['docs/c1', 'docs/c2', 'docs/c3']
    expect(view.prompts()).toMatchObject([{ empty: { why: 'no answer', names, total: 3 } }])
    await prompts.writeReport(await prompts.arrivals(['docs']))
    expect(view.prompts()).toMatchObject([{ empty: undefined }])
  } finally {
    view.close()
    await bench.close()
  }
})

test('queries that run every few seconds use an index', async () => {
  const rig = await openRig()
  const database = openSqliteReadOnly(`${rig.state_dir}/ledger.db`, 'any format')
  const planOf = (sql: string) =>
    (database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[])
      .map(({ detail }) => detail)
      .join('\n')
  try {
    const waiting = `SELECT id, wanted_ms, state FROM contents WHERE queue IS NOT NULL ORDER BY wanted_ms LIMIT 10`
    expect(planOf(waiting)).toMatch(/^SCAN contents USING INDEX contents_waiting$/)
    const checks = `SELECT folder, path FROM files WHERE state IN ('seen', 'blocked') AND not_before_ms IS NOT NULL ORDER BY not_before_ms LIMIT 10`
    expect(planOf(checks)).toMatch(/^S(CAN|EARCH) files USING (COVERING )?INDEX files_to_check/)
  } finally {
    database.close()
  }
})
