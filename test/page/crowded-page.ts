import { expect, onTestFinished } from 'vitest'
import { openPromptsView } from '../../src/ledger/views/view-prompts.ts'
import { until } from '../rig/waiting.ts'
import { type Answer, addUser, Browser, beginPage } from './page-rig.ts'

const password = 'correct horse'
/** In all that belongs to the folder `vault`, and in nothing else. */
export const of_vault = /vault|klondike/i

const hostile_paths = [
  '<img src=x onerror=evil(1)>.txt',
  '"><x-evil evil="1" autofocus onfocus=evil(1)>.txt',
  "' onmouseover='evil(1)' x='.txt",
  '</title><script>evil(1)<',
  'javascript:evil(1)',
  '\u202etxt.exe.txt',
  'two\nlines\r.txt',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: that is the name
  '{{evil}} ${evil} &lt;x-evil&gt; %3Cx-evil%3E ?a=b#c.txt',
]
const content =
  '<img src=x onerror=evil(1)> <x-evil evil> [evil](javascript:evil) [e](data:text/html,evil)'
const broken = Buffer.from([0x1f, 0x8b, 8, 0, 0])
const prompt = {
  prompt: 'What is <x-evil evil=1>?',
  cron: '0 7 * * 1',
  first_run: 'all',
  wait_for_files: '20s',
}

/**
 * A page with all that can stand on one: a folder with hostile names and one for few, bytes that
 * lie in both, refused files, reports over one and over both. `ada` reads docs, `ann` is its
 * operator.
 */
export async function beginCrowdedPage(options: Parameters<typeof beginPage>[0] = {}) {
  const docs = hostile_paths.map((path, at) => [`docs/${path}`, `${content} ${at}`] as const)
  const refused = ['docs/<x-evil evil="2">.gz', 'vault/klondike.gz']
  const page = await beginPage({
    folders: {
      docs: { label_from: 'every_folder', labels: ['<x-evil evil=3>'] },
      vault: { labels: ['klondike'] },
    },
    tree: {
      ...Object.fromEntries(docs),
      'docs/same.txt': 'The same bytes.',
      'vault/klondike same.txt': 'The same bytes.',
      'vault/klondike/plan.txt': 'The klondike plan.',
    },
    config: {
      prompts: [
        { ...prompt, name: 'weekly', scope: { folders: ['docs'] } },
        { ...prompt, name: 'klondike', scope: { folders: ['vault'] } },
        { ...prompt, name: 'both-klondike', scope: { folders: ['docs', 'vault'] } },
      ],
    },
    ...options,
  })
  const { journey, store, address, config } = page
  journey.ends({ left_out: refused })
  journey.write(Object.fromEntries(refused.map((name) => [name, broken])))
  for (const name of refused) await journey.stage(name, 'refused')
  await addUser(store, { name: 'ada', role: 'reader', folders: ['docs'], password })
  await addUser(store, { name: 'ann', role: 'operator', folders: ['docs'], password })
  await addUser(store, {
    name: '<x-evil evil="4">\u202e',
    role: 'operator',
    folders: 'all',
    password,
  })
  const view = openPromptsView(config.state_dir)
  onTestFinished(() => view.close())

  const signedIn = async (name: string) => {
    const browser = new Browser(address)
    expect((await browser.signIn(name, password)).status).toBe(303)
    return browser
  }
  const operator = await signedIn('<x-evil evil="4">\u202e')
  for (const { name } of config.prompts) {
    await operator.get(`/prompts/${name}/dry-run`)
    const to = (await operator.post(`/prompts/${name}/run`)).headers.get('location')!
    await until(
      `the report of ${name}`,
      () => view.run(Number(to.split('/').at(-1)))?.state === 'written',
    )
  }
  await ask(operator, '<x-evil evil=5> klondike')
  return { ...page, operator, signedIn }
}

/** Asks, and waits for the answer. Returns the path of the answer. */
export async function ask(
  browser: Browser,
  question: string,
  fields: Record<string, string> = {},
): Promise<string> {
  await browser.get('/ask')
  const { headers } = await browser.post('/ask', { question, ...fields })
  const to = headers.get('location')!
  await until('the answer', async () => !(await browser.get(to)).text.includes('is reading'))
  return to
}

const entities: Record<string, string> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
}

export function attributesIn(html: string, name: string): string[] {
  const found = [...html.matchAll(new RegExp(` ${name}="([^"]*)"`, 'g'))]
  return found.map(([, value]) =>
    value!.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => entities[entity]!),
  )
}

/** Reads each page that links lead to, from these paths on. */
export async function crawl(
  browser: Browser,
  from: readonly string[] = ['/'],
): Promise<Map<string, Answer>> {
  const found = new Map<string, Answer>()
  const left = [...from]
  for (let path = left.shift(); path !== undefined; path = left.shift()) {
    if (found.has(path) || !path.startsWith('/') || path.startsWith('/assets/')) continue
    const answer = await browser.get(path)
    found.set(path, answer)
    if (answer.status === 200)
      left.push(...attributesIn(answer.text, 'href').map((to) => to.split('#')[0]!))
    expect(found.size, 'pages that links lead to').toBeLessThan(400)
  }
  return found
}
