import { expect, test } from 'vitest'
import { createDeviceTurns } from '../../src/sync/device-turns.ts'

const going = new AbortController().signal

test('turns on one device come one after the other, those on another beside them', async () => {
  const turns = createDeviceTurns()
  const told: string[] = []
  const take = async (name: string, device: bigint, signal = going) => {
    const end = await turns.take(device, signal)
    told.push(name)
    return end
  }
  const end_first = await take('first', 1n)
  const second = take('second', 1n)
  const stop = new AbortController()
  const stopped = take('stopped', 1n, stop.signal)
  const fourth = take('fourth', 1n)
  const end_other = await take('other', 2n)
  expect(told).toEqual(['first', 'other'])

  stop.abort()
  const end_stopped = await stopped
  // Who gave up waiting lets nobody in before those that came earlier.
  end_stopped()
  await Promise.resolve()
  expect(told).toEqual(['first', 'other', 'stopped'])
  end_first()
  const end_second = await second
  expect(told.slice(3)).toEqual(['second'])
  end_second()
  const end_fourth = await fourth
  expect(told.slice(4)).toEqual(['fourth'])
  end_fourth()
  end_other()
})
