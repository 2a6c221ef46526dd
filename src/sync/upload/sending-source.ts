import { isSluiceError } from '../../base/run/errors.ts'
import type { Pulse } from '../../base/run/pulse.ts'
import type { Clock } from '../../base/time/time.ts'
import { mimeType, type_bytes } from '../../disk/mime.ts'
import type { Examiner } from '../../disk/read/examiner.ts'
import { openSource } from '../../disk/read/source.ts'
import type { FileFact } from '../../domain/fact.ts'
import type { SendWork, SourcePath } from '../../ledger/ledger.ts'
import type { UploadBody } from '../../remote/put-bytes.ts'
import type { FolderSettings } from '../folder-settings.ts'
import type { IntakeFolder } from '../intake/intake.ts'

/** Bytes ready to be sent, proved to be those that were hashed (large ones: proved before the last of them leaves). */
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

/**
 * Opens the first of the work's paths that still holds the wanted bytes. For each that does not, a fact is added: intake looks
 * at it again. Undefined when none does.
 */
export async function openSendingSource(
  work: SendWork,
  tools: SourceTools,
  pulse: Pulse,
  facts: FileFact[],
): Promise<SendingSource | undefined> {
  for (const place of work.sources) {
    const known = tools.folders.get(place.folder)
    if (!known) continue
    const { settings: folder, rules } = known
    // The rules may have changed since it was taken up: what a person excluded never leaves. Intake finds out the rest.
    if (rules.verdict(place.path, 'file').ignored || work.size > folder.max_file_bytes) {
      facts.push(changedFact(place, folder, tools, 'missing'))
      continue
    }
    try {
      const source = await openPlace(work, place, folder, tools, pulse)
      if (typeof source !== 'string') return source
      facts.push(changedFact(place, folder, tools, source))
    } catch (error) {
      facts.push(changedFact(place, folder, tools, placeFault(error)))
    }
  }
  return undefined
}

type PlaceFault = 'changed' | 'missing' | 'outside' | 'unreadable'

/** The reason why a path does not give the wanted bytes; anything but a fault of the file is thrown on. */
export function placeFault(error: unknown): PlaceFault {
  if (isSluiceError(error)) {
    for (const fault of ['changed', 'missing', 'outside', 'unreadable'] as const) {
      if (error.code === `file.${fault}`) return fault
    }
    // The whole folder is away: its keeper says so, the file keeps its state until it is looked at again.
    if (error.code === 'disk.offline') return 'changed'
  }
  throw error
}

/** Whatever happened to the file, intake finds it out by looking again: a blocked or missing one gets its state there. */
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
  pulse: Pulse,
): Promise<SendingSource | PlaceFault> {
  const { root, path, stat } = place
  if (work.size <= tools.small_file_bytes) {
    const read = await pulse.during(tools.examiner.readWhole(root, path, stat))
    if (read.kind !== 'read') return read.kind
    if (read.md5 !== work.md5) return 'changed'
    const mime_type = mimeType(path, read.bytes, folder.mime_types)
    return { place, mime_type, body: { size: work.size, bytes: read.bytes }, close: async () => {} }
  }
  const source = await openSource(root, path, { stat, md5: work.md5 })
  const by_name = mimeType(path, undefined, folder.mime_types)
  const mime_type =
    by_name === 'application/octet-stream' ? mimeType(path, await source.start(type_bytes), folder.mime_types) : by_name
  return {
    place,
    mime_type,
    // Read anew at every PUT: a second try sends the whole again.
    body: { size: work.size, stream: { [Symbol.asyncIterator]: () => source.stream()[Symbol.asyncIterator]() } },
    close: () => source.close(),
  }
}
