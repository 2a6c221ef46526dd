import fc from 'fast-check'
import { expect, test } from 'vitest'
import { day_ms, minute_ms } from '../../../src/base/time/time.ts'
import type { Fact } from '../../../src/domain/fact.ts'
import { max_failed_of_type, type Refusal, trial_ms } from '../../../src/domain/file-type.ts'
import {
  Bench,
  type LedgerFactory,
  md5Of,
  other_project_id,
  statOf,
  ticketFor,
} from '../fixture.ts'
import { type LedgerTest, withLedger } from './with-ledger.ts'

const error = { code: 'ingest_failed', message: 'the service cannot use this file' }

/** The asset of a content ends `failed`. */
async function fail(bench: Bench, content: number): Promise<void> {
  await bench.send(content)
  await bench.record({ type: 'content_refused', content, error })
}

async function failMany(
  bench: Bench,
  folder: string,
  extension: string,
  count = max_failed_of_type,
): Promise<void> {
  for (let file = 0; file < count; file++) {
    await fail(
      bench,
      await bench.settle(folder, `bad-${file}${extension}`, `${folder} bad ${file} ${extension}`),
    )
  }
}

/** All that the uploader can claim now; each claim ends at once. */
async function sendable(bench: Bench): Promise<number[]> {
  const work = await bench.sendable()
  for (const { content } of work) bench.free(content)
  return work.map(({ content }) => content)
}

const stateOf = (bench: Bench, text: string, project?: string) =>
  bench.see.content(md5Of(text), project)?.state

export function typeContract(factory: LedgerFactory): void {
  const check = withLedger(factory)
  trials(check)
  endsOfTrials(check)
  refusals(check)
  waysOut(check)
  propertyOfTypes(factory)
}

/** Settles files of one type. Returns the ids of their contents. */
async function settleMany(
  bench: Bench,
  extension: string,
  count: number,
  folder = 'docs',
): Promise<number[]> {
  const ids: number[] = []
  for (let file = 0; file < count; file++) {
    ids.push(await bench.settle(folder, `${file}${extension}`, `${folder} ${file} ${extension}`))
  }
  return ids
}

/**
 * Sends what can be claimed until nothing can, as the uploader does. Returns the ids in that order.
 */
async function sendAll(bench: Bench): Promise<number[]> {
  const sent: number[] = []
  for (;;) {
    const ids = await sendable(bench)
    if (ids.length === 0) return sent
    for (const id of ids) await bench.send(id)
    sent.push(...ids)
  }
}

