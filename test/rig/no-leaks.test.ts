import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

test('a file that leaves things running fails and names them; a tidy file passes', async () => {
  const { output, code } = await runVitest('test/rig/leaks/vitest.config.ts')
  expect(code).not.toBe(0)
  expect(output).toContain('planted.fixture.ts leaves running:')
  for (const kind of [
    'TCPServerWrap',
    'FSEventWrap',
    'ProcessWrap',
    'Timeout',
    'Worker (a thread)',
  ]) {
    expect(output).toContain(`1 ${kind}`)
  }
  expect(output).toMatch(/1 Worker \(a thread\), started at .*planted\.fixture\.ts/)
  expect(output).not.toContain('tidy.fixture.ts leaves')
  expect(output).toMatch(/Test Files +1 failed \| 1 passed/)
})

async function runVitest(config: string): Promise<{ output: string; code: number | null }> {
  const child = spawn(
    process.execPath,
    ['node_modules/vitest/vitest.mjs', 'run', '--config', config, '--root', root],
    {
      cwd: root,
      env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined },
    },
  )
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => (output += String(chunk)))
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  return { output, code }
}
