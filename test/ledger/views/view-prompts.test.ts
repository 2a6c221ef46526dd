import { expect, test } from 'vitest'
import { openLedger } from '../../../src/ledger/open-ledger.ts'
import { openPromptsView } from '../../../src/ledger/views/view-prompts.ts'
import { makeTree } from '../../rig/tree.ts'
import { run_fault as error, PromptBench } from '../contract/prompts/prompt-bench.ts'
import { Bench } from '../fixture.ts'
import { inspectSqlite } from '../inspect-sqlite.ts'

test('shows prompts, runs and deliveries to users', async () => {
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
  const view = openPromptsView(memory)
  try {
    const prompts = new PromptBench(bench)
    await prompts.configure({ name: 'digest', first_run: 'all' }, { name: 'idle' })
    await bench.makeReady(await bench.settle('docs', 'a', 'text'))
    const written = await prompts.writeReport(await prompts.arrivals(['docs']), 'digest', [
      'mail',
      'hook',
      'chat',
    ])
    const written_ms = bench.clock.now_ms()
    await bench.record({ type: 'delivered', run: written, target: 'mail' })
    await bench.record({
      type: 'delivery_failed',
      run: written,
      target: 'hook',
      error,
      output: 'no space',
    })
    const skipped = await prompts.due()
    await bench.record({ type: 'run_skipped', run: skipped, why: 'nothing new' })
    const failed = await prompts.due()
    await bench.record({ type: 'run_failed', run: failed, error })

    expect(view.prompts()).toMatchObject([
      {
        name: 'digest',
        last_written_due_ms: written_ms,
        last_run: { run: failed },
      },
      { name: 'idle', last_run: undefined },
    ])
    expect(view.runs('digest', 2)).toMatchObject([
      { run: failed, state: 'failed', error, why: undefined },
      { run: skipped, state: 'skipped', why: 'nothing new', error: undefined, assets: 0 },
    ])
    expect(view.runs('idle', 2)).toEqual([])
    expect(view.run(written)).toMatchObject({
      state: 'written',
      ended_ms: written_ms,
      report_path: `/reports/${written}.md`,
      assets: 1,
      planned_assets: [{ name: 'docs/a' }],
      planned_refusals: [],
      // The period of a first report begins there, as in its file.
      prompt_began_ms: (await prompts.state()).began_ms,
      turns: [{ answer: 'nothing much' }],
      deliveries: [
        { target: 'mail', state: 'done', ended_ms: written_ms, error: undefined },
        { target: 'hook', state: 'failed', error, output: 'no space' },
        { target: 'chat', state: 'wanted', ended_ms: undefined },
      ],
    })
    expect(view.run(failed + 1)).toBeUndefined()
    expect(view.undelivered()).toMatchObject([
      { target: 'hook', prompt: 'digest' },
      { target: 'chat' },
    ])

    await bench.record({ type: 'delivery_wanted_again', run: written, targets: ['hook'] })
    expect(view.run(written)?.deliveries).toContainEqual(
      expect.objectContaining({
        target: 'hook',
        state: 'wanted',
        error: undefined,
        output: undefined,
      }),
    )
  } finally {
    view.close()
    await bench.close()
  }
})
