import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { makeTree } from '../rig/tree.ts'

const dist = fileURLToPath(new URL('../../dist/', import.meta.url))

/** Runs a process that only waits for one call, and returns what it prints. */
function callAndPrint(method: string): { status: number | null; stdout: string } {
  const thread_door = JSON.stringify(join(dist, 'base/run/thread.js'))
  const folder = makeTree({
    'package.json': '{"type":"module"}',
    'served.js': `import { serveCalls } from ${thread_door}
      serveCalls(() => ({
        answer: () => 42,
        exit: () => process.exit(1),
        fail: () => { setImmediate(() => { throw new Error('it broke') }); return new Promise(() => {}) },
      }))`,
  })
  // startThread names threads as modules of dist/.
  const module = JSON.stringify(relative(dist, join(folder, 'served')))
  const caller = `import { startThread } from ${thread_door}
    console.log(await startThread(${module}).call('${method}').catch((error) => error.code))`
  writeFileSync(join(folder, 'caller.js'), caller)
  const { status, stdout } = spawnSync(process.execPath, [join(folder, 'caller.js')], {
    encoding: 'utf8',
  })
  return { status, stdout: stdout.trim() }
}

test('a call keeps the process alive until its answer, and an idle thread does not', () => {
  expect(callAndPrint('answer')).toEqual({ status: 0, stdout: '42' })
})

test('a call fails when its thread ends, even if nothing else keeps the process alive', () => {
  expect(callAndPrint('exit')).toEqual({ status: 0, stdout: 'thread.ended' })
  expect(callAndPrint('fail')).toEqual({ status: 0, stdout: 'thread.failed' })
})