function trials(check: LedgerTest): void {
  check(
    'while no file of a type is ready, 20 are on their way at most, and other types pass',
    async (bench) => {
      const gz = await settleMany(bench, '.gz', 850)
      const txt = await bench.settle('docs', 'a.txt', 'a')
      expect(await sendAll(bench)).toEqual([...gz.slice(0, 20), txt])
      const held = { state: 'wanted', attempts: 0, error_code: 'type_unproven:gz' }
      expect(bench.see.content(md5Of('docs 849 .gz'))).toMatchObject(held)
      expect(bench.see.counts('docs')).toMatchObject({
        wanted: { files: 830 },
        ingesting: { files: 21 },
      })
      expect((await bench.claimToSend()).next_due_ms).toBe(bench.clock.now_ms() + trial_ms)
      // `sync` waits for the results, and not for those that wait for them.
      expect(await bench.ledger.pending(minute_ms)).toMatchObject({ send: 0, follow: 21 })
    },
  )

  check('the first that is ready sends all others at once, in their order', async (bench) => {
    const gz = await settleMany(bench, '.gz', 50)
    const sent = await sendAll(bench)
    await bench.clock.advance(1_000)
    await bench.record({ type: 'asset_ready', content: sent[7]! })
    expect(await bench.ledger.pending(0)).toMatchObject({ send: 30 })
    expect((await bench.sendable()).map(({ content }) => content)).toEqual(gz.slice(20))
    expect(bench.see.content(md5Of('docs 49 .gz'))).toMatchObject({
      state: 'wanted',
      error_code: null,
    })
  })

  check('a failure frees no place; with the 20th all others are refused', async (bench) => {
    const gz = await settleMany(bench, '.gz', 50)
    const sent = await sendAll(bench)
    for (const content of sent.slice(1)) {
      await bench.record({ type: 'content_refused', content, error })
      expect(await sendable(bench)).toEqual([])
    }
    await bench.record({ type: 'content_refused', content: sent[0]!, error })
    expect(await bench.ledger.pending(0)).toMatchObject({ send: 30 })
    expect(await sendable(bench)).toEqual([])
    expect(bench.see.inState('type_refused')).toEqual(gz.slice(20))
    expect(bench.see.counts('docs')).toEqual(bench.see.recounted('docs'))
  })

  check(
    'an end that says nothing about the type lets one other go, of the same project',
    async (bench) => {
      await bench.online('others', { project_id: other_project_id })
      await settleMany(bench, '.gz', 30, 'others')
      const gz = await settleMany(bench, '.gz', 30)
      await sendAll(bench)
      const too_large = { code: 'too_large', message: 'too large' }
      await bench.record({ type: 'content_refused', content: gz[0]!, error: too_large })
      expect(await sendAll(bench)).toEqual([gz[20]])
      // The service refuses each at once: none waits for minutes.
      for (const content of gz.slice(1, 21)) {
        await bench.record({ type: 'content_refused', content, error: too_large })
      }
      expect(await sendAll(bench)).toEqual(gz.slice(21))
    },
  )

  check('a file that is gone before its upload lets another go', async (bench) => {
    const gz = await settleMany(bench, '.gz', 30)
    expect(await sendable(bench)).toEqual(gz.slice(0, 20))
    await bench.gone('docs', '3.gz')
    expect(await sendable(bench)).toEqual([...gz.slice(0, 3), ...gz.slice(4, 21)])
  })

  check(
    'what is claimed goes on: released without a call, failed, or with a slot',
    async (bench) => {
      const gz = await settleMany(bench, '.gz', 30)
      expect(await sendable(bench)).toEqual(gz.slice(0, 20))
      await bench.reserve(gz[1]!)
      await bench.setBack(gz[1]!, 1_000)
      await bench.record({
        type: 'slot_lost',
        content: gz[1]!,
        not_before_ms: bench.clock.now_ms(),
        error,
      })
      await bench.reserve(gz[2]!)
      expect((await sendable(bench)).sort((a, b) => a - b)).toEqual(gz.slice(0, 20))
    },
  )

  check('of files in an offline folder none takes a place', async (bench) => {
    await bench.online('share')
    await settleMany(bench, '.gz', 30, 'share')
    const here = await settleMany(bench, '.gz', 30)
    await bench.record({ type: 'folder_offline', folder: 'share', reason: 'unmounted' })
    expect(await sendable(bench)).toEqual(here.slice(0, 20))
  })

  check('a content with a second name of a usable type goes', async (bench) => {
    await bench.makeReady(await bench.settle('docs', 'good.txt', 'good'))
    await settleMany(bench, '.gz', 20)
    await sendAll(bench)
    await bench.settle('docs', 'a.gz', 'a')
    const both = await bench.settle('docs', 'b.gz', 'b')
    await bench.settle('docs', 'b.txt', 'b')
    const two = await bench.settle('docs', 'c.gz', 'c')
    await bench.settle('docs', 'c.tgz', 'c')
    expect(await sendable(bench)).toEqual([both, two])
  })
}

