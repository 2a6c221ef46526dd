import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { settingsFrom } from '../../../src/service/options.ts'
import { keepReadingProcess } from '../../../src/service/reading/reading-process.ts'
import { makeStore } from '../../rig/tree.ts'
import { until } from '../fixture.ts'
import { wordDocument, zipOf } from '../ingest/zip.ts'
import { hostile_program } from './hostile-program.ts'

type ReadingProcess = ReturnType<typeof keepReadingProcess>

const mb = 1024 * 1024
const documents = join(import.meta.dirname, '..', 'ingest', 'documents')
const root = join(import.meta.dirname, '..', '..', '..')
const running: ReadingProcess[] = []
afterEach(async () => {
  await Promise.all(running.splice(0).map((one) => one.end()))
})

function open(change: object = {}): ReadingProcess {
  const reading = keepReadingProcess(settingsFrom({ data_dir: '', ingest: change }).ingest)
  running.push(reading)
  return reading
}

const file = (name: string, bytes: Buffer = Buffer.from(name)) => ({
  filename: name,
  mime_type: 'application/octet-stream',
  place: { bytes },
})

/** An e-book of one chapter. */
function book(chapter: string): Buffer {
  const container = '<container><rootfile full-path="book.opf"/></container>'
  const item = '<item id="a" href="a.xhtml" media-type="application/xhtml+xml"/>'
  const list = `<package><manifest>${item}</manifest><spine><itemref idref="a"/></spine></package>`
  return zipOf([
    { name: 'META-INF/container.xml', content: container },
    { name: 'book.opf', content: list },
    { name: 'a.xhtml', content: `<html><body>${chapter}</body></html>` },
  ])
}

describe('the reading program of this package', () => {
  test('reads one document after the other in one process, and ends with it', async () => {
    // The child does not share the memory of this process.
    const ballast = Buffer.alloc(300 * mb, 1)
    const reading = open()
    for (const name of ['harbour.pdf', 'harbour.docx', 'harbour.xlsx']) {
      const place = { path: join(documents, name) }
      expect(await reading.read({ ...file(name), place })).toMatchObject({
        text: expect.stringContaining('Yrsa Holm'),
      })
    }
    expect(childrenOf(process.pid)).toHaveLength(1)
    console.log(
      `peak memory of the child: ${Math.round(reading.peak_bytes / mb)} MB for a PDF, a document and a workbook`,
    )
    expect(reading.peak_bytes).toBeGreaterThan(20 * mb)
    expect(reading.peak_bytes).toBeLessThan(ballast.length - 50 * mb)
    await reading.end()
    expect(childrenOf(process.pid)).toHaveLength(0)
  })

  test('SIGUSR1 opens no debugger in it', async () => {
    const reading = open()
    const read = () =>
      reading.read({ ...file('harbour.docx'), place: { path: join(documents, 'harbour.docx') } })
    await read()
    const [pid] = childrenOf(process.pid)
    const threads = () => readdirSync(`/proc/${pid}/task`).length
    const before = threads()
    process.kill(pid!, 'SIGUSR1')
    expect(await read()).toMatchObject({ text: expect.stringContaining('Yrsa Holm') })
    // A debugger listens in a thread of its own.
    expect(threads()).toBe(before)
    expect(childrenOf(process.pid)).toEqual([pid])
  })

  test('says so when a file is gone', async () => {
    const place = { path: '/nowhere/at/all' }
    expect(await open().read({ ...file('a.pdf'), place })).toEqual({
      unreadable: 'its bytes cannot be read from the disk',
    })
  })

  test.each([
    ['a text in .gz', 'bomb.txt.gz', () => gzipSync(Buffer.alloc(300 * mb))],
    ['a chapter of a book', 'bomb.epub', () => book(`<p>${' '.repeat(300 * mb)}</p>`)],
  ])('refuses what would take its memory when it is unpacked: %s', async (_what, name, bomb) => {
    const reading = open()
    const why = { unreadable: 'it unpacks to more than 67 MB' }
    expect(await reading.read(file(name, bomb()))).toEqual(why)
  })

  test('ends on a file that unpacks to more than allowed, within its memory', async () => {
    const reading = open({
      memory_bytes: 192 * mb,
      unpacked_bytes: 4_000 * mb,
      text_length: 4_000 * mb,
    })
    const strings = `<sst>${'<si><t>0123456789abcdef</t></si>'.repeat(2_500_000)}</sst>`
    const bomb = zipOf([
      { name: 'xl/workbook.xml', content: '<workbook/>' },
      { name: 'xl/sharedStrings.xml', content: strings },
    ])
    expect(bomb.length).toBeLessThan(mb)
    const read = await reading.read(file('bomb.xlsx', bomb))
    console.log(
      `a bomb of ${Math.round(bomb.length / 1024)} KB, unpacked ${Math.round(strings.length / mb)} MB: ${JSON.stringify(read)}, ` +
        `peak memory of the child ${Math.round(reading.peak_bytes / mb)} MB of 192`,
    )
    expect(read).toEqual({ unreadable: expect.stringMatching(/memory/) })
    expect(reading.peak_bytes).toBeLessThan(230 * mb)
    expect(await reading.read(file('next.docx', wordDocument('<w:t>next</w:t>')))).toMatchObject({
      text: 'next',
    })
  })
})

