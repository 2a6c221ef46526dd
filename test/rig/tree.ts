import { mkdirSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import tmp from 'tmp'

tmp.setGracefulCleanup()

/**
 * A file's content; `{ link }`: a symbolic link to that target; `{ bytes }`: a sparse file of that
 * size; `{ aged_ms }`: an old file.
 */
export type TreeEntry =
  | string
  | Uint8Array
  | { link: string }
  | { bytes: number }
  | { text: string; aged_ms: number }

/**
 * Makes a folder from a literal, `makeTree({ 'a/b.txt': 'text', 'empty/': '' })`, and returns its
 * absolute path. A path that ends in `/` is a directory. The folder is removed when the test
 * process ends.
 */
export function makeTree(tree: Readonly<Record<string, TreeEntry>> = {}): string {
  const root = tmp.dirSync({ prefix: 'sluice-tree-', unsafeCleanup: true }).name
  addToTree(root, tree)
  return root
}

/**
 * An empty folder for databases and related files, in memory if the machine has space there
 * (build-first.ts). A ledger and a service mostly wait for disk flushes, and no test depends on
 * them, because none cuts the power. Watched folders belong on a disk (`makeTree`), because tests
 * use its inodes and times.
 */
export function makeStore(): string {
  return tmp.dirSync({
    tmpdir: process.env.SLUICE_TEST_STORES ?? tmpdir(),
    prefix: 'sluice-store-',
    unsafeCleanup: true,
  }).name
}

/** Adds files to a folder, and overwrites existing ones. */
export function addToTree(root: string, tree: Readonly<Record<string, TreeEntry>>): void {
  for (const [path, entry] of Object.entries(tree)) {
    const absolute = join(root, path)
    mkdirSync(path.endsWith('/') ? absolute : dirname(absolute), { recursive: true })
    if (!path.endsWith('/')) putEntry(absolute, entry)
  }
}

function putEntry(absolute: string, entry: TreeEntry): void {
  if (typeof entry === 'string' || entry instanceof Uint8Array) writeFileSync(absolute, entry)
  else if ('link' in entry) symlinkSync(entry.link, absolute)
  else if ('bytes' in entry) {
    writeFileSync(absolute, '')
    truncateSync(absolute, entry.bytes)
  } else {
    writeFileSync(absolute, entry.text)
    const then = new Date(Date.now() - entry.aged_ms)
    utimesSync(absolute, then, then)
  }
}
