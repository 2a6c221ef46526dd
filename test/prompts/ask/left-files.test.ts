import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { SourceRead } from '../../../src/domain/source-read.ts'
import type { RunView } from '../../../src/ledger/views/view-prompts.ts'
import { awaitAnswer } from '../../../src/prompts/ask/await-answer.ts'
import { parseManifest } from '../../../src/prompts/manifest.ts'
import { openRunRig, type RunRig } from './answer-run-rig.ts'

/** Runs the prompt once. The local service gives no such answers, so the test gives them. */
async function runWith(
  rig: RunRig,
  response: string,
  read?: Record<string, SourceRead['read']>,
): Promise<RunView> {
  await rig.due()
  const work = await rig.runTo('asked')
  const tools = rig.tools()
  const sources =
    read && Object.entries(read).map(([asset_id, amount]) => ({ asset_id, read: amount }))
  const value = { status: 'done', prompt: 'a', response, sources }
  const readMessage = async () => ({ ok: true, value }) as never
  const remote: typeof tools.remote = { ...tools.remote, readMessage }
  await rig.record(...(await awaitAnswer(work, rig.settings, { ...tools, remote })))
  expect(await rig.run()).toEqual(['answered'])
  return rig.shown(work.run)
}

const manifestOf = ({ report_path }: RunView) =>
  JSON.parse(readFileSync(report_path!.replace(/\.md$/, '.json'), 'utf8'))
const namesOf = (files: { name: string }[]) => files.map(({ name }) => name)
const asked = (run: RunView) => namesOf([...run.planned_assets])

test('a file that is not read comes first in the next two runs; then it is covered with the reason', async () => {
  const rig = await openRunRig()
  const [a, b] = [await rig.bringIn('a.md'), await rig.bringIn('b.md')]
  const first = await runWith(rig, 'b.md is here.', { [b]: 'whole' })
  expect(manifestOf(first)).toMatchObject({
    assets: [{ name: 'notes/b.md', read: 'whole', named: true }],
    left: [{ name: 'notes/a.md', read: 'not', named: false }],
    coverage_line:
      'asked about 2 files: 1 read whole, 1 not read (notes/a.md; asked about again next time); 1 named',
  })
  expect(parseManifest(JSON.stringify(manifestOf(first)))?.assets).toHaveLength(1)
  const c = await rig.bringIn('c.md')
  const second = await runWith(rig, 'Nothing much.', { [c]: 'part' })
  expect(asked(second)).toEqual(['notes/a.md', 'notes/c.md'])
  const d = await rig.bringIn('d.md')
  const third = await runWith(rig, 'Nothing much.', { [a]: 'not', [d]: 'whole' })
  expect(asked(third)).toEqual(['notes/a.md', 'notes/d.md'])
  const note = '1 asked three times, not read (notes/a.md; not asked about again)'
  expect(manifestOf(third)).toMatchObject({
    assets: [{ name: 'notes/a.md', given_up: true }, { name: 'notes/d.md' }],
    left: [],
    notes: [note],
  })
  expect(readFileSync(third.report_path!, 'utf8')).toContain(`- ${note.replaceAll('*', '')}`)
  await rig.due()
  await rig.run()
  expect(rig.reported.at(-1)).toContain('nothing new')
})

test('an empty run is told, moves no mark, and its files come twice again', async () => {
  const rig = await openRunRig()
  await rig.bringIn('a.md')
  const before = await runWith(rig, 'a.md is here.')
  await rig.bringIn('b.md')
  const empty = await runWith(rig, ' \n')
  const why = 'the service gave no answer'
  expect(empty).toMatchObject({ state: 'written', empty: why })
  expect(manifestOf(empty)).toMatchObject({ empty: why, assets: [] })
  const report = readFileSync(empty.report_path!, 'utf8')
  expect(report).toContain(`\nempty: "${why}"\n`)
  expect(report).toContain(`\n*This run is empty: ${why}*\n`)
  expect(report).toContain('asked about again next time (notes/b.md)')
  const again = await runWith(rig, 'I see nothing.', {})
  expect(again.empty).toBe('the service read none of the files')
  const last = await runWith(rig, '')
  expect(last.last_written_due_ms).toBe(before.due_ms)
  expect(manifestOf(last)).toMatchObject({
    coverage_line:
      'asked about 1 file, without an answer about them; 1 asked three times, no answer (notes/b.md)',
    left: [],
    notes: ['1 asked three times, no answer (notes/b.md; not asked about again)'],
  })
  await rig.due()
  await rig.run()
  expect(rig.reported.at(-1)).toContain('nothing new')
})

test('the last answer word for word over other files is an empty run, and no other', async () => {
  const rig = await openRunRig()
  const answer = 'The harbour is quiet today. '.repeat(10)
  await rig.bringIn('a.md')
  expect((await runWith(rig, answer)).empty).toBeUndefined()
  await rig.bringIn('b.md')
  const repeated = await runWith(rig, answer)
  expect(repeated.empty).toContain('word for word')
  await rig.bringIn('c.md')
  const again = await runWith(rig, answer)
  expect([asked(again), again.empty]).toEqual([['notes/b.md', 'notes/c.md'], repeated.empty])
  expect((await runWith(rig, `${answer}Now b.md is here.`)).empty).toBeUndefined()
  rig.settings = { ...rig.settings, scope: { ...rig.settings.scope, fresh: 'all' } }
  const all = await runWith(rig, `${answer}Now b.md is here.`)
  expect(all.empty, 'the same files').toBeUndefined()
})

test('what a run over a time span leaves comes again after that span', async () => {
  const rig = await openRunRig({ scope: { fresh: { within_ms: 60_000 } } })
  const a = await rig.bringIn('a.md')
  await rig.bringIn('b.md')
  await runWith(rig, 'a.md is here.', { [a]: 'whole' })
  const query = {
    prompt: 'digest',
    folders: ['notes'],
    only_fresh: false,
    only_come: false,
    limit: 9,
  }
  const { arrivals } = await rig.ledger.arrivals({ ...query, since_ms: Number.MAX_SAFE_INTEGER })
  expect(arrivals).toMatchObject([{ path: 'b.md', times_unread: 1, covered: false }])
})
