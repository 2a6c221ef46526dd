import { expect } from 'vitest'
import type { ContentFact } from '../../../src/domain/fact.ts'
import { contentFact, type LedgerFactory } from '../fixture.ts'
import { failingFact, withLedger } from './with-ledger.ts'

export function ticketContract(factory: LedgerFactory): void {
  const check = withLedger(factory)

  check(
    'a ticket survives deferrals, accepted and missing bytes and a restart, and is erased when ingest starts',
    async (bench) => {
      const content = await bench.settle('docs', 'a', 'text')
      await bench.reserve(content)
      const steps: ContentFact['type'][] = [
        'deferred',
        'bytes_accepted',
        'deferred',
        'bytes_missing',
        'bytes_accepted',
      ]
      for (const type of steps) {
        await bench.record(contentFact(type, content, 0))
        expect(bench.see.ticketsKept(), type).toBe(1)
      }
      await bench.reopen()
      expect((await bench.sendable())[0]?.ticket?.upload_headers).toBeDefined()
      await bench.record(contentFact('ingest_started', content, 0))
      expect(bench.see.ticketsKept()).toBe(0)
    },
  )

  for (const end of ['content_refused', 'slot_lost'] as const) {
    check(`a ticket is erased by ${end}`, async (bench) => {
      const content = await bench.settle('docs', 'a', 'text')
      await bench.reserve(content)
      await bench.record(contentFact(end, content, 0))
      expect(bench.see.ticketsKept()).toBe(0)
    })
  }

  check('a slot that came too late for its content keeps no ticket', async (bench) => {
    const content = await bench.settle('docs', 'a', 'text')
    await bench.record(contentFact('slot_reserved', content, 0))
    expect(bench.see.ticketsKept()).toBe(0)
    expect(bench.see.content('1cb251ec0d568de6a929b520c4aed8d1')?.state).toBe('wanted')
  })

  check('a record that fails neither erases nor keeps a ticket', async (bench) => {
    const kept = await bench.settle('docs', 'a', 'kept')
    const other = await bench.settle('docs', 'b', 'other')
    await bench.reserve(kept)
    await bench.record(
      { type: 'bytes_accepted', content: kept },
      { type: 'slot_intended', content: other },
    )
    const failing = bench.record(
      contentFact('ingest_started', kept, 0),
      contentFact('slot_reserved', other, 0),
      failingFact(bench),
    )
    await expect(failing).rejects.toMatchObject({ code: 'database.failed' })
    expect(bench.see.ticketsKept()).toBe(1)
    const work = await bench.sendable()
    expect(work.find(({ content }) => content === kept)).toMatchObject({
      state: 'sent',
      ticket: {},
    })
    expect(work.find(({ content }) => content === other)).toMatchObject({
      state: 'reserving',
      ticket: undefined,
    })
  })
}
