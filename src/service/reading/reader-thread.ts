import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openSqlite, openSqliteReadOnly } from '../../base/files/sqlite.ts'
import { codeOf, messageOf } from '../../base/run/errors.ts'
import { serveCalls } from '../../base/run/thread.ts'
import { system_clock } from '../../base/time/time.ts'
import type { AssetReading } from '../../contract/messages/messages-assets.ts'
import type { ReadDocument } from '../ingest/document-text.ts'
import { type Unreadable, unreadableOf } from '../ingest/extract-limits.ts'
import { isNamedDocument } from '../ingest/file-kind.ts'
import {
  type KeptDocument,
  packDocument,
  unpackDocument,
} from '../ingest/passages/kept-document.ts'
import { placedText } from '../ingest/passages/placed-text.ts'
import { splitDocument } from '../ingest/passages/split-passages.ts'
import { type ReadText, readText } from '../ingest/text/read-text.ts'
import { type Checked, checkQuotations, filesAtHand } from '../quotations/check-quotations.ts'
import { passage_migrations } from '../store/passages/index-format.ts'
import {
  type IndexedFile,
  type IndexProgress,
  PassageIndex,
} from '../store/passages/passage-index.ts'
import type { Found, Hit, NamedRequest, SearchRequest } from '../store/passages/search.ts'
import type { ForPrograms } from '../store/picture-pages.ts'
import { service_migrations } from '../store/schema.ts'

/** Start data of the reading thread. A file larger than `max_bytes` is unreadable. */
export interface ReaderData {
  database: string
  passages: string
  objects: string
  max_bytes: number
}

export interface AssetToRead {
  asset: number
  project: number
  filename: string
  mime_type: string
}

export interface ReadOutcome extends Partial<Unreadable> {
  asset: number
  /** Its passages are in the index. */
  reading?: AssetReading
  needs_child?: true
  for_programs?: readonly ForPrograms[]
  /** The recognised pages whose words were read with it. */
  recognised?: readonly number[]
  /** It is unreadable for lack of a program. */
  needs_program?: true
}

/** A file that cannot be indexed anew, and why. */
export interface LeftOut {
  asset: number
  why: string
}

interface TextsWanted {
  assets: readonly number[]
  /** UTF-16 units of all of them. */
  max_chars: number
}

interface QuotationsToCheck {
  answer: string
  files: readonly { asset: number; names: readonly string[] }[]
}

export interface ReaderCalls {
  read: { argument: AssetToRead[]; answer: ReadOutcome[] }
  /** Puts the text that a child process found into the index. */
  index: { argument: { asset: number; project: number } & ReadDocument; answer: ReadOutcome }
  /** Ready assets with a number above `after` that the index lacks, in order, at most `limit`. */
  missing: { argument: { after: number; limit: number }; answer: AssetToRead[] }
  /** Deletes the passages of assets that stay, so that the index counts them as read. */
  empty: { argument: { asset: number; project: number }[]; answer: null }
  forget: { argument: number[]; answer: null }
  search: { argument: SearchRequest; answer: Found }
  /** The first passages of files, one of each. */
  first: { argument: number[]; answer: Hit[] }
  /** Texts of files with their places, in order, up to the first that goes beyond `max_chars`. */
  texts: { argument: TextsWanted; answer: { asset: number; text: string }[] }
  /** Looks for the quotations of an answer in the files that it names. */
  checkQuotations: { argument: QuotationsToCheck; answer: Checked }
  named: { argument: NamedRequest; answer: number[] }
  progress: { argument: null; answer: IndexProgress }
  /** Marks files as to be indexed anew, such as with another name. */
  setBack: { argument: number[]; answer: null }
  /** Indexes so many files anew from their kept texts at most. Returns those that it leaves out. */
  indexAnew: { argument: number; answer: LeftOut[] }
  /** Leaves out the file that `indexAnew` would begin with. */
  leaveOutNext: { argument: string; answer: LeftOut[] }
}

/** Questions and new files wait for so much work on the index at most. */
const index_anew_ms = 40

/**
 * The thread that reads and searches files, so that requests do not wait. Only this thread writes
 * the index; it only reads the service's database. Each call that writes is one durable commit, so
 * passages are on the disk before their asset becomes `ready`.
 */
