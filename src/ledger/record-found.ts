import type { FilesFound } from '../domain/fact.ts'
import type { FileRows } from './file-rows.ts'
import type { FolderRows } from './folder-rows.ts'
import type { FileRecorder, Settled } from './record-file.ts'

/** Applies what a scan found where nobody had looked: as many single files, but that nobody has to be asked for each of them. */
export class FoundRecorder {
  readonly #folders: FolderRows
  readonly #files: FileRows
  readonly #recorder: FileRecorder

  constructor(parts: { folders: FolderRows; files: FileRows; recorder: FileRecorder }) {
    this.#folders = parts.folders
    this.#files = parts.files
    this.#recorder = parts.recorder
  }

  apply(found: FilesFound, at_ms: number): void {
    const folder = this.#folders.named(found.folder)
    const files = filesOf(found)
    // Away by now: the scan that follows its return finds them once more.
    if (!folder || folder.offline_reason !== undefined || files.length === 0) return
    const rows = this.#files.between(folder.id, files[0]!.path, files.at(-1)!.path)
    for (const file of files) {
      const row = rows.get(file.path)
      if (row === undefined || row.state === 'gone') this.#recorder.settle(folder, row, file, at_ms)
    }
  }
}

function filesOf({ names, ends, stats, md5s }: FilesFound): Settled[] {
  const bytes = Buffer.from(names.buffer, names.byteOffset, names.byteLength)
  return Array.from(ends, (end, index) => ({
    path: bytes.toString('utf8', index === 0 ? 0 : ends[index - 1], end),
    stat: {
      size: Number(stats[4 * index]),
      mtime_ns: stats[4 * index + 1]!,
      ctime_ns: stats[4 * index + 2]!,
      inode: stats[4 * index + 3]!,
    },
    md5: md5s.slice(32 * index, 32 * index + 32),
  }))
}