function endsOfTrials(check: LedgerTest): void {
  check('if the service ends none, another 20 go after ten minutes', async (bench) => {
    const gz = await settleMany(bench, '.gz', 70)
    expect(await sendAll(bench)).toEqual(gz.slice(0, 20))
    await bench.clock.advance(trial_ms - 1)
    expect(await sendAll(bench)).toEqual([])
    await bench.clock.advance(1)
    expect(await sendAll(bench)).toEqual(gz.slice(20, 40))
    await bench.record({ type: 'asset_ready', content: gz[0]! })
    expect(await sendAll(bench)).toEqual(gz.slice(40))
  })

  check(
    'a restart strands none: the result of an earlier file sends all that wait',
    async (bench) => {
      const gz = await settleMany(bench, '.gz', 70)
      expect(await sendAll(bench)).toEqual(gz.slice(0, 20))
      await bench.reopen()
      expect(await sendAll(bench), 'all others wait for their time').toEqual([])
      const later = await settleMany(bench, '.later.gz', 30)
      expect(await sendAll(bench)).toEqual(later.slice(0, 20))
      await bench.record({ type: 'asset_ready', content: gz[0]! })
      expect(await sendAll(bench)).toEqual([...gz.slice(20), ...later.slice(20)])
    },
  )

  check('a user sends the type, a directory or a file all the same', async (bench) => {
    const gz = await settleMany(bench, '.gz', 30)
    const below = await bench.settle('docs', 'x/a.gz', 'a')
    expect(await sendAll(bench)).toHaveLength(20)
    await bench.record({ type: 'accepted', folder: 'docs', path: 'x' })
    expect(await sendAll(bench)).toEqual([below])
    await bench.record({ type: 'retried', folder: 'docs', path: '25.gz' })
    expect(await sendAll(bench)).toEqual([gz[25]])
    await bench.record({ type: 'accepted', folder: 'docs', path: '*.gz' })
    expect(await sendAll(bench)).toEqual(gz.slice(20).filter((id) => id !== gz[25]))
  })

  for (const newest_first of [false, true]) {
    const order = newest_first ? 'the newest first' : 'as found'
    check(`thousands that wait delay no other type (${order})`, (bench) => passesThousands(bench), {
      newest_first,
    })
  }
}

/** One claim examines a limited number of rows, so it takes a few to pass them. */
async function passesThousands(bench: Bench): Promise<void> {
  const facts = Array.from({ length: 3_500 }, (_, file) => {
    const text = `${file} gz`
    return {
      type: 'file_settled',
      folder: 'docs',
      path: `${file}.gz`,
      stat: statOf(9),
      md5: md5Of(text),
    } as const
  })
  await bench.record(...facts)
  await bench.record({ ...facts[0]!, path: 'last.txt', stat: statOf(9, 0n), md5: md5Of('last') })
  const last = bench.see.content(md5Of('last'))!.id
  const claimed: number[] = []
  let claims = 0
  for (; ; claims++) {
    const { work, next_due_ms } = await bench.claimToSend()
    claimed.push(...work.map(({ content }) => content))
    if (work.length === 0 && next_due_ms! > bench.clock.now_ms()) break
  }
  expect(claims).toBeLessThan(10)
  expect(claimed).toHaveLength(21)
  expect(claimed).toContain(last)
}

/** The service gives a slot to a content under this name. */
function slotFor(content: number, name: string): Fact {
  const given_name = { text: name, folder: 'docs' }
  const asset_id = `asset_of_${name}`
  return { type: 'slot_reserved', content, asset_id, ticket: ticketFor(asset_id), given_name }
}

