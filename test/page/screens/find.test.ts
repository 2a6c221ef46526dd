import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { agentOf } from '../mcp/agent-rig.ts'
import { beginSignedIn, hostile } from '../signed-in.ts'

const find = (path: string) => `/find?${new URLSearchParams({ path })}`
/** The heading, the verdict and the reasons, as text. */
function answerOn(text: string): string {
  const main = /<h1>.*?(?=<h2>|<\/main>)/s.exec(text)?.[0] ?? ''
  return main
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
}

/** Of each kind one path, and the words of the answer. */
const kinds: [path: string, words: RegExp][] = [
  ['docs/plan.txt', /Ready It is usable/],
  ['a.log', /Ignored Ignored by the rule \*\.log \(config exclude\)/],
  ['.hidden', /Ignored Ignored by the rule/],
  ['link', /Linked A symbolic link/],
  ['PL*.txt', /Ready It is usable/],
  ['docs/pl*n.txt', /Ready It is usable/],
  ['docs/a.log', /Ignored Ignored by the rule \*\.log \(config exclude\)/],
  ['docs/notes/~$plan.docx', /Ignored Ignored by the rule ~\$\* \(default\)/],
  ['docs/link', /Linked A symbolic link, which Sluice does not follow/],
  ['docs/link/passwd', /Linked It lies behind link, a symbolic link, which Sluice does not follow/],
  ['docs/link/nix', /Linked It lies behind link, a symbolic link, which Sluice does not follow/],
  ['docs/na\\xffme.txt', /Name not in UTF-8 Its name is not UTF-8/],
  ['docs/empty.txt', /Skipped It has no bytes, so there is nothing to ask about/],
  ['docs/notes', /Directory A directory/],
  ['docs/never.txt', /Unknown The file does not exist, and Sluice never saw it/],
  ['docs/plan.txt/below', /Unknown The file does not exist/],
  [`docs/${'x'.repeat(300)}`, /Closed No disk here takes a name of 300 bytes: shorten it to 255/],
  [`docs/${'x/'.repeat(2_040)}x`, /Closed Its path is too long.*shorten the path/],
  [`docs/${'x/'.repeat(2_600)}x`, /No path It is longer than any path can be: 5,206 bytes, and/],
  [`docs/${'ä'.repeat(2_100)}`, /No path It is longer than any path can be: 4,205 bytes, and/],
  ['docs/a\0b', /No path No path has a zero byte/],
  ['docs/a\\x00b', /No path No path has a zero byte/],
  ['DOCS/plan.txt', /No such folder There is no folder DOCS\. Did you mean docs \/ plan\.txt \?/],
  [
    'dosc/plan 2.txt',
    /No such folder There is no folder dosc\. Did you mean docs \/ plan 2\.txt \?/,
  ],
  ['DOCS\\plan.txt', /No such folder There is no folder DOCS\. Did you mean docs \/ plan\.txt \?/],
  ['Docs', /No such folder There is no folder Docs\. Did you mean docs \?/],
  ['/etc/passwd', /Outside This path is in no folder/],
  ['/etc/nothing-there', /Outside This path is in no folder/],
  ['~/plan.txt', /Outside This path is in no folder/],
  ['"/etc/passwd"', /Outside This path is in no folder/],
  [
    '\\\\server\\team\\none.txt',
    /Outside Drive letters and servers are not known here\. Paste the path from/,
  ],
  [
    'G:\\Team\\none.txt',
    /Outside Drive letters and servers are not known here\. Paste the path from/,
  ],
  ['G:\\Docs\\none.txt', /Outside Drive letters .* Did you mean docs \/ none\.txt \?/],
  ['G:\\Team\\plan.txt', /Ready It is usable/],
  ['"g:\\Team\\PLAN.TXT"', /Ready It is usable/],
  ['Z:/docs/plan.txt', /Ready It is usable/],
  ['\\\\server\\docs\\plan.txt', /Ready It is usable/],
  ['smb://server/team/plan.txt', /Ready It is usable/],
]

