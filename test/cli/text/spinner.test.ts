import { expect, test } from 'vitest'
import { showSpinner } from '../../../src/cli/text/progress.ts'
import { createTerminal } from '../../../src/cli/text/terminal.ts'
import { FakeClock } from '../../rig/fake-clock.ts'

async function shown(isTTY: boolean): Promise<string> {
  let err = ''
  const stderr = {
    isTTY,
    columns: 20,
    write(text: string) {
      err += text
    },
  }
  const terminal = createTerminal({ stdout: { write: () => {} }, stderr, no_color: true })
  const clock = new FakeClock()
  let doing = 'asking'
  const spinner = showSpinner(terminal, clock, () => doing)
  await clock.advance(120)
  doing = 'waiting for the answer'
  await clock.advance(2_000)
  await spinner.end()
  await spinner.end()
  return err
}

test('draws one line in place, no wider than the window, and removes it at the end', async () => {
  const lines = (await shown(true)).split('\r\u001b[K')
  expect(lines.slice(0, 3)).toEqual(['', '⠋ asking', '⠙ asking'])
  expect(lines.at(-2)).toMatch(/^. waiting.*\(2 s\)$|^. waiting f?….*$/)
  expect(lines.at(-2)?.length).toBeLessThan(20)
  expect(lines.at(-1)).toBe('')
})

test('draws nothing into a file or a pipe', async () => expect(await shown(false)).toBe(''))