function refusals(check: LedgerTest): void {
  check(
    'B-34 while types are in doubt, one content asks at a time, best of another type that was ready',
    async (bench) => {
      await bench.makeReady(await bench.settle('docs', 'a.txt', 'a'))
      const refusal = { answer: 'too.large', extension: 'md' }
      for (const text of ['1', '2', '3']) {
        const content = await bench.settle('docs', `${text}.md`, text)
        await bench.record(
          { type: 'slot_intended', content },
          { type: 'type_rests', content, refusal, said: 'no' },
        )
      }
      const held = await bench.settle('docs', '4.md', '4')
      const other = await bench.settle('docs', '5.bin', '5')
      const proven = await bench.settle('docs', '6.txt', '6')
      const next = () => bench.ledger.claimToSend(10, { except_projects: [] })
      const ids = async () => (await next()).work.map(({ content }) => content)
      expect(await ids()).toEqual([proven])
      expect(bench.see.stateOf(held)).toBe('type_refused')
      expect(await ids()).toEqual([])
      bench.ledger.release('send', [proven])
      expect(await bench.ledger.alikeRefusals(proven, { ...refusal, extension: 'txt' })).toEqual({
        contents: 4,
        is_test: 1,
        rests: 0,
        rested: 0,
        has_other: 1,
        is_project_proven: 1,
      })
      await bench.reopen()
      expect(await ids()).toEqual([proven])
      const given_name = { text: '6.txt', folder: 'docs' }
      const given = { asset_id: 'asset_6', ticket: ticketFor('6'), given_name }
      await bench.record(
        { type: 'slot_intended', content: proven },
        { type: 'slot_reserved', content: proven, ...given },
      )
      // The service takes others: the answer is about the type, and nothing else waits.
      expect(await ids()).toEqual([other])
      expect(bench.see.stateOf(held)).toBe('type_refused')
    },
  )
  check(
    'B-34 a type that was freed rests at once only for the answer that it rested for',
    async (bench) => {
      const refusal = { answer: 'plan.quota.exceeded', extension: 'md' }
      const odd = { answer: 'asset.name.odd', extension: 'md' }
      const other = { answer: 'plan.quota.exceeded', extension: 'bin' }
      const refuse = async (path: string, how: 'type_rests' | 'types_freed', why: Refusal) => {
        const content = await bench.settle('docs', path, path)
        await bench.record({ type: 'slot_intended', content })
        await bench.record({ type: how, content, refusal: why, said: 'no' } as Fact)
      }
      // All are refused, then the service takes a file of another type.
      await bench.record(
        { type: 'slot_intended', content: await bench.settle('docs', '?.md', '?') },
        {
          type: 'content_refused',
          content: bench.see.content(md5Of('?'))!.id,
          error,
          refusal: odd,
        },
      )
      for (const path of ['1.md', '2.md', '3.md']) await refuse(path, 'type_rests', refusal)
      await refuse('4.bin', 'types_freed', other)
      const taken = await bench.settle('docs', 'a.txt', 'a')
      await bench.record({ type: 'slot_intended', content: taken })
      await bench.record(slotFor(taken, 'a.txt'))
      await bench.reopen()
      const later = await bench.settle('docs', '5.md', '5')
      const rested = async (why: Refusal) => (await bench.ledger.alikeRefusals(later, why)).rested
      expect([await rested(refusal), await rested(odd)]).toEqual([1, 0])
      expect([await rested(other), await rested({ ...odd, extension: 'bin' })]).toEqual([1, 0])
      const own = bench.see.content(md5Of('1.md'))!.id
      await bench.record({ type: 'slot_intended', content: own }, slotFor(own, '1.md'))
      expect(await rested(refusal)).toBe(0)
    },
  )
  check(
    'B-34 an asset with equal bytes is no success of a type: its refusals count on',
    async (bench) => {
      const refusal = { answer: 'plan.quota.exceeded', extension: 'md' }
      for (const path of ['1.md', '2.md']) {
        const content = await bench.settle('docs', path, path)
        await bench.record(
          { type: 'slot_intended', content },
          { type: 'content_refused', content, error, refusal },
        )
      }
      const found = await bench.settle('docs', '3.md', '3')
      await bench.record(
        { type: 'slot_intended', content: found },
        { type: 'asset_found', content: found, asset_id: 'asset_3' },
      )
      const content = await bench.settle('docs', '4.md', '4')
      const counted = async () => (await bench.ledger.alikeRefusals(content, refusal)).contents
      expect(await counted()).toBe(3)
      const taken = await bench.settle('docs', 'a.txt', 'a')
      await bench.record({ type: 'slot_intended', content: taken }, slotFor(taken, 'a.txt'))
      expect(await counted()).toBe(1)
    },
  )
  check(
    'only the type of the refused name rests, whatever names equal bytes have',
    async (bench) => {
      await bench.makeReady(await bench.settle('docs', 'a.md', 'a'))
      const content = await bench.settle('docs', '1.bak', '1')
      await bench.settle('docs', '1.md', '1')
      const other = await bench.settle('docs', '2.bak', '2')
      expect(await sendable(bench)).toEqual([content, other])
      await bench.record({ type: 'slot_intended', content })
      const refusal = { answer: 'too.large', extension: 'bak' }
      await bench.record({ type: 'type_rests', content, refusal, said: 'no' })
      const next = await bench.settle('docs', 'b.md', 'b')
      expect(await sendable(bench)).toEqual([next])
      expect(stateOf(bench, '2')).toBe('type_refused')
    },
  )
  check('files without a word of their own hold no type back', async (bench) => {
    const no_text = { code: 'nothing_to_read', message: 'it has no text, only pictures' }
    for (let file = 0; file < max_failed_of_type; file++) {
      const content = await bench.settle('docs', `${file}.pdf`, `scan ${file}`)
      await bench.send(content)
      await bench.record({ type: 'content_refused', content, error: no_text })
    }
    await failMany(bench, 'docs', '.pdf', max_failed_of_type - 1)
    const next = await bench.settle('docs', 'next.pdf', 'next')
    expect(await sendable(bench)).toEqual([next])
    await failMany(bench, 'docs', '.pdf')
    expect(await sendable(bench)).toEqual([])
  })
  check(
    'after 20 failures of a type and none ready, the rest is not claimed but held',
    async (bench) => {
      await failMany(bench, 'docs', '.gz', max_failed_of_type - 1)
      const first = await bench.settle('docs', 'a.gz', 'a')
      await bench.settle('docs', 'b.GZ', 'b')
      const other = await bench.settle('docs', 'c.txt', 'c')
      const without = await bench.settle('docs', 'README', 'd')
      expect(await sendable(bench)).toEqual([first, other, without])
      await failMany(bench, 'docs', '.Gz')
      expect(await sendable(bench)).toEqual([other, without])
      expect(stateOf(bench, 'b')).toBe('type_refused')
      expect(bench.see.content(md5Of('a'))).toMatchObject({
        state: 'type_refused',
        error_code: 'type_refused:gz',
      })
      expect(bench.see.counts('docs').type_refused).toEqual({ files: 2, bytes: 2 })
      expect(bench.see.counts('docs')).toEqual(bench.see.recounted('docs'))
      await bench.settle('docs', 'sub/later.gz', 'later')
      await bench.reopen()
      expect(await sendable(bench)).toEqual([other, without])
      expect(stateOf(bench, 'later')).toBe('type_refused')
    },
  )

  check('work in flight goes on, and a slot that was given is used', async (bench) => {
    const in_flight = await bench.settle('docs', 'in-flight.gz', 'in flight')
    const reserved = await bench.settle('docs', 'reserved.gz', 'reserved')
    await bench.sendable()
    await bench.reserve(reserved)
    bench.free(reserved)
    await failMany(bench, 'docs', '.gz')
    expect(await sendable(bench)).toEqual([reserved])
    expect(stateOf(bench, 'in flight')).toBe('wanted')
    await bench.send(in_flight)
    expect(stateOf(bench, 'in flight')).toBe('ingesting')
  })

  check('a file that fails again and again counts once', async (bench) => {
    const content = await bench.settle('docs', 'a.gz', 'a')
    for (let round = 0; round < 2 * max_failed_of_type; round++) {
      await fail(bench, content)
      await bench.record({ type: 'retried', folder: 'docs', path: '' })
    }
    const other = await bench.settle('docs', 'b.gz', 'b')
    expect(await sendable(bench)).toEqual([content, other])
  })

  check('a type with one ready file is never refused', async (bench) => {
    await bench.makeReady(await bench.settle('docs', 'good.gz', 'good'))
    await failMany(bench, 'docs', '.gz', 2 * max_failed_of_type)
    const other = await bench.settle('docs', 'a.gz', 'a')
    expect(await sendable(bench)).toEqual([other])
  })

  check('a type is of its project', async (bench) => {
    await bench.online('others', { project_id: other_project_id })
    await failMany(bench, 'docs', '.gz')
    await bench.settle('docs', 'a.gz', 'a')
    await bench.settle('others', 'a.gz', 'a')
    expect(await sendable(bench)).toHaveLength(1)
    expect([stateOf(bench, 'a'), stateOf(bench, 'a', other_project_id)]).toEqual([
      'type_refused',
      'wanted',
    ])
  })

  check('bytes under two names are held only if both types are refused', async (bench) => {
    await failMany(bench, 'docs', '.gz')
    const both = await bench.settle('docs', 'a.gz', 'a')
    await bench.settle('docs', 'a.tgz', 'a')
    expect(await sendable(bench)).toEqual([both])
    await failMany(bench, 'docs', '.tgz')
    expect(await sendable(bench)).toEqual([])
    expect(stateOf(bench, 'a')).toBe('type_refused')
    // A third name has a type that may be usable.
    await bench.settle('docs', 'a.txt', 'a')
    expect(await sendable(bench)).toEqual([both])
  })

  check('other failures say nothing about a type', async (bench) => {
    for (let file = 0; file < 2 * max_failed_of_type; file++) {
      const content = await bench.settle('docs', `${file}.gz`, `text ${file}`)
      await bench.record({
        type: 'content_refused',
        content,
        error: { code: 'too_large', message: 'too large' },
      })
    }
    const other = await bench.settle('docs', 'a.gz', 'a')
    expect(await sendable(bench)).toEqual([other])
  })
}

