import { expect } from 'vitest'
import { day_ms } from '../../../src/base/time/time.ts'
import type { ListedAsset } from '../../../src/domain/audit.ts'
import { waitingText } from '../../../src/domain/disappearance.ts'
import type { AuditState } from '../../../src/ledger/audit-work.ts'
import { type Bench, type LedgerFactory, md5Of, other_project_id, project_id } from '../fixture.ts'
import { withLedger } from './with-ledger.ts'

async function state(bench: Bench, of = project_id): Promise<AuditState> {
  return (await bench.ledger.audits()).find((audit) => audit.project_id === of)!
}

async function begin(bench: Bench): Promise<number> {
  await bench.record({ type: 'audit_round_began', project_id })
  return (await state(bench)).round
}

const ready = (asset_id: string): ListedAsset => ({ asset_id, status: 'ready' })

function list(bench: Bench, round: number, items: ListedAsset[], cursor?: string): Promise<void> {
  return bench.record({ type: 'assets_listed', project_id, round, cursor, items })
}

function end(
  bench: Bench,
  round: number,
  options: { resend?: boolean; unanswered?: number } = {},
): Promise<void> {
  const { resend = false, unanswered = 0 } = options
  return bench.record({ type: 'audit_round_ended', project_id, round, unanswered, resend })
}

async function unaudited(bench: Bench): Promise<number[]> {
  const contents: number[] = []
  for (let after: number | undefined = 0; after !== undefined; ) {
    const page = await bench.ledger.unaudited({ project_id, after, limit: 2 })
    contents.push(...page.assets.map(({ content }) => content))
    after = page.next
  }
  return contents
}

async function readyFiles(bench: Bench, count: number) {
  const files: { content: number; asset_id: string; path: string; text: string }[] = []
  for (let index = 0; index < count; index++) {
    const path = `${index}.txt`
    const text = `text ${index}`
    const content = await bench.settle('docs', path, text)
    files.push({ content, asset_id: await bench.makeReady(content), path, text })
  }
  return files
}

