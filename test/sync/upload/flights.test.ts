import { expect, test } from 'vitest'
import { Flights } from '../../../src/sync/upload/flights.ts'

const pieces = async function* (...sizes: number[]) {
  for (const size of sizes) yield new Uint8Array(size)
}
const none = { files: 0, bytes: 0, count: 0, largest_left_bytes: 0 }

function streamOf(...sizes: number[]) {
  const size = sizes.reduce((sum, one) => sum + one, 0)
  return { size, stream: { [Symbol.asyncIterator]: () => pieces(...sizes) } }
}

test('bytes count as they are taken, a retry begins anew, and the end removes the file', async () => {
  const flights = new Flights()
  const body = flights.watch(7, streamOf(10, 20, 10))
  flights.watch(8, streamOf(60))
  if ('bytes' in body) throw new Error('it is a stream')
  const first = body.stream[Symbol.asyncIterator]()
  await first.next()
  await first.next()
  await first.next()
  expect(flights.moved()).toEqual({ files: 0.75, bytes: 30, count: 2, largest_left_bytes: 60 })
  const again = body.stream[Symbol.asyncIterator]()
  await again.next()
  expect(flights.moved().bytes).toBe(0)
  flights.end(7)
  flights.end(8)
  expect(flights.moved()).toEqual(none)
})

test('a body in memory goes as it is', () => {
  const flights = new Flights()
  const body = { size: 3, bytes: new Uint8Array(3) }
  expect(flights.watch(1, body)).toBe(body)
  expect(flights.moved()).toEqual(none)
})
