import { expect, test } from 'vitest'
import { day_ms, isoTime, localDate, system_clock } from '../../../src/base/time/time.ts'
import { withSearchView } from '../../../src/page/reads/search-files.ts'
import { beginSignedIn, hostile } from '../signed-in.ts'

/** The links of the table to pages of files, as (folder, path). */
function filesOn(text: string): string[] {
  return [...text.matchAll(/href="(\/file\?[^"]*)"/g)].map(([, href]) => {
    const { searchParams } = new URL(href!.replaceAll('&amp;', '&'), 'http://page')
    return `${searchParams.get('folder')}/${searchParams.get('path')}`
  })
}

test('a search finds files by a part of their name, with a state and a day, without script', async () => {
  const { as } = await beginSignedIn({
    tree: { 'docs/Bücher/Plan.txt': 'the plan', 'docs/other.txt': 'other' },
  })
  const browser = await as('ada')
  expect(filesOn((await browser.get('/files')).text)).toEqual([
    'docs/Bücher/Plan.txt',
    'docs/other.txt',
  ])
  expect(filesOn((await browser.get('/files?q=bucher+PLAN&folder=docs&state=ready')).text)).toEqual(
    ['docs/Bücher/Plan.txt'],
  )
  const none = await browser.get('/files?q=bucher&state=refused')
  expect(none.text).toContain('No file has all of this')
  expect(none.text).toContain('value="bucher"')
  expect(filesOn((await browser.get('/files?since=2020-01-01')).text)).toHaveLength(2)
  expect(filesOn((await browser.get('/files?since=2999-01-01')).text)).toEqual([])
  for (const odd of [
    'since=0000-99-99',
    'since=x',
    'state=x',
    'q=%00',
    'q=%5B*',
    `q=${'a'.repeat(3_000)}`,
    'q=a&q=b',
  ])
    expect((await browser.get(`/files?${odd}`)).status).toBe(200)
  for (const day of ['2026-13-99', '2026-02-31', '2026-02-29']) {
    const { text } = await browser.get(`/files?state=bogus&since=${day}`)
    for (const odd of ['bogus', day])
      expect(text).toContain(
        `There is no state or day <bdi>${odd}</bdi>: it does not narrow the list.`,
      )
  }
})

test('pages follow one another without gaps and doubles, over folders', async () => {
  const names = Array.from({ length: 130 }, (_, number) => `${String(number).padStart(3, '0')}.txt`)
  const folders = { docs: {}, more: {} }
  const tree = Object.fromEntries(
    Object.keys(folders).flatMap((folder) => names.map((name) => [`${folder}/${name}`, name])),
  )
  const { as } = await beginSignedIn({ folders, tree })
  const browser = await as('ada')
  const seen: string[] = []
  let here: string | undefined = '/files?q=txt'
  while (here !== undefined) {
    const { text } = await browser.get(here)
    seen.push(...filesOn(text))
    here = /<a rel="next" href="([^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&')
  }
  expect(seen).toEqual(Object.keys(tree))
})

test('readers find files of their folders only', async () => {
  const tree = { 'docs/mine.txt': 'mine', 'secret/plan.txt': 'the plan' }
  const { as } = await beginSignedIn({ folders: { docs: {}, secret: {} }, tree })
  const browser = await as('eve')
  const { text } = await browser.get('/files')
  expect(filesOn(text)).toEqual(['docs/mine.txt'])
  expect(text).not.toContain('secret')
  for (const folder of ['secret', 'unknown']) {
    expect((await browser.get(`/files?folder=${folder}`)).status).toBe(404)
    expect(
      filesOn((await browser.get(`/files?q=plan&after_folder=${folder}&after=a`)).text),
    ).toEqual([])
  }
})

