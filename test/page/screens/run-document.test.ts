import { expect, test } from 'vitest'
import type { RunView } from '../../../src/ledger/views/view-prompts.ts'
import { runDocument } from '../../../src/page/html/run-document.ts'
import { officeRun } from '../../prompts/report/office-run.ts'
import { settingsOf } from '../../prompts/settings.ts'

test('what was not read has the files read in part and those that were refused', () => {
  const run = officeRun()
  const view = { ...run, planned_assets: run.assets } as unknown as RunView
  const { text } = runDocument(view, { prompts: [settingsOf()] }, { zone: 'UTC', base_path: '' })
  const [, unread = ''] = text.split('<h2>What was not read</h2>')
  const names = [...unread.split('<h2>')[0]!.matchAll(/path=([^"]*)"/g)].map(([, path]) => path)
  expect(names).toEqual(['prices.xlsx', 'contracts%2Flease.pdf', 'scan.pdf', 'old.bin'])
})
