import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isSluiceError } from '../../../src/base/run/errors.ts'
import type { IgnoreSpec } from '../../../src/disk/scan/ignore.ts'
import { measureBatch } from '../../../src/disk/scan/measure.ts'
import {
  batchIn,
  createBatchRoom,
  entryPath,
  entryStat,
  putListed,
} from '../../../src/disk/scan/scan-batch.ts'
import { type WalkOptions, walk } from '../../../src/disk/scan/walk.ts'
import { createMeasuredTotal, type ScanEnd } from '../../../src/disk/scan/walk-report.ts'
import { makeTree } from '../../rig/tree.ts'
import { builtModule } from '../../rig/unprivileged.ts'
import { makeFifo, makeRawDirectory, makeSocket, writeRawFile } from '../odd-entries.ts'

const everything: IgnoreSpec = { include: [], exclude: [], dot_files: true }

interface Walked {
  paths: string[]
  sizes: Map<string, number>
  batches: number[]
  end: ScanEnd
}

function walkAll(root: string, options: Partial<WalkOptions> = {}): Walked {
  const steps = walk({ root, ignore: everything, under: '', batch_entries: 3, ...options })
  const walked: Omit<Walked, 'end'> = { paths: [], sizes: new Map(), batches: [] }
  const total = createMeasuredTotal()
  const room = createBatchRoom(options.batch_entries ?? 3)
  for (;;) {
    const step = steps.next()
    if (step.done) return { ...walked, end: total.with(step.value) }
    walked.batches.push(step.value.count)
    putListed(room, step.value)
    const measured = measureBatch(room, step.value.count, {
      root,
      keeps_inodes: true,
      progressed: () => {},
    })
    total.add(measured.total)
    const batch = batchIn(room, measured)
    for (let index = 0; index < batch.count; index += 1) {
      const path = entryPath(batch, index)
      walked.paths.push(path)
      walked.sizes.set(path, entryStat(batch, index).size)
    }
  }
}

function inByteOrder(paths: Iterable<string>): string[] {
  return [...paths].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
}

/**
 * Names with bytes below `/`, names that begin like others, names beyond the BMP, and the longest
 * ones.
 */
const odd_name = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.stringMatching(/^[ab]{1,2}[ !+.-]?[ab.]?$/).filter((name) => !/^\.+$/.test(name)),
  },
  fc.constantFrom(
    'a',
    'a.txt',
    'a b',
    'a-',
    'a!',
    'a\u00e9',
    'a\uffff',
    'a\u{1f600}',
    'new\nline',
    '"quoted"',
    "it's",
    '\\',
    'x'.repeat(255),
  ),
)
const odd_path = fc.array(odd_name, { minLength: 1, maxLength: 4 }).map((names) => names.join('/'))

describe('order and completeness', () => {
  test('a random tree is listed whole, in byte order of the full paths, with its sizes', () => {
    fc.assert(
      fc.property(
        fc.dictionary(odd_path, fc.nat(40), { minKeys: 1, maxKeys: 25 }),
        fc.integer({ min: 1, max: 7 }),
        (tree, batch_entries) => {
          const root = makeTree()
          const made = new Map<string, number>()
          for (const [path, size] of Object.entries(tree))
            if (writeIfPossible(join(root, path), size)) made.set(path, size)
          const walked = walkAll(root, { batch_entries })
          expect(walked.paths).toEqual(inByteOrder(made.keys()))
          expect(walked.sizes).toEqual(made)
          expect(walked.end).toMatchObject({
            complete: true,
            files: made.size,
            bytes: [...made.values()].reduce((a, b) => a + b, 0),
          })
          expect(walked.batches.slice(0, -1).every((count) => count === batch_entries)).toBe(true)
          rmSync(root, { recursive: true })
        },
      ),
      { numRuns: 150 },
    )
  })

  test('a directory is sorted as if its name ended in a slash, by bytes and not by UTF-16', () => {
    const root = makeTree({
      'a/z': '',
      'a.txt': '',
      'a!/b': '',
      a0: '',
      '\u{1f600}': '',
      '\uffee': '',
      '\u00e9/x': '',
    })
    expect(walkAll(root).paths).toEqual([
      'a!/b',
      'a.txt',
      'a/z',
      'a0',
      '\u00e9/x',
      '\uffee',
      '\u{1f600}',
    ])
  })

  test('`under` lists one directory, with paths from the root', () => {
    const root = makeTree({ 'a/b/1': '', 'a/b/c/2': '', 'a/b.txt': '', 'a/bb/3': '' })
    expect(walkAll(root, { under: 'a/b' }).paths).toEqual(['a/b/1', 'a/b/c/2'])
    expect(walkAll(root, { under: 'a/none' })).toMatchObject({
      paths: [],
      end: { complete: true, files: 0 },
    })
    expect(walkAll(root, { under: 'a/b.txt' }).paths).toEqual([])
  })
})

