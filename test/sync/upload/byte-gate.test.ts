import { expect, test } from 'vitest'
import { createByteGate } from '../../../src/sync/upload/send-places.ts'

async function entered(
  gate: ReturnType<typeof createByteGate>,
  ...sizes: number[]
): Promise<number[]> {
  const inside: number[] = []
  for (const bytes of sizes) void gate.enter(bytes).then(() => inside.push(bytes))
  await new Promise(setImmediate)
  return inside
}

test('admits this number of bytes at once, in the order of arrival', async () => {
  const gate = createByteGate(100)
  const inside = await entered(gate, 60, 40, 50, 10)
  expect(inside).toEqual([60, 40])
  gate.leave(40)
  await new Promise(setImmediate)
  expect(inside).toEqual([60, 40])
  gate.leave(60)
  await new Promise(setImmediate)
  expect(inside).toEqual([60, 40, 50, 10])
})

test('a body larger than the limit goes alone', async () => {
  const gate = createByteGate(100)
  const inside = await entered(gate, 500, 1)
  expect(inside).toEqual([500])
  gate.leave(500)
  await new Promise(setImmediate)
  expect(inside).toEqual([500, 1])
})

test('a body of zero bytes needs no place', async () => {
  const gate = createByteGate(0)
  expect(await entered(gate, 0, 0)).toEqual([0, 0])
})
