import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Webhook } from 'standardwebhooks'
import { expect, type TestContext, test } from 'vitest'
import { parse } from 'yaml'
import { loadConfig } from '../../src/config/load.ts'
import { nextTimes } from '../../src/prompts/plan/schedule.ts'
import { Home } from '../cli/sluice.ts'
import { parsePart, startMailReceiver } from '../deliver/mail-receiver.ts'
import { startServer } from '../remote/recording-server.ts'
import { test_certificate } from '../remote/test-certificate.ts'
import { addToTree } from '../rig/tree.ts'

const page = readFileSync(fileURLToPath(new URL('../../docs/prompts.md', import.meta.url)), 'utf8')
const blocks = (language: string) =>
  page
    .split(`\n\`\`\`${language}\n`)
    .slice(1)
    .map((rest) => rest.split('\n```\n')[0]!)
const examples = new Map(
  blocks('yaml').map((text) => [parse(text).prompts[0].name as string, text]),
)

/** Settings for these tests: log errors only. */
const quiet_settings = `
log: { level: error }
`

/** An example of the page with the paths of this machine. All other lines are as on the page. */
class Example {
  readonly home: Home
  readonly name: string

  private constructor(home: Home, name: string) {
    this.home = home
    this.name = name
  }

  /** `places`: values of this machine for other places on the page. */
  static async of(
    context: TestContext,
    name: string,
    places: (home: string) => object = () => ({}),
  ): Promise<Example> {
    const example = new Example(await Home.of(context), name)
    const { path, service, project_id } = example.home
    const own = join(path, '.config/sluice')
    mkdirSync(own, { recursive: true })
    copyFileSync(join(path, 'token'), join(own, 'token'))
    const all = {
      'https://assistant.example.com': service.api,
      project_0123456789abcdefghij: project_id,
      '~/': `${path}/`,
      '/srv/': `${path}/srv/`,
      ...places(path),
    }
    let text = examples.get(name)!.replace(/^( +)path: .+$/gm, '$&\n$1settle_ms: 50ms')
    for (const [from, to] of Object.entries(all)) text = text.replaceAll(from, to)
    writeFileSync(join(path, 'sluice.yaml'), `${text}\nstate_dir: ${path}/state\n${quiet_settings}`)
    return example
  }

  secret(name: string, text: string): void {
    writeFileSync(join(this.home.path, '.config/sluice', name), `${text}\n`, { mode: 0o600 })
  }

  /** Records its empty folders: every later file is new. */
  async takeUp(...folders: string[]): Promise<void> {
    this.put(Object.fromEntries(folders.map((folder) => [`${folder}/`, ''])))
    expect(await this.run()).toMatchObject({
      code: 3,
      out: expect.stringContaining('skipped: nothing new'),
    })
  }

  put(tree: Record<string, string>): void {
    addToTree(join(this.home.path, 'srv'), tree)
  }

  run(): Promise<{ code: number | null; out: string; err: string }> {
    return this.home.inProcess('prompts', 'run', this.name)
  }

  reports(dir: string): string[] {
    const whole = join(this.home.path, 'srv', dir)
    const names = readdirSync(whole).filter((name) => name.endsWith('.md'))
    return names.sort().map((name) => readFileSync(join(whole, name), 'utf8'))
  }

  /** Local times after a moment, by the loaded schedule. */
  nextAfter(time: string, count: number): string[] {
    const { config, warnings } = loadConfig({ file: join(this.home.path, 'sluice.yaml') })
    expect(warnings).toEqual([])
    return nextTimes(config.prompts[0]!.schedule, Date.parse(time), count).map(({ text }) => text)
  }
}

test('the page has three examples', () => {
  expect([...examples.keys()]).toEqual(['weekly-digest', 'new-contract', 'daily-log'])
})

