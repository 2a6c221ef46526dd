import { execFileSync } from 'node:child_process'
import { closeSync, constants, openSync, readdirSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeStore } from '../../rig/tree.ts'
import { within } from '../../rig/waiting.ts'
import { put, start, until } from '../fixture.ts'

/** Too much for the database: it goes into a file. */
const bytes = Buffer.from('The heron waits in the reeds.\n'.repeat(10_000))

test('a stop ends although a read never returns', async () => {
  const data_dir = makeStore()
  const client = await start({ data_dir })
  const slot = await client.slot()
  expect((await put(slot, bytes)).status).toBe(201)
  const objects = join(data_dir, 'objects')
  const object = join(objects, readdirSync(objects)[0]!)
  rmSync(object)
  execFileSync('mkfifo', [object])
  // The test never ends this pipe, so the read waits as on a disk that does not answer.
  const pipe = openSync(object, constants.O_RDWR | constants.O_NONBLOCK)
  try {
    while (writes(pipe));
    expect((await client.post(`/v1/assets/${slot.asset_id}/complete`)).status).toBe(200)
    await until(() => writes(pipe), 'the pipe is read')
    await within('the stop', client.service.close())
  } finally {
    // Ends the read, and the thread.
    closeSync(pipe)
  }
})

/** False if the pipe is full: nothing is read from it. */
function writes(pipe: number): boolean {
  try {
    return writeSync(pipe, Buffer.alloc(4_096)) > 0
  } catch {
    return false
  }
}
