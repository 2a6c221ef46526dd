import { isSluiceError } from '../base/errors.ts'
import type { Clock } from '../base/time.ts'
import { entryPath, entryStat, type ScanBatch, type ScanEnd, scanFolder } from '../disk/scan.ts'
import type { Amount } from '../ledger/view-folders.ts'
import { noAmount } from './plan-answer.ts'
import { count, TypeTally } from './plan-tally.ts'

/** What lies in a folder, for somebody who is about to have it watched. */
export interface Survey {
  /** Why it cannot be read; null where it could. */
  offline: string | null
  all: Amount
  /** Of files that changed in these spans, in the order that was asked for. */
  younger: readonly Amount[]
  /** By extension, in small letters, '' for none; most files first. */
  types: readonly (Amount & { extension: string })[]
  /** Counting stopped there: the numbers are the least that there is, and what is ignored is not known. */
  stopped: 'files' | 'time' | undefined
  /** By rule, most first. */
  ignored: ScanEnd['ignored']
  unreadable_total: number
}

export interface SurveyLimits {
  files_most: number
  time_most_ms: number
}

/** Who chooses a folder waits for the answer; beyond this the size of the number says enough. */
export const usual_survey: SurveyLimits = { files_most: 1_000_000, time_most_ms: 20_000 }

/** Walks a folder as the daemon would, for so long and no longer. Changes nothing, opens no file. */
export async function surveyFolder(
  root: string,
  options: { clock: Clock; younger_than_ms: readonly number[]; signal?: AbortSignal; limits?: SurveyLimits },
): Promise<Survey> {
  const { clock, limits = usual_survey } = options
  const [stop, finished] = [new AbortController(), new AbortController()]
  const signal = AbortSignal.any([stop.signal, ...(options.signal ? [options.signal] : [])])
  const late = clock.sleep(limits.time_most_ms, finished.signal).then(() => stop.abort())
  const now_ms = clock.now_ms()
  const spans = options.younger_than_ms.map((age_ms) => ({ since_ms: now_ms - age_ms, amount: noAmount() }))
  const all = noAmount()
  const types = new TypeTally()
  const add = (batch: ScanBatch) => {
    for (let index = 0; index < batch.count; index++) {
      const { size, mtime_ns } = entryStat(batch, index)
      const mtime_ms = Number(mtime_ns / 1_000_000n)
      count(all, size)
      for (const { since_ms, amount } of spans) if (mtime_ms >= since_ms) count(amount, size)
      types.add(entryPath(batch, index), size)
    }
  }
  const answer = (stopped: Survey['stopped'], end?: ScanEnd): Survey => ({
    offline: null,
    all,
    younger: spans.map(({ amount }) => amount),
    types: types.sorted(),
    stopped,
    ignored: [...(end?.ignored ?? [])].sort((a, b) => b.count - a.count),
    unreadable_total: end?.unreadable_total ?? 0,
  })
  const { batches, end } = scanFolder({ root, ignore: { include: [], exclude: [], dot_files: false }, signal })
  try {
    for await (const batch of batches) {
      add(batch)
      if (all.files > limits.files_most) return answer('files')
    }
    return signal.aborted ? answer('time') : answer(undefined, await end)
  } catch (error) {
    if (!isSluiceError(error, 'disk.offline')) throw error
    return { ...answer(undefined), offline: error.message }
  } finally {
    finished.abort()
    await late
  }
}
