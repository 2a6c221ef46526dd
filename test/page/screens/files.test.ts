import { expect, test } from 'vitest'
import { beginSignedIn, hostile } from '../signed-in.ts'

/** The links of the table to pages of files, as (folder, path). */
function filesOn(text: string): string[] {
  return [...text.matchAll(/href="(\/file\?[^"]*)"/g)].map(([, href]) => {
    const { searchParams } = new URL(href!.replaceAll('&amp;', '&'), 'http://page')
    return `${searchParams.get('folder')}/${searchParams.get('path')}`
  })
}

test('a search finds files by a part of their name, with a state and a day, without script', async () => {
  const { as } = await beginSignedIn({ tree: { 'docs/Bücher/Plan.txt': 'the plan', 'docs/other.txt': 'other' } })
  const browser = await as('ada')
  expect(filesOn((await browser.get('/files')).text)).toEqual(['docs/Bücher/Plan.txt', 'docs/other.txt'])
  expect(filesOn((await browser.get('/files?q=bucher+PLAN&folder=docs&state=ready')).text)).toEqual([
    'docs/Bücher/Plan.txt',
  ])
  const none = await browser.get('/files?q=bucher&state=refused')
  expect(none.text).toContain('No file has all of this')
  expect(none.text).toContain('value="bucher"')
  expect(filesOn((await browser.get('/files?since=2020-01-01')).text)).toHaveLength(2)
  expect(filesOn((await browser.get('/files?since=2999-01-01')).text)).toEqual([])
  for (const odd of ['since=0000-99-99', 'since=x', 'state=x', 'q=%00', 'q=%5B*', `q=${'a'.repeat(3_000)}`, 'q=a&q=b'])
    expect((await browser.get(`/files?${odd}`)).status).toBe(200)
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
    expect(filesOn((await browser.get(`/files?q=plan&after_folder=${folder}&after=a`)).text)).toEqual([])
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
