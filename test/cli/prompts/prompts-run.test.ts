import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Home, until } from '../sluice.ts'

const digest = {
  name: 'digest',
  // This date does not come while a test runs.
  cron: '0 0 29 2 *',
  timezone: 'UTC',
  prompt: 'Which lease ends when? {{files}}',
  intelligence: 'fast',
  scope: { folders: ['docs'] },
  first_run: 'all',
}

async function homeWith(prompt: object = {}, service = {}) {
  const home = await Home.make({ 'lease.txt': 'The lease ends in May.\n' }, service)
  home.configure({ prompts: [{ ...digest, ...prompt }] })
  return home
}

const chatsOf = (home: Home) => home.service.chats(home.project_id)

test('without a daemon: one pass over the folders, the question, the report; a second run finds nothing new', async () => {
  const home = await homeWith({ deliver: [{ file: { dir: '~/reports', name: '{{name}}.md' } }] })
  const { code, out, err } = await home.sluice('prompts', 'run', 'digest')
  expect([code, out], err).toEqual([
    0,
    expect.stringMatching(
      /^digest, [-\d]{10} \d\d:\d\d( UTC)? {2}run 1, written\nasked about 1 file: 1 read .+; 1 named\nreport: \S+\/reports\/digest\.md\n$/,
    ),
  ])
  expect(readFileSync(join(home.path, 'reports/digest.md'), 'utf8')).toContain(
    '> The lease ends in May.',
  )
  const again = await home.inProcess('prompts', 'run', 'digest', '--json')
  expect(again.code).toBe(3)
  expect(Object.keys(JSON.parse(again.out))).toMatchSnapshot()
  expect(JSON.parse(again.out)).toMatchObject({
    version: 1,
    run: 2,
    cause: 'user',
    state: 'skipped',
    why: expect.stringMatching(/^nothing new since [-\d]{10} \d\d:\d\d \S+$/),
  })
  expect(chatsOf(home)).toHaveLength(1)
  expect((await home.inProcess('prompts', 'show', '1')).out).toContain('> The lease ends in May.')
})

test('a report that cannot be written now: the reason is printed while the command waits, and then the report is there', async () => {
  const home = await homeWith({ deliver: [{ file: { dir: '~/reports', name: 'digest.md' } }] })
  const in_the_way = join(home.path, 'reports')
  writeFileSync(in_the_way, 'a file where a directory should be')
  const running = home.start('prompts', 'run', 'digest')
  await until(
    'the reason is printed',
    () => running.err().includes('it is tried again'),
    () => running.err(),
  )
  expect(running.err()).toMatch(/digest: writing the report: .*reports.*; it is tried again/s)
  rmSync(in_the_way)
  expect((await running.ended).code).toBe(0)
})

test('--log-file gets the log of the pass, and -q leaves only warnings and errors', async () => {
  const home = await homeWith()
  const log = join(home.path, 'prompts.log')
  const first = await home.sluice('prompts', 'run', 'digest', '--log-file', log)
  expect([first.code, first.err]).toEqual([0, ''])
  expect(readFileSync(log, 'utf8')).toContain('INFO: sync: ready: docs/lease.txt')
  const second = await home.sluice('prompts', 'run', 'digest', '-q')
  expect([second.code, second.err]).toEqual([3, ''])
})

test('the state is lost after the first report: the next one covers the files that the first left over, and not the archive', async () => {
  const report = { file: { dir: '~/reports', name: '{{name}}-{{due}}.md' } }
  const home = await homeWith({
    first_run: 'from_now',
    read: 'every_file',
    max_assets: 1,
    deliver: [report],
  })
  const run = async () => (await home.inProcess('prompts', 'run', 'digest')).out
  expect(await run()).toContain('nothing new')
  for (const name of ['a', 'b'])
    writeFileSync(join(home.path, 'docs', `${name}.txt`), `The text ${name} is here.\n`)
  expect(await run()).toContain('asked about 1 of 2 files: 1 read whole; 1 named; 1 next time')
  rmSync(join(home.path, 'state'), { recursive: true })
  expect(await run()).toContain('asked about 1 file: 1 read whole')
  expect(await run()).toContain('nothing new')
})

