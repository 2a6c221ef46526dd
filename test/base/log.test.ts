import { expect, test } from 'vitest'
import { SluiceError } from '../../src/base/run/errors.ts'
import { createLog, type LogOptions } from '../../src/base/text/log.ts'

const token = `pat_${'0123456789abcdef'.repeat(2)}`

function capture(options: Partial<LogOptions>): { log: ReturnType<typeof createLog>; lines: () => string[] } {
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

test.each(['json', 'pretty'] as const)('%s: no secret is logged, by whatever way it comes', (format) => {
  const { log, lines } = capture({ format })
  const child = log.child({ module: 'remote', token: 'SECRET', nested: { upload_headers: { sig: 'SECRET' } } })
  child.info({ deep: [{ Authorization: 'SECRET' }], 'x-api-key': 'SECRET', ticket: { upload_url: 'SECRET' } }, token)
  child.warn({ url: 'https://blob.example/x?sig=SECRET' }, 'PUT https://blob.example/x?sig=SECRET %s', '?sig=SECRET')
  const foreign = Object.assign(new Error(`at https://u:SECRET@h/p?SECRET ${token}`), { headers: ['SECRET'] })
  child.error(foreign)
  child.error({ err: new Error('outer', { cause: foreign }) }, 'failed')
  const text = lines().join('\n')
  expect(text).not.toMatch(/SECRET|0123456789abcdef/)
  expect(text).toContain('PUT https://blob.example/x?***')
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
  expect(lines().map((line) => line.slice(0, 4))).toEqual(['<7>{', '<7>{', '<6>{', '<4>{', '<3>{', '<2>{'])
})

test('a readable message takes one line, and nothing in it can steer the terminal', () => {
  const { log, lines } = capture({ format: 'pretty' })
  log.child({ module: 'disk' }).warn({ path: 'a\u001b[2Jb\nc' }, 'skipped: a\u001b[2Jb\nc')
  expect(lines()).toHaveLength(1)
  expect(lines()[0]).toMatch(/^\[\d\d:\d\d:\d\d\] WARN: disk: skipped: a\\x1b\[2Jb\\nc /)
})

test('a very long text is cut, so that journald does not split the line', () => {
  const { log, lines } = capture({})
  log.info({ humane: 'x'.repeat(100_000) }, 'y'.repeat(100_000))
  expect(lines()[0]!.length).toBeLessThan(20_000)
})
