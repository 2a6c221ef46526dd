import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { makeTree } from '../../rig/tree.ts'

const relay = fileURLToPath(new URL('../../../dist/cli/relay.js', import.meta.url))

test('after the end, a file that is opened gets no line for standard error', async () => {
  const file = join(makeTree(), 'later')
  const script = `
    import { openSync, writeSync } from 'node:fs'
    import { endRelayed } from ${JSON.stringify(relay)}
    await endRelayed(0)
    openSync(${JSON.stringify(file)}, 'w')
    openSync(${JSON.stringify(file)}, 'a')
    for (const descriptor of [1, 2]) writeSync(descriptor, 'a late line')
    process.disconnect()
  `
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const code = new Promise((resolve) => child.on('exit', resolve))
  const printed = await Promise.all([text(child.stdout!), text(child.stderr!)])
  expect([await code, ...printed, readFileSync(file, 'utf8')]).toEqual([0, '', '', ''])
})
