import { expect } from 'vitest'
import { hour_ms, minute_ms } from '../../../../src/base/time/time.ts'
import type { PauseFact } from '../../../../src/domain/fact.ts'
import type { Bench, LedgerFactory } from '../../fixture.ts'
import { failingFact, withLedger } from '../with-ledger.ts'
import { PromptBench } from './prompt-bench.ts'

const paused: Extract<PauseFact, { type: 'paused' }> = {
  type: 'paused',
  by: 'anna',
  why: 'the line is slow',
  until_ms: undefined,
}

/** The numbers of contents, labels, runs and deliveries that can be claimed. */
async function handedOut({ ledger }: Bench): Promise<Record<string, number>> {
  const none = { except_projects: [] }
  const [send, label, run, delivery] = await Promise.all([
    ledger.claimToSend(100, none),
    ledger.claimToLabel(100, none),
    ledger.claimRuns(100, none),
    ledger.claimDeliveries(100),
  ])
  return {
    send: send.work.length,
    label: label.work.length,
    run: run.work.length,
    delivery: delivery.work.length,
  }
}

/** Makes one of each kind that is due. */
async function withWork(bench: Bench): Promise<PromptBench> {
  await bench.configure('docs', { labels: ['team'] })
  await bench.makeReady(await bench.settle('docs', 'a', 'text'))
  const prompts = new PromptBench(bench)
  await prompts.configure({ name: 'digest', first_run: 'all' })
  await prompts.writeReport(await prompts.arrivals(['docs']), 'digest', ['team'])
  await prompts.due()
  await bench.settle('docs', 'b', 'another text')
  return prompts
}

const all = { send: 1, label: 1, run: 1, delivery: 1 }
const nothing = { send: 0, label: 0, run: 0, delivery: 0 }

export function pauseContract(factory: LedgerFactory): void {
  const check = withLedger(factory)

  check(
    'nothing is claimed that would go out, before and after a restart, until it is resumed',
    async (bench) => {
      await withWork(bench)
      await bench.record(paused)
      expect(await handedOut(bench)).toEqual(nothing)
      expect(await bench.ledger.pending(hour_ms)).toMatchObject({ send: 0, label: 0 })
      await bench.reopen()
      expect(await handedOut(bench)).toEqual(nothing)
      await bench.record({ type: 'resumed' })
      expect(await bench.ledger.pending(hour_ms)).toMatchObject({ send: 1, label: 1 })
      expect(await handedOut(bench)).toEqual(all)
    },
  )

  check('a pause with an end ends by itself', async (bench) => {
    await withWork(bench)
    await bench.record({ ...paused, until_ms: bench.clock.now_ms() + hour_ms })
    await bench.clock.advance(59 * minute_ms)
    expect(await handedOut(bench)).toEqual(nothing)
    await bench.clock.advance(minute_ms)
    expect(await handedOut(bench)).toEqual(all)
  })

  check(
    'work in progress continues: bytes that are there, expected answers, and checks',
    async (bench) => {
      const prompts = await withWork(bench)
      const sent = await bench.settle('docs', 'sent', 'bytes that are there')
      await bench.reserve(sent)
      await bench.record({ type: 'bytes_accepted', content: sent })
      bench.ledger.release('send', [sent])
      const following = await bench.settle('docs', 'following', 'being read')
      await bench.send(following)
      const asked = (await prompts.state()).open_runs[0]!.run
      await prompts.plan(asked, [])
      await prompts.ask(asked)
      await bench.seen('docs', 'new', 'just seen')
      await bench.record(paused)
      expect((await bench.sendable()).map(({ content, state }) => [content, state])).toEqual([
        [sent, 'sent'],
      ])
      expect((await bench.follow()).work.map(({ content }) => content)).toEqual([following])
      expect((await prompts.claim()).map(({ run, state }) => [run, state])).toEqual([
        [asked, 'asked'],
      ])
      expect((await bench.ledger.claimToCheck(10)).work).toEqual([{ folder: 'docs', path: 'new' }])
    },
  )

  check('a pause that could not be recorded has no effect', async (bench) => {
    await withWork(bench)
    await expect(bench.record(paused, failingFact(bench))).rejects.toThrow()
    expect(await handedOut(bench)).toEqual(all)
  })
}
