import { expect, test } from 'vitest'
import { SluiceError } from '../../src/base/run/errors.ts'
import { createLog, type LogOptions } from '../../src/base/text/log.ts'
import { logText } from '../../src/cli/text/log-text.ts'

const token = `pat_${'0123456789abcdef'.repeat(2)}`

function capture(options: Partial<LogOptions>): {
  log: ReturnType<typeof createLog>
  lines: () => string[]
} {
  const written: string[] = []
  const destination = { write: (text: string) => void written.push(text) }
  const log = createLog({ level: 'trace', format: 'json', destination, ...options })
  return { log, lines: () => written.join('').split('\n').slice(0, -1) }
}

test('a JSON line has level, time, module and message, and no host name', () => {
  const { log, lines } = capture({})
  log.child({ module: 'sync' }).info({ files: 3 }, 'settled')
  expect(JSON.parse(lines()[0]!)).toEqual({
    level: 'info',
    time: expect.stringMatching(/^\d{4}-.*Z$/),
    module: 'sync',
    files: 3,
    msg: 'settled',
  })
})

test('a JSON line escapes everything that could steer a terminal, and reads back unchanged', () => {
  const { log, lines } = capture({})
  const path = 'a\u202egnp.\u001b[31m\u009b\u2028\u200d\ud800 é 😀'
  log.info({ path }, 'sent')
  const [line] = lines()
  for (const steering of '\u001b\u009b\u2028\u202e\u200d') expect(line).not.toContain(steering)
  expect(line).toContain('é 😀')
  expect(JSON.parse(line!).path).toBe(path)
})

test('lines below the level are not written', () => {
  const { log, lines } = capture({ level: 'warn' })
  log.info('quiet')
  log.warn('loud')
  expect(lines()).toHaveLength(1)
})

const text = logText({ stamp: 'time', colors: false })

test.each([
  ['json', 'json'],
  ['text', text],
] as const)('%s: no secret is logged, by whatever way it comes', (_name, format) => {
  const { log, lines } = capture({ format })
  const child = log.child({
    module: 'remote',
    token: 'SECRET',
    nested: { upload_headers: { sig: 'SECRET' } },
  })
  child.info(
    {
      deep: [{ Authorization: 'SECRET' }],
      'x-api-key': 'SECRET',
      ticket: { upload_url: 'SECRET' },
    },
    token,
  )
  child.warn(
    { url: 'https://blob.example/x?sig=SECRET' },
    'PUT https://blob.example/x?sig=SECRET %s',
    '?sig=SECRET',
  )
  const foreign = Object.assign(new Error(`at https://u:SECRET@h/p?SECRET ${token}`), {
    headers: ['SECRET'],
  })
  child.error(foreign)
  child.error({ err: new Error('outer', { cause: foreign }) }, 'failed')
  child.warn(
    { at: 'https://blob.example/y?sig=SECRET', used: token, tried: [{ used: `x ${token}` }] },
    'slow',
  )
  const all = lines().join('\n')
  expect(all).not.toMatch(/SECRET|0123456789abcdef/)
  expect(all).toContain('PUT https://blob.example/x?***')
})

test('our own errors show code, message and hint; others show stack and cause', () => {
  const { log, lines } = capture({})
  log.error(new SluiceError({ code: 'ledger.locked', message: 'in use', hint: 'stop the other' }))
  log.error({ err: new Error('outer', { cause: new TypeError('inner') }) }, 'failed')
  const [ours, foreign] = lines().map((line) => JSON.parse(line))
  expect(ours).toMatchObject({
    msg: 'in use',
    err: { code: 'ledger.locked', message: 'in use', hint: 'stop the other' },
  })
  expect(ours.err).not.toHaveProperty('stack')
  expect(foreign.err).toMatchObject({
    code: 'Error',
    stack: expect.stringContaining('log.test'),
    cause: { message: 'inner' },
  })
})

test('under journald each line begins with the priority that sd-daemon(3) defines', () => {
  const { log, lines } = capture({ journal: true })
  for (const level of ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const) log[level]('x')
  expect(lines().map((line) => line.slice(0, 4))).toEqual([
    '<7>{',
    '<7>{',
    '<6>{',
    '<4>{',
    '<3>{',
    '<2>{',
  ])
})

test('a readable message takes one line, and nothing in it can steer the terminal', () => {
  const { log, lines } = capture({ format: text })
  const fields = {
    rule: 'a\u001b[2J',
    why: 'b\nc\u2028 d',
    'k\n =\u202e': 'e\u009bf',
    names: ['g\u001b'],
  }
  log
    .child({ module: 'disk' })
    .warn({ path: 'a\u001b[2Jb\nc', ...fields }, 'skipped: a\u001b[2Jb\nc')
  expect(lines()).toEqual([
    expect.stringMatching(/^\[\d\d:\d\d:\d\d\] WARN: disk: skipped: a\\x1b\[2Jb\\nc /),
  ])
  expect(lines()[0]).toMatch(
    / rule=a\\x1b\[2J why="b\\nc\\u2028 d" k___\\u\{202e\}=e\\x9bf names=\["g\\u001b"\]$/,
  )
})

test('in the journal a line is the message, then key=value; a text of the message is not repeated', () => {
  const { log, lines } = capture({
    format: logText({ stamp: 'none', colors: false }),
    journal: true,
  })
  const sync = log.child({ module: 'sync' })
  sync.info({ step: 'sent', path: 'docs/a b.txt', bytes: 5 }, 'sent: docs/a b.txt')
  sync.warn({ reason: 'no "right"', at: { port: 80 }, names: ['a', 'b'] }, 'slow')
  log.error(
    { err: new SluiceError({ code: 'disk.full', message: 'no space', hint: 'make some' }) },
    'no space',
  )
  log.error({ err: new Error('outer') }, 'failed')
  const [sent, slow, full, failed, ...stack] = lines()
  expect([sent, slow, full, failed]).toEqual([
    '<6>sync: sent: docs/a b.txt bytes=5',
    '<4>sync: slow reason="no \\"right\\"" at.port=80 names=["a","b"]',
    '<3>no space err.code=disk.full err.hint="make some"',
    '<3>failed err.code=Error err.message=outer',
  ])
  expect(stack[0]).toBe('<3>    Error: outer')
  for (const row of stack.slice(1)) expect(row).toMatch(/^<3> {4}at /)
})

test('a text line has its time and level where nobody else adds them', () => {
  const { log, lines } = capture({ format: logText({ stamp: 'date', colors: false }) })
  log.info('ready')
  expect(lines()[0]).toMatch(/^\[2\d{3}-\d\d-\d\dT[\d:.]+Z\] INFO: ready$/)
  const colored = capture({ format: logText({ stamp: 'time', colors: true }) })
  colored.log.warn('slow')
  expect(colored.lines()[0]).toContain('\u001b[33mWARN\u001b[39m: slow')
})

test('a very long text is cut, so that journald does not split the line', () => {
  const { log, lines } = capture({})
  log.info({ humane: 'x'.repeat(100_000) }, 'y'.repeat(100_000))
  expect(lines()[0]!.length).toBeLessThan(20_000)
})
