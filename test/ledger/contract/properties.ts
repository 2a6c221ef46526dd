import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ContentFact, Fact } from '../../../src/domain/fact.ts'
import {
  Bench,
  contentFact,
  type LedgerFactory,
  md5Of,
  nothing_seen,
  other_project_id,
  project_id,
  statOf,
} from '../fixture.ts'

const paths = ['a', 'b', 'sub/a', 'sub/b']
const texts = ['one', 'two', 'three']
const content_types: ContentFact['type'][] = [
  'slot_intended',
  'slot_reserved',
  'asset_found',
  'bytes_accepted',
  'bytes_missing',
  'ingest_started',
  'ingest_continues',
  'asset_ready',
  'content_refused',
  'type_refused',
  'deferred',
  'slot_lost',
  'hit_dead',
  'asset_vanished',
  'asset_missing',
  'content_orphaned',
  'content_wanted_again',
  'removal_intended',
  'asset_removed',
  'asset_kept',
  'removal_deferred',
]

/** One step: what happens to which path or content of which of two folders. */
const step = fc.record({
  what: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom('settled', 'gone', 'seen', 'claim') },
    { weight: 4, arbitrary: fc.constantFrom(...content_types) },
    {
      weight: 2,
      arbitrary: fc.constantFrom(
        'forward',
        'skipped',
        'blocked',
        'changed',
        'ignored',
        'accepted',
        'retried',
        'project',
      ),
    },
  ),
  path: fc.constantFrom(...paths),
  text: fc.constantFrom(...texts),
  folder: fc.constantFrom('left', 'right'),
  minutes: fc.nat(20),
})
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

const forward: ContentFact['type'][] = [
  'slot_intended',
  'slot_reserved',
  'bytes_accepted',
  'ingest_started',
  'asset_ready',
]

function factsOf({ what, path, text, folder: side }: Step, run: number, bench: Bench): Fact[] {
  const folder = `${side} ${run}`
  const now_ms = bench.clock.now_ms()
  const stat = statOf(text.length)
  const content = bench.see.content(md5Of(`${text} ${run}`))?.id
  if ((content_types as string[]).includes(what)) {
    return content === undefined ? [] : [contentFact(what as ContentFact['type'], content, now_ms)]
  }
  switch (what) {
    case 'forward':
      return content === undefined ? [] : forward.map((type) => contentFact(type, content, now_ms))
    case 'settled':
      return [{ type: 'file_settled', folder, path, stat, md5: md5Of(`${text} ${run}`) }]
    case 'seen':
      return [{ type: 'file_seen', folder, path, stat, not_before_ms: now_ms }]
    case 'gone':
      return [{ type: 'file_gone', folder, path }]
    case 'ignored':
      return [{ type: 'file_ignored', folder, path }]
    case 'changed':
      return [{ type: 'file_changed', folder, path, not_before_ms: now_ms }]
    case 'skipped':
      return [{ type: 'file_skipped', folder, path, stat, reason: 'before_start', rule: '' }]
    case 'blocked':
      return [
        {
          type: 'file_blocked',
          folder,
          path,
          stat,
          reason: 'unreadable',
          detail: '',
          not_before_ms: undefined,
        },
      ]
    case 'accepted':
    case 'retried':
      return [{ type: what, folder, path: path.startsWith('sub') ? 'sub' : '' }]
    case 'project': {
      const to = text === 'one' ? other_project_id : project_id
      const plain = {
        name: folder,
        root: '/data',
        labels: [],
        label_from: 'none',
        rules: text,
      } as const
      return [{ type: 'folder_configured', folder: { ...plain, project_id: to } }]
    }
    default:
      return []
  }
}

