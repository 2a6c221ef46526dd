import { expect, test } from 'vitest'
import type { FolderState } from '../../src/ledger/ledger.ts'
import { createDeviceTurns } from '../../src/sync/folder/device-turns.ts'
import { compareWithKnown, type ScanTools } from '../../src/sync/folder/scan-folder.ts'
import type { FolderSettings } from '../../src/sync/folder-settings.ts'

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

test('what stands on a disk is compared with what is known in its turn, too', async () => {
  const turns = createDeviceTurns()
  const end = await turns.take(5n, going)
  const untouched = new Proxy({ turns } as ScanTools, {
    get(tools, name) {
      if (name !== 'turns') throw new Error(`it has begun: ${String(name)}`)
      return tools.turns
    },
  })
  const stop = new AbortController()
  const options = { state: {} as FolderState, device: 5n, signal: stop.signal }
  const compared = compareWithKnown({} as FolderSettings, untouched, options)
  stop.abort()
  expect(await compared).toBeUndefined()
  end()
})