test('a hostile name and a hostile query stay text', async () => {
  const { as } = await beginSignedIn({ tree: { [`docs/${hostile}`]: 'text' } })
  const browser = await as('ada')
  const { text } = await browser.get(`/files?q=${encodeURIComponent('<img src=x')}`)
  expect(filesOn(text)).toEqual([`docs/${hostile}`])
  expect(text).not.toMatch(/<img|\u202e/)
  expect(text).toContain('\\u{202e}gpj.exe')
})

/** The links below the search, by their words. */
function daysOn(text: string): Record<string, string> {
  const links = text.matchAll(
    /<a href="(\/files[^"]*)">(today|since Monday|in the last 7 days)<\/a>/g,
  )
  return Object.fromEntries(
    [...links].map(([, href, words]) => [words!, href!.replaceAll('&amp;', '&')]),
  )
}

test('days are those of the reader, or else those of the machine, and the screen says which', async () => {
  // Sunday in UTC and Honolulu, Monday in Kiritimati, and in Berlin because of summer time.
  const now_ms = Date.parse('2026-03-29T22:30:00Z')
  const { as } = await beginSignedIn({ page_clock: { ...system_clock, now_ms: () => now_ms } })
  const browser = await as('ada')
  const days = async (zone: string) => {
    const { text } = await browser.get('/files?q=plan', {
      cookie: `${browser.cookie}; sluice_zone=${zone}`,
    })
    const since = Object.values(daysOn(text)).map((href) =>
      new URL(href, 'http://page').searchParams.get('since'),
    )
    return [/\(days in ([^)]*)/.exec(text)?.[1], ...since]
  }
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone
  for (const zone of ['Europe/Berlin', 'Pacific/Kiritimati'])
    expect(await days(zone)).toEqual([zone, '2026-03-30', '2026-03-30', '2026-03-23'])
  expect(await days('Pacific/Honolulu')).toEqual([
    'Pacific/Honolulu',
    '2026-03-29',
    '2026-03-23',
    '2026-03-22',
  ])
  for (const odd of ['', 'Nowhere', '%00', '../..', 'a'.repeat(2_000)])
    expect((await days(odd))[0]).toBe(here)
})

test('a day begins at its midnight in the zone of the reader', async () => {
  const { journey, as } = await beginSignedIn()
  const browser = await as('ada')
  const folders = [{ name: 'docs', path: '/' }]
  const wanted = { folders, query: '', stages: [], limit: 1, sees: undefined }
  const found_file = await withSearchView(journey.config().state_dir, (view) =>
    view!.search(wanted),
  )
  const ready_ms = found_file.files[0]!.ready_ms!
  const found = async (zone: string, day: string) => {
    const cookie = `${browser.cookie}; sluice_zone=${zone}`
    return filesOn((await browser.get(`/files?since=${day}`, { cookie })).text).length
  }
  for (const zone of ['Pacific/Kiritimati', 'Pacific/Honolulu', 'Europe/Berlin']) {
    const day = localDate(ready_ms, zone)
    const next = isoTime(Date.parse(`${day}T00:00Z`) + day_ms).slice(0, 10)
    expect([zone, await found(zone, day), await found(zone, next)]).toEqual([zone, 1, 0])
  }
})

test('the days keep what was searched, in what a refresh replaces; the newest are first', async () => {
  const { journey, as } = await beginSignedIn({ tree: { 'docs/b plan.txt': 'b' } })
  journey.write({ 'docs/a plan.txt': 'a' })
  await journey.allReady()
  journey.write({ 'docs/c plan.txt': 'c', 'docs/other.txt': 'o' })
  await journey.allReady()
  const browser = await as('ada')
  const { text } = await browser.get('/files?q=plan&folder=docs&state=ready')
  expect(text.indexOf('since Monday')).toBeGreaterThan(text.indexOf('<div id="live"'))
  const here = daysOn(text)['since Monday']!
  expect(here).toMatch(/q=plan&folder=docs&state=ready/)
  expect(filesOn((await browser.get(here)).text)).toEqual([
    'docs/c plan.txt',
    'docs/a plan.txt',
    'docs/b plan.txt',
  ])
})
