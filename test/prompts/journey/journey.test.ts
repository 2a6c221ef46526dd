import { readFileSync, renameSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { minute_ms } from '../../../src/base/time/time.ts'
import { until } from '../../rig/waiting.ts'
import { checkCoverage } from '../check-coverage.ts'
import { openOffice } from './journey-office.ts'

describe.each(['default', 'hosted'] as const)('from the file to the report (%s)', (profile) => {
  const lineOf = (files: number, unready = '') => {
    const asked = `asked about ${files} ${files === 1 ? 'file' : 'files'}`
    return profile === 'default'
      ? `${asked}: ${files} read whole; ${files} named${unready}`
      : expect.stringMatching(
          new RegExp(
            `^${asked}; the service does not say which it read; [12] named${unready.replace(/[()]/g, '\\$&')}$`,
          ),
        )
  }

  test('a new file is asked about at the due time; the report quotes it, and the manifest proves it', async () => {
    const office = await openOffice({ profile })
    await office.bringIn({
      'lease.txt': 'The lease ends in May.\n',
      'cats.txt': 'A cat sleeps all day.\n',
    })
    const run = await office.hour()
    expect(run).toMatchObject({ state: 'written', cause: 'schedule', assets: 2 })
    expect(readFileSync(run.report_path!, 'utf8')).toContain('> The lease ends in May.')
    const [manifest] = office.manifests()
    expect(checkCoverage(manifest!)).toEqual([])
    expect(manifest).toMatchObject({ due_ms: run.due_ms, coverage_line: lineOf(2) })
    expect(office.asked()).toBe(1)
    expect(await office.hour()).toMatchObject({
      state: 'skipped',
      why: expect.stringMatching(/^nothing new since [-\d]{10} \d\d:\d\d \S+$/),
    })
    expect(office.asked()).toBe(1)
  })

  test('a file that becomes ready while the run waits is in scope', async () => {
    const office = await openOffice({
      profile,
      service: { ingest: { delay_ms: minute_ms } },
      prompt: { wait_for_files: '5m' },
    })
    office.nearTheHour()
    office.write({ 'slow.txt': 'The lease ends in June.\n' })
    await until('it is ingested', () => office.ingesting() === 1)
    office.tick()
    await until('the time has come', () => office.runs().length === 1)
    expect(office.asked()).toBe(0)
    office.clock.skip(minute_ms)
    expect(await office.ended(1)).toMatchObject({ state: 'written', assets: 1 })
    expect(office.manifests()[0]?.coverage_line).toEqual(lineOf(1))
    expect(readFileSync(office.runs()[0]!.report_path!, 'utf8')).toContain(
      '> The lease ends in June.',
    )
  })

  test('a file that becomes ready later is not: the report names it, and the next run begins with it', async () => {
    const office = await openOffice({
      profile,
      service: { ingest: { delay_ms: 10 * minute_ms } },
      prompt: { wait_for_files: '1m' },
    })
    office.write({ 'early.txt': 'The lease ends in May.\n' })
    await until('it is ingested', () => office.ingesting() === 1)
    office.clock.skip(11 * minute_ms)
    await office.synced()
    office.nearTheHour()
    office.write({ 'slow.txt': 'The lease ends in June.\n' })
    await until('it is ingested', () => office.ingesting() === 1)
    office.tick()
    await until('the time has come', () => office.runs().length === 1)
    await until('the folder is scanned', () => office.scannedSince(office.runs()[0]!.due_ms))
    office.clock.skip(2 * minute_ms)
    expect(await office.ended(1)).toMatchObject({ state: 'written', assets: 1 })
    office.clock.skip(11 * minute_ms)
    await office.synced()
    office.write({ 'later.txt': 'The lease ends in July.\n' })
    await until('it is ingested', () => office.ingesting() === 1)
    office.clock.skip(11 * minute_ms)
    await office.synced()
    await office.hour()
    expect(office.covered()).toEqual([['docs/early.txt'], ['docs/slow.txt', 'docs/later.txt']])
    const [first, second] = office.manifests()
    expect(first!.coverage_line).toEqual(lineOf(1, '; 1 still on the way (docs/slow.txt)'))
    expect(second!.coverage_line).toEqual(lineOf(2))
    expect([first!, second!].flatMap(checkCoverage)).toEqual([])
    expect(first!.turns[0]!.body).not.toContain('slow.txt')
  })
})

test('a folder that was offline before the restart is scanned before the first prompt', async () => {
  const office = await openOffice()
  await office.bringIn({ 'a.txt': 'The lease ends in May.\n' })
  expect(await office.hour()).toMatchObject({ state: 'written', assets: 1 })
  renameSync(office.docs, `${office.docs}-away`)
  await office.synced()
  await office.stop()
  renameSync(`${office.docs}-away`, office.docs)
  office.write({ 'b.txt': 'The lease ends in June.\n' })
  office.tick()
  await office.start()
  expect(await office.ended(2)).toMatchObject({ state: 'written', assets: 1 })
  expect(office.covered()).toEqual([['docs/a.txt'], ['docs/b.txt']])
  expect(office.manifests()[1]?.coverage_line).toBe('asked about 1 file: 1 read whole; 1 named')
})
