import { copyFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
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

  office.remove(minutes[0]!.path)
  office.move(contracts[0]!.path, 'contracts/old.docx')
  copyFileSync('test/service/ingest/documents/encrypted.pdf', join(office.docs, 'scan.pdf'))
  await office.bringIn({ 'minutes/2026-11-10.md': 'The meeting decided to paint the hall.\n' })
  const head = headIn(await office.hour())
  expect(head).toContain('\n**1 new · 1 gone · 1 moved · 1 refused**\n')
  expect(head).toMatch(/\n- `docs\/minutes\/2026-11-10\.md`: new, .*, read whole\n/)
  expect(head).toContain('\n- `docs/minutes/2026-11-01.md`: gone\n')
  expect(head).toContain(
    '\n- `docs/contracts/old.docx`: moved from docs/contracts/contract-1.docx\n',
  )
  expect(head).toMatch(/\n- `docs\/scan\.pdf`: refused: .*encrypted/)
})

function headIn({ report_path }: { report_path: string | undefined }): string {
  return readFileSync(report_path!, 'utf8').split('\n---\n')[1]!
}
