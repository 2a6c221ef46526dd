import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runProgram } from '../../../../src/service/recognise/run-program.ts'
import { makeStore } from '../../../rig/tree.ts'
import { until } from '../../fixture.ts'

const stop = new AbortController()

function run(script: string, directory = makeStore(), max_ms = 20_000) {
  return runProgram({
    file: '/bin/sh',
    args: ['-c', script],
    directory,
    path: process.env.PATH ?? '',
    until_ms: performance.now() + max_ms,
    signal: stop.signal,
  })
}

test.each([
  ['it ends well', 'exit 0', undefined],
  ['it fails', 'exit 3', 'cannot read it'],
  ['it crashes', 'kill -SEGV $$', 'was ended by SIGSEGV'],
])('%s', async (_what, script, why) => expect(await run(script)).toBe(why))

test('a program that takes too long ends', async () =>
  expect(await run('sleep 60', makeStore(), 200)).toBe('takes too long'))

test('what a program leaves behind ends with it, too', async () => {
  const directory = makeStore()
  expect(await run('(sleep 1; echo late > late) & echo now > now', directory)).toBeUndefined()
  expect(existsSync(join(directory, 'now'))).toBe(true)
  expect(await run('sleep 1.2', directory)).toBeUndefined()
  expect(readdirSync(directory)).toEqual(['now'])
})

test('no file of it is larger than 128 MiB', async () => {
  const directory = makeStore()
  await run('head -c 300000000 /dev/zero > large', directory)
  expect(statSync(join(directory, 'large')).size).toBe(128 * 1024 * 1024)
})

test.each([
  ['a stop of the whole unit', 'kill -TERM $$', 'the service stops (SIGTERM)'],
  ['a program that is gone', 'exec /nowhere/at/all', 'cannot be started'],
])('%s blames no file', async (_what, script, message) =>
  expect(run(script)).rejects.toMatchObject({
    code: 'service.program',
    message: expect.stringContaining(message),
  }),
)

test('a stop of this service ends it', async () => {
  const directory = makeStore()
  const running = run('echo > begun; sleep 60', directory)
  const ended = expect(running).rejects.toMatchObject({ code: 'service.program' })
  await until(() => existsSync(join(directory, 'begun')))
  stop.abort()
  await ended
})
