import { expect, test } from 'vitest'
import { createIdling } from '../../src/daemon/idling.ts'

/** Checks that end when the test says so, or when no caller waits any more. */
function checks() {
  const begun: { gone: AbortSignal; end: () => void; fail: (error: Error) => void }[] = []
  const idling = createIdling(
    (gone) => new Promise<void>((end, fail) => void begun.push({ gone, end, fail })),
  )
  return { begun, idling }
}

test('several callers share one check, which ends with the last of them', async () => {
  const { begun, idling } = checks()
  const [one, other] = [new AbortController(), new AbortController()]
  const waiting = [idling.wait(one.signal), idling.wait(other.signal)]
  expect(begun).toHaveLength(1)
  one.abort()
  await waiting[0]
  expect(begun[0]!.gone.aborted).toBe(false)
  other.abort()
  await waiting[1]
  expect(begun[0]!.gone.aborted).toBe(true)

  const next = idling.wait()
  expect(begun).toHaveLength(2)
  begun[1]!.end()
  await next
})

test('all callers get the error of a failed check, and the next caller starts a new one', async () => {
  const { begun, idling } = checks()
  const waiting = [idling.wait(), idling.wait()]
  begun[0]!.fail(new Error('lost'))
  for (const one of waiting) await expect(one).rejects.toThrow('lost')
  void idling.wait()
  expect(begun).toHaveLength(2)
  begun[1]!.end()
})
