import { createHash } from 'node:crypto'
import {
  appendFileSync,
  chmodSync,
  lstatSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type ExpectedFile, openSource } from '../../../src/disk/read/source.ts'
import { fileStatOf } from '../../../src/disk/scan/scan-batch.ts'
import type { FileStat } from '../../../src/domain/file.ts'
import { makeTree } from '../../rig/tree.ts'
import { builtModule, runUnprivileged } from '../../rig/unprivileged.ts'
import { makeFifo } from '../odd-entries.ts'

function statOf(file: string): FileStat {
  const stat = lstatSync(file, { bigint: true })
  return {
    size: Number(stat.size),
    mtime_ns: stat.mtimeNs,
    ctime_ns: stat.ctimeNs,
    inode: stat.ino,
  }
}

function expectedOf(file: string, bytes: Uint8Array): ExpectedFile {
  return { stat: statOf(file), md5: createHash('md5').update(bytes).digest('hex') }
}

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const collected: Uint8Array[] = []
  for await (const chunk of chunks) collected.push(chunk)
  return collected
}

const content = Buffer.alloc(1_000_000, 'some text that repeats, ')

async function openContent() {
  const root = makeTree({ 'a/big.txt': content })
  const file = join(root, 'a/big.txt')
  return { file, source: await openSource(root, 'a/big.txt', expectedOf(file, content)) }
}

describe('an unchanged file is read whole', () => {
  test('in chunks, and again for a second attempt', async () => {
    const { source } = await openContent()
    expect(source.size).toBe(content.length)
    for (const _try of [1, 2]) {
      const chunks = await collect(source.stream())
      expect(chunks.map((chunk) => chunk.length)).toEqual([262_144, 262_144, 262_144, 213_568])
      expect(Buffer.concat(chunks).equals(content)).toBe(true)
    }
    await source.close()
  })

  test('with a time that does not fit into 64 bits of nanoseconds', async () => {
    const root = makeTree({ 'a.txt': 'from the year 2400' })
    const file = join(root, 'a.txt')
    utimesSync(file, 0, Date.UTC(2400, 0) / 1_000)
    const { md5 } = expectedOf(file, Buffer.from('from the year 2400'))
    const source = await openSource(root, 'a.txt', {
      stat: fileStatOf(lstatSync(file, { bigint: true })),
      md5,
    })
    await expect(collect(source.stream())).resolves.toHaveLength(1)
    await source.close()
  })

  test.each([0, 1, 262_144, 262_145])('with %i bytes', async (size) => {
    const bytes = Buffer.alloc(size, 'x')
    const root = makeTree({ f: bytes })
    const source = await openSource(root, 'f', expectedOf(join(root, 'f'), bytes))
    expect(Buffer.concat(await collect(source.stream())).equals(bytes)).toBe(true)
    await source.close()
  })
})

describe('a file that changes during the upload is never read whole', () => {
  test.each<[string, (file: string) => void]>([
    ['grows', (file) => appendFileSync(file, 'more')],
    ['shrinks', (file) => writeFileSync(file, content.subarray(0, 300_000))],
    ['is rewritten and its mtime set back', rewriteAndSetBack],
  ])('when it %s', async (_what, change) => {
    const { file, source } = await openContent()
    let received = 0
    const read = async () => {
      for await (const chunk of source.stream()) {
        if (received === 0) change(file)
        received += chunk.length
      }
    }
    await expect(read()).rejects.toMatchObject({ code: 'file.changed' })
    expect(received).toBeGreaterThan(0)
    expect(received).toBeLessThan(source.size)
    await source.close()
  })

  test('when it changes after all but its last chunk: that chunk is held back', async () => {
    const { file, source } = await openContent()
    let received = 0
    const read = async () => {
      for await (const chunk of source.stream()) {
        received += chunk.length
        if (received > content.length - 2 * chunk.length) appendFileSync(file, '!')
      }
    }
    await expect(read()).rejects.toMatchObject({ code: 'file.changed' })
    expect(received).toBeGreaterThan(0)
    expect(received).toBeLessThan(content.length)
    await source.close()
  })

  test('when one byte of many chunks differs from the hashed ones', async () => {
    const root = makeTree({ f: content })
    const file = join(root, 'f')
    const hashed = Buffer.from(content)
    hashed[content.length >> 1]! ^= 1
    const source = await openSource(root, 'f', expectedOf(file, hashed))
    let received = 0
    const read = async () => {
      for await (const chunk of source.stream()) received += chunk.length
    }
    await expect(read()).rejects.toMatchObject({ code: 'file.changed' })
    expect(received).toBeLessThan(content.length)
    await source.close()
  })

  test('when it grows after the last byte was read: the last chunk is still held back', async () => {
    const root = makeTree({ f: 'one chunk' })
    const file = join(root, 'f')
    const source = await openSource(root, 'f', expectedOf(file, Buffer.from('one chunk')))
    appendFileSync(file, '!')
    const received: Uint8Array[] = []
    const read = async () => {
      for await (const chunk of source.stream()) received.push(chunk)
    }
    await expect(read()).rejects.toMatchObject({ code: 'file.changed' })
    expect(received).toEqual([])
    await source.close()
  })

  test('when its bytes do not match the md5', async () => {
    const root = makeTree({ f: 'text' })
    const source = await openSource(root, 'f', expectedOf(join(root, 'f'), Buffer.from('TEXT')))
    await expect(collect(source.stream())).rejects.toMatchObject({ code: 'file.changed' })
    await source.close()
  })
})