test('beside a daemon: the daemon runs the prompt, and the command waits; a failed delivery is reported', async () => {
  const home = await homeWith({
    deliver: [{ file: { dir: '~/reports' } }, { command: { run: ['/bin/false'] } }],
  })
  const daemon = await home.run()
  const { code, out, err } = await home.inProcess('prompts', 'run', 'digest')
  expect(err).toContain('it runs digest now, this waits for it')
  expect([code, out]).toEqual([
    3,
    expect.stringMatching(/delivery command false: failed 1 time, tried again /),
  ])
  expect(out).toMatch(
    /^digest, .* run 1, written\nasked about 1 file: 1 read .+; 1 named\nreport: /,
  )
  const status = JSON.parse((await home.inProcess('status', '--json')).out)
  expect(status.prompts).toMatchObject([
    { last_run: { state: 'written' }, undelivered: [{ state: 'wanted', attempts: 1 }] },
  ])

  home.configure({ prompts: [digest, { ...digest, name: 'later' }] })
  expect(await home.inProcess('prompts', 'run', 'later')).toMatchObject({
    code: 64,
    err: expect.stringContaining('`sluice reload`'),
  })
  daemon.child.kill('SIGTERM')
  expect((await daemon.ended).code).toBe(0)
})

test('--dry-run: says the question and its files in words, --json the exact request; sends nothing and records nothing', async () => {
  const home = await homeWith()
  expect(await home.inProcess('prompts', 'run', 'digest', '--dry-run')).toMatchObject({
    code: 3,
    out: expect.stringContaining('nothing would be asked: nothing new'),
  })
  expect((await home.inProcess('sync')).code).toBe(0)
  const requests = home.service.requestLog.length
  const { code, out } = await home.inProcess('prompts', 'run', 'digest', '--dry-run')
  expect(code).toBe(0)
  const [asset] = home.service.assets(home.project_id)
  expect(out.replaceAll(/\d{4}-\d\d-\d\d([T ])\d\d:\d\d\b/g, 'DAY$1TIME')).toMatchInlineSnapshot(`
    "digest, as if it came due at DAY TIME; nothing is sent

    question, in a new chat
        Which lease ends when?
        - docs/lease.txt

        Run digest DAYTTIME+00:00
      intelligence fast; skills sluice-read-every-file; over 1 file
      docs/lease.txt  23 B

    about 1 call of the model
    1 of 1 file ready
    "
  `)
  const planned = JSON.parse(
    (await home.inProcess('prompts', 'run', 'digest', '--dry-run', '--json')).out,
  )
  expect(JSON.parse(planned.bodies[0])).toMatchObject({
    intelligence: 'fast',
    scope: { asset_ids: [asset?.asset_id] },
  })
  const varying = {
    due: '',
    bodies: [''],
    files: planned.files.map(({ name }: { name: string }) => name),
  }
  expect({ ...planned, ...varying }).toMatchSnapshot()
  const since = home.service.requestLog.slice(requests).map(({ place }) => place)
  expect(since).toEqual(['skills.list', 'skills.list'])
  expect(await home.inProcess('prompts', 'history', 'digest')).toMatchObject({
    out: '',
    err: expect.stringContaining('not run yet'),
  })
})

