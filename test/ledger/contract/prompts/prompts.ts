import { expect } from 'vitest'
import { day_ms, hour_ms } from '../../../../src/base/time/time.ts'
import { type LedgerFactory, md5Of, other_project_id, project_id, statOf } from '../../fixture.ts'
import { withLedger } from '../with-ledger.ts'
import { PromptBench } from './prompt-bench.ts'

export function promptContract(factory: LedgerFactory): void {
  const check = withLedger(factory)
  configured(check)
  dueTimes(check)
  fresh(check)
  unready(check)
}

function configured(check: ReturnType<typeof withLedger>): void {
  check(
    'a prompt that is seen for the first time begins now: earlier contents are not fresh, unless it asks for all',
    async (bench) => {
      const prompts = new PromptBench(bench)
      await bench.makeReady(await bench.settle('docs', 'old', 'old'))
      await prompts.configure({ name: 'digest' }, { name: 'everything', first_run: 'all' })
      const now_ms = bench.clock.now_ms()
      expect(await prompts.state()).toEqual({
        name: 'digest',
        project_id,
        configured: true,
        began_ms: now_ms,
        began_seq: 1,
        checked_ms: now_ms,
        last_written_due_ms: undefined,
        chat_id: undefined,
        open_runs: [],
        is_new: true,
      })
      await bench.makeReady(await bench.settle('docs', 'new', 'new'))
      expect(await prompts.fresh()).toEqual(['new'])
      expect(await prompts.fresh(['docs'], 'everything')).toEqual(['old', 'new'])
    },
  )

  check(
    'configuring a prompt again changes nothing; a new schedule counts from now on',
    async (bench) => {
      const prompts = new PromptBench(bench)
      await prompts.configure({ name: 'digest' })
      const before = await prompts.state()
      await bench.clock.advance(hour_ms)
      await prompts.configure({ name: 'digest', first_run: 'all' })
      expect(await prompts.state()).toEqual(before)
      await prompts.configure({ name: 'digest', schedule: '0 9 * * * UTC' })
      expect(await prompts.state()).toEqual({ ...before, checked_ms: bench.clock.now_ms() })
    },
  )

  check('a prompt that is not named rests and keeps everything', async (bench) => {
    const prompts = new PromptBench(bench)
    await prompts.configure({ name: 'digest' }, { name: 'other' })
    await bench.makeReady(await bench.settle('docs', 'a', 'a'))
    await prompts.writeReport(await prompts.arrivals(['docs']), 'digest', ['mail'])
    const before = await prompts.state()
    await prompts.configure({ name: 'other' })
    expect(await prompts.state()).toEqual({ ...before, configured: false })
    expect(await prompts.claim()).toEqual([])
    expect((await bench.ledger.claimDeliveries(10)).work).toEqual([])
    await prompts.due('digest', { due_ms: bench.clock.now_ms() + 1 })
    await prompts.configure({ name: 'digest' })
    expect(await prompts.state()).toEqual(before)
    expect((await bench.ledger.claimDeliveries(10)).work).toMatchObject([{ target: 'mail' }])
    expect(await prompts.fresh()).toEqual([])
  })

  check(
    'when a prompt leaves the config, its open runs end with the reason and cover nothing',
    async (bench) => {
      const prompts = new PromptBench(bench)
      await prompts.configure({ name: 'digest' })
      await bench.makeReady(await bench.settle('docs', 'a', 'a'))
      const asked = await prompts.due()
      await prompts.plan(asked, await prompts.arrivals(['docs']))
      await prompts.ask(asked)
      const planned = await prompts.due()
      await prompts.plan(planned, await prompts.arrivals(['docs']))
      const due = await prompts.due()
      await prompts.configure()
      await prompts.configure({ name: 'digest' })
      expect((await prompts.state()).open_runs).toEqual([])
      expect(await prompts.fresh()).toEqual(['a'])
      const why = expect.stringContaining('taken out of the config')
      expect(
        bench.see.runs().map(({ id, state, why, error_code }) => [id, state, why ?? error_code]),
      ).toEqual([
        [asked, 'failed', 'prompt.unconfigured'],
        [planned, 'skipped', why],
        [due, 'skipped', why],
      ])
    },
  )

  check(
    'a prompt that gets another project and its own back continues: contents that came meanwhile are fresh',
    async (bench) => {
      const prompts = new PromptBench(bench)
      await bench.online('elsewhere', { project_id: other_project_id })
      await bench.makeReady(await bench.settle('docs', 'before', 'before'))
      await prompts.configure({ name: 'digest' })
      await bench.makeReady(await bench.settle('docs', 'told', 'told'))
      await prompts.writeReport(await prompts.arrivals(['docs']))
      const before = await prompts.state()
      for (const round of ['one', 'two']) {
        await bench.clock.advance(hour_ms)
        await prompts.configure({ name: 'digest', project_id: other_project_id })
        await bench.makeReady(await bench.settle('docs', `meanwhile ${round}`, round))
        expect(await prompts.state()).toMatchObject({
          last_written_due_ms: undefined,
          chat_id: undefined,
        })
        await prompts.configure({ name: 'digest' })
        expect(await prompts.state()).toEqual({ ...before, checked_ms: bench.clock.now_ms() })
      }
      expect(await prompts.fresh()).toEqual(['meanwhile one', 'meanwhile two'])
    },
  )

  check(
    'a prompt in another project begins anew, and its runs in progress have failed',
    async (bench) => {
      const prompts = new PromptBench(bench)
      await prompts.configure({ name: 'digest' })
      const content = await bench.settle('docs', 'a', 'a')
      await bench.makeReady(content)
      await prompts.writeReport(await prompts.arrivals(['docs']))
      const run = await prompts.due()
      await bench.clock.advance(hour_ms)
      await prompts.configure({ name: 'digest', project_id: other_project_id })
      const now_ms = bench.clock.now_ms()
      expect(await prompts.state()).toMatchObject({
        project_id: other_project_id,
        began_ms: now_ms,
        began_seq: 1,
        checked_ms: now_ms,
        last_written_due_ms: undefined,
        chat_id: undefined,
        open_runs: [],
      })
      expect(run).toBeGreaterThan(0)
      await prompts.configure({ name: 'digest', project_id: other_project_id, first_run: 'all' })
      expect(await prompts.fresh()).toEqual([])
    },
  )

  check(
    'a rebuilt ledger learns what the reports covered, before it has any contents',
    async (bench) => {
      const prompts = new PromptBench(bench)
      await prompts.configure({ name: 'digest', first_run: 'all' })
      const run_due_ms = bench.clock.now_ms() - day_ms
      const covered = [{ md5: md5Of('told'), size: 4 }]
      const restored = {
        type: 'covered_restored',
        prompt: 'digest',
        run_due_ms,
        began_ms: run_due_ms,
        covered,
      } as const
      await bench.record(
        restored,
        { ...restored, run_due_ms: run_due_ms - 1 },
        { ...restored, prompt: 'unknown' },
      )
      await bench.makeReady(await bench.settle('docs', 'told', 'told'))
      await bench.makeReady(await bench.settle('docs', 'new', 'new'))
      expect(await prompts.fresh()).toEqual(['new'])
      expect(await prompts.state()).toMatchObject({ last_written_due_ms: run_due_ms, is_new: true })
      await prompts.due()
      expect(await prompts.state()).toMatchObject({ is_new: false })
    },
  )
}

