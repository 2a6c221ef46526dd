import { expect } from 'vitest'
import { hour_ms } from '../../../../src/base/time/time.ts'
import type { LedgerFactory } from '../../fixture.ts'
import { withLedger } from '../with-ledger.ts'
import { PromptBench } from './prompt-bench.ts'

/** Files that a written run does not cover. */
export function leftContract(factory: LedgerFactory): void {
  const check = withLedger(factory)
  check('what a run leaves is fresh, with the number of runs that left it', async (bench) => {
    const prompts = new PromptBench(bench)
    await prompts.configure({ name: 'digest' }, { name: 'other' })
    const kept = await bench.makeReady(await bench.settle('docs', 'kept', 'kept'))
    await bench.makeReady(await bench.settle('docs', 'covered', 'covered'))
    const write = async (left: string[], empty?: string) => {
      const run = await prompts.due()
      await prompts.plan(run, await prompts.arrivals(['docs']))
      await prompts.answer(run, `answer ${run}`)
      const report_path = `/${run}.md`
      await bench.record({
        type: 'run_written',
        run,
        report_path,
        targets: [],
        left,
        ...(empty === undefined ? {} : { empty }),
      })
      return run
    }
    const unread = async (prompt = 'digest') =>
      (await prompts.arrivals(['docs'], { prompt })).map(({ path, times_unread }) => [
        path,
        times_unread,
      ])
    await write([kept])
    const mark_ms = (await prompts.state()).last_written_due_ms
    expect(await unread()).toEqual([['kept', 1]])
    expect(await unread('other')).toEqual([
      ['kept', 0],
      ['covered', 0],
    ])
    await write([kept], 'no answer')
    expect(await unread()).toEqual([['kept', 2]])
    expect((await prompts.state()).last_written_due_ms).toBe(mark_ms)
    const run = await prompts.due()
    await prompts.plan(run, await prompts.arrivals(['docs']))
    await prompts.answer(run)
    const work = await prompts.check(run)
    expect(work).toMatchObject({ assets: [{ times_unread: 2 }], empty: undefined })
    expect(work.last_answer, 'of the run before the empty one').toMatch(/^answer/)
    await prompts.write(run)
    expect(await unread()).toEqual([])
    expect((await prompts.state()).last_written_due_ms).toBeGreaterThan(mark_ms!)
  })

  check('the manifest of an empty run covers what it lists, and moves no mark', async (bench) => {
    const prompts = new PromptBench(bench)
    await prompts.configure({ name: 'digest', first_run: 'all' })
    const arrival = { began_ms: 1, prompt: 'digest', covered: [] }
    const restored = (run_due_ms: number, empty?: string) =>
      bench.record({ type: 'covered_restored', run_due_ms, ...arrival, ...(empty && { empty }) })
    await restored(hour_ms)
    await restored(2 * hour_ms, 'no answer')
    expect((await prompts.state()).last_written_due_ms).toBe(hour_ms)
  })
}