/** Skips the file where a random tree has a file in place of a directory. */
function writeIfPossible(file: string, size: number): boolean {
  try {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, 'x'.repeat(size), { flag: 'wx' })
    return true
  } catch (error) {
    expect((error as NodeJS.ErrnoException).code).toMatch(/^(EEXIST|ENOTDIR|EISDIR)$/)
    return false
  }
}

describe('ignored entries', () => {
  test('are counted by rule, and an ignored directory counts once', () => {
    const root = makeTree({
      'a.txt': '',
      'x.tmp': '',
      'b/y.tmp': '',
      'node_modules/p/index.js': '',
      'b/.sluiceignore': 'old/\n',
      'b/old/1': '',
      'b/old/2': '',
    })
    const { paths, end } = walkAll(root, { ignore: { ...everything, exclude: ['*.iso'] } })
    expect(paths).toEqual(['a.txt'])
    expect(end.ignored.map(({ rule, source, count }) => [rule, source, count]).sort()).toEqual([
      ['*.tmp', 'default', 2],
      ['.sluiceignore', 'default', 1],
      ['node_modules/', 'default', 1],
      ['old/', `${join(root, 'b/.sluiceignore')}:1`, 1],
    ])
    expect(end.directories).toBe(2)
  })

  test('a directory with an unusable .sluiceignore is one ignored entry', () => {
    const root = makeTree({ 'a/1': '', 'b/2': '', 'a/.sluiceignore': { link: '/etc/hostname' } })
    const { paths, end } = walkAll(root)
    expect(paths).toEqual(['b/2'])
    expect(end.ignored).toMatchObject([{ rule: '.sluiceignore', count: 1 }])
  })

  test('rules above `under` hold below it too', () => {
    const root = makeTree({
      '.sluiceignore': '*.log\nold/\n',
      'a/1.log': '',
      'a/2.txt': '',
      'old/a/3.txt': '',
    })
    expect(walkAll(root, { under: 'a' }).paths).toEqual(['a/2.txt'])
    expect(walkAll(root, { under: 'old/a' })).toMatchObject({
      paths: [],
      end: { ignored: [{ rule: 'old/' }] },
    })
  })

  test('the list of rules is bounded, and the count is not', () => {
    const root = makeTree(
      Object.fromEntries(Array.from({ length: 1_200 }, (_, index) => [`f${index}.x`, ''])),
    )
    const exclude = Array.from({ length: 1_200 }, (_, index) => `f${index}.x`)
    const { ignored } = walkAll(root, { ignore: { ...everything, exclude } }).end
    expect(ignored.length).toBe(1_001)
    expect(ignored.reduce((sum, { count }) => sum + count, 0)).toBe(1_200)
  })
})

describe('subfolders that fewer people can read', () => {
  const tree = {
    'a.txt': '',
    'hr/deep/b.txt': '',
    'hr.txt': '',
    'open/c.txt': '',
    'open/closed/d.txt': '',
  }

  function makeNarrower(): string {
    const root = makeTree(tree)
    chmodSync(root, 0o755)
    for (const path of ['hr', 'hr/deep', 'open/closed']) chmodSync(join(root, path), 0o700)
    return root
  }
  const named = [
    { path: 'hr', why: 'it is closed to others' },
    { path: 'open/closed', why: 'it is closed to others' },
  ]

  test('are named, the topmost of each, and entered', () => {
    const { paths, end } = walkAll(makeNarrower())
    expect(paths).toEqual(['a.txt', 'hr.txt', 'hr/deep/b.txt', 'open/c.txt', 'open/closed/d.txt'])
    expect(end).toMatchObject({ narrower: named, narrower_total: 2, ignored: [] })
  })

  test('are ignored under widening: skip', () => {
    const root = makeNarrower()
    const ignore: IgnoreSpec = { ...everything, widening: 'skip' }
    const { paths, end } = walkAll(root, { ignore })
    expect(paths).toEqual(['a.txt', 'hr.txt', 'open/c.txt'])
    expect(end).toMatchObject({
      narrower: named,
      ignored: [{ rule: 'widening: skip', count: 2 }],
      complete: true,
    })
    for (const under of ['hr', 'hr/deep', 'open/closed']) {
      expect(walkAll(root, { ignore, under })).toMatchObject({
        paths: [],
        end: { ignored: [{ count: 1 }] },
      })
    }
    chmodSync(join(root, 'hr'), 0o755)
    chmodSync(join(root, 'hr/deep'), 0o755)
    expect(walkAll(root, { ignore }).paths).toContain('hr/deep/b.txt')
  })

  test('are not named below an ignored directory', () => {
    const { end } = walkAll(makeNarrower(), {
      ignore: { ...everything, exclude: ['hr/', 'closed/'] },
    })
    expect(end.narrower_total).toBe(0)
  })
})

