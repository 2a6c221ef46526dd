import type { Sqlite } from '../../../base/files/sqlite.ts'
import { stemOf } from './match-words.ts'

/** Reading the words takes 5 ms a thousand passages, once after each change of a table. */
const max_rows = 30_000
/** A part of so many words says little. */
const max_around = 12

/** The words of a table, as the tokenizer makes them, to find the parts of compounds. */
export class Vocabulary {
  readonly #database: Sqlite
  readonly #table: string
  /** Each word stands between two line ends. Undefined until they are read. */
  #words: string | undefined

  constructor(database: Sqlite, table: string) {
    this.#database = database
    this.#table = table
  }

  /** Reads the words again when they are needed next: the table changes. */
  forget(): void {
    this.#words = undefined
  }

  /** Words that hold this one: `fahrradstellplatz` for `stellplätze`. */
  around(word: string, rows: number): string[] {
    const stem = stemOf(word)?.normalize('NFD').replace(/\p{M}/gu, '')
    if (stem === undefined || rows > max_rows) return []
    this.#words ??= this.#read()
    const found: string[] = []
    let at = this.#words.indexOf(stem)
    while (at >= 0 && found.length < max_around) {
      const end = this.#words.indexOf('\n', at)
      found.push(this.#words.slice(this.#words.lastIndexOf('\n', at) + 1, end))
      at = this.#words.indexOf(stem, end)
    }
    return found
  }

  #read(): string {
    const name = `temp.words_of_${this.#table}`
    this.#database.exec(
      `CREATE VIRTUAL TABLE IF NOT EXISTS ${name} USING fts5vocab(main, ${this.#table}, row)`,
    )
    const words = this.#database.prepare(`SELECT term FROM ${name}`).pluck().all()
    return `\n${words.join('\n')}\n`
  }
}
