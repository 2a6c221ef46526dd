import { expect, onTestFinished, test } from 'vitest'
import { SluiceError } from '../../../src/base/run/errors.ts'
import { system_clock } from '../../../src/base/time/time.ts'
import { runIndexing } from '../../../src/service/reading/index-anew.ts'
import { until } from '../fixture.ts'

test('a file whose text ends the reading thread again and again is left out, and is named', async () => {
  const end = new AbortController()
  const lines: string[] = []
  const asked: [name: string, argument: unknown][] = []
  let left = 20
  const answers: Record<string, () => unknown> = {
    progress: () => ({ done: 20 - left, of: 20 }),
    indexAnew() {
      throw new SluiceError({ code: 'thread.failed', message: 'the thread ended' })
    },
    leaveOutNext() {
      left = 0
      return [{ asset: 7, why: 'the thread ended' }]
    },
  }
  const parts = {
    assets: {
      dueForIngest: () => [],
      bySeq: () => ({ filename: 'a.txt', asset_id: 'asset_a', size_in_bytes: 1 }),
    },
    clock: system_clock,
    signal: end.signal,
    reader: {
      async ask(name: string, argument: unknown) {
        asked.push([name, argument])
        return answers[name]!()
      },
    },
    indexing: { progress: undefined },
    log: (line: string) => lines.push(line),
    on_error: () => {},
  }
  const worker = runIndexing(parts as never)
  onTestFinished(async () => {
    end.abort()
    await worker.ended
  })
  const calls = () => asked.filter(([name]) => name !== 'progress')
  await until(() => {
    worker.wake()
    return lines.some((line) => line.includes('answers leave it out'))
  })
  expect(calls().map(([name]) => name)).toEqual([
    'indexAnew',
    'indexAnew',
    'indexAnew',
    'leaveOutNext',
  ])
  // After the first end each file is tried by itself.
  expect(calls()[1]).toEqual(['indexAnew', 1])
})
