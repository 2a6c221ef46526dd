import { expect } from 'vitest'
import { day_ms, hour_ms } from '../../../../src/base/time/time.ts'
import {
  type Bench,
  type LedgerFactory,
  md5Of,
  other_project_id,
  project_id,
  statOf,
} from '../../fixture.ts'
import { withLedger } from '../with-ledger.ts'
import { PromptBench } from './prompt-bench.ts'

const old_stat = (text: string) => statOf(text.length, 1n, 0n)

/** Files that lay in a folder before Sluice watched it are not reported as new. */
export function existingFilesContract(factory: LedgerFactory): void {
  const check = withLedger(factory)
  firstScan(check)
  otherProject(check)
  lostLedger(check)
}

function firstScan(check: ReturnType<typeof withLedger>): void {
  check(
    'a prompt added with its folder: old files are not fresh, those that come later are',
    async (bench) => {
      const prompts = new PromptBench(bench)
      await prompts.configure({ name: 'digest' }, { name: 'everything', first_run: 'all' })
      const old = await bench.settleOld('docs', 'old', 'old')
      await bench.settle('docs', 'new', 'new')
      expect((await prompts.unready()).map(({ path }) => path)).toEqual(['new'])
      expect(
        (await prompts.unready(['docs'], 2, 'everything', false)).map(({ path }) => path),
      ).toEqual(['new', 'old'])
      await bench.scanned('docs')
      await bench.clock.advance(day_ms)
      await bench.makeReady(old)
      await bench.makeReady(bench.see.content(md5Of('new'))!.id)
      // A directory that was moved in keeps the times of its files.
      await bench.makeReady(await bench.settleOld('docs', 'moved in', 'moved in'))
      expect(await prompts.fresh()).toEqual(['new', 'moved in'])
      const every = await prompts.arrivals(['docs'], { prompt: 'everything', only_come: false })
      expect(every.map(({ path }) => path)).toEqual(['old', 'new', 'moved in'])
      const lately = { only_fresh: false, since_ms: bench.clock.now_ms() - 1 }
      expect((await prompts.arrivals(['docs'], lately)).map(({ path }) => path)).toEqual([
        'new',
        'moved in',
      ])
    },
  )

  check(
    'old bytes stay old when renamed, made readable, touched or included; edited ones are new',
    async (bench) => {
      const prompts = new PromptBench(bench)
      await prompts.configure({ name: 'digest' })
      const { clock } = bench
      const seen = (path: string) =>
        bench.record({
          type: 'file_seen',
          folder: 'docs',
          path,
          stat: old_stat(path),
          not_before_ms: clock.now_ms(),
        })
      const later = { reason: 'unreadable', detail: 'no right', not_before_ms: undefined } as const
      const skipped = {
        type: 'file_skipped',
        folder: 'docs',
        reason: 'before_start',
        rule: '',
      } as const
      await bench.settleOld('docs', 'renamed', 'renamed')
      await bench.settleOld('docs', 'touched', 'touched')
      await bench.settleOld('docs', 'edited', 'edited')
      await bench.record({
        type: 'file_blocked',
        folder: 'docs',
        path: 'readable',
        stat: old_stat('readable'),
        ...later,
      })
      await bench.record({ ...skipped, path: 'left out', stat: old_stat('left out') })
      await seen('grown')
      await bench.scanned('docs')
      await bench.record({ ...skipped, path: 'left out, moved', stat: statOf(8) })
      await bench.gone('docs', 'renamed')
      await bench.seen('docs', 'touched', 'touched')
      const texts = ['renamed', 'touched', 'readable', 'left out', 'edited twice', 'grown since']
      const paths = ['a name', 'touched', 'readable', 'left out', 'edited', 'grown']
      for (const [index, path] of paths.entries()) await bench.settle('docs', path, texts[index]!)
      await bench.settle('docs', 'left out, moved', 'left out')
      for (const text of texts) await bench.makeReady(bench.see.content(md5Of(text))!.id)
      expect(await prompts.fresh()).toEqual(['edited', 'grown'])
    },
  )

  check(
    'equal bytes in two folders are new only in the folder to which they came',
    async (bench) => {
      const prompts = new PromptBench(bench)
      await bench.online('second')
      await bench.scanned('second')
      await prompts.configure({ name: 'digest' })
      await bench.settleOld('docs', 'old', 'same')
      await bench.makeReady(await bench.settle('second', 'copy', 'same'))
      expect(await prompts.fresh(['docs', 'second'])).toEqual(['copy'])
      expect(await prompts.fresh(['docs'])).toEqual([])
    },
  )

  check('a folder added to an existing prompt does not make its old files fresh', async (bench) => {
    const prompts = new PromptBench(bench)
    await prompts.configure({ name: 'digest' })
    await bench.clock.advance(day_ms)
    await bench.online('added')
    // Our user got the right to read it on the day on which the folder was added.
    const ctime_s = BigInt(bench.clock.now_ms() - hour_ms) / 1_000n
    const stat = statOf(3, 1n, ctime_s)
    await bench.record({
      type: 'file_settled',
      folder: 'added',
      path: 'old',
      stat,
      md5: md5Of('old'),
    })
    await bench.makeReady(bench.see.content(md5Of('old'))!.id)
    expect(await prompts.fresh(['docs', 'added'])).toEqual([])
  })

  check(
    'a folder removed from the config and added again is no new folder: files that came since are fresh',
    async (bench) => {
      const prompts = new PromptBench(bench)
      await prompts.configure({ name: 'digest' })
      await bench.scanned('docs')
      await bench.record({ type: 'folders_removed_except', names: [] })
      await bench.online('docs')
      await bench.makeReady(await bench.settleOld('docs', 'meanwhile', 'meanwhile'))
      expect(await prompts.fresh()).toEqual(['meanwhile'])
    },
  )
}

