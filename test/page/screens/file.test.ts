import { expect, test } from 'vitest'
import { beginSignedIn, hostile, press } from '../signed-in.ts'

const small = { ingest: { max_bytes: 1_000 } }
const file = (folder: string, path: string) => `/file?${new URLSearchParams({ folder, path })}`

test('a file has its state, the reason, its times and its copies', async () => {
  const { as } = await beginSignedIn({ tree: { 'docs/a b+c.txt': 'the plan', 'docs/copy.txt': 'the plan' } })
  const { status, text } = await (await as('eve')).get(file('docs', 'a b+c.txt'))
  expect(status).toBe(200)
  expect(text).toMatch(/<h1>a b\+c.txt<\/h1>/)
  expect(text).toContain('it is usable in the assistant')
  expect(text).toContain('href="/file?folder=docs&amp;path=copy.txt"')
  expect(text).toMatch(/<ol>.*seen.*ready.*<\/ol>/s)
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
