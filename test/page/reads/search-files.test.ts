import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openLedgerFile } from '../../../src/ledger/file/ledger-file.ts'
import { ledgerFile } from '../../../src/ledger/file/state-directory.ts'
import type { Stage } from '../../../src/ledger/views/view-files.ts'
import { type Cursor, withSearchView } from '../../../src/page/reads/search-files.ts'
import { md5Of, openRig, project_id, stat } from '../../ledger/views/view-rig.ts'

const folders = [
  { name: 'notes', path: '/srv/notes' },
  { name: 'old', path: '/srv/old' },
]
type Found = { folder: string; path: string }
type Asked = Partial<{
  folders: typeof folders
  query: string
  stages: Stage[]
  since_ms: number
  after: Cursor
  limit: number
  fits: (path: string) => boolean
  counts: boolean
}>
type Search = Awaited<ReturnType<typeof searchIn>>['search']

/** Without case and accents, another way than the search does it. */
function folded(text: string): string {
  const bare = text.normalize('NFD').replace(/[\u0300-\u036f]/g, '')
  const even = bare.toUpperCase().toLowerCase().replaceAll('ς', 'σ')
  return even.replaceAll('ø', 'o').replaceAll('ł', 'l').replaceAll('đ', 'd')
}

/** A ledger with these paths in both folders, and a search in it. */
async function searchIn(paths: readonly string[]) {
  const rig = await openRig()
  const other = {
    name: 'old',
    root: '/srv/old',
    project_id,
    labels: [],
    label_from: 'none',
    rules: '',
  } as const
  await rig.record(
    { type: 'folder_configured', folder: other },
    { type: 'folder_online', folder: 'old', device: 2n },
  )
  await rig.record(
    ...folders.flatMap(({ name: folder }, at) =>
      paths.map((path, index) => {
        return {
          type: 'file_settled',
          folder,
          path,
          stat: stat(),
          md5: md5Of(2 * index + at + 1e9),
        } as const
      }),
    ),
  )
  const search = (of: Asked) =>
    withSearchView(rig.state_dir, (view) =>
      view!.search({ folders, query: '', stages: [], limit: 100, sees: undefined, ...of }),
    )
  return { rig, search }
}

/** Each page after the other. */
async function allPages(search: Search) {
  const all: Found[] = []
  for (let after: Cursor | undefined; ; ) {
    const { files, next } = await search(after ? { after } : {})
    all.push(...files.map(({ folder, path }) => ({ folder, path })))
    if (!next) return all
    expect(files.length).toBeGreaterThan(0)
    after = next
  }
}

// ß, æ and œ are two letters in one; the test below has them.
const letter = fc.constantFrom(...'aäàÄbBcçnñoóøÓsSuüÜłŁđıiİΣσςάαΆЙй*?[]^-%_.\\$()|{}\u0301 ١<\n')
const name = fc
  .tuple(
    fc.array(letter, { minLength: 1, maxLength: 9 }),
    fc.constantFrom('NFC', 'NFD'),
    fc.boolean(),
  )
  .map(([letters, form, is_deep]) => `${is_deep ? 'dir/' : ''}x${letters.join('')}`.normalize(form))