function dueTimes(check: ReturnType<typeof withLedger>): void {
  check(
    'one run is made for each due time, and the mark of handled due times only moves forward',
    async (bench) => {
      const prompts = new PromptBench(bench)
      await prompts.configure({ name: 'digest' })
      const due_ms = bench.clock.now_ms() + hour_ms
      const run = await prompts.due('digest', { due_ms })
      expect(await prompts.due('digest', { due_ms, cause: 'catch_up' })).toBe(run)
      expect((await prompts.state()).checked_ms).toBe(due_ms)
      const earlier = await prompts.due('digest', { due_ms: due_ms - 1, cause: 'catch_up' })
      expect((await prompts.state()).checked_ms).toBe(due_ms)
      expect((await prompts.state()).open_runs).toEqual([
        { run: earlier, due_ms: due_ms - 1, state: 'due' },
        { run, due_ms, state: 'due' },
      ])
      const by_hand = await prompts.due('digest', { due_ms: due_ms + 1, cause: 'user' })
      expect(by_hand).toBeGreaterThan(run)
      expect((await prompts.state()).checked_ms).toBe(due_ms)
      await bench.record({ type: 'schedule_reset', prompt: 'digest', checked_ms: due_ms - day_ms })
      expect((await prompts.state()).checked_ms).toBe(due_ms - day_ms)
      expect(await prompts.due('unknown').catch(() => 'none')).toBe('none')
    },
  )

  check('a due time that is skipped stays in the history, and is not claimed', async (bench) => {
    const prompts = new PromptBench(bench)
    await prompts.configure({ name: 'digest' })
    const due_ms = bench.clock.now_ms() + hour_ms
    await bench.record({
      type: 'run_passed_over',
      prompt: 'digest',
      due_ms,
      why: 'the machine was off',
    })
    expect(await prompts.state()).toMatchObject({
      checked_ms: due_ms,
      last_written_due_ms: undefined,
      open_runs: [],
    })
    await bench.record({ type: 'run_due', prompt: 'digest', due_ms, cause: 'schedule' })
    expect(await prompts.claim()).toEqual([])
  })
}

