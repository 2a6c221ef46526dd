import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  createManyMd5s,
  createOneByOne,
  createSideBySide,
  isRight,
  type ManyMd5s,
  type TellMd5,
} from '../../src/disk/md5-lanes.ts'
import { lanes } from '../../src/disk/md5-module.ts'

const largest_bytes = 1_000

type Make = (largest_bytes: number, tell: TellMd5) => ManyMd5s

function rig(make: Make) {
  const told = new Map<number, string>()
  const md5s = make(largest_bytes, (number, md5) => {
    expect(told.has(number)).toBe(false)
    told.set(number, md5)
  })
  return {
    md5s,
    add(input: Uint8Array, number: number) {
      const room = md5s.room()
      // What is left there from before must not count.
      room.fill(0xff)
      room.set(input)
      md5s.add(input.length, number)
    },
    /** In the order of their numbers. */
    finish() {
      md5s.finish()
      const all = [...told].sort(([a], [b]) => a - b).map(([, md5]) => md5)
      told.clear()
      return all
    },
  }
}

const md5Of = (input: Uint8Array) => createHash('md5').update(input).digest('hex')

function bytesOf(length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, at) => (at * 89 + length) % 251)
}

describe.each<[string, Make]>([
  ['one by one, then side by side', (largest_bytes, tell) => createManyMd5s(largest_bytes, tell, 3)],
  ['side by side', (largest_bytes, tell) => createSideBySide(largest_bytes, tell)!],
  ['one by one', createOneByOne],
])('the md5s of many inputs, %s', (_way, make) => {
  test('of every length up to three blocks, and the largest', () => {
    const inputs = [...Array.from({ length: 200 }, (_, length) => bytesOf(length)), bytesOf(largest_bytes)]
    const { add, finish } = rig(make)
    for (const [number, input] of inputs.entries()) add(input, number)
    expect(finish()).toEqual(inputs.map(md5Of))
  })

  test('however long the ones beside it are, in batch after batch', () => {
    const { add, finish } = rig(make)
    const input = fc.uint8Array({ maxLength: largest_bytes, size: 'max' })
    const property = fc.property(fc.array(input, { maxLength: 20 }), (inputs) => {
      for (const [number, bytes] of inputs.entries()) add(bytes, number)
      expect(finish()).toEqual(inputs.map(md5Of))
    })
    fc.assert(property)
  })

  test('a room that was written to and not added counts for nothing', () => {
    const { md5s, add, finish } = rig(make)
    for (const [number, length] of [3, 100, 64].entries()) {
      md5s.room().fill(1)
      add(bytesOf(length), number)
    }
    md5s.room().fill(1)
    expect(finish()).toEqual([3, 100, 64].map(bytesOf).map(md5Of))
  })
})

test('here they go side by side: the first is told when all lanes are full', () => {
  const told: number[] = []
  const md5s = createSideBySide(largest_bytes, (number) => told.push(number))!
  const numbers = Array.from({ length: lanes }, (_, number) => number)
  for (const number of numbers) {
    expect(told).toEqual([])
    md5s.room().set(bytesOf(64))
    md5s.add(64, number)
  }
  expect(told).toEqual(numbers)
})

test('few go one after the other, and those after them side by side', () => {
  const told: number[] = []
  // A size of its own: for that no module was made yet.
  const md5s = createManyMd5s(largest_bytes + 1, (number) => told.push(number), 2)
  for (const number of [0, 1, 2]) md5s.add(3, number)
  expect(told).toEqual([0, 1])
  md5s.finish()
  expect(told).toEqual([0, 1, 2])
})

describe('before it is trusted', () => {
  test('what hashes as OpenSSL does is right', () => {
    expect(isRight((tell) => createOneByOne(largest_bytes, tell), largest_bytes)).toBe(true)
  })

  test.each([1, 55, 56, 64, largest_bytes])('what is wrong for an input of %i bytes is not', (wrong_size) => {
    const create = (tell: TellMd5): ManyMd5s => {
      const right = createOneByOne(largest_bytes, tell)
      return {
        ...right,
        add: (bytes, number) => (bytes === wrong_size ? tell(number, 'f'.repeat(32)) : right.add(bytes, number)),
      }
    }
    expect(isRight(create, largest_bytes)).toBe(false)
  })

  test('nor is what forgets one', () => {
    const create = (tell: TellMd5): ManyMd5s => {
      const right = createOneByOne(largest_bytes, tell)
      return { ...right, add: (bytes, number) => number > 0 && right.add(bytes, number) }
    }
    expect(isRight(create, largest_bytes)).toBe(false)
  })
})
