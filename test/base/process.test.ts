import { freemem } from 'node:os'
import { expect, test, vi } from 'vitest'
import { freeMemory_bytes } from '../../src/base/run/process.ts'

test('a control group above its limit has no memory left; without a known limit the free memory counts', () => {
  const available = vi.spyOn(process, 'availableMemory').mockReturnValue(0)
  const limit = vi.spyOn(process, 'constrainedMemory').mockReturnValue(2 ** 30)
  try {
    expect(freeMemory_bytes()).toBe(0)
    limit.mockReturnValue(0)
    expect(freeMemory_bytes()).toBeGreaterThan(freemem() / 2)
    available.mockReturnValue(2 ** 20)
    expect(freeMemory_bytes()).toBe(2 ** 20)
  } finally {
    vi.restoreAllMocks()
  }
})