test('the box on every screen answers for any path whether it is in, and why not', async () => {
  const { journey, as } = await beginSignedIn({
    folders: { docs: { exclude: ['*.log'] } },
    tree: { 'docs/plan.txt': 'the plan' },
  })
  const root = journey.at('docs')
  journey.write({
    'docs/a.log': 'a',
    'docs/.hidden': 'x',
    'docs/empty.txt': '',
    'docs/notes/~$plan.docx': 'x',
  })
  symlinkSync('/etc', join(root, 'link'))
  execFileSync('bash', ['-c', `printf x > "$1/$(printf 'na\\xffme.txt')"`, 'bash', root])
  await journey.stage('docs/empty.txt', 'skipped empty')
  const browser = await as('ada')
  const screens = ['/', '/files', '/problems', '/prompts', '/ask', '/about', find('/etc/passwd')]
  for (const screen of screens)
    expect((await browser.get(screen)).text, screen).toMatch(
      /<form class="find" role="search"[^>]* action="\/find"><input type="search" name="path"/,
    )
  for (const [path, words] of kinds) {
    const { status, text } = await browser.get(find(path))
    expect({ path, status, said: answerOn(text) }).toEqual({
      path,
      status: 200,
      said: expect.stringMatching(words),
    })
    // Neither the target of a link nor the link itself is described behind it.
    if (path.startsWith('docs/link/')) expect(text).not.toMatch(/<dt>(Size|Modified)</)
    // Where a file is on the disk says the same, also with another way to write it.
    if (
      !path.startsWith('docs/') ||
      path.includes('..') ||
      path.includes('*') ||
      path.length > 1_000 ||
      words.source.startsWith('No path')
    )
      continue
    for (const other of [`${root}/${path.slice(5)}`, ` ${root}/./${path.slice(5)} `])
      expect(answerOn((await browser.get(find(other))).text), other).toMatch(words)
  }
  for (const odd of ['', '\0', hostile, '..', '/', 'a'.repeat(9_000), 'docs/a\0b'])
    expect((await browser.get(find(odd))).status, odd).toBeLessThan(500)
  // An address that nobody typed says as little as of a folder that is not seen.
  for (const path of ['a\0b', 'x/'.repeat(2_600)]) {
    const address = `/file?${new URLSearchParams({ folder: 'docs', path })}`
    expect((await browser.get(address)).status).toBe(404)
  }
  expect((await browser.get(find(hostile))).text).not.toMatch(/<img|\u202e/)
  journey.ends({
    left_out: [
      'docs/.hidden',
      'docs/a.log',
      'docs/empty.txt',
      'docs/link',
      'docs/notes/~$plan.docx',
    ],
  })
})

test('a reader learns nothing of other folders, and nothing of what lies outside', async () => {
  const folders = { docs: {}, secret: {} }
  const tree = { 'docs/mine.txt': 'mine', 'secret/plan.txt': 'the plan', 'elsewhere/b.txt': 'b' }
  const { journey, as } = await beginSignedIn({ folders, tree })
  symlinkSync(journey.at('docs'), journey.at('way-in'))
  const browser = await as('eve')
  const said = async (path: string) => answerOn((await browser.get(find(path))).text)
  const named = (text: string) => text.replaceAll(/ ?\/? ?(secret|none|plan|nix) ?/g, '')
  for (const [theirs, none] of [
    ['secret/plan.txt', 'none/nix.txt'],
    ['secret', 'none'],
  ] as const) {
    const searches = await Promise.all(
      [theirs, none].map(async (path) => (await browser.get(find(path))).headers.get('location')!),
    )
    expect(searches[1]).toBe(`/files?${new URLSearchParams({ q: none })}`)
    const [one, other] = await Promise.all(searches.map(async (to) => (await browser.get(to)).text))
    expect(named(answerOn(one!))).toBe(named(answerOn(other!)))
    expect(one).toContain('No file has all of this')
  }
  const outside = [
    journey.at('secret/plan.txt'),
    journey.at('secret/nix.txt'),
    journey.at('elsewhere/b.txt'),
    journey.at('way-in/mine.txt'),
    '/etc/passwd',
    '/etc/nix',
  ]
  const answers = await Promise.all(
    outside.map(async (path) => /Outside.*/.exec(await said(path))?.[0]),
  )
  expect(new Set(answers).size, answers.join('\n')).toBe(1)
  expect(answers[0]).toMatch(/^Outside This path is in no folder that you may see/)
  expect(await said('/etc/passwd')).not.toContain(journey.base)
  expect(await said('docs/mine.txt')).toMatch(/Ready/)
  expect(await said(journey.at('docs/mine.txt'))).toMatch(/Ready/)
  const anybody = await fetch(`${browser.address}${find('docs/mine.txt')}`)
  expect(await anybody.text()).toContain('Sign in')
})