test('the weekly digest: a report and a mail; the next one covers only new files', async (context) => {
  const mail = await startMailReceiver({ secure: true })
  const example = await Example.of(context, 'weekly-digest', (home) => ({
    'mail.example.org': `localhost\n  port: ${mail.port}\n  ca_file: ${home}/ca.pem`,
  }))
  addToTree(example.home.path, { 'ca.pem': test_certificate })
  example.secret('mail-password', 'right')
  expect(example.nextAfter('2026-11-21T00:00Z', 2)).toEqual([
    '2026-11-23T08:00+01:00',
    '2026-11-30T08:00+01:00',
  ])

  await example.takeUp('finance', 'minutes')
  example.put({
    'finance/a.md': 'The new budget of the harbour.',
    'minutes/b.md': 'New: the crane is sold.',
  })
  expect(await example.run()).toMatchObject({
    code: 0,
    out: expect.stringMatching(/\nasked about 2 files: 2 read .+; 2 named\n/),
  })
  const [report = ''] = example.reports('reports')
  expect(report).toMatch(/^---\nname: "weekly-digest"\n/)
  expect(report).toContain('files_covered: 2\n')
  for (const name of ['finance/a.md', 'minutes/b.md'])
    expect(report).toContain(`\n- \`${name}\`: new, `)
  const [received] = mail.received
  expect(received).toMatchObject({
    from: 'sluice@example.org',
    to: ['team@example.org'],
    user: 'sluice',
    secure: true,
  })
  const { headers, parts } = parsePart(received!.raw)
  expect(headers.get('subject')).toEqual([expect.stringMatching(/^What is new, \d{4}-\d\d-\d\d$/)])
  expect(parts.map(({ body }) => body).join()).toContain('the crane is sold')

  expect(await example.run()).toMatchObject({
    code: 3,
    out: expect.stringContaining('skipped: nothing new'),
  })
  // One covered file as a copy, and one new file.
  example.put({
    'minutes/copy.md': 'The new budget of the harbour.',
    'finance/c.md': 'What is new: the quay.',
  })
  expect(await example.run()).toMatchObject({
    code: 0,
    out: expect.stringMatching(/\nasked about 1 file: 1 read .+; 1 named\n/),
  })
  expect(
    example
      .reports('reports')
      .some((text) => text.includes('- `finance/c.md`: new, ') && !text.includes('a.md')),
  ).toBe(true)
  expect(example.home.service.chats(example.home.project_id)).toHaveLength(2)
})

test('the new contract: signed as the page describes, and sent to Slack; unreadable files are named', async (context) => {
  const [intake, slack] = [await startServer(), await startServer()]
  const example = await Example.of(context, 'new-contract', () => ({
    'https://intake.example.com': intake.origin,
  }))
  const secret = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`
  example.secret('hook-secret', secret)
  example.secret('slack-address', `${slack.origin}/services/T0/B0`)
  expect(example.nextAfter('2026-11-20T18:40+01:00', 2)).toEqual([
    '2026-11-20T18:45+01:00',
    '2026-11-23T08:00+01:00',
  ])

  await example.takeUp('legal')
  example.put({
    'legal/contracts/2026/lease.txt': 'The lease ends in May; it is terminated in writing.',
    'legal/contracts/scan.pdf': '%PDF-1.7 cut off',
    'legal/letters/other.txt': 'Not a contract.',
  })
  const { code, out } = await example.run()
  expect([code, out]).toEqual([
    0,
    expect.stringMatching(
      /\nasked about 1 file: 1 read .+; 1 named; 1 refused \(legal\/contracts\/scan.pdf\)\n/,
    ),
  ])
  expect(example.reports('reports/contracts')[0]).not.toContain('other.txt')
  expect(slack.requests).toMatchObject([{ path: '/services/T0/B0' }])
  expect(JSON.parse(String(slack.requests[0]!.body))).toMatchObject({
    blocks: [{ type: 'header' }, {}, {}, { type: 'divider' }, { type: 'section' }],
  })

  const { body, headers, path } = intake.requests[0]!
  const given = headers as Record<string, string>
  expect(path).toBe('/contracts')
  expect(new Webhook(secret).verify(body, given)).toMatchObject({
    id: expect.stringMatching(/^run_[0-9a-f]{24}$/),
    values: { name: 'new-contract', count: '1' },
    data: {
      coverage: expect.stringContaining('1 refused'),
      answer: expect.stringContaining('The lease ends in May'),
    },
  })
  const cwd = example.home.path
  addToTree(cwd, { body, 'hook-secret': `${secret}\n` })
  const env = {
    PATH: process.env.PATH,
    id: given['webhook-id'],
    timestamp: given['webhook-timestamp'],
  }
  const signature = execFileSync('sh', ['-euc', blocks('sh')[0]!], { cwd, env, encoding: 'utf8' })
  expect(`v1,${signature.trim()}`).toBe(given['webhook-signature'])
})

test('the daily log: each report is appended', async (context) => {
  const example = await Example.of(context, 'daily-log')
  expect(example.nextAfter('2027-03-28T00:00Z', 1)).toEqual(['2027-03-28T18:30+02:00'])
  await example.takeUp('inbox')
  const log = () => readFileSync(join(example.home.path, 'srv/reports/log/all.log'), 'utf8')
  for (const [name, text] of [
    ['first.md', 'A file about the lighthouse.'],
    ['second.md', 'A file about the ferry.'],
  ] as const) {
    example.put({ [`inbox/${name}`]: text })
    expect(await example.run()).toMatchObject({ code: 0 })
    expect(log()).toContain(`> ${text}`)
  }
  expect(log()).toMatch(
    /\n- `inbox\/first\.md`: new, [\s\S]*lighthouse[\s\S]*\n- `inbox\/second\.md`: new, [\s\S]*ferry/,
  )
  expect(log()).not.toContain('---\nname:')
  expect(example.reports('reports/log')).toHaveLength(2)
})
