import { expect } from 'vitest'
import { day_ms, hour_ms, minute_ms } from '../../../../src/base/time/time.ts'
import type { RunFact } from '../../../../src/domain/run.ts'
import {
  type Bench,
  type LedgerFactory,
  md5Of,
  other_project_id,
  project_id,
} from '../../fixture.ts'
import { withLedger } from '../with-ledger.ts'
import { run_fault as error, PromptBench } from './prompt-bench.ts'

export function promptRunContract(factory: LedgerFactory): void {
  const check = withLedger(factory)
  runs(check)
  claims(check)
  deliveries(check)
}

/** Configures a prompt `digest` that asks for everything, and makes the file `a` ready. */
async function withReadyFile(bench: Bench): Promise<PromptBench> {
  const prompts = new PromptBench(bench)
  await prompts.configure({ name: 'digest', first_run: 'all' })
  await bench.makeReady(await bench.settle('docs', 'a', 'text'))
  return prompts
}

function runs(check: ReturnType<typeof withLedger>): void {
  check('a run is claimed in its current state, before and after a restart', async (bench) => {
    const prompts = await withReadyFile(bench)
    const arrivals = await prompts.arrivals(['docs'])
    await prompts.writeReport(arrivals)
    const mark_ms = (await prompts.state()).last_written_due_ms
    const run = await prompts.due('digest', { cause: 'catch_up' })
    const began_ms = bench.clock.now_ms()
    const work = await prompts.check(run)
    expect(work).toEqual({
      run,
      prompt: 'digest',
      project_id,
      due_ms: began_ms,
      cause: 'catch_up',
      state: 'due',
      began_ms,
      prompt_began_ms: (await prompts.state()).began_ms,
      attempts: 0,
      notes: [],
      coverage: undefined,
      turn: 0,
      turns: [],
      assets: [],
      refusals: [],
      last_written_due_ms: mark_ms,
      chat_id: undefined,
      empty: undefined,
      last_answer: undefined,
    })
    const [{ folder: _, path: __, covered: ___, reading: ____, ...arrived }] = arrivals as [
      (typeof arrivals)[number],
    ]
    const asset = { ...arrived, name: 'docs/a', turn: 0 }
    const refusal = {
      content: 77,
      md5: md5Of('refused'),
      size: 9,
      name: 'docs/r',
      why: 'no text in it',
    }
    const plan = {
      bodies: ['one', 'two'],
      chat_id: 'chat_kept',
      assets: [asset],
      refusals: [refusal],
      coverage: '{}',
    }
    await bench.record({
      type: 'run_planned',
      run,
      plan: { ...plan, bodies: ['a', 'b', 'c'], assets: [asset, asset] },
    })
    await bench.record({ type: 'run_planned', run, plan })
    await prompts.answer(run, 'first answer')
    await bench.record({ type: 'turn_intended', run, body: 'second body' })
    const before = await prompts.check(run)
    expect(before).toMatchObject({ state: 'asking', turn: 1, chat_id: 'chat_kept', coverage: '{}' })
    expect(before).toMatchObject({ assets: [asset], refusals: [refusal] })
    expect(before.turns).toMatchObject([
      { answer: 'first answer', chat_id: 'chat_2' },
      { body: 'second body' },
    ])
    await bench.reopen()
    expect(await prompts.check(run)).toEqual(before)
    // Only the last turn says which chat the next run continues.
    expect((await prompts.state()).chat_id).toBe('chat_1')
  })

  check(
    'only a written run covers contents and moves the mark; skipped and failed ones do neither',
    async (bench) => {
      const prompts = await withReadyFile(bench)
      const assets = await prompts.arrivals(['docs'])
      const ends: ((run: number) => RunFact)[] = [
        (run) => ({ type: 'run_skipped', run, why: 'not now' }),
        (run) => ({ type: 'run_failed', run, error }),
      ]
      for (const end of ends) {
        const run = await prompts.due()
        await prompts.plan(run, assets)
        await bench.record(end(run))
        await prompts.write(run)
        expect(await prompts.fresh()).toEqual(['a'])
        expect(await prompts.state()).toMatchObject({
          last_written_due_ms: undefined,
          open_runs: [],
        })
      }
      await prompts.writeReport(assets)
      const mark_ms = bench.clock.now_ms()
      expect(await prompts.fresh()).toEqual([])
      expect(await prompts.state()).toMatchObject({ last_written_due_ms: mark_ms })
      const earlier = await prompts.due('digest', { due_ms: mark_ms - hour_ms, cause: 'catch_up' })
      await prompts.plan(earlier, [])
      await prompts.answer(earlier)
      await prompts.write(earlier)
      expect(await prompts.state()).toMatchObject({ last_written_due_ms: mark_ms })
    },
  )

  check('facts about an unknown run, or a run in another state, change nothing', async (bench) => {
    const prompts = await withReadyFile(bench)
    const run = await prompts.due()
    const before = await prompts.check(run)
    for (const unknown of [run, run + 100]) {
      await bench.record(
        { type: 'turn_asked', run: unknown, chat_id: 'c', message_id: 'm' },
        { type: 'turn_answered', run: unknown, answer: 'x' },
        { type: 'run_written', run: unknown, report_path: '/r', targets: ['mail'] },
        { type: 'delivered', run: unknown, target: 'mail' },
        { type: 'schedule_reset', prompt: 'unknown', checked_ms: 1 },
      )
    }
    expect(await prompts.check(run)).toEqual(before)
    expect((await bench.ledger.claimDeliveries(10)).work).toEqual([])
    expect(await prompts.state()).toMatchObject({
      chat_id: undefined,
      last_written_due_ms: undefined,
    })
  })

  check(
    'old runs are trimmed, but their coverage stays, and so does the newest run of each prompt',
    async (bench) => {
      const prompts = await withReadyFile(bench)
      const due_ms = bench.clock.now_ms() + 1
      await prompts.writeReport(await prompts.arrivals(['docs']))
      await bench.clock.advance(800 * day_ms)
      await bench.ledger.tidy()
      expect(await prompts.due('digest', { due_ms })).toBe(0)
      const run = await prompts.due()
      await bench.ledger.tidy()
      const again = await prompts.due('digest', { due_ms })
      expect(again).toBeGreaterThan(run)
      expect(await prompts.fresh()).toEqual([])
    },
  )
}

