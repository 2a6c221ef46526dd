import { rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import { checkCoverage } from '../check-coverage.ts'
import { openOffice } from './journey-office.ts'

test('copies, renames and content that returns are not covered again', async () => {
  const office = await openOffice()
  await office.bringIn({ 'a.txt': 'The lease ends in May.\n', 'b.txt': 'The boat is red.\n' })
  await office.hour()
  office.move('a.txt', 'renamed.txt')
  office.remove('b.txt')
  await office.bringIn({ 'copy of a.txt': 'The lease ends in May.\n' })
  expect(await office.hour()).toMatchObject({
    state: 'skipped',
    why: expect.stringMatching(/^nothing new since [-\d]{10} \d\d:\d\d \S+$/),
  })
  await office.bringIn({ 'b again.txt': 'The boat is red.\n' })
  expect(await office.hour()).toMatchObject({
    state: 'skipped',
    why: expect.stringMatching(/^nothing new since [-\d]{10} \d\d:\d\d \S+$/),
  })
  await office.bringIn({ 'c.txt': 'The cat sleeps.\n' })
  await office.hour()
  expect(office.covered().map((names) => names.toSorted())).toEqual([
    ['docs/a.txt', 'docs/b.txt'],
    ['docs/c.txt'],
  ])
  expect(office.asked()).toBe(2)
})

test('a report lists what changed, went and moved since the last one, and the next one no more', async () => {
  const office = await openOffice()
  const texts = { 'a.txt': 'The lease ends in May.\n', 'b.txt': 'The boat is red.\n' }
  await office.bringIn({ ...texts, 'c.txt': 'The cat sleeps.\n', 'd.txt': 'The dog barks.\n' })
  await office.hour()
  office.remove('b.txt')
  office.move('c.txt', 'cats.txt')
  office.remove('d.txt')
  await office.bringIn({ 'd.txt': 'The dog barks.\n' })
  await office.bringIn({ 'a.txt': 'The lease ends in June.\n', 'e.txt': 'The end is near.\n' })
  await office.hour()
  await office.bringIn({ 'f.txt': 'The frog is green.\n' })
  await office.hour()
  const lists = office.manifests().map(({ coverage: { changed, gone, moved } }) => {
    return [changed, gone, moved].map(({ files }) => files)
  })
  expect(lists).toEqual([
    [[], [], []],
    [
      [{ name: 'docs/a.txt' }],
      [{ name: 'docs/b.txt' }],
      [{ name: 'docs/cats.txt', why: 'docs/c.txt' }],
    ],
    [[], [], []],
  ])
})

test('a prompt that is added together with its folder covers new files, and none of the old archive', async () => {
  const there = { 'old.txt': 'The lease ended in March.\n', 'older.txt': 'The lease before it.\n' }
  const office = await openOffice({ there, prompt: { first_run: 'from_now' } })
  const why = expect.stringMatching(
    /^nothing new since .{16} \S+; files older than the setup of their folder are left out \(first_run: from_now\)$/,
  )
  expect(await office.hour()).toMatchObject({ state: 'skipped', why })
  office.move('older.txt', 'renamed.txt')
  await office.bringIn({ 'new.txt': 'The lease ends in May.\n' })
  expect(await office.hour()).toMatchObject({ state: 'written' })
  expect(office.covered()).toEqual([['docs/new.txt']])
  expect(office.manifests().map(({ coverage_line }) => coverage_line)).toEqual([
    'asked about 1 file: 1 read whole; 1 named',
  ])
})

test('a failed run covers nothing: the next run has its files and the newer ones', async () => {
  const office = await openOffice()
  await office.bringIn({ 'a.txt': 'The lease ends in May.\n' })
  office.service.injectFaults({ failed_answers: 2 })
  const failed = await office.hour()
  expect(failed).toMatchObject({ state: 'failed', error: { code: 'answer.error' } })
  // Two questions: the first, and one more after the error.
  expect([office.asked(), office.manifests()]).toEqual([2, []])
  await office.bringIn({ 'b.txt': 'The boat is red.\n' })
  expect(await office.hour()).toMatchObject({ state: 'written' })
  expect(office.covered()).toEqual([['docs/a.txt', 'docs/b.txt']])
  expect(office.asked()).toBe(3)
})

test('more files than a run may take: the report covers the oldest and says so, and the next runs cover the rest', async () => {
  const office = await openOffice({ prompt: { max_assets: 2 } })
  for (const name of ['e', 'd', 'c', 'b', 'a'])
    await office.bringIn({ [`${name}.txt`]: `The text ${name} is here.\n` })
  for (const _ of [1, 2, 3]) expect(await office.hour()).toMatchObject({ state: 'written' })
  expect(await office.hour()).toMatchObject({
    state: 'skipped',
    why: expect.stringMatching(/^nothing new since [-\d]{10} \d\d:\d\d \S+$/),
  })
  expect(office.covered()).toEqual([
    ['docs/e.txt', 'docs/d.txt'],
    ['docs/c.txt', 'docs/b.txt'],
    ['docs/a.txt'],
  ])
  expect(office.manifests().map(({ coverage_line }) => coverage_line)).toEqual([
    'asked about 2 of 5 files: 2 read whole; 2 named; 3 next time',
    'asked about 2 of 3 files: 2 read whole; 2 named; 1 next time',
    'asked about 1 file: 1 read whole; 1 named',
  ])
  expect(office.manifests().flatMap(checkCoverage)).toEqual([])
})

test('a ledger that replaces a lost one learns the covered files from the reports', async () => {
  const office = await openOffice({ prompt: { max_assets: 2 } })
  for (const name of ['a', 'b', 'c'])
    await office.bringIn({ [`${name}.txt`]: `The text ${name} is here.\n` })
  await office.hour()
  await office.stop()
  rmSync(office.state_dir, { recursive: true })
  office.write({ 'd.txt': 'The text d is here.\n' })
  await office.start()
  await office.synced()
  await office.hour()
  expect(office.covered().map((names) => names.toSorted())).toEqual([
    ['docs/a.txt', 'docs/b.txt'],
    ['docs/c.txt', 'docs/d.txt'],
  ])
  expect(office.manifests().flatMap(checkCoverage)).toEqual([])
})