/** Ways to ask for a file in a folder; FOLDER stands for its name, AT for its place. */
const ways = [
  'FOLDER',
  'FOLDER/',
  'FOLDER/plan.txt',
  './FOLDER//plan.txt',
  '"FOLDER/plan.txt"',
  'FOLDER\\plan.txt',
  'docs/../FOLDER/plan.txt',
  'G:\\FOLDER\\plan.txt',
  '\\\\server\\FOLDER\\plan.txt',
  'smb://server/FOLDER/plan.txt',
  'AT',
  'AT/',
  'AT/plan.txt',
  '"AT/plan.txt"',
  'file://AT/plan.txt',
  '~/FOLDER/plan.txt',
]

test('a folder that a reader may not see is answered as one that does not exist', async () => {
  const folders = { docs: {}, dots: {}, secret: {} }
  const tree = { 'docs/mine.txt': 'mine', 'dots/plan.txt': 'dots', 'secret/plan.txt': 'the plan' }
  const { journey, as, address, store } = await beginSignedIn({ folders, tree })
  const browser = await as('eve')
  const { call } = await agentOf(address, store.makeToken('eve'))
  const about = async (way: string, folder: string) => {
    const text = way.replace('FOLDER', folder).replace('AT', journey.at(folder))
    const pages = [
      `/find?${new URLSearchParams({ path: text })}`,
      `/file?${new URLSearchParams({ folder, path: 'plan.txt' })}`,
      `/files?${new URLSearchParams({ folder })}`,
      `/files?${new URLSearchParams({ q: text })}`,
    ]
    const answers = await Promise.all(pages.map((page) => browser.get(page)))
    const said = answers.map(({ status, headers, text }) => [
      status,
      headers.get('location'),
      answerOn(text),
    ])
    const told = [
      await call('is_it_in', { file: text }),
      await call('why_not', { file: text }),
      await call('search_files', { text: text.slice(0, 200) }),
      await call('search_files', { folders: [folder] }),
    ]
    return JSON.stringify([said, told]).replaceAll(folder, 'FOLDER')
  }
  // One name is like that of a folder that they see, and one is not.
  for (const [hidden, none] of [
    ['secret', 'sacred'],
    ['dots', 'dogs'],
  ] as const)
    for (const way of ways) expect(await about(way, hidden), way).toBe(await about(way, none))
})

