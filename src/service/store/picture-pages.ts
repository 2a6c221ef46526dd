import type { Sqlite } from '../../base/files/sqlite.ts'
import { statementsOf } from './database.ts'

/** Kinds of files that programs read: tesseract the first two, and soffice converts the others. */
export type ProgramWork = 'pdf' | 'picture' | 'xls' | 'ppt'

/** What a program found on a page: its words, or why it has none. */
export interface RecognisedPage {
  page: number
  /** Empty for a page with nothing on it. */
  words: string
  /** Continues "page 3 …", such as `was not recognised: it takes longer than 20 s`. */
  fault: string | null
}

/** A page, counted from 1, for a program; a file that is converted is one page. */
export interface ForPrograms {
  kind: ProgramWork
  page: number
}

export interface PageToRead extends ForPrograms {
  asset: number
}

/** The pages that programs read: first their queue, then what was found on them. */
export function openPictureStore(database: Sqlite) {
  const { one, all, value, run } = statementsOf(database)

  return {
    /** Adds pages that it does not have yet. */
    queue: (asset: number, pages: readonly ForPrograms[]) =>
      run(
        `INSERT INTO picture_pages (asset, page, kind, turn)
         SELECT assets.seq, page.value ->> 'page', page.value ->> 'kind', page.key
         FROM assets, json_each(?) AS page WHERE assets.seq = ?
         ON CONFLICT (asset, page) DO NOTHING`,
        JSON.stringify(pages),
        asset,
      ),
    /** The next page of these kinds. Each file has its turn: a long one holds up no other. */
    next: (kinds: readonly ProgramWork[]) =>
      one<PageToRead>(
        `SELECT asset, page, kind FROM picture_pages WHERE state = 'waiting' AND kind IN (SELECT value FROM json_each(?))
         ORDER BY turn, asset LIMIT 1`,
        JSON.stringify(kinds),
      ),
    note: (asset: number, { page, words, fault }: RecognisedPage) =>
      run(
        `UPDATE picture_pages SET state = 'read', words = ?, fault = ? WHERE asset = ? AND page = ?`,
        words,
        fault,
        asset,
        page,
      ),
    /** In the order of the pages. */
    done: (asset: number) =>
      all<RecognisedPage>(
        `SELECT page, words, fault FROM picture_pages WHERE asset = ? AND state <> 'waiting' ORDER BY page`,
        asset,
      ),
    countWaiting: (asset: number) =>
      value<number>(
        `SELECT count(*) FROM picture_pages WHERE asset = ? AND state = 'waiting'`,
        asset,
      )!,
    /** True if more words of a file come into the index by programs for these kinds. */
    isUnderway: (asset: number, kinds: readonly ProgramWork[]) =>
      value<number>(
        `SELECT 1 FROM picture_pages WHERE asset = ? AND state <> 'indexed'
           AND kind IN (SELECT value FROM json_each(?)) LIMIT 1`,
        asset,
        JSON.stringify(kinds),
      ) !== undefined,
    /** Records which pages the index has: another reader may have known fewer of them. */
    indexed: (asset: number, pages: readonly number[]) =>
      run(
        `UPDATE picture_pages SET state = iif(page IN (SELECT value FROM json_each(?)), 'indexed', 'read')
         WHERE asset = ? AND state <> 'waiting'`,
        JSON.stringify(pages),
        asset,
      ),
    /** A file whose last page was read, but not put into the index. */
    notIndexed: () =>
      value<number>(
        `SELECT asset FROM picture_pages AS one WHERE state = 'read'
           AND NOT EXISTS (SELECT 1 FROM picture_pages WHERE asset = one.asset AND state = 'waiting') LIMIT 1`,
      ),
    /** What is made of an old office file depends on the reader. */
    dropConverted: (asset: number) =>
      run(`DELETE FROM picture_pages WHERE asset = ? AND kind IN ('xls', 'ppt')`, asset),
    drop: (asset: number) => run('DELETE FROM picture_pages WHERE asset = ?', asset),
  }
}
