import { createHash, randomFillSync } from 'node:crypto'
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { startExaminer } from '../../src/disk/examiner.ts'
import { most_part_bytes } from '../../src/disk/read-ahead.ts'
import { makeTree } from '../tree.ts'

const examiner = startExaminer({ threads: 1 })
afterAll(() => examiner.close())

const content = randomFillSync(Buffer.alloc(9 * most_part_bytes))
const root = makeTree({ file: content })

async function pause(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve))
}

/**
 * Takes it as a socket does: a part is looked at again when the next one is there, and must be as it was.
 * The lengths, in order.
 */
async function readAsSocket(size: number, pauses: readonly number[]): Promise<number[]> {
  const descriptor = openSync(join(root, 'file'), 'r')
  const md5 = createHash('md5').update(content.subarray(0, size)).digest('hex')
  const reader = examiner.readAhead(descriptor, size, md5)
  const lengths: number[] = []
  let position = 0
  let held: { part: Uint8Array; from: number } | undefined
  const expectHeld = () => {
    if (held) expect(content.compare(held.part, 0, held.part.length, held.from, held.from + held.part.length)).toBe(0)
  }
  for (let index = 0; index < reader.parts; index++) {
    const part = await reader.next()
    if (!(part instanceof Uint8Array)) throw new Error(part.kind)
    await pause(pauses[index % pauses.length]!)
    expectHeld()
    held = { part, from: position }
    position += part.length
    lengths.push(part.length)
  }
  expectHeld()
  expect(await reader.haveMd5()).toBe(true)
  await reader.close()
  closeSync(descriptor)
  return lengths
}

test('any size, at any pace: the same bytes in their order, each part good until the one after the next is asked for', async () => {
  const near = fc
    .integer({ min: 1, max: 8 })
    .chain((parts) => fc.integer({ min: -2, max: 2 }).map((by) => parts * most_part_bytes + by))
  const sizes = fc.oneof(near, fc.integer({ min: 1, max: content.length }))
  const pauses = fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 9 })
  await fc.assert(
    fc.asyncProperty(sizes, pauses, async (size, each) => {
      const lengths = await readAsSocket(size, each)
      expect(lengths.reduce((sum, length) => sum + length, 0)).toBe(size)
      expect(Math.max(...lengths)).toBeLessThanOrEqual(most_part_bytes)
      expect(Math.max(...lengths) - Math.min(...lengths)).toBeLessThanOrEqual(1)
    }),
    { numRuns: 40 },
  )
})

test('a file that is shorter than it should be has changed; a number that is no open file cannot be read', async () => {
  const descriptor = openSync(join(root, 'file'), 'r')
  const reader = examiner.readAhead(descriptor, content.length + most_part_bytes, 'a'.repeat(32))
  const found: unknown[] = []
  for (let index = 0; index < reader.parts; index++) found.push(await reader.next())
  expect(found.at(-1)).toEqual({ kind: 'changed' })
  await reader.close()
  closeSync(descriptor)

  const nothing = examiner.readAhead(9_999, 1, 'a'.repeat(32))
  expect(await nothing.next()).toEqual({ kind: 'unreadable', code: 'EBADF' })
  await nothing.close()
})
