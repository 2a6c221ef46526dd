import { isSluiceError } from '../../base/run/errors.ts'
import { aborted, type Clock, hour_ms } from '../../base/time/time.ts'
import type { FolderConfig } from '../../config/config.ts'
import {
  entryPath,
  entryStat,
  type ScanBatch,
  type ScanEnd,
  scanFolder,
} from '../../disk/scan/scan.ts'
import type { FileStat } from '../../domain/file.ts'
import { skipReason } from '../../domain/file-reasons.ts'
import type { Amount } from '../../ledger/views/view-folders.ts'
import { areClosed } from './closed-files.ts'
import { count, noAmount, sumOf, TypeTally } from './plan-answer.ts'
import { typeKey, type UnreadTypes } from './unread-types.ts'

/** A user waits for the answer. Above these limits the exact number is of no use. */
export const usual_survey = { max_files: 1_000_000, max_time_ms: 20_000 }

/** A question for each file. The first ones show whether the files of a folder are closed. */
const max_rights_asked = 20_000

/** Counts of the files in a folder that a user may want to have watched, for `sluice init`. */
export type Survey = ReturnType<Counts['answer']>

/**
 * Scans a folder with the default settings, within limits. Changes nothing and opens no file.
 * @param folder with `start: all`: the user chooses another start when the numbers are known
 */
export async function surveyFolder(
  folder: FolderConfig,
  options: {
    clock: Clock
    unread_types: UnreadTypes
    signal?: AbortSignal
    limits?: typeof usual_survey
  },
): Promise<Survey> {
  const { clock, unread_types, limits = usual_survey } = options
  const over = new AbortController()
  const signal = AbortSignal.any([over.signal, ...(options.signal ? [options.signal] : [])])
  void clock.sleep(limits.max_time_ms, signal).then(() => over.abort())
  const counts = new Counts(folder, unread_types, clock.now_ms())
  try {
    const end = await scanFolder(
      { root: folder.path, ignore: folder, signal },
      async (batch, enough) => {
        await counts.add(batch, signal)
        if (counts.all.files > limits.max_files) enough()
      },
    )
    if (counts.all.files > limits.max_files) return counts.answer({ stopped: 'files' })
    return counts.answer(signal.aborted ? { stopped: 'time' } : { end })
  } catch (error) {
    if (!isSluiceError(error, 'disk.offline')) throw error
    return counts.answer({ offline: error.message })
  } finally {
    over.abort()
  }
}

class Counts {
  readonly all = noAmount()
  readonly #folder: FolderConfig
  readonly #unread_types: UnreadTypes
  readonly #now_ms: number
  readonly #types = new TypeTally()
  /** Files that would be uploaded, by the hours since their last change. */
  readonly #by_hours = new Map<number, Amount>()
  /** Files that this user cannot read. */
  readonly #closed = new Set<string>()

  constructor(folder: FolderConfig, unread_types: UnreadTypes, now_ms: number) {
    this.#folder = folder
    this.#unread_types = unread_types
    this.#now_ms = now_ms
  }

  async add(batch: ScanBatch, signal: AbortSignal): Promise<void> {
    const paths = Array.from({ length: batch.count }, (_, index) => entryPath(batch, index))
    await this.#findClosed(paths, signal)
    for (const [index, path] of paths.entries()) this.#addFile(path, entryStat(batch, index))
  }

  async #findClosed(paths: readonly string[], signal: AbortSignal): Promise<void> {
    if (this.all.files > max_rights_asked) return
    const asked = areClosed(this.#folder.path, paths)
    // A share that stops answering must not hold up the end.
    const found = await Promise.race([asked, aborted(signal)])
    for (const path of paths.filter((_, index) => found?.[index])) this.#closed.add(path)
  }

  #addFile(path: string, stat: FileStat): void {
    const folder = this.#folder
    count(this.all, stat.size)
    const known = this.#unread_types.get(typeKey(folder.project_id, path))
    this.#types.add(path, stat.size, known === 'unread')
    if (known === 'refused' || this.#closed.has(path)) return
    if (skipReason({ folder, path, stat, history: undefined }) !== undefined) return
    const hours = Math.ceil((this.#now_ms - Number(stat.mtime_ns / 1_000_000n)) / hour_ms)
    const amount = this.#by_hours.get(hours) ?? noAmount()
    count(amount, stat.size)
    this.#by_hours.set(hours, amount)
  }

  answer({ stopped, end, offline }: Ending) {
    const by_hours = [...this.#by_hours]
    return {
      /** Why the folder cannot be read; null if it could. */
      offline: offline ?? null,
      all: this.all,
      /** Files that would be uploaded of those that changed in this time, to the hour. */
      newerThan(age_ms = Number.POSITIVE_INFINITY): Amount {
        return sumOf(
          by_hours.filter(([hours]) => hours * hour_ms <= age_ms).map(([, amount]) => amount),
        )
      },
      /** By extension in lower case, an empty text for none; largest number first. */
      types: this.#types.sorted(),
      /** The limit that ended the count. Numbers are then minimums, ignored files unknown. */
      stopped,
      /** By rule, largest number first. */
      ignored: [...(end?.ignored ?? [])].sort((a, b) => b.count - a.count),
      /** Directories and files, some by name; files only among the first of the folder. */
      unreadable: [...(end?.unreadable ?? []).map(({ path }) => path), ...this.#closed],
      unreadable_total: (end?.unreadable_total ?? 0) + this.#closed.size,
      /** False if there may be more files. */
      complete: end?.complete === true,
    }
  }
}

/** How a survey ended: by a limit, at the end of the folder, or because it is offline. */
interface Ending {
  stopped?: 'files' | 'time'
  end?: ScanEnd
  offline?: string
}
