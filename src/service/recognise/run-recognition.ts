import { runWorker } from '../../base/run/worker.ts'
import { minute_ms } from '../../base/time/time.ts'
import { placeOfPage } from '../ingest/picture-pages.ts'
import type { Parts } from '../parts.ts'
import { type DocumentReader, openDocumentReader, readAsset } from '../reading/ingest-documents.ts'
import { readAgain } from '../reading/read-again.ts'
import { toRead } from '../reading/read-together.ts'
import type { ObjectPlace } from '../store/object-files.ts'
import type { PageToRead, RecognisedPage } from '../store/picture-pages.ts'
import { ProgramReader } from './program-reader.ts'

const idle_ms = minute_ms
/** The first pages are put into the index one by one, the later ones this many at once. */
const pages_at_once = 10

/**
 * The second lane behind reading: programs read pages that are pictures, and convert old office
 * files, one at a time. The rows of the database are the queue: a kill costs the page in hand.
 */
export function runRecognition(parts: Parts) {
  const lane = new RecognitionLane(parts)
  return runWorker({ ...parts, name: 'recognition', step: () => lane.step() })
}

class RecognitionLane {
  readonly #parts: Parts
  readonly #programs: ProgramReader
  readonly #reader: DocumentReader

  constructor(parts: Parts) {
    this.#parts = parts
    this.#programs = new ProgramReader(parts)
    this.#reader = openDocumentReader(parts)
    parts.signal.addEventListener('abort', () => void this.#reader.end())
  }

  async step(): Promise<{ wait_ms: number }> {
    const { pictures, assets, programs } = this.#parts
    const not_indexed = pictures.notIndexed()
    if (not_indexed !== undefined) {
      await this.#index(not_indexed)
      return { wait_ms: 0 }
    }
    const next = pictures.next(programs.installed)
    if (next) {
      const place = await this.#placeOf(next)
      if (place) await this.#recognise(next, place)
      return { wait_ms: 0 }
    }
    // The programs of these were removed since they began to wait.
    const waiting = assets.waitingForPrograms()
    if (waiting) {
      await readAsset(this.#parts, this.#reader, waiting)
      return { wait_ms: 0 }
    }
    await this.#programs.clear()
    await this.#reader.end()
    return { wait_ms: idle_ms }
  }

  /** The file with a page, or the document in it. Undefined if its asset was removed. */
  async #placeOf({ asset, page }: PageToRead): Promise<ObjectPlace | undefined> {
    const { document } = placeOfPage(page)
    const row = this.#parts.assets.bySeq(asset)
    if (!row || document === 0) return this.#parts.objects.placeOf(asset)
    return { bytes: await this.#reader.bytesIn(toRead(row), document) }
  }

  async #recognise(next: PageToRead, place: ObjectPlace): Promise<void> {
    const { pictures, commits } = this.#parts
    const { asset, kind } = next
    const page = await (kind === 'xls' || kind === 'ppt'
      ? this.#convert(next, place)
      : this.#programs.recognise(next, place))
    await commits.writeUnflushed(() => pictures.note(asset, page))
    const waiting = pictures.countWaiting(asset)
    const done = pictures.done(asset)
    const is_due = done.length <= pages_at_once || done.length % pages_at_once === 0
    if (waiting === 0 || is_due) await this.#index(asset)
  }

  /** Reads a file again, with the words of all its pages that were recognised so far. */
  async #index(asset: number): Promise<void> {
    const { assets, pictures, commits } = this.#parts
    const row = assets.bySeq(asset)
    const done = pictures.done(asset)
    if (row?.status === 'ready') {
      await readAgain(this.#parts, [row], (one) => this.#reader.read(toRead(one)))
    } else {
      // A file without a word stays as it is until one is found, or until its last page.
      const is_over = pictures.countWaiting(asset) === 0
      if (!row || !(is_over || done.some(({ words }) => words !== ''))) return
      await readAsset(this.#parts, this.#reader, row)
    }
    // Even if nothing could be read, such as by a new limit: it would be read again and again.
    const pages = done.map(({ page }) => page)
    await commits.writeUnflushed(() => pictures.indexed(asset, pages))
  }

  /** Converts an old office file, and reads what the program made of it. */
  async #convert(next: PageToRead, place: ObjectPlace): Promise<RecognisedPage> {
    const { page } = next
    const made = await this.#programs.convert(next, place)
    const found =
      'fault' in made ? { unreadable: `it ${made.fault}` } : await this.#reader.readFile(made.file)
    await this.#programs.clear()
    return 'unreadable' in found
      ? { page, words: '', fault: found.unreadable }
      : { page, words: JSON.stringify(found), fault: null }
  }
}
