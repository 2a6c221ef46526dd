import { isSluiceError } from '../../base/run/errors.ts'
import type { Heartbeat } from '../../base/run/heartbeat.ts'
import type { Clock } from '../../base/time/time.ts'
import { mimeType, type_bytes, withCharset } from '../../disk/mime.ts'
import type { Examiner } from '../../disk/read/examiner.ts'
import { openSource } from '../../disk/read/source.ts'
import type { FileFact } from '../../domain/fact.ts'
import type { SendWork, SourcePath } from '../../ledger/ledger.ts'
import type { UploadBody } from '../../remote/put-bytes.ts'
import type { FolderSettings, IntakeFolder } from '../folder-settings.ts'

/** Bytes to send, verified as the hashed ones (a large file: before its last bytes leave). */
export interface SendingSource {
  place: SourcePath
  mime_type: string
  body: UploadBody
  close(): Promise<void>
}

export interface SourceTools {
  examiner: Examiner
  small_file_bytes: number
  folders: ReadonlyMap<string, IntakeFolder>
  clock: Clock
}

/** Opens the first path with the wanted bytes. Paths before it get a fact for intake. */
export async function openSendingSource(
  work: SendWork,
  tools: SourceTools,
  heartbeat: Heartbeat,
  facts: FileFact[],
): Promise<SendingSource | undefined> {
  for (const place of work.sources) {
    const known = tools.folders.get(place.folder)
    if (!known) continue
    const { settings: folder, rules } = known
    try {
      const source = await openPlace(work, place, folder, tools, heartbeat)
      const is_open = typeof source !== 'string'
      // The rules may have changed since the file was recorded: an excluded file never leaves. The
      // main thread reads them, so only after the root has answered.
      const leaves =
        is_open && work.size <= folder.max_file_bytes && !rules.verdict(place.path, 'file').ignored
      if (leaves) return source
      if (is_open) await source.close()
      // Intake records the reason.
      facts.push(changedFact(place, folder, tools, is_open ? 'missing' : source))
    } catch (error) {
      facts.push(changedFact(place, folder, tools, placeFault(error)))
    }
  }
  return undefined
}

type PlaceFault = 'changed' | 'missing' | 'outside' | 'unreadable'

/** Why a path does not give the wanted bytes. Rethrows errors that are not faults of the file. */
export function placeFault(error: unknown): PlaceFault {
  if (isSluiceError(error)) {
    for (const fault of ['changed', 'missing', 'outside', 'unreadable'] as const) {
      if (error.code === `file.${fault}`) return fault
    }
    // The whole folder is offline, which its keeper reports. The file keeps its state until the
    // next check.
    if (error.code === 'disk.offline') return 'changed'
  }
  throw error
}

/** Makes intake check the file again, which finds and records its state (blocked, missing). */
export function changedFact(
  place: SourcePath,
  folder: FolderSettings,
  tools: SourceTools,
  fault: PlaceFault,
): FileFact {
  const not_before_ms = tools.clock.now_ms() + (fault === 'changed' ? folder.settle_ms : 0)
  return { type: 'file_changed', folder: place.folder, path: place.path, not_before_ms }
}

async function openPlace(
  work: SendWork,
  place: SourcePath,
  folder: FolderSettings,
  tools: SourceTools,
  heartbeat: Heartbeat,
): Promise<SendingSource | PlaceFault> {
  const { root, path, stat } = place
  if (work.size <= tools.small_file_bytes) {
    const read = await heartbeat.during(tools.examiner.readWhole(root, path, stat))
    if (read.kind !== 'read') return read.kind
    if (read.md5 !== work.md5) return 'changed'
    const mime_type = declaredType(path, read.bytes, folder)
    return { place, mime_type, body: { size: work.size, bytes: read.bytes }, close: async () => {} }
  }
  const source = await openSource(root, path, { stat, md5: work.md5 })
  const mime_type = declaredType(path, await source.start(type_bytes), folder)
  return {
    place,
    mime_type,
    // Every PUT reads the file from the start: a retry sends all of it again.
    body: {
      size: work.size,
      stream: { [Symbol.asyncIterator]: () => source.stream()[Symbol.asyncIterator]() },
    },
    close: () => source.close(),
  }
}

function declaredType(path: string, first_bytes: Uint8Array, folder: FolderSettings): string {
  return withCharset(mimeType(path, first_bytes, folder.mime_types), first_bytes, folder.charset)
}