describe('a hostile file in its process', () => {
  let reading: ReadingProcess
  const limits = { reading_program: hostile_program, memory_bytes: 256 * mb }
  beforeEach(() => {
    reading = open(limits)
  })

  test.each([
    ['spins', /^it takes longer than 1 s$/, 1_000],
    ['waits', /^it takes longer than 1 s$/, 1_000],
    ['leaves', /^it takes longer than 1 s$/, 1_000],
    ['eats buffers', /memory/, 60_000],
    ['eats the heap', /memory/, 60_000],
    ['dies', /ended by SIGSEGV/, 60_000],
    ['exits', /ended by code 7/, 60_000],
  ])('%s: the file fails, and the next one is read', async (what, reason, time_ms) => {
    reading = open({ ...limits, time_ms })
    expect(await reading.read(file('first'))).toMatchObject({ text: 'read first' })
    expect(await reading.read(file(what))).toEqual({ unreadable: expect.stringMatching(reason) })
    expect(await reading.read(file('next'))).toMatchObject({ text: 'read next' })
    expect(reading.peak_bytes).toBeLessThan(300 * mb)
    expect(childrenOf(process.pid)).toHaveLength(1)
  })

  test('has no environment and can write no file', async () => {
    expect(await reading.read(file('environment'))).toMatchObject({ text: 'PWD' })
    expect(await reading.read(file(`writes ${join(makeStore(), 'written')}`))).toEqual({
      unreadable: expect.stringMatching(/SIGXFSZ|code/),
    })
  })

  test('is read in a new process when the old one has used the time of a file', async () => {
    const [first] = await pidsAfter(reading, 'uses 1')
    const [same] = await pidsAfter(reading, 'uses 1')
    expect(same).toBe(first)
    const after = await pidsAfter(reading, 'uses 100000')
    expect(after).toHaveLength(0)
    expect(await reading.read(file('next'))).toMatchObject({ text: 'read next' })
  })

  test.each(['crashes later', 'eats later'])(
    '%s: the next file is read in a process of its own, without blame',
    async (what) => {
      expect(await reading.read(file(what))).toMatchObject({ text: `read ${what}` })
      expect(await reading.read(file('takes a while'))).toMatchObject({
        text: 'read takes a while',
      })
      expect(childrenOf(process.pid)).toHaveLength(1)
    },
  )

  test('no file is blamed when the process is killed from outside, idle or reading', async () => {
    const [resting] = await pidsAfter(reading, 'first')
    process.kill(resting!, 'SIGKILL')
    await until(() => !isAlive(resting!))
    expect(await reading.read(file('next'))).toMatchObject({ text: 'read next' })
    const read = reading.read(file('takes a while'))
    const [reader] = childrenOf(process.pid)
    process.kill(reader!, 'SIGKILL')
    expect(await read).toMatchObject({ text: 'read takes a while' })
  })

  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    'a file waits when %s stops its process, as systemd stops a whole unit',
    async (signal) => {
      await reading.read(file('first'))
      const read = reading.read(file('waits'))
      const [reader] = childrenOf(process.pid)
      process.kill(reader!, signal)
      await expect(read).rejects.toMatchObject({
        code: 'service.reading_process',
        message: expect.stringContaining(signal),
      })
      expect(await reading.read(file('next'))).toMatchObject({ text: 'read next' })
    },
  )

  test('programs that the process starts end with it, and its output is dropped', async () => {
    const read = await reading.read(file('forks'))
    const started = Number(/started (\d+)/.exec('text' in read ? read.text : '')?.[1])
    expect(isAlive(started)).toBe(true)
    expect(await reading.read(file('floods'))).toMatchObject({ text: 'read floods' })
    await reading.end()
    await until(() => !isAlive(started), 'the end of what it started')
  })

  test('the process is not in our process group, so Ctrl-C in a terminal does not reach it', async () => {
    const [reader] = await pidsAfter(reading, 'first')
    const group = Number(
      readFileSync(`/proc/${reader}/stat`, 'latin1').split(') ')[1]?.split(' ')[2],
    )
    expect(group).toBe(reader)
  })

  test('a file is not blamed when its process is ended during the reading', async () => {
    const read = reading.read(file('waits'))
    await until(() => childrenOf(process.pid).length === 1)
    await reading.end()
    await expect(read).rejects.toMatchObject({ code: 'service.reading_process' })
  })
})

