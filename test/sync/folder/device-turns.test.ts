import { expect, test } from 'vitest'
import type { FolderState } from '../../../src/ledger/ledger.ts'
import { createDeviceTurns } from '../../../src/sync/folder/device-turns.ts'
import { compareWithKnown, type ScanTools } from '../../../src/sync/folder/scan-folder.ts'
import type { FolderSettings } from '../../../src/sync/folder-settings.ts'

const going = new AbortController().signal

/** A scan that ends when the test says so. */
function heldScan() {
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  return { ended, end: () => end() }
}

test('scans on one device run one after the other, and in parallel with scans on another device', async () => {
  const turns = createDeviceTurns()
  const begun: string[] = []
  const take = (name: string, device: bigint, signal = going) => {
    const { ended, end } = heldScan()
    const scan = async () => {
      begun.push(name)
      await ended
      return name
    }
    return { answer: turns.take(device, signal, scan), end }
  }
  const first = take('first', 1n)
  const second = take('second', 1n)
  const stop = new AbortController()
  const stopped = take('stopped', 1n, stop.signal)
  const fourth = take('fourth', 1n)
  const other = take('other', 2n)
  await expect.poll(() => begun).toEqual(['first', 'other'])

  stop.abort()
  expect(await stopped.answer).toBeUndefined()
  // A caller that stops waiting does not change the order of the others.
  await new Promise((resolve) => setImmediate(resolve))
  expect(begun).toEqual(['first', 'other'])
  first.end()
  expect(await first.answer).toBe('first')
  await expect.poll(() => begun.slice(2)).toEqual(['second'])
  second.end()
  await expect.poll(() => begun.slice(3)).toEqual(['fourth'])
  fourth.end()
  other.end()
  expect(await Promise.all([fourth.answer, other.answer])).toEqual(['fourth', 'other'])
})

test('a failed scan ends its turn', async () => {
  const turns = createDeviceTurns()
  const failed = turns.take(1n, going, () => Promise.reject(new Error('the disk')))
  const next = turns.take(1n, going, async () => 'scanned')
  await expect(failed).rejects.toThrow('the disk')
  expect(await next).toBe('scanned')
})

test('the comparison of a changed disk waits for its turn, too', async () => {
  const turns = createDeviceTurns()
  const { ended, end } = heldScan()
  const other = turns.take(5n, going, () => ended)
  const untouched = new Proxy({ turns } as ScanTools, {
    get(tools, name) {
      if (name !== 'turns') throw new Error(`it has begun: ${String(name)}`)
      return tools.turns
    },
  })
  const stop = new AbortController()
  const is_known_disk = false
  const options = { state: {} as FolderState, device: 5n, is_known_disk, signal: stop.signal }
  const compared = compareWithKnown({} as FolderSettings, untouched, options)
  stop.abort()
  expect(await compared).toBeUndefined()
  end()
  await other
})
