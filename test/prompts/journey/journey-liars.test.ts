import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { modelFile } from '../../service/assistant/assistant-file.ts'
import { factFiles } from '../../service/assistant/whole/fact-files.ts'
import { type FactModelOptions, factModel } from '../../service/assistant/whole/fact-model.ts'
import { openOffice } from './journey-office.ts'

async function officeWith(options: FactModelOptions, config: object = {}) {
  const model = await factModel(options)
  const assistant_config = modelFile(model.origin, { context_chars: 24_000, ...config })
  return openOffice({ service: { assistant_config }, prompt: { prompt: 'Summarise what is new.' } })
}

const treeOf = (files: ReturnType<typeof factFiles>) =>
  Object.fromEntries(files.map(({ name, text }) => [name, text]))

function headOf({ report_path }: { report_path: string | undefined }): string {
  return readFileSync(report_path!, 'utf8').split('\n---\n')[1]!
}

test('a model that leaves out every fourth file: the head says how many are named', async () => {
  const office = await officeWith({ liar: 'subset' })
  await office.bringIn(treeOf(factFiles(20)))
  expect(headOf(await office.hour())).toContain('asked about 20 files: 20 read whole; 15 named')
})

test('a model that says nothing: the run fails with the words of the service', async () => {
  const office = await officeWith({ liar: 'silent' })
  await office.bringIn(treeOf(factFiles(3)))
  const { state, error } = await office.hour()
  expect([state, error?.message]).toEqual([
    'failed',
    expect.stringMatching(/gave an empty answer$/),
  ])
})

test('a model that repeats itself: the next run is told as empty', async () => {
  const office = await officeWith({ liar: 'repeat' })
  await office.bringIn(treeOf(factFiles(6)))
  expect((await office.hour()).empty).toBeUndefined()
  await office.bringIn({ 'later.txt': 'FACT-0700 later.txt: the lease ends in May.\n' })
  const run = await office.hour()
  expect(run.empty).toContain('word for word that of the last report')
  expect(headOf(run)).toContain(`This run is empty: ${run.empty}`)
  expect(headOf(run)).toContain('asked about again next time (docs/later.txt)')
})

test('files past the limit of calls come first next time, and all are read in the end', async () => {
  const office = await officeWith({}, { max_calls: 4 })
  const files = factFiles(120)
  await office.bringIn(treeOf(files))
  let reports = ''
  const left: string[][] = []
  for (let round = 0; round < 3; round++) {
    const run = await office.hour()
    expect(run.state).toBe('written')
    reports += readFileSync(run.report_path!, 'utf8')
    left.push(
      office
        .manifests()
        .at(-1)!
        .left.map(({ name }) => name),
    )
    if (left.at(-1)!.length === 0) break
  }
  expect(left.length).toBeGreaterThan(1)
  expect(left.at(-1)).toEqual([])
  expect(files.filter(({ fact }) => !reports.includes(fact))).toEqual([])
})
