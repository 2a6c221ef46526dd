import { createHash, randomFillSync } from 'node:crypto'
import {
  appendFileSync,
  closeSync,
  lstatSync,
  openSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startExaminer } from '../../src/disk/examiner.ts'
import { most_part_bytes, read_ahead_bytes } from '../../src/disk/read-ahead.ts'
import { openSource, type Source } from '../../src/disk/source.ts'
import { type FileStat, large_bytes } from '../../src/domain/file.ts'
import { makeTree } from '../tree.ts'

const content = randomFillSync(Buffer.alloc(large_bytes + 3 * most_part_bytes + 1))
const md5 = md5Of(content)
let examiner: ReturnType<typeof startExaminer>

beforeAll(() => {
  examiner = startExaminer({ threads: 1 })
})
afterAll(() => examiner.close())

function md5Of(bytes: Uint8Array): string {
  return createHash('md5').update(bytes).digest('hex')
}

async function openContent({ expected_md5 = md5, from = examiner } = {}): Promise<{ file: string; source: Source }> {
  const root = makeTree({ 'film.mp4': content })
  const file = join(root, 'film.mp4')
  return { file, source: await openSource(root, 'film.mp4', { stat: statOf(file), md5: expected_md5 }, from) }
}

function statOf(file: string): FileStat {
  const { size, mtimeNs, ctimeNs, ino } = lstatSync(file, { bigint: true })
  return { size: Number(size), mtime_ns: mtimeNs, ctime_ns: ctimeNs, inode: ino }
}

async function collect(source: Source, onChunk: (received: number) => void = () => {}): Promise<Buffer> {
  const copies: Buffer[] = []
  let received = 0
  for await (const chunk of source.stream()) {
    copies.push(Buffer.from(chunk))
    received += chunk.length
    onChunk(received)
  }
  return Buffer.concat(copies)
}

async function firstOf(source: Source): Promise<Uint8Array> {
  for await (const chunk of source.stream()) return chunk
  throw new Error('nothing came')
}

describe('a large file', () => {
  test('comes whole, in parts that no socket holds whole, again for another try', async () => {
    const { source } = await openContent()
    expect((await collect(source)).equals(content)).toBe(true)
    const lengths: number[] = []
    for await (const chunk of source.stream()) lengths.push(chunk.length)
    expect(Math.max(...lengths)).toBeLessThanOrEqual(most_part_bytes)
    expect(Math.max(...lengths) - Math.min(...lengths)).toBeLessThanOrEqual(1)
    await source.close()
  })

  test('its last part belongs to whoever took it', async () => {
    const { source } = await openContent()
    let last: Uint8Array = new Uint8Array()
    for await (const chunk of source.stream()) last = chunk
    await source.close()
    expect(last.buffer).toBeInstanceOf(ArrayBuffer)
    expect(Buffer.from(last).equals(content.subarray(content.length - last.length))).toBe(true)
  })

  test('its start is read without the rest', async () => {
    const { source } = await openContent()
    expect(Buffer.from(await source.start(4_096)).equals(content.subarray(0, 4_096))).toBe(true)
    await source.close()
  })

  test.each<[string, (file: string) => void]>([
    ['grows', (file) => appendFileSync(file, 'more')],
    ['shrinks', (file) => truncateSync(file, content.length - 1)],
    ['is rewritten and its mtime set back', rewriteAndSetBack],
  ])('it %s on the way: it never comes whole', async (_what, change) => {
    const { file, source } = await openContent()
    let received = 0
    const read = collect(source, (now) => {
      if (received === 0) change(file)
      received = now
    })
    await expect(read).rejects.toMatchObject({ code: 'file.changed', message: expect.stringMatching(/^film.mp4 /) })
    expect(received).toBeGreaterThan(0)
    expect(received).toBeLessThan(content.length)
    await source.close()
  })

  test('it changes when all but its last part is out: that one is held back', async () => {
    const { file, source } = await openContent()
    let received = 0
    const read = collect(source, (now) => {
      received = now
      if (received > content.length - 2 * most_part_bytes) appendFileSync(file, '!')
    })
    await expect(read).rejects.toMatchObject({ code: 'file.changed' })
    expect(received).toBeLessThan(content.length)
    await source.close()
  })

  test('its bytes are others than the md5 says', async () => {
    const { source } = await openContent({ expected_md5: md5Of(Buffer.from('others')) })
    let received = 0
    const read = collect(source, (now) => {
      received = now
    })
    await expect(read).rejects.toMatchObject({ code: 'file.changed' })
    expect(received).toBeLessThan(content.length)
    await source.close()
  })
})

