import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { agentOf } from '../mcp/agent-rig.ts'
import { beginSignedIn, hostile, press } from '../signed-in.ts'

const small = { ingest: { max_bytes: 1_000 } }
const file = (folder: string, path: string) => `/file?${new URLSearchParams({ folder, path })}`

test('a file has its state, the reason, its times and its copies', async () => {
  const { as } = await beginSignedIn({
    tree: { 'docs/a b+c.txt': 'the plan', 'docs/copy.txt': 'the plan' },
  })
  const { status, text } = await (await as('eve')).get(file('docs', 'a b+c.txt'))
  expect(status).toBe(200)
  expect(text).toMatch(/<h1><bdi>a b\+c.txt<\/bdi><\/h1>/)
  expect(text).toContain('It is usable in the assistant')
  expect(text).toContain('href="/file?folder=docs&amp;path=copy.txt"')
  const events = [...text.matchAll(/<li><time[^>]*>[^<]*<\/time> ([^<]*)<\/li>/g)].map(
    ([, words]) => words,
  )
  expect(events).toEqual([
    'seen',
    'settled',
    'upload begins',
    'uploaded',
    'the service reads it',
    'ready',
  ])
  expect(text).not.toContain('<button>Retry')
})

test('an operator tries a refused file again, and comes back to its page', async () => {
  const { journey, as } = await beginSignedIn({ service: small })
  journey.write({ [`docs/${hostile}`]: 'x'.repeat(2_000) })
  await journey.stage(`docs/${hostile}`, 'refused')
  const browser = await as('ada')
  const here = file('docs', hostile)
  const { text } = await browser.get(here)
  expect(text).toContain('it is larger than 1000 bytes')
  // A form sends the name as it is; nobody sees it there.
  expect(text.replace(/<input type="hidden"[^>]*>/g, '')).not.toMatch(/<img|\u202e/)
  const { puts } = journey.cost()
  expect(await press(browser, here, 'Retry')).toEqual({ status: 303, to: here })
  await journey.until('it was sent again', () => journey.cost().puts > puts)
  await journey.idle()
  expect((await (await as('eve')).get(here)).text).not.toContain('<button>Retry')
  journey.ends({ left_out: [`docs/${hostile}`] })
})

test('a path in another folder, or one that leads out, is not found; nothing of it is said', async () => {
  const tree = { 'docs/mine.txt': 'same', 'secret/plan.txt': 'same' }
  const { as } = await beginSignedIn({ folders: { docs: {}, secret: {} }, tree })
  const browser = await as('eve')
  for (const [folder, path] of [
    ['secret', 'plan.txt'],
    ['docs', '../secret/plan.txt'],
    ['docs', './mine.txt'],
    ['none', 'a'],
  ] as const)
    expect((await browser.get(file(folder, path))).status).toBe(404)
  expect((await browser.get(file('docs', 'mine.txt'))).text).not.toContain('secret')
  expect((await browser.get(file('docs', 'never.txt'))).status).toBe(404)
  for (const odd of ['', 'a\0b', 'a'.repeat(5_000)])
    expect((await browser.get(file('docs', odd))).status).toBeLessThan(500)
})

test('what lies beyond a link is not looked at, and the page does not say whether it exists', async () => {
  const tree = { 'docs/a.txt': 'a', 'secret/large.txt': 'x'.repeat(4_321) }
  const { journey, as } = await beginSignedIn({ folders: { docs: {}, secret: {} }, tree })
  symlinkSync(join(journey.base, 'secret'), join(journey.base, 'docs/link'))
  const browser = await as('eve')
  const beyond = await Promise.all(
    ['large', 'none'].map((name) => browser.get(file('docs', `link/${name}.txt`))),
  )
  const texts = beyond.map(({ text }) =>
    text.replaceAll(/large|none/g, '').replaceAll(/<footer.*|_csrf[^>]*/gs, ''),
  )
  expect(texts[0]).toBe(texts[1])
  expect(texts[0]).not.toMatch(/4321|4\.2 KiB|4\.3 kB/)
  journey.ends({ left_out: ['docs/link'] })
})

test('a reader sees no command and no place of the machine; an operator sees both', async () => {
  const { journey, address, store, as } = await beginSignedIn({ service: small })
  journey.write({
    'docs/large.txt': 'x'.repeat(2_000),
    'docs/in/.sluiceignore': '*.log\n',
    'docs/in/a.log': 'x',
  })
  await journey.stage('docs/large.txt', 'refused')
  const machine = new RegExp(`${journey.base}|sluice [a-z]+ `)
  const [eve, ada] = [await as('eve'), await as('ada')]
  const seen = ['large.txt', 'in/a.log', 'never.txt', 'plan.txt', ''].map((path) =>
    file('docs', path),
  )
  for (const path of [...seen, '/', '/problems', '/files?q=none', '/prompts', '/ask', '/about']) {
    expect((await eve.get(path)).text, path).not.toMatch(machine)
  }
  expect((await eve.get(seen[0]!)).text).toContain('to try it now, ask your administrator')
  expect((await eve.get(seen[1]!)).text).toContain('docs/in/.sluiceignore:1')
  expect((await ada.get(seen[0]!)).text).toContain(`sluice retry ${journey.base}/docs/large.txt`)
  const { call } = await agentOf(address, store.makeToken('eve'))
  const { text, data } = await call('why_not', { file: 'docs/in/a.log' })
  expect(text + JSON.stringify(data)).not.toMatch(machine)
  journey.ends({ left_out: ['docs/large.txt', 'docs/in/a.log', 'docs/in/.sluiceignore'] })
})