test('finds what has all words of the query, whatever the case, the accents and the form, page by page', async () => {
  const paths = [...new Set(fc.sample(name, 700))].sort((a, b) =>
    Buffer.compare(Buffer.from(a), Buffer.from(b)),
  )
  const { search } = await searchIn(paths)
  const part = fc
    .tuple(
      fc.constantFrom(...paths),
      fc.nat(6),
      fc.integer({ min: 1, max: 4 }),
      fc.constantFrom('NFC', 'NFD'),
    )
    .map(([path, from, length, form]) =>
      path
        .toUpperCase()
        .normalize(form)
        .slice(from, from + length),
    )
  const query = fc.array(
    fc.oneof(
      part,
      fc.array(letter, { maxLength: 3 }).map((letters) => letters.join('')),
    ),
    { maxLength: 3 },
  )
  await fc.assert(
    fc.asyncProperty(query, fc.integer({ min: 10, max: 400 }), async (words, limit) => {
      // A word with a star is a pattern of whole names, which the tests of patterns are about.
      const text = words.join(' ').replaceAll('*', '')
      const right = (path: string) =>
        folded(text)
          .split(/\s+/)
          .every((word) => folded(path).includes(word))
      const expected = folders.flatMap(({ name: folder }) =>
        paths.filter(right).map((path) => ({ folder, path })),
      )
      expect(await allPages((of) => search({ query: text, limit, ...of }))).toEqual(expected)
      // The first page counts what is on all of them.
      const { files, total } = await search({ query: text, limit, counts: true })
      expect([files.length, total]).toEqual([Math.min(limit, expected.length), expected.length])
    }),
    { numRuns: 40 },
  )
})

test.each([
  ['strasse', 'Hauptstraße 5.pdf'],
  ['STRAßE', 'Hauptstrasse 5.pdf'],
  ['haupts', 'Hauptstraße 5.pdf'],
  ['ærø', 'ÆRO.txt'],
  ['mass', 'Maße.txt'],
  ['kobenhavn', 'København.txt'],
  ['lodz', 'Łódź.txt'.normalize('NFD')],
  ['がき', 'がき.txt'.normalize('NFD')],
  ['한글'.normalize('NFD'), '한글.txt'],
  ['notes/sub/a', 'sub/a.txt'],
  ['/srv/notes/sub/a.txt', 'sub/a.txt'],
])('%j finds %j', async (query, path) => {
  const { search } = await searchIn([path, 'other.txt'])
  const { files } = await search({ query, folders: [folders[0]!] })
  expect(files.map((file) => file.path)).toEqual([path])
})

test.each([
  ['internationalization-20-26', 'internationalization-20-25'],
  ['s'.repeat(76), 'ß'.repeat(37)],
  ['e\u0301'.repeat(27), 'é'.repeat(26).normalize('NFD')],
  ['한글'.repeat(30), '한글'.repeat(29).normalize('NFD')],
])('%j does not find %j, and says so at once', { timeout: 10_000 }, async (query, path) => {
  const { search } = await searchIn([path])
  expect((await search({ query })).files).toEqual([])
})

test('of a query that is too long for any name its begin decides', async () => {
  const { search } = await searchIn(['a'.repeat(220)])
  expect((await search({ query: 'a'.repeat(4_096) })).files).toHaveLength(2)
})

test.each(['\0', ' \u0301 ', '', '   '])('a query without a word (%j) lists all', async (query) => {
  const { search } = await searchIn(['a', 'b'])
  expect((await search({ query })).files).toHaveLength(4)
})

test('stages, the time of coming in and the folder narrow a search; what is gone shows when asked for', async () => {
  const { rig, search } = await searchIn(['waits.txt', 'went.txt'])
  await rig.record({ type: 'file_gone', folder: 'old', path: 'went.txt' })
  await rig.bringIn('first.txt')
  await rig.clock.advance(60_000)
  const since_ms = rig.clock.now_ms()
  await rig.bringIn('second.txt')
  const paths = async (of: Asked) =>
    (await search(of)).files.map(({ folder, path }) => `${folder}/${path}`)
  expect(await paths({ stages: ['ready'] })).toEqual(['notes/first.txt', 'notes/second.txt'])
  expect(await paths({ since_ms })).toEqual(['notes/second.txt'])
  expect(await paths({ stages: ['gone'] })).toEqual(['old/went.txt'])
  expect(await paths({ query: 'w', folders: [folders[1]!] })).toEqual(['old/waits.txt'])
  expect(await paths({ folders: [{ name: 'unknown', path: '/x' }] })).toEqual([])
})