export function propertyContract(factory: LedgerFactory): void {
  test('after any facts: counts match the rows, each content is in the queue of its state, arrivals are unique, sent stays sent', async () => {
    const upload_limit = { files: 30, bytes: 100, per_ms: 3_600_000 }
    const bench = await new Bench(factory, { upload_limit, min_resend_ms: 60_000 }).open()
    let run = 0
    const property = fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      run++
      const folders = [`left ${run}`, `right ${run}`]
      for (const folder of folders) await bench.online(folder)
      let arrived = 0
      for (const one of steps) {
        await bench.clock.advance(one.minutes * 60_000)
        const sendable = one.what === 'claim' ? await bench.sendable() : []
        for (const { sources, state } of sendable)
          if (state !== 'sent') expect(sources.length).toBeGreaterThan(0)
        await bench.record(...factsOf(one, run, bench))
        for (const folder of folders) {
          expect(bench.see.counts(folder), one.what).toEqual(bench.see.recounted(folder))
        }
        expect(bench.see.inOtherQueues(), one.what).toEqual([])
        const sequence = bench.see.sequence()
        expect(new Set(sequence).size).toBe(sequence.length)
        expect(sequence.length).toBeGreaterThanOrEqual(arrived)
        arrived = sequence.length
      }
      const known = (await bench.ledger.folders()).filter(({ name }) => folders.includes(name))
      for (const { name, known_files, evidence, skipped } of known) {
        expect(evidence).toBe(bench.see.evidence(name))
        expect(skipped).toBe(bench.see.skipped(name))
        const here = Object.entries(bench.see.recounted(name)).filter(([stage]) => stage !== 'gone')
        expect(known_files).toBe(here.reduce((sum, [, { files }]) => sum + files, 0))
      }
    })
    try {
      await fc.assert(property, { numRuns: 80 })
      // A process that starts counts by other queries.
      await bench.reopen()
      for (const { name, evidence, skipped } of await bench.ledger.folders()) {
        expect(evidence).toBe(bench.see.evidence(name))
        expect(skipped).toBe(bench.see.skipped(name))
      }
    } finally {
      await bench.close()
    }
  })
  test('what single events took away since the last scan is known after a restart', async () => {
    const bench = await new Bench(factory).open()
    let run = 0
    const path = fc.nat({ max: 3 }).map(String)
    const step = fc.oneof(
      fc.record({ what: fc.constantFrom('settle', 'gone', 'change'), path }),
      fc.record({ what: fc.constantFrom('scan', 'restart'), path: fc.constant('') }),
      fc.record({ what: fc.constant('rename'), path, to: path }),
    )
    const property = fc.asyncProperty(
      fc.array(step, { minLength: 15, maxLength: 30 }),
      async (steps) => {
        const folder = `evidence ${++run}`
        await bench.online(folder)
        const now = new Map<string, string>()
        let scanned = 0
        let added = 0
        let changed = 0
        for (const [at, one] of steps.entries()) {
          // What goes soon after it came shows no loss.
          await bench.clock.advance(11 * 60_000)
          if (one.what === 'restart') await bench.reopen()
          else if (one.what === 'scan') {
            const began_ms = bench.clock.now_ms()
            await bench.record({ type: 'scan_finished', folder, began_ms, summary: nothing_seen })
            scanned = now.size
            added = 0
            changed = 0
          } else if (one.what === 'settle' || (one.what === 'change' && now.has(one.path))) {
            if (now.has(one.path)) changed += 1
            else added += 1
            now.set(one.path, `${run} ${at}`)
            await bench.settle(folder, one.path, now.get(one.path)!)
          } else if (one.what === 'gone' && now.delete(one.path)) await bench.gone(folder, one.path)
          else if ('to' in one && now.has(one.path) && !now.has(one.to)) {
            now.set(one.to, now.get(one.path)!)
            now.delete(one.path)
            await bench.settle(folder, one.to, now.get(one.to)!)
            await bench.gone(folder, one.path)
            changed += 1
          }
          const { evidence, most_evidence } = (await bench.ledger.folder(folder))!
          expect(evidence).toBe(now.size)
          expect(most_evidence).toBeGreaterThanOrEqual(Math.max(now.size, scanned - changed))
          expect(most_evidence).toBeLessThanOrEqual(scanned + added + changed)
        }
      },
    )
    try {
      await fc.assert(property, { numRuns: 30 })
    } finally {
      await bench.close()
    }
  })
}