test('a closed source reads no more, because its descriptor may belong to another file', async () => {
  const { source } = await openContent()
  const chunks = source.stream()[Symbol.asyncIterator]()
  await Promise.all([chunks.next().catch(() => {}), source.close()])
  await expect(chunks.next()).rejects.toMatchObject({ code: 'file.unreadable' })
  await expect(source.stream()[Symbol.asyncIterator]().next()).rejects.toMatchObject({
    code: 'file.unreadable',
  })
  await source.close()
})

function rewriteAndSetBack(file: string): void {
  const { atime, mtime } = lstatSync(file)
  writeFileSync(file, Buffer.alloc(content.length, 'other text, '))
  utimesSync(file, atime, mtime)
}

describe('opening fails for a file', () => {
  const some: ExpectedFile = { stat: { size: 1, mtime_ns: 0n, ctime_ns: 0n, inode: 1n }, md5: '' }

  test('that is gone, or has become something else', async () => {
    const root = makeTree({ f: 'x', 'dir/': '' })
    makeFifo(root, 'fifo')
    symlinkSync('f', join(root, 'link'))
    await expect(openSource(root, 'none', some)).rejects.toMatchObject({ code: 'file.missing' })
    await expect(openSource(root, 'f/below', some)).rejects.toMatchObject({ code: 'file.missing' })
    await expect(openSource(root, 'link', some)).rejects.toMatchObject({ code: 'file.missing' })
    await expect(openSource(root, 'f', some)).rejects.toMatchObject({ code: 'file.changed' })
    await expect(openSource(root, 'fifo', some)).rejects.toMatchObject({ code: 'file.changed' })
    await expect(openSource(root, 'dir', some)).rejects.toMatchObject({ code: 'file.changed' })
  })

  test('behind a link to outside', async () => {
    const outside = makeTree({ secret: 'secret' })
    const root = makeTree({ 'a/': '' })
    rmSync(join(root, 'a'), { recursive: true })
    symlinkSync(outside, join(root, 'a'))
    const expected = expectedOf(join(outside, 'secret'), Buffer.from('secret'))
    await expect(openSource(root, 'a/secret', expected)).rejects.toMatchObject({
      code: 'file.outside',
    })
  })

  test('whose folder is missing', async () => {
    await expect(openSource('/nowhere', 'f', some)).rejects.toMatchObject({ code: 'disk.offline' })
  })

  test('without the right to read it', () => {
    const root = makeTree({ f: 'x' })
    chmodSync(join(root, 'f'), 0)
    const script = `
      import { openSource } from '${builtModule('disk/read/source')}'
      const stat = { size: 1, mtime_ns: 0n, ctime_ns: 0n, inode: 1n }
      const error = await openSource(process.argv[2], 'f', { stat, md5: '' }, undefined).catch((error) => error)
      console.log(JSON.stringify({ code: error.code, message: error.message }))`
    expect(runUnprivileged(script, root)).toEqual({
      code: 'file.unreadable',
      message: 'f cannot be read: permission denied',
    })
  })
})