test('--dry-run --json has each turn exactly as it is sent, without assets that the service does not have', async () => {
  const gone = 'chat_00000000000000000000'
  const scope = { folders: ['docs'], labels: ['nowhere'], chats: [gone] }
  const home = await homeWith({
    prompt: 'Which \u200d? {{files}}',
    scope,
    max_assets: 1,
    when_too_many: 'more_turns',
    read: 'search',
  })
  home.write({ 'boat.txt': 'The boat is red.\n' })
  expect((await home.inProcess('sync')).code).toBe(0)
  const { out } = await home.inProcess('prompts', 'run', 'digest', '--dry-run')
  const json = (await home.inProcess('prompts', 'run', 'digest', '--dry-run', '--json')).out
  const planned = JSON.parse(json) as { bodies: string[] }
  expect(out).not.toMatch(/\u200d/)
  expect(out.match(/^question .*|^ {2}intelligence.*/gm)).toEqual([
    'question 1 of 3, in a new chat',
    '  intelligence fast; over 1 file',
    'question 2 of 3, in a new chat',
    '  intelligence fast; over 1 file',
    'question 3 of 3, in a new chat',
    '  intelligence fast; over the answers before',
  ])
  expect((await home.inProcess('prompts', 'run', 'digest')).code).toBe(0)
  const shown = (await home.inProcess('prompts', 'show', 'digest', '--json')).out
  const { turns } = JSON.parse(shown) as { turns: { body: string; chat_id: string }[] }
  const questionsOf = (bodies: string[]) =>
    bodies.map((body) => {
      const { prompt, scope } = JSON.parse(body)
      return [
        prompt.replace(/\n\nThe answers to the parts:.*(?=\n\nRun )|\S+(?= turn)/gs, ''),
        scope,
      ]
    })
  const sent = questionsOf(turns.map(({ body }) => body))
  const chat_ids = turns.slice(0, 2).map(({ chat_id }) => chat_id)
  expect(sent[2]![1]).toEqual({ chat_ids })
  expect(questionsOf(planned.bodies)).toEqual(sent.with(2, [sent[2]![0], { chat_ids: ['…'] }]))
  expect(out).toContain(
    `note: ${gone} is left out: the service does not have it, or the token has no access`,
  )
})

test('--dry-run of a prompt that goes on with its chat names that chat in its last turn', async () => {
  const home = await homeWith({ max_assets: 1, when_too_many: 'more_turns', continue_chat: true })
  expect((await home.inProcess('sync')).code).toBe(0)
  expect((await home.inProcess('prompts', 'run', 'digest')).code).toBe(0)
  const [chat] = chatsOf(home)
  home.write({ 'boat.txt': 'The boat is red.\n', 'car.txt': 'The car is blue.\n' })
  expect((await home.inProcess('sync')).code).toBe(0)
  const { out } = await home.inProcess('prompts', 'run', 'digest', '--dry-run')
  expect(out.match(/^question.*, in the same chat$/gm)).toEqual([
    'question 3 of 3, in the same chat',
  ])
  const json = (await home.inProcess('prompts', 'run', 'digest', '--dry-run', '--json')).out
  expect(JSON.parse(json)).toMatchObject({ chat_id: chat!.chat_id })
})

test('Ctrl-C ends the wait only: the question stays asked, and the command says so', async () => {
  const home = await homeWith({}, { answer_delay_ms: 600_000 })
  const running = home.start('prompts', 'run', 'digest')
  await until('the answer is waited for', () =>
    home.service.requestLog.some(({ place }) => place === 'messages.read'),
  )
  running.child.kill('SIGINT')
  const { code, out, err } = await running.ended
  expect([code, out]).toEqual([3, ''])
  expect(err).toMatch(
    /digest \(run 1\): waiting for the answer; the run goes on with the next `sluice run`/,
  )
  expect((await home.inProcess('prompts', 'list')).out).toContain('1: waiting for the answer')
  expect(chatsOf(home)).toHaveLength(1)
})

test('a refused token ends the wait, and the next start continues the run', async () => {
  const home = await homeWith()
  expect((await home.inProcess('sync')).code).toBe(0)
  writeFileSync(join(home.path, 'token'), `pat_${'0'.repeat(32)}`)
  const { code, out, err } = await home.inProcess('prompts', 'run', 'digest')
  expect([code, out]).toEqual([77, ''])
  expect(err).toContain('the run goes on with the next `sluice run`')
  home.giveToken()
  expect((await home.inProcess('prompts', 'run', 'digest')).code).toBe(3)
  expect(chatsOf(home)).toHaveLength(1)
})

test('reports an unknown prompt', async () => {
  const home = await homeWith()
  expect(await home.inProcess('prompts', 'run', 'digset')).toMatchObject({
    code: 64,
    err: expect.stringMatching(/there is no prompt digset\n {2}did you mean digest\?/),
  })
  expect((await home.inProcess('prompts', 'run', 'nosuch')).err).toContain(
    'there is no prompt nosuch\n  the only prompt is digest',
  )
  expect(home.service.requestLog).toEqual([])
})