test('a search of paths that fit has and counts no others', async () => {
  const { search } = await searchIn(['a/b.txt', 'a/c.txt', 'ab/c.txt'])
  const fits = (path: string) => path.startsWith('a/')
  const { files, total, next } = await search({ fits, limit: 3, counts: true })
  expect(files.map(({ folder, path }) => `${folder}/${path}`)).toEqual([
    'notes/a/b.txt',
    'notes/a/c.txt',
    'old/a/b.txt',
  ])
  expect([total, next]).toMatchObject([4, { folder: 'old', path: 'a/b.txt' }])
})

test('what came in lately is listed newest first, page by page, without what came in before', async () => {
  const { rig, search } = await searchIn(['waits.txt'])
  for (const path of ['old a.txt', 'old b.txt']) await rig.bringIn(path)
  await rig.clock.advance(60_000)
  const since_ms = rig.clock.now_ms()
  const came = ['b.txt', 'c.txt', 'a.txt', 'z/copy 1.txt', 'd.txt', 'gone.txt']
  for (const path of came) await rig.bringIn(path)
  const { md5 } = rig.view().story('notes', 'z/copy 1.txt')!.content!
  await rig.settle('copy 2.txt', { md5 })
  await rig.record({ type: 'file_gone', folder: 'notes', path: 'gone.txt' })
  const newest = ['d.txt', 'copy 2.txt', 'z/copy 1.txt', 'a.txt', 'c.txt', 'b.txt']
  for (const limit of [1, 2, 3, 100]) {
    const found = await allPages((of) => search({ since_ms, limit, ...of }))
    expect(found.map(({ path }) => path)).toEqual(newest)
    const { files, total } = await search({ since_ms, limit, counts: true })
    expect([files.length, total]).toEqual([Math.min(limit, 6), 6])
  }
  const paths = async (of: Asked) =>
    (await search({ since_ms, ...of })).files.map(({ path }) => path)
  expect(await paths({ query: 'COPY' })).toEqual(['copy 2.txt', 'z/copy 1.txt'])
  expect(await paths({ query: 'notes/z' })).toEqual(['z/copy 1.txt'])
  expect(await paths({ stages: ['gone'] })).toEqual(['gone.txt'])
  expect(await paths({ stages: ['refused'] })).toEqual([])
  expect(await paths({ folders: [folders[1]!] })).toEqual([])
  expect((await search({ since_ms: 0 })).files.map(({ path }) => path)).toEqual([
    ...newest,
    'old b.txt',
    'old a.txt',
  ])
})

test('a search through very many arrivals stops in time, and the next page goes on from there', async () => {
  const { rig, search } = await searchIn([])
  await rig.bringIn('needle.txt')
  await rig.closeLedger()
  const database = openLedgerFile(ledgerFile(rig.state_dir))
  database.exec(`INSERT INTO arrivals (folder, content, at_ms)
    WITH RECURSIVE many (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM many WHERE n < 60000)
    SELECT 1, 1000000 + n, 5 FROM many`)
  database.close()
  const first = await search({ since_ms: 1, query: 'needle' })
  expect([first.files, first.rows_read < 60_000]).toEqual([[], true])
  const second = await search({ since_ms: 1, query: 'needle', after: first.next! })
  expect([second.files.map(({ path }) => path), second.next]).toEqual([['needle.txt'], undefined])
})

test('a list of what came in lately reads no more rows than that takes, however many are older', async () => {
  const { rig, search } = await searchIn([])
  for (let at = 0; at < 1_200; at += 300)
    await Promise.all(
      Array.from({ length: 300 }, (_, index) => rig.bringIn(`old ${at + index}.txt`)),
    )
  await rig.clock.advance(60_000)
  const since_ms = rig.clock.now_ms()
  await rig.bringIn('new.txt')
  const { files, next, rows_read } = await search({ since_ms, limit: 1 })
  expect([files.map(({ path }) => path), next]).toEqual([['new.txt'], undefined])
  expect(rows_read).toBeLessThanOrEqual(1_201)
})
