import type { FilesFound } from '../../domain/fact.ts'
import type { FileRows } from '../rows/file-rows.ts'
import type { FolderRows } from '../rows/folder-rows.ts'
import type { FileRecorder, Settled } from './record-file.ts'

/** Applies what a scan found at unknown paths, without a query for each file. */
export function createFoundRecorder(parts: {
  folders: FolderRows
  files: FileRows
  recorder: FileRecorder
}) {
  const { folders, recorder } = parts
  const file_rows: FileRows = parts.files

  function apply(found: FilesFound, at_ms: number): void {
    const folder = folders.named(found.folder)
    // The folder is offline by now. The scan after its return finds these files again.
    if (!folder || folder.offline_reason !== undefined || found.ends.length === 0) return
    const files = filesOf(found)
    const rows = file_rows.between(folder.id, files.path(0), files.path(found.ends.length - 1))
    for (let index = 0; index < found.ends.length; index++) {
      const file = files.file(index)
      const row = rows.size === 0 ? undefined : rows.get(file.path)
      if (row === undefined || row.state === 'gone') recorder.settle(folder, row, file, at_ms)
    }
  }

  return { apply }
}

/** Makes the files one at a time: thousands of objects at once would live too long. */
function filesOf({ names, ends, stats, md5s }: FilesFound): {
  path(index: number): string
  file(index: number): Settled
} {
  const bytes = Buffer.from(names.buffer, names.byteOffset, names.byteLength)
  const path = (index: number) =>
    bytes.toString('utf8', index === 0 ? 0 : ends[index - 1], ends[index])
  return {
    path,
    file: (index) => ({
      path: path(index),
      stat: {
        size: Number(stats[4 * index]),
        mtime_ns: stats[4 * index + 1]!,
        ctime_ns: stats[4 * index + 2]!,
        inode: stats[4 * index + 3]!,
      },
      md5: md5s.slice(32 * index, 32 * index + 32),
    }),
  }
}
