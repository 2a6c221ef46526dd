import type { Hit, SearchRequest } from './passage-index.ts'

/** What the service asks of its reading thread, and what it is started with. */
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

export interface ReadOutcome {
  asset: number
  /** Both absent: read, and its passages stand in the index. */
  unreadable?: string
  needs_child?: true
}

export interface ReaderCalls {
  read: { argument: AssetToRead[]; answer: ReadOutcome[] }
  /** Puts the text that a child process found into the index. */
  index: { argument: { asset: number; project: number; text: string }; answer: ReadOutcome }
  /** Ready assets behind `after`, in order, at most `most`, whose passages are not in the index. */
  missing: { argument: { after: number; most: number }; answer: AssetToRead[] }
  forget: { argument: number[]; answer: null }
  search: { argument: SearchRequest; answer: Hit[] }
}
