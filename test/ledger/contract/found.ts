import { expect } from 'vitest'
import type { FilesFound } from '../../../src/domain/fact.ts'
import { type LedgerFactory, md5Of, statOf } from '../fixture.ts'
import { withLedger } from './with-ledger.ts'

/** Files in path order, as a walk reports them that read them on its way. */
function found(folder: string, files: Record<string, string>): FilesFound {
  const paths = Object.keys(files)
  let end = 0
  return {
    type: 'files_found',
    folder,
    names: Buffer.from(paths.join('')),
    ends: Uint32Array.from(paths, (path) => (end += Buffer.byteLength(path))),
    stats: BigInt64Array.from(
      Object.values(files).flatMap((text) => {
        const { size, mtime_ns, ctime_ns, inode } = statOf(text.length)
        return [BigInt(size), mtime_ns, ctime_ns, inode]
      }),
    ),
    md5s: Object.values(files).map(md5Of).join(''),
  }
}

const files = { 'a.txt': 'one', 'b/ä.txt': 'two', 'b/copy.txt': 'one', 'c.txt': 'three' }

export function foundContract(factory: LedgerFactory): void {
  const check = withLedger(factory)

  check(
    'files found by a walk have the same rows as files that settled one by one',
    async (bench) => {
      await bench.online('singly')
      for (const [path, text] of Object.entries(files)) await bench.settle('singly', path, text)
      await bench.online('other', { project_id: 'project_of_its_own' })
      const held = () =>
        Object.keys(files).map((path) => ({ ...bench.see.file('docs', path), folder: 0 }))
      await bench.record(found('docs', files))
      expect(held()).toEqual(
        Object.keys(files).map((path) => ({ ...bench.see.file('singly', path), folder: 0 })),
      )
      expect(bench.see.counts('docs')).toEqual({ wanted: { files: 4, bytes: 14 } })
      // The other project has other contents, and equal bytes make one of them.
      await bench.record(found('other', files))
      expect(bench.see.file('other', 'a.txt')?.content).toBe(
        bench.see.file('other', 'b/copy.txt')?.content,
      )
      expect(bench.see.file('other', 'a.txt')?.content).not.toBe(
        bench.see.file('docs', 'a.txt')?.content,
      )
      expect(await bench.sendable()).toHaveLength(6)
    },
  )

  check(
    'a found file changes nothing at a known path, and a gone one is present again',
    async (bench) => {
      await bench.seen('docs', 'a.txt', 'newer', 5_000)
      await bench.settle('docs', 'b/ä.txt', 'other bytes')
      const content = await bench.settle('docs', 'c.txt', 'three')
      await bench.gone('docs', 'c.txt')
      const before = ['a.txt', 'b/ä.txt'].map((path) => bench.see.file('docs', path))
      await bench.record(found('docs', files))
      expect(['a.txt', 'b/ä.txt'].map((path) => bench.see.file('docs', path))).toEqual(before)
      expect(bench.see.file('docs', 'b/copy.txt')).toMatchObject({ state: 'present' })
      expect(bench.see.file('docs', 'c.txt')).toMatchObject({
        state: 'present',
        content,
        gone_ms: null,
      })
    },
  )

  check(
    'found files of an offline or unknown folder change nothing, and neither does an empty list',
    async (bench) => {
      await bench.record(found('nowhere', files), found('docs', {}))
      await bench.record(
        { type: 'folder_offline', folder: 'docs', reason: 'it is away' },
        found('docs', files),
      )
      expect(bench.see.counts('docs')).toEqual({})
      expect(await bench.sendable()).toEqual([])
    },
  )
}