function claims(check: ReturnType<typeof withLedger>): void {
  check('only the oldest run of each prompt can be claimed until it ends', async (bench) => {
    const prompts = await withReadyFile(bench)
    await prompts.configure({ name: 'digest' }, { name: 'other', project_id: other_project_id })
    const first = await prompts.due()
    const second = await prompts.due()
    const other = await prompts.due('other')
    expect((await prompts.claim(1)).map(({ run }) => run)).toEqual([first])
    expect(await prompts.claim(10, [other_project_id])).toEqual([])
    expect((await prompts.claim()).map(({ run }) => run)).toEqual([other])
    await bench.record({
      type: 'run_deferred',
      run: first,
      not_before_ms: bench.clock.now_ms(),
      error,
    })
    expect(await prompts.claim()).toEqual([])
    bench.ledger.release('run', [first])
    expect(await prompts.claim()).toMatchObject([{ run: first, attempts: 1 }])
    bench.ledger.release('run', [first])
    await bench.record({ type: 'run_skipped', run: first, why: 'nothing new' })
    expect((await prompts.claim()).map(({ run }) => run)).toEqual([second])
  })

  check(
    'a catch-up run waits for a run by hand that is in progress, though that one is of a later time',
    async (bench) => {
      const prompts = await withReadyFile(bench)
      const by_hand = await prompts.due('digest', { cause: 'user' })
      await prompts.ask(by_hand)
      await bench.reopen()
      const earlier = await prompts.due('digest', {
        due_ms: bench.clock.now_ms() - minute_ms,
        cause: 'catch_up',
      })
      expect((await prompts.claim()).map(({ run }) => run)).toEqual([by_hand])
      expect(await prompts.claim()).toEqual([])
      bench.ledger.release('run', [by_hand])
      await bench.record({ type: 'run_failed', run: by_hand, error })
      expect((await prompts.claim()).map(({ run }) => run)).toEqual([earlier])
    },
  )

  check(
    'a deferred run waits and delays the runs behind it; next_due_ms gives its time',
    async (bench) => {
      const prompts = await withReadyFile(bench)
      const run = await prompts.due()
      await prompts.due()
      const not_before_ms = bench.clock.now_ms() + minute_ms
      await bench.record({ type: 'run_deferred', run, not_before_ms, error })
      expect(await bench.ledger.claimRuns(10, { except_projects: [] })).toEqual({
        work: [],
        next_due_ms: not_before_ms,
      })
      await bench.clock.advance(minute_ms)
      expect((await prompts.claim()).map((work) => work.run)).toEqual([run])
    },
  )

  check('a claim that is not released is free after a restart of the daemon', async (bench) => {
    const prompts = await withReadyFile(bench)
    const run = await prompts.due()
    await prompts.claim()
    expect(await prompts.claim()).toEqual([])
    await bench.reopen()
    expect((await prompts.claim()).map((work) => work.run)).toEqual([run])
  })

  check(
    'after a clock is set back, runs and deliveries are due, and a scan of the lost hour does not count',
    async (bench) => {
      const prompts = await withReadyFile(bench)
      await prompts.writeReport([], 'digest', ['mail'])
      const written = (await bench.ledger.claimDeliveries(1)).work[0]!.run!
      const run = await prompts.due()
      const not_before_ms = bench.clock.now_ms() + minute_ms
      await bench.record({ type: 'run_deferred', run, not_before_ms, error })
      await bench.record({
        type: 'delivery_deferred',
        run: written,
        target: 'mail',
        not_before_ms,
        error,
      })
      bench.ledger.release('delivery', [{ run: written, target: 'mail' }])
      const summary = {
        files: 1,
        directories: 0,
        bytes: 1,
        ignored: [],
        odd_names: [],
        odd_names_total: 0,
        special: [],
      }
      const rest = {
        unreadable: [],
        unreadable_total: 0,
        other_mounts: [],
        narrower: [],
        narrower_total: 0,
      }
      const began_ms = bench.clock.now_ms()
      await bench.record({
        type: 'scan_finished',
        folder: 'docs',
        began_ms,
        summary: { ...summary, ...rest },
      })
      await bench.clock.advance(10_000)
      await bench.record({ type: 'scan_wanted', folder: 'docs', at_ms: bench.clock.now_ms() })
      bench.clock.jumpWall(-hour_ms)
      expect((await prompts.claim()).map((work) => work.run)).toEqual([run])
      expect((await bench.ledger.claimDeliveries(1)).work).toMatchObject([
        { run: written, target: 'mail' },
      ])
      const now_ms = bench.clock.now_ms()
      const [docs] = await bench.ledger.folders()
      expect(docs).toMatchObject({ scan_wanted_ms: now_ms, scan_began_ms: now_ms - 1 })
    },
  )

  check('each commit wakes the workers that have work now', async (bench) => {
    const prompts = await withReadyFile(bench)
    const woken: string[] = []
    const stop = bench.ledger.onWork((kinds) => woken.push([...kinds].join()))
    await prompts.writeReport([])
    await bench.record({ type: 'scan_wanted', folder: 'docs', at_ms: 1 })
    await bench.record({ type: 'schedule_reset', prompt: 'digest', checked_ms: 1 })
    stop()
    expect(woken).toEqual(['run', 'run', '', 'run', 'run', 'run,delivery', 'scan', 'prompt'])
  })
}

