import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf, isSluiceError } from '../../base/run/errors.ts'
import { aborted, type Clock, hour_ms } from '../../base/time/time.ts'
import type { FolderConfig } from '../../config/config.ts'
import {
  entryPath,
  entryStat,
  type ScanBatch,
  type ScanEnd,
  scanFolder,
} from '../../disk/scan/scan.ts'
import { skipReason } from '../../domain/file-reasons.ts'
import type { Amount } from '../../ledger/views/view-folders.ts'
import { count, noAmount, sumOf, TypeTally } from './plan-answer.ts'
import { typeKey, type UnreadTypes } from './unread-types.ts'

/** A user waits for the answer. Above these limits the exact number is of no use. */
export const usual_survey = { max_files: 1_000_000, max_time_ms: 20_000 }

/** A question for each file. The first ones show whether the files of a folder are closed. */
const max_rights_asked = 20_000

/** Counts of the files in a folder that a user may want to have watched, for `sluice init`. */
export type Survey = Awaited<ReturnType<typeof surveyFolder>>

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
) {
  const { clock, unread_types, limits = usual_survey } = options
  const over = new AbortController()
  const signal = AbortSignal.any([over.signal, ...(options.signal ? [options.signal] : [])])
  void clock.sleep(limits.max_time_ms, signal).then(() => over.abort())
  const now_ms = clock.now_ms()
  const by_hours = new Map<number, Amount>()
  const all = noAmount()
  const types = new TypeTally()
  const add = (batch: ScanBatch, closed: ReadonlySet<string>) => {
    for (let index = 0; index < batch.count; index++) {
      const path = entryPath(batch, index)
      const stat = entryStat(batch, index)
      count(all, stat.size)
      const known = unread_types.get(typeKey(folder.project_id, path))
      types.add(path, stat.size, known === 'unread')
      if (
        known === 'refused' ||
        closed.has(path) ||
        skipReason({ folder, path, stat, history: undefined }) !== undefined
      )
        continue
      const hours = Math.ceil((now_ms - Number(stat.mtime_ns / 1_000_000n)) / hour_ms)
      const amount = by_hours.get(hours) ?? noAmount()
      count(amount, stat.size)
      by_hours.set(hours, amount)
    }
  }
  const closed = new Set<string>()
  const addClosed = async (batch: ScanBatch) => {
    if (all.files > max_rights_asked) return
    const paths = Array.from({ length: batch.count }, (_, index) => entryPath(batch, index))
    const asked = paths.map((path) => isClosed(join(folder.path, path)))
    // A share that stops answering must not hold up the end.
    const found = await Promise.race([Promise.all(asked), aborted(signal)])
    for (const path of paths.filter((_, index) => found?.[index])) closed.add(path)
  }
  const answer = (
    stopped: 'files' | 'time' | undefined,
    end?: ScanEnd,
    offline: string | null = null,
  ) => ({
    /** Why the folder cannot be read; null if it could. */
    offline,
    all,
    /** Files that would be uploaded of those that changed in this time, to the hour. */
    newerThan(age_ms = Number.POSITIVE_INFINITY): Amount {
      return sumOf(
        [...by_hours].filter(([hours]) => hours * hour_ms <= age_ms).map(([, amount]) => amount),
      )
    },
    /** By extension in lower case, an empty text for none; largest number first. */
    types: types.sorted(),
    /** The limit that ended the count. Numbers are then minimums, and ignored files are unknown. */
    stopped,
    /** By rule, largest number first. */
    ignored: [...(end?.ignored ?? [])].sort((a, b) => b.count - a.count),
    /** Directories and files, some by name; files only among the first of the folder. */
    unreadable: [...(end?.unreadable ?? []).map(({ path }) => path), ...closed],
    unreadable_total: (end?.unreadable_total ?? 0) + closed.size,
    /** False if there may be more files. */
    complete: end?.complete === true,
  })
  const scan = { root: folder.path, ignore: folder, signal }
  try {
    const end = await scanFolder(scan, async (batch, enough) => {
      await addClosed(batch)
      add(batch, closed)
      if (all.files > limits.max_files) enough()
    })
    if (all.files > limits.max_files) return answer('files')
    return signal.aborted ? answer('time') : answer(undefined, end)
  } catch (error) {
    if (!isSluiceError(error, 'disk.offline')) throw error
    return answer(undefined, undefined, error.message)
  } finally {
    over.abort()
  }
}

/** True if this user may not read the file. */
async function isClosed(path: string): Promise<boolean> {
  try {
    await access(path, constants.R_OK)
    return false
  } catch (error) {
    return codeOf(error) === 'EACCES'
  }
}
