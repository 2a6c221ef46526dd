import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { factsOfPrompts } from '../../src/prompts/configure-prompts.ts'
import { openRunRig } from './ask/answer-run-rig.ts'

const md5 = '0123456789abcdef0123456789abcdef'

test('a prompt without a run in the ledger learns the covered files from its manifests at once; one with a run does not', async () => {
  const rig = await openRunRig()
  const { settings, project_id } = rig
  const { name, report } = settings
  const of_prompt = { format: 'sluice-run', version: 1, prompt: name, project_id }
  const manifest = { ...of_prompt, began_ms: 5, due_ms: 7, assets: [{ md5, size: 3 }] }
  const put = (file: string, content: object) => {
    writeFileSync(join(report.dir, `${file}.json`), JSON.stringify(content))
    writeFileSync(join(report.dir, `${file}.md`), 'the report\n')
  }
  put('one', manifest)
  put('of another', { ...manifest, prompt: 'another' })
  put('a later one', { ...manifest, due_ms: 8, began_ms: 6 })
  put('without its begin', { ...manifest, due_ms: 8, began_ms: undefined })
  put('with an odd begin', { ...manifest, due_ms: 8, began_ms: 'long ago' })
  writeFileSync(join(report.dir, 'alone.json'), JSON.stringify({ ...manifest, due_ms: 9 }))
  const facts = () => factsOfPrompts(rig.ledger, [{ ...settings, project_id }], rig.tools().report)
  const [configured, ...covered] = await facts()
  expect(configured).toMatchObject({ type: 'prompts_configured', prompts: [{ name, project_id }] })
  const restored = { type: 'covered_restored', prompt: name, covered: [{ md5, size: 3 }] }
  expect(covered).toEqual([
    { ...restored, run_due_ms: 7, began_ms: 5 },
    { ...restored, run_due_ms: 8, began_ms: 6 },
  ])
  await rig.due()
  expect((await facts()).map(({ type }) => type)).toEqual(['prompts_configured'])
})
