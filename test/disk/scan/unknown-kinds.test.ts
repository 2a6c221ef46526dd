import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import type { ScanEnd } from '../../../src/disk/scan/scan.ts'
import { isNotRoot } from '../../rig/root-only.ts'
import { makeTree } from '../../rig/tree.ts'
import { builtModule } from '../../rig/unprivileged.ts'

/**
 * Directories of this file system do not say what their entries are (DT_UNKNOWN), as on some old
 * and FUSE file systems.
 */
const mount =
  'truncate -s 8M "$1/image" && mkfs.ext4 -q -O ^filetype "$1/image" && mount -o loop "$1/image" "$1/folder"'
const sample = makeTree({ 'folder/': '' })
const is_not_root = isNotRoot('directories without kinds')
const may_mount =
  !is_not_root &&
  spawnSync('unshare', ['-m', '--propagation', 'private', 'sh', '-c', mount, 'sh', sample])
    .status === 0
if (!is_not_root && !may_mount)
  console.log('skipped: directories without kinds, because images may not be mounted here')

const script = `
  import { execFileSync } from 'node:child_process'
  import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
  import { kindOf, readDirectory } from '${builtModule('disk/scan/directory-names')}'
  import { entryPath, scanFolder } from '${builtModule('disk/scan/scan')}'
  const root = process.argv[2] + '/folder'
  mkdirSync(root + '/sub/café', { recursive: true })
  for (const name of ['a.txt', 'sub/café/menu.txt', 'sub/naïve.txt', 'z.txt']) writeFileSync(root + '/' + name, '1234')
  writeFileSync(Buffer.from(root + '/caf\\xe9.txt', 'latin1'), '')
  symlinkSync('/etc', root + '/link')
  execFileSync('mkfifo', [root + '/pipe'])
  const kinds = readDirectory(root).map(kindOf)
  const paths = []
  const ignore = { include: [], exclude: ['lost+found/'], dot_files: false }
  const end = await scanFolder({ root, ignore }, (batch) => {
    for (let at = 0; at < batch.count; at++) paths.push(entryPath(batch, at))
  })
  console.log(JSON.stringify({ kinds, paths, end }))`

test.skipIf(!may_mount)(
  'where a directory does not say what its entries are, a walk checks each of them by its own bytes',
  () => {
    const base = makeTree({ 'folder/': '', 'script.mjs': script })
    const words = [
      '-m',
      '--propagation',
      'private',
      'sh',
      '-c',
      `${mount} && exec "$0" "$1/script.mjs" "$1"`,
      process.execPath,
      base,
    ]
    const { status, stdout, stderr } = spawnSync('unshare', words, { encoding: 'utf8' })
    expect(status, stderr).toBe(0)
    const { kinds, paths, end } = JSON.parse(stdout) as {
      kinds: unknown[]
      paths: string[]
      end: ScanEnd
    }
    // undefined is null in JSON: this file system does not say what an entry is.
    expect(new Set(kinds)).toEqual(new Set([null]))
    expect(paths).toEqual(['a.txt', 'sub/café/menu.txt', 'sub/naïve.txt', 'z.txt'])
    expect(end).toMatchObject({
      complete: true,
      files: 4,
      bytes: 16,
      directories: 3,
      unreadable: [],
    })
    expect(end.odd_names).toEqual([{ escaped_path: String.raw`caf\xe9.txt` }])
    expect(end.special).toEqual(
      expect.arrayContaining([
        { kind: 'symlink', count: 1 },
        { kind: 'fifo', count: 1 },
      ]),
    )
  },
)
