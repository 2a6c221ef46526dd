import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { type Examiner, type PathState, startExaminer } from '../../../src/disk/read/examiner.ts'
import { addToTree, makeTree } from '../../rig/tree.ts'
import { builtModule, runUnprivileged } from '../../rig/unprivileged.ts'
import { makeFifo, makeSocket } from '../odd-entries.ts'

const examiner = startExaminer()
afterAll(() => examiner.close())

function md5(bytes: string | Uint8Array): string {
  return createHash('md5').update(bytes).digest('hex')
}

async function pathState(
  root: string,
  paths: string[],
): Promise<Parameters<Examiner['fingerprint']>[1][number][]> {
  const stats = await examiner.lstat(root, paths)
  return stats.map((entry, index) => {
    if (entry.kind !== 'file') throw new Error(`${paths[index]} is ${entry.kind}`)
    return { path: paths[index]!, stat: entry.stat }
  })
}

/** Lets the disk change under a checked file, and then reads it. */
async function fingerprintAfter(root: string, path: string, change: () => void) {
  const entries = await pathState(root, [path])
  change()
  const [fingerprint] = await examiner.fingerprint(root, entries)
  const whole = await examiner.readWhole(root, path, entries[0]!.stat)
  expect(whole.kind).toBe(fingerprint!.kind === 'hashed' ? 'read' : fingerprint!.kind)
  return fingerprint!.kind
}

describe('lstat', () => {
  test('returns what is at each path, in the order of the paths', async () => {
    const root = makeTree({
      'a/file': '12345',
      'a/dir/': '',
      'a/link': { link: 'file' },
      'to-a': { link: 'a' },
    })
    makeFifo(root, 'fifo')
    const server = await makeSocket(root, 'socket')
    const found = await examiner.lstat(root, [
      'a/file',
      'none',
      'a',
      'a/link',
      'fifo',
      'socket',
      'a/file/below',
      'none/below',
      'to-a/file',
      'a/dir',
    ])
    await new Promise((resolve) => server.close(resolve))
    const stat = lstatSync(join(root, 'a/file'), { bigint: true })
    const expected: PathState[] = [
      {
        kind: 'file',
        stat: { size: 5, mtime_ns: stat.mtimeNs, ctime_ns: stat.ctimeNs, inode: stat.ino },
      },
      { kind: 'missing' },
      { kind: 'directory' },
      { kind: 'special', what: 'symlink' },
      { kind: 'special', what: 'fifo' },
      { kind: 'special', what: 'socket' },
      { kind: 'missing' },
      { kind: 'missing' },
      // Links are not followed, so the paths behind one are missing.
      { kind: 'missing' },
      { kind: 'directory' },
    ]
    expect(found).toEqual(expected)
  })

  test('fails on a missing root instead of calling its files missing', async () => {
    await expect(examiner.lstat('/nowhere/at/all', ['a'])).rejects.toMatchObject({
      code: 'disk.offline',
    })
  })

  test('handles odd names: newline, quotes, emoji, backslash, 255 bytes', async () => {
    const names = [
      'new\nline',
      `"it's"`,
      '\u{1f600}.txt',
      'back\\slash',
      'x'.repeat(255),
      ' ',
      '\u00e9',
      'e\u0301',
    ]
    const root = makeTree(Object.fromEntries(names.map((name) => [`d\n/${name}`, name])))
    const entries = await pathState(
      root,
      names.map((name) => `d\n/${name}`),
    )
    const fingerprints = await examiner.fingerprint(root, entries)
    expect(
      fingerprints.map((fingerprint) => fingerprint.kind === 'hashed' && fingerprint.md5),
    ).toEqual(names.map(md5))
  })
})

describe('fingerprint', () => {
  test('hashes small, slice-sized, large and empty files', async () => {
    const sizes = [0, 1, 4_096, 1_048_576, 1_048_577, 17 * 1_048_576, 40 * 1_048_576]
    const contents = sizes.map((size) => Buffer.alloc(size, `${size} bytes, `))
    const root = makeTree(Object.fromEntries(contents.map((bytes, index) => [`f${index}`, bytes])))
    const entries = await pathState(
      root,
      contents.map((_, index) => `f${index}`),
    )
    const fingerprints = await examiner.fingerprint(root, entries)
    expect(fingerprints).toEqual(
      contents.map((bytes, index) => ({
        kind: 'hashed',
        md5: md5(bytes),
        stat: entries[index]!.stat,
      })),
    )
  })

  test('returns the results in the order of the paths, over many slices and directories', async () => {
    const paths = Array.from({ length: 500 }, (_, index) => `d${index % 7}/f${index}`)
    const root = makeTree(Object.fromEntries(paths.map((path) => [path, path])))
    const entries = await pathState(root, paths)
    rmSync(join(root, paths[123]!))
    const fingerprints = await examiner.fingerprint(root, entries)
    expect(fingerprints.map((found) => (found.kind === 'hashed' ? found.md5 : found.kind))).toEqual(
      paths.map((path, index) => (index === 123 ? 'missing' : md5(path))),
    )
  })

  test('does not let small files wait for large ones', async () => {
    const one_thread = startExaminer({ threads: 1 })
    const root = makeTree({ big: { bytes: 300_000_000 }, small: 'x' })
    const [big, small] = await pathState(root, ['big', 'small'])
    const order: string[] = []
    const large = one_thread.fingerprint(root, [big!]).then(() => order.push('large'))
    await one_thread.fingerprint(root, [small!]).then(() => order.push('small'))
    await large
    await one_thread.close()
    expect(order).toEqual(['small', 'large'])
  })
})

