import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { modelFile } from '../../service/assistant/assistant-file.ts'
import { factModel } from '../../service/assistant/whole/fact-model.ts'
import { openOffice } from './journey-office.ts'
import { contracts, minutes, office_folder, treeOf } from './office-folder.ts'

const summary = { prompt: 'Summarise what is new.', read: 'every_file' }

test('of an office folder a model reads each contract, each meeting and both tables', async () => {
  const model = await factModel()
  const assistant_config = modelFile(model.origin, { context_chars: 24_000 })
  const office = await openOffice({ service: { assistant_config }, prompt: summary })
  await office.bringIn(treeOf(office_folder))
  const run = await office.hour()
  const report = readFileSync(run.report_path!, 'utf8')
  const told = (files: typeof contracts) => files.filter(({ fact }) => report.includes(fact))
  expect(told(contracts)).toHaveLength(8)
  expect(told(minutes)).toHaveLength(9)
  expect(told(office_folder)).toHaveLength(19)
})

test('without a model each file of an office folder has its section', async () => {
  const office = await openOffice({ prompt: summary })
  await office.bringIn(treeOf(office_folder))
  const report = readFileSync((await office.hour()).report_path!, 'utf8')
  for (const { path } of office_folder) expect(report).toContain(`\n**docs/${path}**\n`)
})
