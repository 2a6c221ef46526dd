import { expect } from 'vitest'
import { second_ms } from '../../../src/base/time/time.ts'
import { openOffice } from './journey-office.ts'

const span_ms = 20 * second_ms

/** Restarts a daemon with its real ledger: half of the times before a due time, half after it. */
export async function restartAcross(lives: number): Promise<void> {
  const office = await openOffice()
  await office.bringIn({ 'a.txt': 'The lease ends in May.\n' })
  office.clock.skip(office.toTheHour_ms() - span_ms / 2)
  for (let life = 0; life < lives; life++) {
    await office.stop()
    await office.start()
    office.clock.skip(span_ms / lives)
  }
  const run = await office.ended(1)
  expect(run).toMatchObject({ state: 'written', assets: 1 })
  expect(office.runs()).toHaveLength(1)
  expect(office.manifests()).toHaveLength(1)
  expect(office.asked()).toBe(1)
}
