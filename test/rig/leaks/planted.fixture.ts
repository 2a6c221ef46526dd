import { spawn } from 'node:child_process'
import { watch } from 'node:fs'
import { createServer } from 'node:net'
import { Worker } from 'node:worker_threads'
import { test } from 'vitest'

/** no-leaks.test.ts runs this file in its own vitest: each of these leaks must fail it. */
test('leaves things running', async () => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  watch(import.meta.dirname)
  spawn('cat') // cat ends with its standard input, and so with this process
  setInterval(() => {}, 1_000)
  new Worker('setInterval(() => {}, 1_000)', { eval: true }).unref()
})
