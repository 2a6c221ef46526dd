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

interface Row {
  name: string
  figures: Record<string, unknown>
  aims: { figure: string; of?: string; max?: number; min?: number }[]
}

test('each aim names a figure of its row, a value of that figure, and one limit', async () => {
  const load = (module: string) => import(new URL(module, import.meta.url).href)
  const values = Object.keys((await load('rig/statistics.mjs')).figureOf([1]))
  const rows: Row[] = (await load('scale/scale-rows.mjs')).scale_rows
  for (const { name, figures, aims } of rows) {
    for (const { figure, of = 'median', max, min } of aims) {
      expect(Object.keys(figures), name).toContain(figure)
      expect(values, `${name}, ${figure}`).toContain(of)
      expect((max === undefined) !== (min === undefined), `${name}, ${figure}`).toBe(true)
    }
  }
})
