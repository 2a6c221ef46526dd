import { messageOf } from '../../base/run/errors.ts'
import { runWorker, type Worker } from '../../base/run/worker.ts'
import { counted } from '../../base/text/format.ts'
import { minute_ms, second_ms } from '../../base/time/time.ts'
import type { Parts } from '../parts.ts'
import { fileText } from './read-together.ts'
import { isThreadDeath } from './reader.ts'
import type { LeftOut } from './reader-thread.ts'

const idle_ms = 60 * minute_ms
/** The index waits so long while new files wait for the reading thread. */
const new_first_ms = second_ms
/** Fewer files, such as one with another name, are no news. */
const min_reported = 16
const max_files = 1_000
/** A file that ends the reading thread so often is left out. */
const max_deaths = 3

/**
 * Makes passages anew from kept texts, newest first, where their form is not that of this program.
 * The rows of the index are the queue: a file and its passages change together, so that a kill at
 * any point loses nothing. New files and questions go first.
 */
export function runIndexing(parts: Parts): Worker {
  const { assets, clock, reader } = parts
  const progress = new Progress(parts)
  // Of the reading thread in a row. After the first one each file is tried by itself.
  let deaths = 0
  // A service that has an index wakes it. In a new one, the first file starts the reading thread.
  let is_begun = false
  return runWorker({
    ...parts,
    name: 'indexing',
    async step() {
      if (!is_begun) {
        is_begun = true
        return { wait_ms: idle_ms }
      }
      const { done, of } = await reader.ask('progress', null)
      progress.note(done, of)
      if (done === of) return { wait_ms: idle_ms }
      if (assets.dueForIngest(clock.now_ms(), 1, 'thread').length > 0)
        return { wait_ms: new_first_ms }
      progress.leaveOut(await indexSome())
      return { wait_ms: 0 }
    },
  })

  async function indexSome(): Promise<LeftOut[]> {
    try {
      const left_out = await reader.ask('indexAnew', deaths === 0 ? max_files : 1)
      deaths = 0
      return left_out
    } catch (error) {
      if (!isThreadDeath(error) || ++deaths < max_deaths) throw error
      deaths = 0
      return await reader.ask('leaveOutNext', messageOf(error))
    }
  }
}

/** What is said about the work, in the log and in answers. */
class Progress {
  readonly #parts: Parts
  /** The files that were to do at the beginning; undefined if there is no work to report. */
  #to_do: number | undefined
  #left_out = 0

  constructor(parts: Parts) {
    this.#parts = parts
  }

  note(done: number, of: number): void {
    const { indexing, log } = this.#parts
    const left = of - done
    if (this.#to_do === undefined && left >= min_reported) {
      this.#to_do = left
      log(
        `the index is being made anew for ${counted(left, 'file')}, behind new files and questions`,
      )
    }
    indexing.progress = this.#to_do === undefined || left === 0 ? undefined : { done, of }
    if (this.#to_do === undefined || left > 0) return
    const out = this.#left_out === 0 ? '' : `; answers leave out ${counted(this.#left_out, 'file')}`
    log(`the index is made anew: ${counted(this.#to_do, 'file')}${out}`)
    this.#to_do = undefined
    this.#left_out = 0
  }

  leaveOut(files: readonly LeftOut[]): void {
    const { assets, log } = this.#parts
    for (const { asset, why } of files) {
      this.#left_out++
      const row = assets.bySeq(asset)
      if (row) log(`${fileText(row)} cannot be indexed anew, and answers leave it out: ${why}`)
    }
  }
}