test('hashes a file whose time does not fit into 64 bits of nanoseconds', async () => {
  const root = makeTree({ 'a.txt': 'from the year 2400' })
  utimesSync(join(root, 'a.txt'), 0, Date.UTC(2400, 0) / 1_000)
  expect(await fingerprintAfter(root, 'a.txt', () => {})).toBe('hashed')
})

describe('a file that may have changed since its check', () => {
  test('that is unchanged is hashed', async () => {
    expect(await fingerprintAfter(makeTree({ f: 'x' }), 'f', () => {})).toBe('hashed')
  })

  test.each<[string, (file: string) => void, string]>([
    ['grown', (file) => appendFileSync(file, 'more'), 'changed'],
    ['rewritten with the same size and mtime', sameSizeAndTime, 'changed'],
    ['replaced by another file', replace, 'changed'],
    ['gone', (file) => rmSync(file), 'missing'],
    ['now a directory', (file) => insteadOf(file, mkdirSync), 'changed'],
    ['now a link', (file) => insteadOf(file, () => symlinkSync('/etc/passwd', file)), 'missing'],
    ['now a FIFO without a writer', (file) => insteadOf(file, () => makeFifo(file, '')), 'changed'],
  ])('%s', async (_what, change, expected) => {
    const root = makeTree({ 'a/f': 'text' })
    expect(await fingerprintAfter(root, 'a/f', () => change(join(root, 'a/f')))).toBe(expected)
  })

  test('is not read through a directory that was swapped for a link to outside', async () => {
    const outside = makeTree({ secret: 'secret' })
    const root = makeTree({ 'a/b/secret': 'public' })
    renameSync(join(root, 'a'), join(root, 'was-a'))
    symlinkSync(outside, join(root, 'a'))
    mkdirSync(join(outside, 'b'))
    renameSync(join(outside, 'secret'), join(outside, 'b/secret'))
    const stat = lstatSync(join(outside, 'b/secret'), { bigint: true })
    const expected = { size: 6, mtime_ns: stat.mtimeNs, ctime_ns: stat.ctimeNs, inode: stat.ino }
    expect(await examiner.fingerprint(root, [{ path: 'a/b/secret', stat: expected }])).toEqual([
      { kind: 'outside' },
    ])
    expect(await examiner.readWhole(root, 'a/b/secret', expected)).toEqual({ kind: 'outside' })
    expect(await examiner.lstat(root, ['a/b/secret'])).toEqual([{ kind: 'missing' }])
  })

  test('is not read from a folder beside the root whose name begins the same', async () => {
    const above = makeTree({
      'folder/a.txt': 'x',
      'folder-secret/s': 's',
      'folder/link': { link: '../folder-secret' },
    })
    const [entry] = await pathState(join(above, 'folder-secret'), ['s'])
    const read = await examiner.fingerprint(join(above, 'folder'), [
      { path: 'link/s', stat: entry!.stat },
    ])
    expect(read).toEqual([{ kind: 'outside' }])
  })

  test('is not read through a link that leads around the ignore rules', async () => {
    const root = makeTree({ '.ssh/id': 'secret', link: { link: '.ssh' } })
    const [entry] = await pathState(root, ['.ssh/id'])
    expect(await examiner.fingerprint(root, [{ path: 'link/id', stat: entry!.stat }])).toEqual([
      { kind: 'missing' },
    ])
  })

  test('is read when the root itself is a link', async () => {
    const above = makeTree({ 'real/a/f': 'x', root: { link: 'real' } })
    const entries = await pathState(join(above, 'root'), ['a/f'])
    expect(await examiner.fingerprint(join(above, 'root'), entries)).toMatchObject([
      { kind: 'hashed', md5: md5('x') },
    ])
  })
})

/**
 * Keeps size and mtime, as `touch -r` after an edit in place. Only ctime differs, and older kernels
 * move it once in some milliseconds.
 */
function sameSizeAndTime(file: string): void {
  const before = lstatSync(file, { bigint: true })
  const seconds = before.mtimeNs / 1_000_000_000n
  const nanoseconds = String(before.mtimeNs % 1_000_000_000n).padStart(9, '0')
  writeFileSync(file, 'TEXT')
  let after = before
  while (after.ctimeNs === before.ctimeNs) {
    execFileSync('touch', ['-d', `@${seconds}.${nanoseconds}`, file])
    after = lstatSync(file, { bigint: true })
  }
  expect(after).toMatchObject({ mtimeNs: before.mtimeNs, size: before.size, ino: before.ino })
}