test('without the optional packages their kinds of files are refused, with the reason', async () => {
  const copy = makeStore()
  cpSync(join(root, 'dist', 'service'), join(copy, 'dist', 'service'), { recursive: true })
  cpSync(join(root, 'dist', 'base'), join(copy, 'dist', 'base'), { recursive: true })
  writeFileSync(join(copy, 'package.json'), '{"type": "module"}')
  mkdirSync(join(copy, 'node_modules'))
  for (const name of ['chardet', 'htmlparser2'])
    symlinkSync(join(root, 'node_modules', name), join(copy, 'node_modules', name))
  const reading = open({
    reading_program: join(copy, 'dist', 'service', 'reading', 'reading-child.js'),
  })
  const missing = (name: string) => ({
    unreadable: `this kind of file needs the optional package ${name}, which is not installed`,
    is_local: true,
  })
  const read = (name: string) =>
    reading.read({ ...file(name), place: { path: join(documents, name) } })
  expect(await read('harbour.pdf')).toEqual(missing('unpdf'))
  expect(await read('harbour.docx')).toEqual(missing('yauzl'))
  expect(await read('windows-1252.txt')).toMatchObject({ text: expect.stringContaining('Größe') })
  for (const name of ['yauzl', 'sax'])
    symlinkSync(join(root, 'node_modules', name), join(copy, 'node_modules', name))
  await reading.end()
  expect(await read('harbour.docx')).toMatchObject({ text: expect.stringContaining('arbour') })
  expect(await read('harbour.xlsx')).toEqual(missing('numfmt'))
})

test('a program that cannot be started is no fault of the file', async () => {
  const reading = open({ reading_program: '/nowhere/at/all.mjs' })
  await expect(reading.read(file('a'))).rejects.toMatchObject({ code: 'service.reading_process' })
})

test('a service that is killed leaves no process behind, not even a spinning one', async () => {
  const program = join(makeStore(), 'starter.mjs')
  const module = new URL('../../../dist/service/reading/reading-process.js', import.meta.url).href
  writeFileSync(
    program,
    `import { keepReadingProcess } from ${JSON.stringify(module)}
     const reading = keepReadingProcess({ time_ms: 1_000, memory_bytes: 256 * 2 ** 20, unpacked_bytes: 1, text_length: 1,
       reading_program: ${JSON.stringify(hostile_program)} })
     await reading.read({ filename: 'first', mime_type: '', place: { bytes: Buffer.from('') } })
     console.log('started')
     void reading.read({ filename: process.argv[2], mime_type: '', place: { bytes: Buffer.from('') } })
     setInterval(() => {}, 1_000)`,
  )
  for (const what of ['spins', 'waits']) {
    const starter: ChildProcess = spawn(process.execPath, [program, what], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(createInterface({ input: starter.stdout! }), 'line')
    const [child] = childrenOf(starter.pid!)
    expect(child).toBeGreaterThan(0)
    starter.kill('SIGKILL')
    await once(starter, 'exit')
    await until(() => !isAlive(child!), `the end of the process that ${what}`)
  }
})

async function pidsAfter(reading: ReadingProcess, what: string): Promise<number[]> {
  await reading.read(file(what))
  return childrenOf(process.pid)
}

/** Children that run node on a reading program, by /proc. */
function childrenOf(parent: number): number[] {
  return readdirSync('/proc').flatMap((entry) => {
    const pid = Number(entry)
    if (!(pid > 0) || !isAlive(pid)) return []
    try {
      const status = readFileSync(`/proc/${pid}/status`, 'latin1')
      const command = readFileSync(`/proc/${pid}/cmdline`, 'latin1')
      return status.includes(`PPid:\t${parent}\n`) && /reading-child|hostile-program/.test(command)
        ? [pid]
        : []
    } catch {
      return []
    }
  })
}

/** A process whose parent has not fetched its end yet is a zombie, and has ended. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'latin1'))
  } catch {
    return false
  }
}