function fresh(check: ReturnType<typeof withLedger>): void {
  check(
    'a covered content is not fresh: not as a copy, not renamed, not in another folder, not sent again',
    async (bench) => {
      const prompts = new PromptBench(bench)
      await bench.online('second')
      await prompts.configure({ name: 'digest' }, { name: 'other' })
      const content = await bench.settle('docs', 'a', 'told')
      await bench.makeReady(content)
      await prompts.writeReport(await prompts.arrivals(['docs', 'second']))
      await bench.gone('docs', 'a')
      await bench.settle('docs', 'renamed', 'told')
      await bench.settle('second', 'copy', 'told')
      expect(await prompts.fresh(['docs', 'second'])).toEqual([])
      expect(await prompts.fresh(['docs', 'second'], 'other')).toEqual(['renamed', 'copy'])
      await bench.record({ type: 'asset_missing', content })
      await bench.record({
        type: 'content_wanted_again',
        content,
        not_before_ms: bench.clock.now_ms(),
      })
      await bench.makeReady(content)
      expect(await prompts.fresh(['docs', 'second'])).toEqual([])
    },
  )

  check(
    'arrivals are ready contents with a path in a configured folder, with all their paths',
    async (bench) => {
      const prompts = new PromptBench(bench)
      await bench.online('second')
      await prompts.configure({ name: 'digest' })
      for (const path of ['b', 'a', 'sub/c']) await bench.settle('docs', path, 'same')
      await bench.makeReady(bench.see.content(md5Of('same'))!.id)
      await bench.makeReady(await bench.settle('docs', 'gone', 'gone'))
      await bench.gone('docs', 'gone')
      const removed = await bench.settle('docs', 'removed', 'removed')
      await bench.makeReady(removed)
      await bench.record({ type: 'asset_missing', content: removed })
      await bench.settle('docs', 'on the way', 'on the way')
      await bench.makeReady(await bench.settle('second', 'elsewhere', 'elsewhere'))
      expect(bench.see.counts('docs').removed_on_service).toEqual({ files: 1, bytes: 7 })
      for (const limit of [1, 2, 100]) {
        const found = await prompts.arrivals(['docs', 'second'], {}, limit)
        expect(found.map(({ path }) => path)).toEqual(['a', 'b', 'sub/c', 'elsewhere'])
        expect(found[0]).toEqual({
          seq: 1,
          arrived_ms: bench.clock.now_ms(),
          content: bench.see.content(md5Of('same'))!.id,
          asset_id: bench.see.content(md5Of('same'))!.asset_id,
          md5: md5Of('same'),
          size: 4,
          folder: 'docs',
          path: 'a',
          covered: false,
          times_unread: 0,
        })
      }
      await bench.record({ type: 'folders_removed_except', names: ['second'] })
      expect(await prompts.fresh(['docs', 'second'])).toEqual(['elsewhere'])
    },
  )

  check(
    'arrivals are chosen by time, covered or not, from before the prompt or not',
    async (bench) => {
      const prompts = new PromptBench(bench)
      await bench.makeReady(await bench.settle('docs', 'old', 'old'))
      await prompts.configure({ name: 'digest' })
      await bench.clock.advance(hour_ms)
      await bench.makeReady(await bench.settle('docs', 'new', 'new'))
      await prompts.writeReport(await prompts.arrivals(['docs']))
      const paths = async (since_ms?: number) =>
        (
          await prompts.arrivals(['docs'], {
            only_fresh: false,
            ...(since_ms === undefined ? {} : { since_ms }),
          })
        ).map(({ path }) => path)
      expect(await paths()).toEqual(['old', 'new'])
      expect(
        (await prompts.arrivals(['docs'], { only_fresh: false })).map(({ covered }) => covered),
      ).toEqual([false, true])
      expect(await paths(bench.clock.now_ms() - 1)).toEqual(['new'])
      expect(await paths(bench.clock.now_ms() + 1)).toEqual([])
    },
  )
}