serveCalls(
  ({ database: database_file, passages: passages_file, objects, max_bytes }: ReaderData) => {
    const service = openSqliteReadOnly(database_file, service_migrations)
    const passages = openSqlite({
      file: passages_file,
      migrations: passage_migrations,
      synchronous: 'FULL',
      can_be_made_again: true,
    })
    const index = new PassageIndex(passages)
    const find_name = service
      .prepare(`SELECT filename || coalesce(char(10) || name, '') FROM assets WHERE seq = ?`)
      .pluck()
    const find_object = service.prepare(
      'SELECT size_in_bytes, bytes, file FROM objects WHERE asset = ?',
    )
    const ready_assets = service.prepare(
      `SELECT seq AS asset, project, filename, mime_type FROM assets WHERE status = 'ready' AND seq > ? ORDER BY seq`,
    )

    function findMissing({ after, limit }: ReaderCalls['missing']['argument']): AssetToRead[] {
      const missing: AssetToRead[] = []
      for (const asset of ready_assets.iterate(after) as IterableIterator<AssetToRead>) {
        if (!index.has(asset.asset)) missing.push(asset)
        if (missing.length === limit) break
      }
      return missing
    }

    function readOne({ asset, project, filename, mime_type }: AssetToRead): ReadOutcome {
      const object = find_object.get(asset) as
        | { size_in_bytes: number; bytes: Buffer | null; file: string | null }
        | undefined
      // The asset was removed while it waited, so the outcome does not matter.
      if (!object) return { asset, unreadable: 'its bytes are gone' }
      if (object.size_in_bytes > max_bytes)
        return { asset, unreadable: `it is larger than ${max_bytes} bytes` }
      if (isNamedDocument({ filename, mime_type })) return { asset, needs_child: true }
      const bytes = object.bytes ?? readObjectFile(join(objects, object.file ?? ''))
      if (bytes === undefined)
        return { asset, unreadable: 'its bytes cannot be read from the disk' }
      const read: ReadText = readText({ filename, mime_type, bytes })
      if (!('text' in read)) return { asset, ...read }
      indexOne(asset, project, read)
      return { asset, reading: read.reading }
    }

    function indexOne(asset: number, project: number, document: KeptDocument): void {
      index.replace(fileOf(asset, project), splitDocument(document), packDocument(document))
    }

    function fileOf(asset: number, project: number): IndexedFile {
      return { asset, project, name: (find_name.get(asset) as string | undefined) ?? '' }
    }

    /** The newest file that is to be indexed anew. Returns false if there is none. */
    function indexNext(left_out: LeftOut[]): boolean {
      const kept = index.nextToIndex()
      if (!kept) return false
      const { asset, project, document } = kept
      try {
        alone(() => {
          const text = () => ({ text: index.earlierText(kept), tables: [], marks: [] })
          indexOne(asset, project, document === null ? text() : unpackDocument(document))
        })
      } catch (error) {
        if (codeOf(error)?.startsWith('SQLITE_')) throw error
        index.leaveOut(kept)
        left_out.push({ asset, why: messageOf(error) })
      }
      return true
    }

    function indexText({
      asset,
      project,
      reading,
      ...document
    }: ReaderCalls['index']['argument']): ReadOutcome {
      // The asset was removed while the child read it. A later removal deletes the passages after
      // this call.
      if (find_object.get(asset) === undefined) return { asset, unreadable: 'its bytes are gone' }
      indexOne(asset, project, document)
      return { asset, reading }
    }

    /** As `textOf`, without the lines that say where a page begins. */
    function plainText(asset: number): string {
      const document = index.file(asset)?.document
      return document ? unpackDocument(document).text : textOf(asset)
    }

    /** Empty if the index has no text of the file. */
    function textOf(asset: number): string {
      const kept = index.file(asset)
      if (!kept) return ''
      const { document } = kept
      return document === null ? index.earlierText(kept) : placedText(unpackDocument(document))
    }

    function findTexts({ assets, max_chars }: TextsWanted): ReaderCalls['texts']['answer'] {
      const found: ReaderCalls['texts']['answer'] = []
      let chars = 0
      for (const asset of assets) {
        const text = textOf(asset)
        found.push({ asset, text })
        chars += text.length
        if (chars > max_chars) break
      }
      return found
    }

    /** Within the transaction of a batch. Without an answer it leaves nothing in the index. */
    const alone = passages.transaction((work: () => void) => work())

    /** An error of the reader is the fault of the file, so that it stops no other one. */
    function ofFile(asset: number, read: () => ReadOutcome): ReadOutcome {
      let outcome: ReadOutcome = { asset }
      try {
        alone(() => {
          outcome = read()
        })
        return outcome
      } catch (error) {
        // This machine is the cause, such as by a full disk: the same file is tried again.
        if (codeOf(error)?.startsWith('SQLITE_')) throw error
        return { asset, ...unreadableOf(error) }
      }
    }

    return {
      missing: findMissing,
      read: passages.transaction((assets: AssetToRead[]): ReadOutcome[] =>
        assets.map((asset) => ofFile(asset.asset, () => readOne(asset))),
      ),
      index: passages.transaction((found: ReaderCalls['index']['argument']) =>
        ofFile(found.asset, () => indexText(found)),
      ),
      empty: passages.transaction((assets: ReaderCalls['empty']['argument']): null => {
        for (const { asset, project } of assets) index.replace(fileOf(asset, project), [], null)
        return null
      }),
      forget: passages.transaction((assets: number[]): null => {
        for (const asset of assets) index.forget(asset)
        return null
      }),
      search: (request: SearchRequest) => index.search.search(request),
      first: (assets: number[]) => index.search.first(assets),
      named: (request: NamedRequest) => index.search.named(request),
      texts: findTexts,
      checkQuotations: ({ answer, files }: QuotationsToCheck) =>
        checkQuotations(answer, filesAtHand(files, plainText)),
      progress: () => index.progress(),
      setBack: passages.transaction((assets: number[]): null => {
        for (const asset of assets) index.setBack(asset)
        return null
      }),
      indexAnew: passages.transaction((max_files: number): LeftOut[] => {
        const left_out: LeftOut[] = []
        const until_ms = system_clock.monotonic_ms() + index_anew_ms
        for (let files = 1; indexNext(left_out); files++) {
          if (files === max_files || system_clock.monotonic_ms() >= until_ms) break
        }
        return left_out
      }),
      leaveOutNext: passages.transaction((why: string): LeftOut[] => {
        const kept = index.nextToIndex()
        if (!kept) return []
        index.leaveOut(kept)
        return [{ asset: kept.asset, why }]
      }),
      close: () => {
        service.close()
        passages.close()
        return null
      },
    }
  },
)

/** Undefined if the file cannot be read. One lost file must not stop the next ones. */
function readObjectFile(file: string): Buffer | undefined {
  try {
    return readFileSync(file)
  } catch {
    return undefined
  }
}
