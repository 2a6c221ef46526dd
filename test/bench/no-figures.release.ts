import { expect, test } from 'vitest'
import { programThat, runBench } from './run-bench.ts'

test('prints no figures when a rescan reports another file than the changed ones', async () => {
  const touch = `if (knows_it && watched.endsWith('watched')) writeFileSync(watched + '/more.txt', 'not by the bench')
                 await new Promise((resolve) => setTimeout(resolve, 200))`
  const { code, errors } = await runBench(
    '--files',
    '20',
    '--only',
    'rescan',
    '--program',
    programThat(touch),
  )
  expect(code).toBe(1)
  expect(errors).toMatch(/^no figures: reported as added: 2 \(/)
})

test('prints no figures when a first sync does not send all files', async () => {
  const hide = `config.folders[0].exclude = ['minutes-7.txt']
                writeFileSync(process.argv.at(-1), JSON.stringify(config))`
  const { code, errors } = await runBench(
    '--files',
    '20',
    '--only',
    'sync',
    '--program',
    programThat(hide),
  )
  expect(code).toBe(1)
  expect(errors).toMatch(
    /^no figures: 19 of 19 files in the ledger are ready; there are 20 in the folder/,
  )
})
