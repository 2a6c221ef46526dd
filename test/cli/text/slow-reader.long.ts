import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { Home } from '../sluice.ts'

const program = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url))
/** A pipe holds 64 KiB. */
const prompt_characters = 20_000
const prompts = 8
/** Longer than a command waits for its last handles. */
const reader_rests_s = 7

test('a reader that takes its time gets the whole output', async () => {
  const home = await Home.make()
  home.configure({
    prompts: Array.from({ length: prompts }, (_, at) => ({
      name: `digest-${at}`,
      cron: '0 8 1 1 *',
      prompt: 'x'.repeat(prompt_characters),
      scope: { folders: ['docs'] },
      deliver: [{ file: { dir: `${home.path}/reports`, name: '{{name}}.md' } }],
    })),
  })
  const line = `"${process.execPath}" "${program}" config --json | (sleep ${reader_rests_s}; wc -c)`
  const child = spawn('sh', ['-c', line], { cwd: home.path })
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)])
  expect(Number(out), err).toBeGreaterThan(prompts * prompt_characters)
})