export function auditContract(factory: LedgerFactory): void {
  const check = withLedger(factory)

  check(
    'a round that is started again keeps its first start time; after its end a new round begins',
    async (bench) => {
      await readyFiles(bench, 1)
      await begin(bench)
      const { began_ms } = (await state(bench)).running!
      await bench.clock.advance(day_ms)
      const round = await begin(bench)
      expect((await state(bench)).running).toMatchObject({ began_ms, pages: 0 })
      await list(bench, round, [])
      await end(bench, round)
      await begin(bench)
      expect((await state(bench)).running!.began_ms).toBe(began_ms + day_ms)
    },
  )

  check(
    'a round marks the listed assets as ready, and names the others for single reads',
    async (bench) => {
      const files = await readyFiles(bench, 5)
      expect(await state(bench)).toMatchObject({
        round: 0,
        wanted: false,
        running: undefined,
        last: undefined,
        expected: 5,
      })
      const round = await begin(bench)
      await list(
        bench,
        round,
        [ready(files[0]!.asset_id), ready('asset_of_somebody_elses')],
        'asset_cursor',
      )
      expect((await state(bench)).running).toMatchObject({
        cursor: 'asset_cursor',
        listed: false,
        pages: 1,
        asked: false,
      })
      await list(bench, round, [
        ready(files[1]!.asset_id),
        { asset_id: files[2]!.asset_id, status: 'other' },
      ])
      expect((await state(bench)).running).toMatchObject({ listed: true, pages: 2 })
      expect(await unaudited(bench)).toEqual(files.slice(2).map(({ content }) => content))
      const { assets } = await bench.ledger.unaudited({ project_id, after: 0, limit: 1 })
      expect(assets).toEqual([
        { content: files[2]!.content, asset_id: files[2]!.asset_id, size: 6, name: 'docs/2.txt' },
      ])
      await bench.record({ type: 'asset_confirmed', content: files[2]!.content })
      await bench.record({ type: 'asset_missing', content: files[3]!.content })
      expect(await unaudited(bench)).toEqual([files[4]!.content])
      await end(bench, round, { unanswered: 1 })
      expect(await state(bench)).toMatchObject({
        running: undefined,
        last: {
          pages: 2,
          counts: {
            usable: 3,
            missing: 1,
            failed: 0,
            unready: 0,
            unanswered: 1,
            unknown: 1,
            slots: 0,
          },
        },
      })
      expect(bench.see.history(files[3]!.content)).toContain('asset_missing')
    },
  )

  check(
    'a content that becomes ready during a round is first audited in the next one',
    async (bench) => {
      const [first] = await readyFiles(bench, 1)
      const round = await begin(bench)
      const late = await bench.settle('docs', 'late.txt', 'late')
      await bench.makeReady(late)
      await list(bench, round, [ready(first!.asset_id)])
      expect(await unaudited(bench)).toEqual([])
      await end(bench, round)
      expect((await state(bench)).last?.counts).toMatchObject({ usable: 2, missing: 0 })
      await begin(bench)
      expect(await unaudited(bench)).toEqual([first!.content, late])
    },
  )

  check(
    'a page of an older or unknown round changes nothing, and an asset counts once',
    async (bench) => {
      const [file] = await readyFiles(bench, 1)
      const round = await begin(bench)
      await list(bench, round + 1, [ready(file!.asset_id)])
      await list(bench, round - 1, [ready(file!.asset_id)])
      expect(await unaudited(bench)).toEqual([file!.content])
      await list(bench, round, [ready(file!.asset_id)], 'a')
      await list(bench, round, [ready(file!.asset_id)])
      await end(bench, round - 1)
      expect((await state(bench)).running?.counts.usable).toBe(1)
      await end(bench, round)
      await list(bench, round, [ready(file!.asset_id)])
      expect((await state(bench)).last?.counts.usable).toBe(1)
    },
  )

  check('the round and its cursor survive a restart', async (bench) => {
    const files = await readyFiles(bench, 2)
    const round = await begin(bench)
    await list(bench, round, [ready(files[0]!.asset_id)], 'asset_cursor')
    await bench.reopen()
    expect(await state(bench)).toMatchObject({
      round,
      running: { cursor: 'asset_cursor', pages: 1, counts: { usable: 1 } },
    })
    await list(bench, round, [])
    expect(await unaudited(bench)).toEqual([files[1]!.content])
  })

  check(
    'a user asks for an audit: it begins at once in every project and is marked as asked for',
    async (bench) => {
      await bench.online('other', { project_id: other_project_id })
      await bench.record({ type: 'audit_wanted' })
      expect((await bench.ledger.audits()).map(({ wanted }) => wanted)).toEqual([true, true])
      const round = await begin(bench)
      expect(await state(bench)).toMatchObject({ wanted: false, running: { asked: true } })
      // The service has lost its place in the list, and the user still waits for this round.
      const anew = await begin(bench)
      expect(anew).not.toBe(round)
      expect(await state(bench)).toMatchObject({ running: { asked: true } })
      expect(await state(bench, other_project_id)).toMatchObject({
        wanted: true,
        running: undefined,
      })
      await end(bench, anew)
      await begin(bench)
      expect(await state(bench)).toMatchObject({ running: { asked: false } })
    },
  )

  check(
    'an asset that is read again is followed until it is ready, and arrives only once',
    async (bench) => {
      const [file] = await readyFiles(bench, 1)
      const round = await begin(bench)
      await list(bench, round, [{ asset_id: file!.asset_id, status: 'other' }])
      await bench.record({ type: 'asset_unready', content: file!.content })
      expect((await bench.follow()).work).toMatchObject([
        { content: file!.content, asset_id: file!.asset_id },
      ])
      expect(bench.see.counts('docs')).toMatchObject({ ingesting: { files: 1 } })
      expect((await state(bench)).running?.counts).toMatchObject({ unready: 1, usable: 0 })
      await bench.record({ type: 'asset_ready', content: file!.content })
      expect((await state(bench)).running?.counts).toMatchObject({ unready: 0, usable: 1 })
      expect(bench.see.arrivals('docs')).toHaveLength(1)
    },
  )

  check(
    'an asset that failed is refused with the reason, and ready again when the service says so',
    async (bench) => {
      const [file] = await readyFiles(bench, 1)
      const error = { code: 'ingest_failed', message: 'it cannot be used' }
      await bench.record({ type: 'asset_failed', content: file!.content, error })
      expect(bench.see.content(md5Of(file!.text))).toMatchObject({
        state: 'refused',
        error_code: 'ingest_failed',
      })
      const round = await begin(bench)
      await list(bench, round, [ready(file!.asset_id)])
      expect(bench.see.content(md5Of(file!.text))).toMatchObject({
        state: 'ready',
        error_code: null,
      })
      expect(bench.see.arrivals('docs')).toHaveLength(1)
    },
  )

  check(
    'a missing asset is ready when it is listed again, but not one refused otherwise',
    async (bench) => {
      const [gone, refused] = await readyFiles(bench, 2)
      await bench.record({ type: 'asset_missing', content: gone!.content })
      await bench.record({ type: 'asset_missing', content: refused!.content })
      await bench.record({
        type: 'content_wanted_again',
        content: refused!.content,
        not_before_ms: 0,
      })
      const asset_id = await bench.send(refused!.content)
      await bench.record({
        type: 'content_refused',
        content: refused!.content,
        error: { code: 'x.y', message: 'no' },
      })
      const round = await begin(bench)
      await list(bench, round, [ready(gone!.asset_id), ready(asset_id)])
      expect(bench.see.content(md5Of(gone!.text))?.state).toBe('ready')
      expect(bench.see.content(md5Of(refused!.text))?.state).toBe('refused')
      expect((await state(bench)).running?.counts.usable).toBe(1)
    },
  )

  check(
    'under the policy, a missing asset that a file needs is wanted again after the round',
    async (bench) => {
      await bench.configure('docs', { labels: ['team'] })
      const [kept, left] = await readyFiles(bench, 2)
      for (const { content } of [kept!, left!]) {
        await bench.record({ type: 'label_attached', content, name: 'team', label_id: 'label_1' })
        await bench.record({ type: 'asset_missing', content })
      }
      await bench.gone('docs', left!.path)
      await end(bench, await begin(bench))
      expect(bench.see.content(md5Of(kept!.text))?.state).toBe('removed_on_service')
      await end(bench, await begin(bench), { resend: true })
      expect((await bench.sendable()).map(({ content }) => content)).toEqual([kept!.content])
      expect(bench.see.content(md5Of(left!.text))?.state).toBe('removed_on_service')
      expect(bench.see.attached(kept!.content), 'the next asset has no label yet').toEqual([])
      await bench.makeReady(kept!.content)
      expect((await bench.label()).work).toMatchObject([
        { content: kept!.content, wanted: ['team'], attached: [] },
      ])
      expect(bench.see.arrivals('docs')).toHaveLength(2)
    },
  )

  check(
    'when so many assets are missing that a fault is likely, nothing is sent again by itself',
    async (bench) => {
      const files = await readyFiles(bench, 101)
      const round = await begin(bench)
      await list(bench, round, [])
      expect(await unaudited(bench)).toHaveLength(101)
      await bench.record(
        ...files.map(({ content }) => ({ type: 'asset_missing' as const, content })),
      )
      await end(bench, round, { resend: true })
      expect(await bench.sendable()).toEqual([])
      await bench.record({ type: 'retried', folder: 'docs', path: '0.txt' })
      expect(await bench.sendable()).toHaveLength(1)
      await end(bench, await begin(bench), { resend: true })
      expect(await bench.sendable(), 'with one less a user may have removed them').toHaveLength(100)
    },
  )

  check('accepting missing files of a folder does not accept an emptied project', async (bench) => {
    const files = await readyFiles(bench, 101)
    const round = await begin(bench)
    await list(bench, round, [])
    await bench.record(...files.map(({ content }) => ({ type: 'asset_missing' as const, content })))
    await end(bench, round)
    const seemsEmptied = () => bench.see.emptied(project_id)
    expect(seemsEmptied()).toBe(true)
    const found = { device: 5n, identity: undefined, files: 1 }
    const reason = waitingText('docs', { known: 101, missing: 100, files: 1 })
    await bench.record({ type: 'folder_offline', folder: 'docs', reason, found })
    await bench.record({ type: 'accepted', folder: 'docs', path: '' })
    expect(seemsEmptied()).toBe(true)
    await bench.online('docs')
    await bench.record({ type: 'accepted', folder: 'docs', path: '' })
    expect(seemsEmptied()).toBe(false)
  })

  check('slots without bytes are counted apart from unknown assets', async (bench) => {
    const reserved = await bench.reserve(await bench.settle('docs', 'on-its-way', 'on its way'))
    const round = await begin(bench)
    await list(bench, round, [
      { asset_id: 'asset_bare', status: 'slot' },
      { asset_id: 'asset_theirs', status: 'ready' },
      { asset_id: 'asset_failed', status: 'other' },
      { asset_id: reserved, status: 'slot' },
    ])
    expect((await state(bench)).running?.counts).toMatchObject({ slots: 1, unknown: 1, usable: 0 })
    expect(await unaudited(bench)).toEqual([])
  })
}