function deliveries(check: ReturnType<typeof withLedger>): void {
  check(
    'each target is claimed by itself with the written run, until it is delivered or given up',
    async (bench) => {
      const prompts = await withReadyFile(bench)
      const run = await prompts.writeReport(await prompts.arrivals(['docs']), 'digest', [
        'mail',
        'hook',
        'command',
      ])
      const now_ms = bench.clock.now_ms()
      const { work } = await bench.ledger.claimDeliveries(10)
      expect(work).toMatchObject([{ target: 'mail' }, { target: 'hook' }, { target: 'command' }])
      expect(work[0]).toMatchObject({
        run,
        attempts: 0,
        wanted_ms: now_ms,
        report_path: `/reports/${run}.md`,
      })
      expect(work[0]).toMatchObject({
        written: { prompt: 'digest', project_id, written_ms: now_ms, due_ms: now_ms },
      })
      expect(work[0]).toMatchObject({
        written: { assets: [{ name: 'docs/a' }], turns: [{ answer: 'nothing much' }] },
      })
      expect((await bench.ledger.claimDeliveries(10)).work).toEqual([])
      const not_before_ms = now_ms + minute_ms
      await bench.record({ type: 'delivered', run, target: 'mail' })
      await bench.record({ type: 'delivery_deferred', run, target: 'hook', not_before_ms, error })
      await bench.record({ type: 'delivery_failed', run, target: 'command', error })
      bench.ledger.release('delivery', work)
      expect(await bench.ledger.claimDeliveries(10)).toEqual({
        work: [],
        next_due_ms: not_before_ms,
      })
      await bench.reopen()
      await bench.clock.advance(minute_ms)
      const again = await bench.ledger.claimDeliveries(10)
      expect(again).toMatchObject({
        work: [{ target: 'hook', attempts: 1, wanted_ms: now_ms }],
        next_due_ms: undefined,
      })
      await bench.record(
        { type: 'delivered', run, target: 'hook' },
        { type: 'delivered', run, target: 'command' },
      )
      bench.ledger.release('delivery', again.work)
      expect((await bench.ledger.claimDeliveries(10)).work).toEqual([])
    },
  )

  check(
    'an alert goes out before reports and during a pause, and its attempts are recorded like theirs',
    async (bench) => {
      const prompts = await withReadyFile(bench)
      const run = await prompts.writeReport(await prompts.arrivals(['docs']), 'digest', ['mail'])
      const problems = [{ kind: 'folder', about: 'docs', message: 'docs is offline', since_ms: 1 }]
      const alert = { message_id: 'alert_1', subject: 'Sluice', text: 'docs is offline', problems }
      await bench.clock.advance(minute_ms)
      const at_ms = bench.clock.now_ms()
      await bench.record({ type: 'alert_raised', ...alert, targets: ['mail', 'hook', 'page'] })
      await bench.record({ type: 'paused', by: 'anna', why: undefined, until_ms: undefined })
      const paused = await bench.ledger.claimDeliveries(10)
      expect(paused.work).toMatchObject([
        { target: 'mail' },
        { target: 'hook' },
        { target: 'page' },
      ])
      expect(paused.work[0]).toMatchObject({
        attempts: 0,
        wanted_ms: at_ms,
        raised: { ...alert, at_ms },
      })
      expect((await bench.ledger.claimDeliveries(10)).work).toEqual([])
      bench.ledger.release('delivery', paused.work)
      await bench.record({ type: 'resumed' })
      const only_alerts = await bench.ledger.claimDeliveries(10, { only_alerts: true })
      expect(only_alerts.work).toEqual(paused.work)
      bench.ledger.release('delivery', only_alerts.work)

      const { work } = await bench.ledger.claimDeliveries(10)
      expect(work.map(({ run, target }) => [run, target])).toEqual([
        [undefined, 'mail'],
        [undefined, 'hook'],
        [undefined, 'page'],
        [run, 'mail'],
      ])
      const raised = work[0]!.alert!
      const not_before_ms = at_ms + minute_ms
      await bench.record({ type: 'delivered', alert: raised, target: 'mail' })
      await bench.record({
        type: 'delivery_deferred',
        alert: raised,
        target: 'hook',
        not_before_ms,
        error,
      })
      await bench.record({ type: 'delivery_failed', alert: raised, target: 'page', error })
      bench.ledger.release('delivery', work)
      expect(await bench.ledger.claimDeliveries(10)).toMatchObject({
        work: [{ run, target: 'mail' }],
        next_due_ms: not_before_ms,
      })
      await bench.reopen()
      await bench.clock.advance(minute_ms)
      expect((await bench.ledger.claimDeliveries(1)).work).toMatchObject([
        { alert: raised, target: 'hook', attempts: 1 },
      ])
    },
  )

  check(
    'an alert takes the place of earlier ones that did not arrive; the first of them counts for giving up',
    async (bench) => {
      const alertOf = (message_id: string, targets: string[]) =>
        ({
          type: 'alert_raised',
          message_id,
          subject: '',
          text: `text of ${message_id}`,
          problems: [],
          targets,
        }) as const
      const wanted_ms = bench.clock.now_ms()
      await bench.record(alertOf('alert_1', ['mail', 'hook']))
      const first = (await bench.ledger.claimDeliveries(10)).work
      const alert = first[0]!.alert!
      await bench.record(
        { type: 'delivery_deferred', alert, target: 'mail', not_before_ms: wanted_ms, error },
        { type: 'delivered', alert, target: 'hook' },
      )
      await bench.clock.advance(minute_ms)
      await bench.record(alertOf('alert_2', ['mail', 'hook']))
      // The try under way of the earlier alert ends late, and changes nothing.
      const not_before_ms = bench.clock.now_ms()
      await bench.record({
        type: 'delivery_deferred',
        alert,
        target: 'mail',
        not_before_ms,
        error,
      })
      bench.ledger.release('delivery', first)
      const text = 'text of alert_2'
      const missed = `${text}\n\n**An earlier alert, which could not be delivered:**\n\ntext of alert_1`
      const newest = { message_id: 'alert_2', text }
      expect((await bench.ledger.claimDeliveries(10)).work).toMatchObject([
        { target: 'mail', raised: { ...newest, text: missed }, attempts: 0, wanted_ms },
        { target: 'hook', raised: newest, wanted_ms: wanted_ms + minute_ms },
      ])
    },
  )

  check(
    'a retry makes given-up deliveries due again, and new targets; delivered ones stay delivered',
    async (bench) => {
      const prompts = await withReadyFile(bench)
      const run = await prompts.writeReport(await prompts.arrivals(['docs']), 'digest', [
        'mail',
        'hook',
      ])
      await bench.record({ type: 'delivered', run, target: 'mail' })
      await bench.record({ type: 'delivery_failed', run, target: 'hook', error })
      await bench.clock.advance(minute_ms)
      const open = await prompts.due()
      const targets = ['mail', 'hook', 'new']
      await bench.record(
        { type: 'delivery_wanted_again', run, targets },
        { type: 'delivery_wanted_again', run: open, targets },
      )
      const wanted_ms = bench.clock.now_ms()
      expect((await bench.ledger.claimDeliveries(10)).work).toMatchObject([
        { run, target: 'hook', attempts: 0, wanted_ms },
        { run, target: 'new', attempts: 0, wanted_ms },
      ])
    },
  )
}