function unready(check: ReturnType<typeof withLedger>): void {
  check(
    'the words about a refusal are hidden from a prompt that is not about all files with the bytes',
    async (bench) => {
      const prompts = new PromptBench(bench)
      await bench.online('second')
      await prompts.configure({ name: 'digest' })
      const content = await bench.settle('second', 'layoffs', 'refused')
      await bench.settle('docs', 'copy', 'refused')
      const error = { code: 'x', message: 'second/layoffs has no text' }
      await bench.record({ type: 'content_refused', content, error })
      const words = async (...folders: string[]) => (await prompts.unready(folders))[0]!.why
      expect(await words('docs')).toContain('the reason is not shown')
      expect(await words('docs', 'second')).toBe('second/layoffs has no text')
      await bench.gone('second', 'layoffs')
      expect(await words('docs'), 'it was tried as that file').toContain('not shown')
    },
  )
  check(
    'files that are neither ready nor skipped are listed with their stage, in pages',
    async (bench) => {
      const prompts = new PromptBench(bench)
      await bench.online('second')
      await prompts.configure({ name: 'digest' })
      await bench.makeReady(await bench.settle('docs', 'ready', 'ready'))
      await bench.seen('docs', 'z moving')
      const sent = await bench.settle('docs', 'm sent', 'sent')
      await bench.send(sent)
      await bench.settle('docs', 'a waiting', 'waiting')
      const refused = await bench.settle('docs', 'b refused', 'refused')
      await bench.record({
        type: 'content_refused',
        content: refused,
        error: { code: 'x', message: 'no text in it' },
      })
      const removed = await bench.settle('second', 'removed', 'removed')
      await bench.makeReady(removed)
      await bench.record({ type: 'asset_missing', content: removed })
      const stat = statOf(3)
      const blocked = {
        reason: 'unreadable',
        detail: 'no right to read it',
        not_before_ms: undefined,
      } as const
      await bench.record({
        type: 'file_blocked',
        folder: 'docs',
        path: 'c blocked',
        stat,
        ...blocked,
      })
      await bench.record({
        type: 'file_skipped',
        folder: 'docs',
        path: 'skipped',
        stat,
        reason: 'empty',
        rule: '',
      })
      await bench.settle('docs', 'gone', 'gone')
      await bench.gone('docs', 'gone')
      const expected = [
        ['docs', 'a waiting', 'on_the_way', undefined],
        ['docs', 'b refused', 'refused', 'no text in it'],
        ['docs', 'c blocked', 'blocked', 'no right to read it'],
        ['docs', 'm sent', 'on_the_way', undefined],
        ['docs', 'z moving', 'moving', undefined],
        ['second', 'removed', 'removed', 'removed on the service'],
      ]
      for (const limit of [1, 2, 5, 6, 100]) {
        const found = await prompts.unready(['second', 'docs'], limit)
        expect(found.map(({ folder, path, stage, why }) => [folder, path, stage, why])).toEqual(
          expected,
        )
      }
      const [waiting, refusal] = await prompts.unready()
      expect(waiting).toMatchObject({
        md5: md5Of('waiting'),
        size: 7,
        covered: false,
        seen_ms: bench.clock.now_ms(),
      })
      expect(refusal).toMatchObject({ content: refused, covered: false })
      expect(await prompts.unready(['second'])).toHaveLength(1)

      const run = await prompts.due()
      const refusals = [
        {
          content: refused,
          md5: md5Of('refused'),
          size: 7,
          name: 'docs/b refused',
          why: 'no text in it',
        },
      ]
      await prompts.plan(run, [], { refusals })
      await prompts.answer(run)
      await prompts.write(run)
      expect(
        (await prompts.unready()).filter(({ covered }) => covered).map(({ path }) => path),
      ).toEqual(['b refused'])
      await bench.record({
        type: 'content_wanted_again',
        content: refused,
        not_before_ms: bench.clock.now_ms(),
      })
      await bench.makeReady(refused)
      expect(await prompts.fresh()).toEqual(['ready', 'b refused'])
    },
  )
}