test('a name that is not recorded is looked for in the first level of each folder', async () => {
  const folders = { docs: {}, secret: {} }
  const { journey, as } = await beginSignedIn({ folders, tree: { 'docs/plan.txt': 'a plan' } })
  journey.write({
    'docs/Thumbs.db': 'x',
    'docs/.env': 'x',
    'secret/.env': 'x',
    'secret/desktop.ini': 'x',
    'docs/sub/.DS_Store': 'x',
  })
  symlinkSync('/etc', journey.at('docs/way'))
  const operator = await as('ada')
  const reader = await as('eve')
  const said = async (browser: typeof reader, path: string) =>
    answerOn((await browser.get(find(path))).text)
  expect(await said(reader, 'Thumbs.db')).toMatch(/^Thumbs\.db Ignored Ignored by the rule Thumbs/)
  expect(await said(reader, '.env')).toMatch(/^\.env Ignored/)
  expect(await said(operator, '.env')).toMatch(
    /Several More than one .* docs \/ \.env secret \/ \.env/,
  )
  expect(await said(reader, 'THUMBS.db')).toMatch(/^Thumbs\.db Ignored Ignored by the rule Thumbs/)
  // Of another folder, below the first level, or behind a link, the disk says nothing.
  for (const name of ['desktop.ini', '.DS_Store', 'way/passwd', 'way/nix', '..', '../docs'])
    expect((await reader.get(find(name))).headers.get('location'), name).toBe(
      `/files?${new URLSearchParams({ q: name })}`,
    )
  journey.ends({
    left_out: [
      'docs/Thumbs.db',
      'docs/.env',
      'secret/.env',
      'secret/desktop.ini',
      'docs/sub/.DS_Store',
      'docs/way',
    ],
  })
})

test('a known file and an ignored one of the same name are both named', async () => {
  const tree = { 'docs/in/plan.txt': 'a plan', 'docs/closed/only.txt': 'one' }
  const { journey, as } = await beginSignedIn({
    folders: { docs: { exclude: ['/plan.txt'] } },
    tree,
  })
  journey.write({ 'docs/plan.txt': 'x' })
  writeFileSync(Buffer.from(`${journey.at('docs')}/bad\xff.txt`, 'latin1'), 'x')
  const browser = await as('eve')
  const said = async (path: string) => answerOn((await browser.get(find(path))).text)
  expect(await said('plan.txt')).toMatch(/Several .* docs \/ plan\.txt docs \/ in \/ plan\.txt/)
  expect(await said('closed')).toMatch(/^closed Directory A directory/)
  expect(await said('bad\\xff.txt')).toMatch(/Name not in UTF-8 Its name is not UTF-8/)
  rmSync(Buffer.from(`${journey.at('docs')}/bad\xff.txt`, 'latin1'))
  journey.ends({ left_out: ['docs/plan.txt'] })
})

const md5Of = (text: string) => createHash('md5').update(text).digest('hex')

test('the name of a deleted file finds it', async () => {
  const tree = { 'docs/plan.txt': 'a plan', 'docs/old-1.txt': 'one', 'docs/old-2.txt': 'two' }
  const { journey, as } = await beginSignedIn({ tree })
  for (const path of ['docs/old-1.txt', 'docs/old-2.txt']) {
    rmSync(journey.at(path))
    await journey.stage(path, 'gone')
  }
  const browser = await as('eve')
  expect(answerOn((await browser.get(find('old-1.txt'))).text)).toMatch(/Gone/)
  expect((await browser.get(find('old-*.txt'))).headers.get('location')).toBe(
    '/files?q=old-*.txt&state=gone',
  )
  journey.ends({ also_there: ['one', 'two'].map(md5Of) })
})

test('a name is searched among all files, and the only one that has it is shown', async () => {
  const tree = { 'docs/plan.txt': 'a plan', 'docs/old/list.txt': 'old', 'docs/list.txt': 'a list' }
  const { as } = await beginSignedIn({ tree })
  const browser = await as('eve')
  for (const name of ['plan.txt', 'PLAN', 'old/list.txt']) {
    const { status, text } = await browser.get(find(name))
    expect(status).toBe(200)
    expect(text).toMatch(/<p class="verdict good">Ready<\/p>/)
  }
  for (const name of ['list.txt', 'in/plan.txt', 'docs/../../etc/passwd', '']) {
    const { status, headers } = await browser.get(find(name))
    const search = `/files?${new URLSearchParams({ q: name })}`
    expect([status, headers.get('location')]).toEqual([303, search])
  }
})