describe('entries that are no ordinary files', () => {
  test('names that are not UTF-8 are reported in escaped form, and not entered', () => {
    const root = makeTree({ 'ok.txt': '', 'dir/fine.txt': '' })
    writeRawFile(join(root, 'dir'), 'caf\xe9.txt', 'x')
    writeRawFile(root, 'back\\slash\xff', 'x')
    writeRawFile(root, 'ignored\xff.tmp', 'x')
    makeRawDirectory(root, 'd\xfcr')
    const { paths, end } = walkAll(root)
    expect(paths).toEqual(['dir/fine.txt', 'ok.txt'])
    expect(end.odd_names.map(({ escaped_path }) => escaped_path).sort()).toEqual([
      'back\\\\slash\\xff',
      'd\\xfcr/',
      'dir/caf\\xe9.txt',
    ])
    expect(end.odd_names_total).toBe(3)
    expect(end.ignored).toMatchObject([{ rule: '*.tmp', count: 1 }])
  })

  test('links, FIFOs and sockets are counted, never followed or opened', async () => {
    const outside = makeTree({ 'secret.txt': 'secret' })
    const root = makeTree({
      'a/file': '1',
      'a/loop': { link: '..' },
      dangling: { link: 'nowhere' },
    })
    symlinkSync(join(outside, 'secret.txt'), join(root, 'to-secret'))
    symlinkSync(outside, join(root, 'to-outside'))
    makeFifo(root, 'fifo')
    const server = await makeSocket(root, 'socket')
    try {
      const { paths, end } = walkAll(root)
      expect(paths).toEqual(['a/file'])
      expect(end.special.sort((a, b) => a.kind.localeCompare(b.kind))).toEqual([
        { kind: 'fifo', count: 1 },
        { kind: 'socket', count: 1 },
        { kind: 'symlink', count: 4 },
      ])
      expect(walkAll(root, { under: 'to-outside' })).toMatchObject({
        paths: [],
        end: { special: [{ kind: 'symlink' }] },
      })
    } finally {
      await new Promise((resolve) => server.close(resolve))
    }
  })

  test('a symbolic link at the root itself is followed', () => {
    const root = makeTree({ 'real/a.txt': '1', link: { link: 'real' } })
    expect(walkAll(join(root, 'link')).paths).toEqual(['a.txt'])
  })

  test('a file beyond 4 GiB has its real size', () => {
    expect(walkAll(makeTree({ 'big.bin': { bytes: 5_000_000_000 } })).sizes.get('big.bin')).toBe(
      5_000_000_000,
    )
  })
})

describe('the root', () => {
  test.each([
    ['is missing', 'none', 'does not exist (not mounted?)'],
    ['is a file', 'file', 'not a directory'],
  ])('that %s is offline', (_what, name, why) => {
    const root = makeTree({ file: '' })
    const run = () => walkAll(join(root, name))
    expect(run).toThrow(why)
    try {
      run()
    } catch (error) {
      expect(isSluiceError(error, 'disk.offline')).toBe(true)
    }
  })

  test('that is replaced during the walk makes it incomplete, so that nothing counts as gone', () => {
    const above = makeTree({ 'root/a': '', 'root/b': '' })
    const root = join(above, 'root')
    const steps = walk({ root, ignore: everything, under: '', batch_entries: 1 })
    steps.next()
    renameSync(root, join(above, 'moved'))
    mkdirSync(root)
    let step = steps.next()
    while (!step.done) step = steps.next()
    expect(step.value).toMatchObject({ complete: false })
  })
})

const may_mount =
  spawnSync('unshare', ['-Urm', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0
if (!may_mount) console.log('skipped: mount points, because mount namespaces are not allowed here')

test.skipIf(!may_mount)(
  'a directory with another disk mounted on it is named and not entered',
  () => {
    const root = makeTree({ 'a/1': '', 'mounted/below.txt': '', 'z/2': '' })
    const script = `
    import { entryPath } from '${builtModule('disk/scan/scan-batch')}'
    import { walk } from '${builtModule('disk/scan/walk')}'
    const ignore = { include: [], exclude: [], dot_files: false }
    const paths = []
    const walkTo = (under) => {
      const steps = walk({ root: process.argv[2], ignore, under, batch_entries: 1 })
      for (;;) {
        const step = steps.next()
        if (step.done) return step.value
        paths.push(entryPath(step.value, 0))
      }
    }
    console.log(JSON.stringify({ whole: walkTo(''), under: walkTo('mounted'), paths }))`
    const file = join(makeTree({ 'script.mjs': script }), 'script.mjs')
    const mount = `mount -t tmpfs none "$2/mounted" && touch "$2/mounted/other.txt" && exec "$0" "$@"`
    const child = spawnSync('unshare', ['-Urm', 'sh', '-c', mount, process.execPath, file, root], {
      encoding: 'utf8',
    })
    const { whole, under, paths } = JSON.parse(child.stdout) as {
      whole: ScanEnd
      under: ScanEnd
      paths: string[]
    }
    expect(paths).toEqual(['a/1', 'z/2'])
    expect(whole).toMatchObject({ complete: true, other_mounts: ['mounted'] })
    expect(under).toMatchObject({ other_mounts: ['mounted'] })
  },
)
