import { expect, test } from 'vitest'
import { createCheckTurns } from '../../../src/sync/intake/check-turns.ts'

const by_event = { folder: 'notes', by_scan: false }
const by_walk = { folder: 'notes', by_scan: true }

function begun() {
  const order: string[] = []
  return {
    order,
    work(name: string) {
      let resolve!: (name: string) => void
      let reject!: (error: Error) => void
      const promise = new Promise<string>((on_done, on_error) => {
        resolve = on_done
        reject = on_error
      })
      return {
        promise,
        resolve: () => resolve(name),
        reject: () => reject(new Error(name)),
        begin: () => {
          order.push(name)
          return promise
        },
      }
    },
  }
}

test('only one caller checks a path at a time; others continue, even if the first check fails', async () => {
  const { order, work } = begun()
  const turns = createCheckTurns()
  const [first, second, other] = [work('first'), work('second'), work('other')]
  const one = turns.take({ ...by_event, paths: ['a', 'b'] }, first.begin)
  const two = turns.take({ ...by_walk, paths: ['b', 'c'] }, second.begin)
  const three = turns.take({ ...by_event, folder: 'elsewhere', paths: ['b'] }, other.begin)
  await expect.poll(() => order).toEqual(['first', 'other'])
  first.reject()
  await expect(one).rejects.toThrow('first')
  second.resolve()
  other.resolve()
  expect(await Promise.all([two, three])).toEqual(['second', 'other'])
  expect(order).toEqual(['first', 'other', 'second'])
  expect(turns.inFlight()).toBe(0)
})

test('a check inside a range waits until the range is recorded; the scan itself and paths outside do not wait', async () => {
  const { order, work } = begun()
  const turns = createCheckTurns()
  const range = work('range')
  const scan = turns.beginScan('notes')
  scan.hold('b/first', 'b/last', range.promise)
  const done = ['b/first', 'b/last', 'b/in', 'a', 'b/last-of-all'].map((path) =>
    turns.take({ ...by_event, paths: [path] }, async () => order.push(path)),
  )
  done.push(turns.take({ ...by_walk, paths: ['b/own'] }, async () => order.push('b/own')))
  await expect.poll(() => [...order].sort()).toEqual(['a', 'b/last-of-all', 'b/own'])
  expect(turns.inFlight()).toBe(1)
  range.resolve()
  await Promise.all(done)
  expect(order.slice(3).sort()).toEqual(['b/first', 'b/in', 'b/last'])
  expect(turns.inFlight()).toBe(0)
})

test('a scan does not record paths that others checked since it began; if there are too many to remember, that means all paths', async () => {
  const turns = createCheckTurns()
  const check = (folder: string, ...paths: string[]) =>
    turns.take({ folder, paths, by_scan: false }, async () => {})
  await check('notes', 'before')
  const scan = turns.beginScan('notes')
  await check('notes', 'meanwhile')
  await check('elsewhere', 'not-here')
  await turns.take({ ...by_walk, paths: ['its-own'] }, async () => {})
  const paths = ['before', 'meanwhile', 'not-here', 'its-own']
  expect(paths.filter((path) => scan.isFirst(() => path))).toEqual([
    'before',
    'not-here',
    'its-own',
  ])
  await check('notes', ...Array.from({ length: 10_001 }, (_, number) => `many-${number}`))
  expect(paths.filter((path) => scan.isFirst(() => path))).toEqual([])
  scan.end()
})
