import { expect, test } from 'vitest'
import { createFileLines, createLog } from '../../src/base/text/log.ts'
import { FakeClock } from '../rig/fake-clock.ts'

function setup(files_per_second = 10) {
  const lines: { msg: string; level: string; [field: string]: unknown }[] = []
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) }
  const clock = new FakeClock()
  const log = createLog({ level: 'info', format: 'json', destination })
  return { clock, lines, files: createFileLines({ log, clock, files_per_second }) }
}

test('few files get a line each, with what is known of them', () => {
  const { lines, files } = setup()
  files.passed('ready', 'a/b.txt', { bytes: 12 })
  files.close()
  expect(lines).toMatchObject([
    { level: 'info', msg: 'ready: a/b.txt', step: 'ready', path: 'a/b.txt', bytes: 12 },
  ])
})

test('many files get one summary every ten seconds, which counts each file once', async () => {
  const { clock, lines, files } = setup()
  for (let i = 0; i < 1_000; i++)
    files.passed(i % 4 === 0 ? 'linked' : 'ready', `f${i}`, { bytes: 1_000 })
  expect(lines).toHaveLength(10)
  await clock.advance(9_999)
  expect(lines).toHaveLength(10)
  await clock.advance(1)
  expect(lines).toHaveLength(11)
  expect(lines[10]!.msg).toBe('files: 743 ready (743 kB), 247 linked (247 kB) in the last 10 s')
  files.passed('ready', 'later')
  expect(lines[11]!.msg).toBe('ready: later')
  expect(clock.pending()).toBe(0)
})

test('a step without sizes has no bytes in its summary, not 0', async () => {
  const { clock, lines, files } = setup()
  for (let i = 0; i < 100; i++)
    files.passed(i % 2 === 0 ? 'sent' : 'ready', `f${i}`, i % 2 === 0 ? { bytes: 7 } : {})
  await clock.advance(10_000)
  expect(lines.at(-1)).toMatchObject({
    msg: 'files: 45 sent (315 B), 45 ready in the last 10 s',
    files: { sent: { files: 45, bytes: 315 } },
  })
  expect((lines.at(-1)!.files as { ready: object }).ready).toEqual({ files: 45 })
})

test('ten files a second still get a line each, second after second', async () => {
  const { clock, lines, files } = setup()
  for (let second = 0; second < 5; second++) {
    for (let i = 0; i < 10; i++) files.passed('ready', `f${second}-${i}`)
    await clock.advance(1_000)
  }
  files.close()
  expect(lines).toHaveLength(50)
})

test('refusals are reported even among many files, grouped by reason when they are many', async () => {
  const { clock, lines, files } = setup()
  for (let i = 0; i < 100; i++) files.passed('ready', `f${i}`)
  files.stopped('refused', 'type not supported', 'a.exe', { code: 'assets.create.type' })
  expect(lines.at(-1)).toMatchObject({ level: 'warn', msg: 'refused: a.exe: type not supported' })
  for (let i = 0; i < 500; i++)
    files.stopped('refused', i % 2 ? 'too large' : 'type not supported', `r${i}`)
  await clock.advance(10_000)
  const grouped = lines.filter((line) => /files? refused/.test(line.msg))
  expect(grouped.map((line) => line.reason)).toEqual(['type not supported', 'too large'])
  expect(grouped[0]!.examples).toHaveLength(10)
  expect(grouped[1]!.msg).toBe('249 more files refused: too large: r3, r5, r7 and others')
  const single = lines.filter((line) => line.msg.startsWith('refused: ')).length
  expect(grouped.reduce((sum, line) => sum + (line.files as number), single)).toBe(501)
})

test('a blocked file is never called refused, not even in a summary', async () => {
  const { clock, lines, files } = setup(1)
  files.stopped('blocked', 'it changes', 'a')
  expect(lines.at(-1)).toMatchObject({ level: 'warn', msg: 'blocked: a: it changes' })
  files.stopped('blocked', 'it changes', 'b')
  files.stopped('refused', 'it changes', 'c')
  await clock.advance(10_000)
  expect(lines.slice(-2).map(({ msg }) => msg)).toEqual([
    '1 more file blocked: it changes: b',
    '1 file refused: it changes: c',
  ])
})

test('reasons that differ for every file do not fill the memory', async () => {
  const { clock, lines, files } = setup(0)
  for (let i = 0; i < 1_000; i++) files.stopped('refused', `reason ${i}`, `f${i}`)
  await clock.advance(10_000)
  expect(lines).toHaveLength(51)
  expect(lines.at(-1)).toMatchObject({ reason: 'other reasons', files: 950 })
})

test('closing reports what was counted and leaves no timer', () => {
  const { clock, lines, files } = setup(0)
  files.passed('ready', 'a')
  files.close()
  expect(lines.map((line) => line.msg)).toEqual(['files: 1 ready in the last 0 s'])
  expect(clock.pending()).toBe(0)
})
