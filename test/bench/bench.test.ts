import { expect, test } from 'vitest'
import { programThat, runBench } from './run-bench.ts'

// bench.release.ts checks what a run measures; no-figures.release.ts has programs that do the wrong
// work.
test('prints no figures for a program that does nothing', async () => {
  const { code, errors } = await runBench(
    '--files',
    '20',
    '--only',
    'rescan',
    '--program',
    programThat('process.exit()'),
  )
  expect(code).toBe(1)
  expect(errors).toMatch(/^no figures: /)
})

test.each([
  ['--only=neither', '--only is rescan, sync or service, or some of them'],
  ['--rounds=0', '--rounds is a whole number from 1 on'],
])('%s is refused', async (word, message) => {
  const { code, errors } = await runBench(word)
  expect(code).not.toBe(0)
  expect(errors).toContain(message)
})