function waysOut(check: LedgerTest): void {
  async function hold(bench: Bench): Promise<number[]> {
    await failMany(bench, 'docs', '.gz')
    const held = [
      await bench.settle('docs', 'x/a.gz', 'a'),
      await bench.settle('docs', 'x/b.gz', 'b'),
    ]
    expect(await sendable(bench)).toEqual([])
    return held
  }

  check('one is tried a day; if it becomes ready, the others are sent', async (bench) => {
    const [first, second] = await hold(bench)
    await bench.clock.advance(day_ms - minute_ms)
    expect(await sendable(bench)).toEqual([])
    await bench.clock.advance(minute_ms)
    expect(await sendable(bench)).toEqual([first])
    expect(await sendable(bench)).toEqual([first])
    await fail(bench, first!)
    expect(await sendable(bench)).toEqual([])
    await bench.clock.advance(day_ms)
    expect(await sendable(bench)).toEqual([second])
    await bench.settle('docs', 'c.gz', 'c')
    expect(await sendable(bench)).toEqual([second])
    await bench.makeReady(second!)
    expect(await sendable(bench)).toEqual([bench.see.content(md5Of('c'))!.id])
    expect(bench.see.counts('docs')).toEqual(bench.see.recounted('docs'))
  })

  check('a file that is gone is not tried; it is held still when it returns', async (bench) => {
    const [, second] = await hold(bench)
    await bench.gone('docs', 'x/a.gz')
    await bench.clock.advance(day_ms)
    expect(await sendable(bench)).toEqual([second])
    await bench.settle('docs', 'x/a.gz', 'a')
    expect(stateOf(bench, 'a')).toBe('type_refused')
    await bench.makeReady(second!)
    expect(stateOf(bench, 'a')).toBe('wanted')
  })

  check('a pause begins no daily try', async (bench) => {
    const [first] = await hold(bench)
    await bench.record({ type: 'paused', by: 'ann', why: undefined, until_ms: undefined })
    await bench.clock.advance(2 * day_ms)
    expect(await sendable(bench)).toEqual([])
    expect(stateOf(bench, 'a')).toBe('type_refused')
    await bench.record({ type: 'resumed' })
    expect(await sendable(bench)).toEqual([first])
  })

  check('a clock that was turned back by years does not stop the tries', async (bench) => {
    const [first] = await hold(bench)
    bench.clock.jumpWall(-700 * day_ms)
    expect(await sendable(bench)).toEqual([first])
    expect(await sendable(bench)).toEqual([first])
  })

  check('a user accepts the type by its pattern, for good', async (bench) => {
    const held = await hold(bench)
    await bench.record({ type: 'accepted', folder: 'docs', path: '*.GZ' })
    expect(await sendable(bench)).toEqual(held)
    for (const content of held) await fail(bench, content)
    await failMany(bench, 'docs', '.gz', 2 * max_failed_of_type)
    const later = await bench.settle('docs', 'later.gz', 'later')
    expect(await sendable(bench)).toEqual([later])
  })

  check(
    'the undo of an accepted type holds again what was not sent, at once if 20 have failed',
    async (bench) => {
      const held = await hold(bench)
      const other = await bench.settle('docs', 'other.iso', 'other')
      await bench.record({ type: 'retried', folder: 'docs', path: 'other.iso' })
      await bench.record({ type: 'accepted', folder: 'docs', path: '*.gz' })
      expect(await sendable(bench)).toEqual([...held, other])
      await bench.record({ type: 'accepted', folder: 'docs', path: '!*.GZ' })
      expect(await sendable(bench)).toEqual([other])
      expect([stateOf(bench, 'a'), stateOf(bench, 'b')]).toEqual(['type_refused', 'type_refused'])
      expect(bench.see.counts('docs')).toEqual(bench.see.recounted('docs'))
      // One is tried a day, from the undo on.
      await bench.clock.advance(day_ms)
      expect(await sendable(bench)).toEqual([other, held[0]])
    },
  )

  check(
    'the undo of a type that was accepted beforehand counts its failures since then',
    async (bench) => {
      await bench.record({ type: 'accepted', folder: 'docs', path: '*.gz' })
      await failMany(bench, 'docs', '.gz', max_failed_of_type - 1)
      await bench.record({ type: 'accepted', folder: 'docs', path: '!*.gz' })
      const [first, second] = [
        await bench.settle('docs', 'a.gz', 'a'),
        await bench.settle('docs', 'b.gz', 'b'),
      ]
      expect(await sendable(bench)).toEqual([first])
      await fail(bench, first)
      expect(await sendable(bench)).toEqual([])
      expect(stateOf(bench, 'b')).toBe('type_refused')
      expect(second).not.toBe(first)
    },
  )

  check(
    'the undo changes nothing for a type with a ready file, or that nobody accepted',
    async (bench) => {
      await bench.record({ type: 'accepted', folder: 'docs', path: '*.gz' })
      await failMany(bench, 'docs', '.gz')
      await bench.makeReady(await bench.settle('docs', 'good.gz', 'good'))
      await bench.record({ type: 'accepted', folder: 'docs', path: '!*.gz' })
      await bench.record({ type: 'accepted', folder: 'docs', path: '!*.iso' })
      const later = [
        await bench.settle('docs', 'a.gz', 'a'),
        await bench.settle('docs', 'a.iso', 'b'),
      ]
      expect(await sendable(bench)).toEqual(later)
    },
  )

  check('a user accepts the type before any of it came', async (bench) => {
    await bench.record({ type: 'accepted', folder: 'docs', path: '*.' })
    await failMany(bench, 'docs', '')
    const later = await bench.settle('docs', 'README', 'later')
    expect(await sendable(bench)).toEqual([later])
  })

  check('a user accepts one file or one directory', async (bench) => {
    const [first, second] = await hold(bench)
    await bench.record({ type: 'accepted', folder: 'docs', path: 'x/a.gz' })
    expect(await sendable(bench)).toEqual([first])
    await bench.record({ type: 'accepted', folder: 'docs', path: 'x' })
    expect(await sendable(bench)).toEqual([first, second])
  })

  check('a retry sends what failed, whatever its type, and not what is held', async (bench) => {
    await hold(bench)
    await bench.record({ type: 'retried', folder: 'docs', path: '' })
    expect(await sendable(bench)).toHaveLength(max_failed_of_type)
    expect([stateOf(bench, 'a'), stateOf(bench, 'b')]).toEqual(['type_refused', 'type_refused'])
  })
}