describe('a large file that was hashed by the same examiner', () => {
  /** One byte in the middle is another, and whoever calls it does not know. */
  async function openChanged(from: typeof examiner): Promise<Source> {
    const root = makeTree({ 'film.mp4': content })
    const file = join(root, 'film.mp4')
    const descriptor = openSync(file, 'r+')
    writeSync(descriptor, Buffer.from([content[read_ahead_bytes]! ^ 1]), 0, 1, read_ahead_bytes)
    closeSync(descriptor)
    return openSource(root, 'film.mp4', { stat: statOf(file), md5 }, from)
  }

  test('is proved by what was learnt then: it comes whole, and one bit less is told', async () => {
    const knowing = startExaminer({ threads: 1 })
    const root = makeTree({ 'film.mp4': content })
    const file = join(root, 'film.mp4')
    const [found] = await knowing.fingerprint(root, [{ path: 'film.mp4', stat: statOf(file) }])
    expect(found).toMatchObject({ kind: 'hashed', md5 })
    const source = await openSource(root, 'film.mp4', { stat: statOf(file), md5 }, knowing)
    expect((await collect(source)).equals(content)).toBe(true)
    expect((await collect(source)).equals(content), 'again for another try').toBe(true)
    await source.close()

    const changed = await openChanged(knowing)
    await expect(collect(changed).then(() => 'it came whole')).rejects.toMatchObject({ code: 'file.changed' })
    await changed.close()
    await knowing.close()
  })

  test('by another one, it is hashed again: one bit less is told as well', async () => {
    const changed = await openChanged(examiner)
    await expect(collect(changed).then(() => 'it came whole')).rejects.toMatchObject({ code: 'file.changed' })
    await changed.close()
  })
})

describe('the memory of what is read ahead', () => {
  test('of a try that was given up is not that of the next, and after the source another one has it', async () => {
    const { source } = await openContent()
    const given_up = await firstOf(source)
    const as_it_was = Buffer.from(given_up)
    const first = await firstOf(source)
    expect(first.buffer).not.toBe(given_up.buffer)
    expect((await collect(source)).equals(content)).toBe(true)
    // What a dying connection might still hold of it.
    expect(as_it_was.equals(given_up)).toBe(true)
    await source.close()

    const other = (await openContent()).source
    expect([given_up.buffer, first.buffer]).toContain((await firstOf(other)).buffer)
    await other.close()
  })

  test('each of two files at once has its own', async () => {
    const sources = [(await openContent()).source, (await openContent()).source]
    const all = await Promise.all(sources.map((source) => collect(source)))
    for (const bytes of all) expect(bytes.equals(content)).toBe(true)
    await Promise.all(sources.map((source) => source.close()))
  })
})

describe('an end in the middle', () => {
  test('closed while parts are being read: nothing more comes, and nothing is read of a number that may be another file’s', async () => {
    const { source } = await openContent()
    const parts = source.stream()[Symbol.asyncIterator]()
    const first = parts.next()
    await Promise.all([first.catch(() => {}), source.close()])
    await expect(parts.next()).rejects.toMatchObject({ code: 'thread.ended' })
    await expect(source.stream()[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'file.unreadable' })
  })

  test('closed twice, and never read', async () => {
    const { source } = await openContent()
    source.stream()
    await source.close()
    await source.close()
  })

  test('the thread is gone: the stream says so, the file is not to blame, and the source can be closed', async () => {
    const mortal = startExaminer({ threads: 1 })
    const { source } = await openContent({ from: mortal })
    const read = collect(source, () => void mortal.close())
    await expect(read).rejects.toMatchObject({ code: 'thread.ended' })
    await source.close()
    await expect(collect(source)).rejects.toBeDefined()
  })

  test('fewer threads: the one that reads ends when it is through', async () => {
    const shrinking = startExaminer({ threads: 2 })
    const sources = [(await openContent({ from: shrinking })).source, (await openContent({ from: shrinking })).source]
    const all = Promise.all(sources.map((source) => collect(source, () => shrinking.useThreads(1))))
    for (const bytes of await all) expect(bytes.equals(content)).toBe(true)
    await Promise.all(sources.map((source) => source.close()))
    await shrinking.close()
  })
})

function rewriteAndSetBack(file: string): void {
  const { atime, mtime } = lstatSync(file)
  writeFileSync(file, Buffer.alloc(content.length, 'other bytes, '))
  utimesSync(file, atime, mtime)
}