function insteadOf(file: string, make: (file: string) => void): void {
  rmSync(file)
  make(file)
}

function replace(file: string): void {
  writeFileSync(`${file}.new`, 'text')
  renameSync(`${file}.new`, file)
}

const shows_open_files = existsSync('/proc/self/fd')
if (!shows_open_files)
  console.log('skipped: a file that grows while it is hashed, because /proc/self/fd is not there')

test.skipIf(!shows_open_files)(
  'a file that grows while it is hashed is reported as changed',
  async () => {
    const root = makeTree({ log: { bytes: 300_000_000 } })
    const entries = await pathState(root, ['log'])
    const reading = examiner.fingerprint(root, entries)
    // Hashing takes half a second; the descriptor shows that it has begun.
    await vi.waitUntil(() => isOpen(join(root, 'log')), { timeout: 30_000, interval: 1 })
    appendFileSync(join(root, 'log'), 'line')
    expect(await reading).toEqual([{ kind: 'changed' }])
  },
)

function isOpen(file: string): boolean {
  return readdirSync('/proc/self/fd').some((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`) === file
    } catch {
      // The descriptor was closed after the list was made.
      return false
    }
  })
}

test('readWhole returns the bytes that it hashed', async () => {
  const root = makeTree({ f: 'hello', empty: '' })
  const [f, empty] = await pathState(root, ['f', 'empty'])
  const read = await examiner.readWhole(root, 'f', f!.stat)
  expect(read).toMatchObject({ kind: 'read', md5: md5('hello') })
  expect(read.kind === 'read' && Buffer.from(read.bytes).toString()).toBe('hello')
  expect(await examiner.readWhole(root, 'empty', empty!.stat)).toMatchObject({
    kind: 'read',
    md5: md5(''),
  })
  await expect(
    examiner.readWhole(root, 'f', { ...f!.stat, size: 100_000_000 }),
  ).rejects.toMatchObject({
    code: 'file.too_large',
  })
})

test('a closed examiner rejects waiting and new calls', async () => {
  const root = makeTree({ big: { bytes: 300_000_000 } })
  const entries = await pathState(root, ['big'])
  const other = startExaminer({ threads: 1 })
  const calls = [0, 1, 2].map(() => other.fingerprint(root, entries))
  const settled = Promise.allSettled(calls)
  await other.close()
  for (const outcome of await settled)
    expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'thread.ended' } })
  await expect(other.lstat(root, ['big'])).rejects.toMatchObject({ code: 'thread.ended' })
})

test('a file without the right to read it is unreadable, with the code', () => {
  const root = makeTree({ 'locked.txt': 'x', 'open.txt': 'y', 'dir/f': 'z' })
  const entries = ['locked.txt', 'open.txt', 'dir/f'].map((path) => ({
    path,
    ...rawStat(join(root, path)),
  }))
  chmodSync(join(root, 'locked.txt'), 0)
  chmodSync(join(root, 'dir'), 0)
  entries[0] = { path: 'locked.txt', ...rawStat(join(root, 'locked.txt')) }
  const script = `
    import { startExaminer } from '${builtModule('disk/read/examiner')}'
    const examiner = startExaminer()
    const entries = ${JSON.stringify(entries)}.map(({ path, size, ...times }) =>
      ({ path, stat: { size, ...Object.fromEntries(Object.entries(times).map(([key, text]) => [key, BigInt(text)])) } }))
    const found = await examiner.fingerprint(process.argv[2], entries)
    const lstats = await examiner.lstat(process.argv[2], ['dir/f'])
    console.log(JSON.stringify([...found.map(({ kind, code }) => [kind, code]), lstats]))
    await examiner.close()`
  const answer = runUnprivileged(script, root)
  chmodSync(join(root, 'dir'), 0o755)
  expect(answer).toEqual([
    ['unreadable', 'EACCES'],
    ['hashed', null],
    ['unreadable', 'EACCES'],
    [{ kind: 'unreadable', code: 'EACCES' }],
  ])
})

function rawStat(file: string) {
  const stat = lstatSync(file, { bigint: true })
  return {
    size: Number(stat.size),
    mtime_ns: `${stat.mtimeNs}`,
    ctime_ns: `${stat.ctimeNs}`,
    inode: `${stat.ino}`,
  }
}

test('an opened directory serves its files only while it is the same directory', async () => {
  const root = makeTree({ 'a/f': 'old' })
  const entries = await pathState(root, ['a/f'])
  rmSync(join(root, 'a'), { recursive: true })
  addToTree(root, { 'a/f': 'new' })
  expect(await examiner.fingerprint(root, entries)).toEqual([{ kind: 'changed' }])
})