function propertyOfTypes(factory: LedgerFactory): void {
  const acts = fc.constantFrom(
    'settled',
    'failed',
    'ready',
    'claim',
    'gone',
    'retried',
    'accepted',
    'type',
    'day',
  )
  const steps = fc.array(
    fc.record({ act: acts, file: fc.nat(40), extension: fc.constantFrom('.gz', '.tgz', '') }),
    {
      minLength: 20,
      maxLength: 80,
    },
  )

  test('whatever happens: only types with 20 failures and no ready file hold anything', async () => {
    const bench = await new Bench(factory).open()
    let run = 0
    const property = fc.asyncProperty(steps, async (all) => {
      const folder = `types ${++run}`
      await bench.online(folder, { project_id: `project_${String(run).padStart(20, '0')}` })
      const failed = new Map<string, Set<number>>()
      const usable = new Set<string>()
      const noteFailure = (content: number) => {
        for (const type of bench.see.typesOf(content))
          failed.set(type, (failed.get(type) ?? new Set()).add(content))
      }
      for (let file = 0; file < max_failed_of_type - 2; file++) {
        const content = await bench.settle(folder, `bad-${file}.gz`, `${run} bad ${file}`)
        await fail(bench, content)
        noteFailure(content)
      }
      for (const { act, file, extension } of all) {
        const path = `${file}${extension}`
        const content = bench.see.file(folder, path)?.content ?? 0
        const is_wanted =
          bench.see.typesOf(content).length > 0 && bench.see.stateOf(content) === 'wanted'
        if (act === 'settled') await bench.settle(folder, path, `${run} ${file % 30}`)
        else if (act === 'claim') await sendable(bench)
        else if (act === 'day') await bench.clock.advance(day_ms)
        else if (act === 'gone') await bench.gone(folder, path)
        else if (act === 'retried' || act === 'accepted')
          await bench.record({ type: act, folder, path })
        else if (act === 'type' && file < 3) {
          await bench.record({ type: 'accepted', folder, path: `*${extension || '.'}` })
          usable.add(extension.slice(1))
        } else if (act === 'failed' && is_wanted) {
          await fail(bench, content)
          noteFailure(content)
        } else if (act === 'ready' && is_wanted && file < 3) {
          await bench.makeReady(content)
          for (const type of bench.see.typesOf(content)) usable.add(type)
        }
        for (const held of bench.see.inState('type_refused')) {
          for (const type of bench.see.typesOf(held)) {
            expect(usable.has(type), `${act} ${path}: ${type} is usable`).toBe(false)
            expect(failed.get(type)?.size, `${act} ${path}: ${type} failed`).toBeGreaterThanOrEqual(
              max_failed_of_type,
            )
          }
        }
        expect(bench.see.counts(folder), act).toEqual(bench.see.recounted(folder))
      }
    })
    try {
      await fc.assert(property, { numRuns: 20 })
    } finally {
      await bench.close()
    }
  })
}
