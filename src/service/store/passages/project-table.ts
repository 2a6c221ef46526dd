import type { Sqlite } from '../../../base/files/sqlite.ts'
import { quoted } from './match-words.ts'
import type { Passage } from './passage.ts'
import { Vocabulary } from './vocabulary.ts'

export interface FoundRow {
  rowid: number
  asset: number
  text: string
  /** JSON of the passage without its text. */
  place: string
  /** By BM25; smaller is better. */
  rank: number
}

/** A word, date or number of a question in all its forms. `word`: as the user wrote it. */
export interface Term {
  /** Phrases of FTS5. */
  phrases: readonly string[]
  word?: string
}

export interface Matching {
  /**
   * The phrases without those in so many passages that they cost much time and tell little. If
   * fewer than three others are in any passage, all of them stay.
   */
  match: string
  /** Words that no passage has. */
  unknown: string[]
}

/** What a word counts in: the text, the headings above, the file's name and path, and dates. */
const weights = [1, 1.5, 2.5, 2, 0, 0]
const ranking = `bm25(${weights.join(', ')})`
/** A word in a larger share of the passages tells little, beside three rarer words. */
const common_share = 0.2
/** Fewer passages cost no time. */
const min_common_rows = 500
const min_rare = 3
const tokenizer = 'porter unicode61 remove_diacritics 2'

/**
 * The passages of one project. BM25 counts how rare a word is in a table, so that in a table of
 * their own no other project changes the answers.
 */
export class ProjectTable {
  readonly #database: Sqlite
  readonly #name: string
  readonly #vocabulary: Vocabulary
  /** Undefined after a change, until they are counted. */
  #rows: number | undefined

  constructor(database: Sqlite, project: number) {
    this.#database = database
    this.#name = `passages_${project}`
    this.#vocabulary = new Vocabulary(database, this.#name)
  }

  static formOf(project: number): string {
    return `CREATE VIRTUAL TABLE passages_${project} USING fts5(text, headings, name, forms, asset UNINDEXED, place UNINDEXED, tokenize = '${tokenizer}')`
  }

  insert(asset: number, { text, ...place }: Passage, name: string, forms: string): number {
    const insert = this.#database.prepare(
      `INSERT INTO ${this.#name} (text, headings, name, forms, asset, place) VALUES (?, ?, ?, ?, ?, ?)`,
    )
    this.#forgetWords()
    const headings = place.headings.join('\n')
    return Number(
      insert.run(text, headings, name, forms, asset, JSON.stringify(place)).lastInsertRowid,
    )
  }

  #forgetWords(): void {
    this.#rows = undefined
    this.#vocabulary.forget()
  }

  /** Row by row: FTS5 looks through the whole table for a range. */
  delete(first: number, last: number): void {
    this.#forgetWords()
    const drop = this.#database.prepare(`DELETE FROM ${this.#name} WHERE rowid = ?`)
    for (let rowid = first; rowid <= last; rowid++) drop.run(rowid)
  }

  /** Chooses the phrases to search for. A word in no passage stands for the compounds with it. */
  matching(terms: readonly Term[]): Matching {
    const max = Math.max(min_common_rows, Math.round(this.#countRows() * common_share))
    const counted = terms.map((term) => this.#countedTerm(term, max + 1))
    const rare = counted.filter(({ count }) => count > 0 && count <= max)
    const telling = rare.length < min_rare ? counted : counted.filter(({ count }) => count <= max)
    const unknown = counted.flatMap(({ count, word }) => (count === 0 && word ? [word] : []))
    return { match: anyOf(telling.flatMap(({ phrases }) => phrases)), unknown }
  }

  #countRows(): number {
    const sql = `SELECT count(*) FROM ${this.#name}_docsize`
    this.#rows ??= this.#database.prepare(sql).pluck().get() as number
    return this.#rows
  }

  #countedTerm(term: Term, limit: number): Term & { count: number } {
    const count = this.#count(term, limit)
    if (count > 0 || !term.word) return { ...term, count }
    const around = this.#vocabulary.around(term.word, this.#countRows())
    if (around.length === 0) return { ...term, count }
    const compounds = { ...term, phrases: around.map(quoted) }
    return { ...compounds, count: this.#count(compounds, limit) }
  }

  #count({ phrases }: Term, limit: number): number {
    const sql = `SELECT count(*) FROM (SELECT 1 FROM ${this.#name} WHERE ${this.#name} MATCH ? LIMIT ?)`
    return this.#database.prepare(sql).pluck().get(anyOf(phrases), limit) as number
  }

  /** The best passages that match. `assets`: only of these, as JSON. */
  search(match: string, limit: number, assets?: string): FoundRow[] {
    const only = assets === undefined ? '' : ' AND asset IN (SELECT value FROM json_each(?))'
    const search = this.#database.prepare(
      `SELECT rowid, asset, text, place, rank FROM ${this.#name}
       WHERE ${this.#name} MATCH ? AND rank MATCH '${ranking}'${only} ORDER BY rank LIMIT ?`,
    )
    const scope = assets === undefined ? [] : [assets]
    return search.all(match, ...scope, limit) as FoundRow[]
  }

  /** The rows from one to another, at most `limit`. */
  rows(first: number, last: number, limit: number): FoundRow[] {
    const row = this.#database.prepare(
      `SELECT rowid, asset, text, place, 0 AS rank FROM ${this.#name} WHERE rowid = ?`,
    )
    const count = Math.min(limit, last - first + 1)
    return Array.from({ length: count }, (_, at) => row.get(first + at) as FoundRow)
  }
}

/** FTS5 for any of these phrases, each once. */
export function anyOf(phrases: readonly string[]): string {
  return [...new Set(phrases)].join(' OR ')
}
