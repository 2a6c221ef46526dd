import { expect } from 'vitest'
import type { Change } from '../../../../src/domain/run.ts'
import { type Bench, type LedgerFactory, other_project_id, statOf } from '../../fixture.ts'
import { withLedger } from '../with-ledger.ts'
import { PromptBench } from './prompt-bench.ts'

/** A folder that was scanned, with the content of one file in it. */
async function scannedWith(bench: Bench, path: string): Promise<number> {
  const content = await bench.settle('docs', path, path)
  await bench.scanned('docs')
  return content
}

const there = (path: string, was?: number, content?: number) => {
  const is_there = content !== undefined
  return { folder: 'docs', path, was, content, is_there, is_known: false }
}

/** Changes of files, from one report of a prompt to its next. */
export function changeContract(factory: LedgerFactory): void {
  const check = withLedger(factory)
  noted(check)
  reported(check)
}

function noted(check: ReturnType<typeof withLedger>): void {
  check('a file that comes, changes and goes after the first scan is noted', async (bench) => {
    const prompts = new PromptBench(bench)
    await prompts.configure({ name: 'digest' })
    const old = await scannedWith(bench, 'old')
    const came = await bench.settle('docs', 'new', 'new')
    const edited = await bench.settle('docs', 'old', 'edited')
    await bench.gone('docs', 'new')
    expect((await prompts.changes()).changes).toEqual([
      { ...there('new', undefined, came), is_there: false },
      there('old', old, edited),
      there('new', came),
    ])
    expect((await prompts.changes(['others'])).changes).toEqual([])
    await bench.seen('docs', 'new')
    expect((await prompts.changes()).changes.at(-1)).toEqual({
      ...there('new', came),
      is_there: true,
    })
  })

  check('touches, temporary files and what no prompt asks about are not noted', async (bench) => {
    const prompts = new PromptBench(bench)
    await prompts.configure({ name: 'digest', folders: ['others'] })
    await scannedWith(bench, 'a')
    await bench.settle('docs', 'a', 'edited before the prompt asked')
    await prompts.configure({ name: 'digest', folders: ['docs'] })
    await bench.seen('docs', 'temporary')
    await bench.gone('docs', 'temporary')
    await bench.seen('docs', 'a')
    await bench.settle('docs', 'a', 'edited before the prompt asked')
    await bench.record({
      type: 'file_skipped',
      folder: 'docs',
      path: 'a',
      stat: statOf(4),
      reason: 'placeholder',
      rule: '',
    })
    await prompts.configure()
    await bench.settle('docs', 'a', 'edited when none asked any more')
    await prompts.configure({ name: 'digest' })
    expect((await prompts.changes()).changes).toEqual([])
  })

  check('after a restart, changes are noted as before it', async (bench) => {
    const prompts = new PromptBench(bench)
    await prompts.configure({ name: 'digest' })
    await scannedWith(bench, 'a')
    await bench.reopen()
    const edited = await bench.settle('docs', 'a', 'edited')
    expect((await prompts.changes()).changes).toMatchObject([{ path: 'a', content: edited }])
  })
}

function reported(check: ReturnType<typeof withLedger>): void {
  check(
    'a written report moves the mark of its prompt alone; rows go when all have reported',
    async (bench) => {
      const prompts = new PromptBench(bench)
      await prompts.configure({ name: 'digest' }, { name: 'other' }, { name: 'apart', folders: [] })
      await scannedWith(bench, 'a')
      await bench.settle('docs', 'a', 'edited')
      const report = async (prompt: string) => {
        const { to } = await prompts.changes(['docs'], prompt)
        const run = await prompts.due(prompt)
        await prompts.plan(run, [], { changes_to: to })
        await bench.gone('docs', 'a')
        await prompts.answer(run)
        await prompts.write(run)
      }
      await report('digest')
      expect((await prompts.changes()).changes).toMatchObject([{ path: 'a', content: undefined }])
      await bench.ledger.tidy()
      expect((await prompts.changes(['docs'], 'other')).changes).toHaveLength(2)
      await report('other')
      await bench.ledger.tidy()
      expect((await prompts.changes(['docs'], 'other')).changes).toEqual([])
      expect((await prompts.changes(['docs'], 'apart')).changes).toHaveLength(1)
    },
  )

  check(
    'a failed run reports nothing; a prompt that begins or comes back reports what follows',
    async (bench) => {
      const prompts = new PromptBench(bench)
      await prompts.configure({ name: 'digest' })
      await scannedWith(bench, 'a')
      await bench.settle('docs', 'a', 'edited')
      const run = await prompts.due()
      await prompts.plan(run, [], { changes_to: (await prompts.changes()).to })
      await bench.record({ type: 'run_failed', run, error: { code: 'x', message: 'x' } })
      expect((await prompts.changes()).changes).toHaveLength(1)
      await prompts.configure({ name: 'digest' }, { name: 'late' })
      expect((await prompts.changes(['docs'], 'late')).changes).toEqual([])
      await prompts.configure({ name: 'late' })
      await prompts.configure({ name: 'digest' }, { name: 'late' })
      expect((await prompts.changes()).changes).toEqual([])
      await bench.gone('docs', 'a')
      await prompts.configure({ name: 'digest', project_id: other_project_id })
      await prompts.configure({ name: 'digest' })
      expect((await prompts.changes()).changes).toEqual([])
    },
  )

  check(
    'a changed file that a report cannot name yet is a change for the next one, too',
    async (bench) => {
      const prompts = new PromptBench(bench)
      await prompts.configure({ name: 'digest' })
      const old = await scannedWith(bench, 'a')
      const edited = await bench.settle('docs', 'a', 'edited')
      const write = async (changed: readonly Change[] = []) => {
        const { changes, to } = await prompts.changes()
        const run = await prompts.due()
        const found = await prompts.arrivals(['docs'])
        await prompts.plan(run, found, { changes_to: to, changed })
        await prompts.answer(run)
        await prompts.write(run)
        return changes.map(({ path, was, content }) => ({ path, was, content }))
      }
      const change = { path: 'a', was: old, content: edited }
      expect(await write([{ folder: 'docs', ...change }])).toEqual([change])
      await bench.makeReady(edited)
      expect(await write()).toEqual([change])
      expect(await write()).toEqual([])
    },
  )

  check('a change to what is not new to the prompt is known as such', async (bench) => {
    const prompts = new PromptBench(bench)
    await prompts.configure({ name: 'digest' })
    const old = await scannedWith(bench, 'a')
    await bench.makeReady(old)
    const known = async () => {
      const { changes, to } = await prompts.changes()
      const run = await prompts.due()
      await prompts.plan(run, await prompts.arrivals(['docs']), { changes_to: to })
      await prompts.answer(run)
      await prompts.write(run)
      return changes.map(({ content, is_known }) => ({ content, is_known }))
    }
    expect(await known()).toEqual([])
    const edited = await bench.settle('docs', 'a', 'edited')
    await bench.makeReady(edited)
    expect(await known()).toEqual([{ content: edited, is_known: false }])
    await bench.settle('docs', 'a', 'a')
    expect(await known()).toEqual([{ content: old, is_known: true }])
    await bench.settle('docs', 'a', 'edited')
    expect(await known()).toEqual([{ content: edited, is_known: true }])
  })
}