function otherProject(check: ReturnType<typeof withLedger>): void {
  const move = async (bench: Bench, prompts: PromptBench, to: string) => {
    await bench.clock.advance(hour_ms)
    await bench.configure('docs', { project_id: to })
    await prompts.configure({ name: 'digest', project_id: to })
    await bench.clock.advance(hour_ms)
  }
  const becomeReady = async (bench: Bench, path: string, project: string) => {
    await bench.settle('docs', path, path)
    await bench.makeReady(bench.see.content(md5Of(path), project)!.id)
  }

  check(
    'a folder and its prompt in another project: existing files are not reported as new',
    async (bench) => {
      const prompts = new PromptBench(bench)
      await prompts.configure({ name: 'digest' })
      await bench.scanned('docs')
      await becomeReady(bench, 'before', project_id)
      await move(bench, prompts, other_project_id)
      await becomeReady(bench, 'before', other_project_id)
      await becomeReady(bench, 'new', other_project_id)
      expect(await prompts.fresh()).toEqual(['new'])
      await move(bench, prompts, project_id)
      await becomeReady(bench, 'before', project_id)
      await becomeReady(bench, 'new', project_id)
      expect(await prompts.fresh(), 'before it left, and meanwhile').toEqual(['before', 'new'])
    },
  )
}

function lostLedger(check: ReturnType<typeof withLedger>): void {
  check(
    'after a lost ledger, files that the first report left for later are still new',
    async (bench) => {
      const prompts = new PromptBench(bench)
      await prompts.configure({ name: 'digest' })
      const run_due_ms = bench.clock.now_ms() - 7 * day_ms
      const began_ms = run_due_ms - day_ms
      const covered = [{ md5: md5Of('told'), size: 4 }]
      const restored = { type: 'covered_restored', prompt: 'digest', covered, began_ms } as const
      const later = { ...restored, run_due_ms: run_due_ms + day_ms, began_ms: run_due_ms + day_ms }
      await bench.record({ ...restored, run_due_ms }, later)
      const put = async (path: string, at_ms: number) => {
        const stat = statOf(path.length, 1n, BigInt(at_ms) / 1_000n)
        await bench.record({ type: 'file_settled', folder: 'docs', path, stat, md5: md5Of(path) })
        await bench.makeReady(bench.see.content(md5Of(path))!.id)
      }
      await put('archive', began_ms - day_ms)
      await put('told', began_ms + hour_ms)
      await put('left for the next time', began_ms + hour_ms)
      expect(await prompts.fresh()).toEqual(['left for the next time'])
      expect(await prompts.state(), 'the mark is that of the reports').toMatchObject({
        last_written_due_ms: run_due_ms + day_ms,
      })
      await prompts.due()
      expect((await prompts.claim())[0]?.prompt_began_ms, 'what the next manifest says').toBe(
        began_ms,
      )
    },
  )

  check(
    'after a lost ledger, files that came since the oldest report and are in none are fresh',
    async (bench) => {
      const prompts = new PromptBench(bench)
      await prompts.configure({ name: 'digest' })
      const oldest_ms = bench.clock.now_ms() - 30 * day_ms
      const restored = (run_due_ms: number, text: string) =>
        ({
          type: 'covered_restored',
          prompt: 'digest',
          run_due_ms,
          began_ms: run_due_ms,
          covered: [{ md5: md5Of(text), size: text.length }],
        }) as const
      await bench.record(
        restored(oldest_ms, 'told'),
        restored(oldest_ms + 7 * day_ms, 'told later'),
      )
      const put = async (path: string, at_ms: number, folder = 'docs') => {
        const stat = statOf(path.length, 1n, BigInt(at_ms) / 1_000n)
        await bench.record({ type: 'file_settled', folder, path, stat, md5: md5Of(path) })
        await bench.makeReady(bench.see.content(md5Of(path))!.id)
      }
      await put('archive', oldest_ms - day_ms)
      await put('told', oldest_ms + day_ms)
      await put('not told', oldest_ms + 2 * day_ms)
      await bench.clock.advance(day_ms)
      await bench.online('added')
      await put('archive of another', oldest_ms + 2 * day_ms, 'added')
      expect(await prompts.fresh(['docs', 'added'])).toEqual(['not told'])
    },
  )
}
