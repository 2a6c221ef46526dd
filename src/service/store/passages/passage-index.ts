import { openSqliteReadOnly, preparingOnce, type Sqlite } from '../../../base/files/sqlite.ts'
import { counted, formatCount } from '../../../base/text/format.ts'
import { dataPaths, statementsOf } from '../database.ts'
import { index_form, passage_migrations } from './index-format.ts'
import { formsIn, nameWords } from './normal-forms.ts'
import type { Passage } from './passage.ts'
import { ProjectTable } from './project-table.ts'
import { PassageSearch } from './search.ts'

export interface IndexedFile {
  asset: number
  project: number
  /** The name it was sent with, and on a second line the one that a user gave it. */
  name: string
}

export interface KeptFile extends IndexedFile {
  form: number
  first: number
  last: number
  /** Undefined for passages of the form before texts were kept. */
  document: Buffer | null
}

/** How many files the index has in its present form, and how many of all. */
export interface IndexProgress {
  done: number
  of: number
}

/** The index of all projects, and the texts that it is made of. One thread writes it. */
export class PassageIndex {
  readonly #sql: ReturnType<typeof statementsOf>
  readonly #database: Sqlite
  readonly #tables = new Map<number, ProjectTable>()
  readonly search: PassageSearch

  constructor(database: Sqlite) {
    this.#database = preparingOnce(database)
    this.#sql = statementsOf(this.#database)
    this.#dropOtherTables()
    this.#dropEarlier()
    this.search = new PassageSearch(this.#sql, (project) => this.#tables.get(project))
  }

  /**
   * Replaces the passages of an asset, and its text. A second call with the same ones changes
   * nothing. An asset without passages has an empty span, which shows that it was read.
   */
  replace(file: IndexedFile, passages: Iterable<Passage>, document: Buffer | null): void {
    const { asset, project, name } = file
    this.forget(asset)
    const words = nameWords(name)
    const of_name = formsIn(name)
    let first: number | undefined
    let last = 0
    for (const passage of passages) {
      const table = this.#tableFor(project)
      const forms = [...of_name, ...formsIn(passage.text)].join(' ')
      last = table.insert(asset, passage, words, forms)
      first ??= last
    }
    this.#sql.run(
      'INSERT INTO files (asset, project, name, form, first, last, document) VALUES (?, ?, ?, ?, ?, ?, ?)',
      ...[asset, project, name, index_form, first ?? 1, last, document],
    )
    if (first !== undefined)
      this.#sql.run('INSERT INTO file_names (rowid, name) VALUES (?, ?)', asset, words)
  }

  forget(asset: number): void {
    // Only passages of the form before texts were kept have no text beside them.
    const kept = this.#sql.one<Omit<KeptFile, 'document'> & { is_earlier: number }>(
      'SELECT first, last, project, document IS NULL AS is_earlier FROM files WHERE asset = ?',
      asset,
    )
    if (!kept) return
    const { first, last, project } = kept
    if (last >= first) {
      if (kept.is_earlier === 1)
        this.#sql.run('DELETE FROM earlier_passages WHERE rowid BETWEEN ? AND ?', first, last)
      else this.#tables.get(project)?.delete(first, last)
    }
    this.#sql.run('DELETE FROM file_names WHERE rowid = ?', asset)
    this.#sql.run('DELETE FROM files WHERE asset = ?', asset)
  }

  /** True if the asset was read into this index, in whatever form. */
  has(asset: number): boolean {
    return this.#sql.value('SELECT 1 FROM files WHERE asset = ?', asset) !== undefined
  }

  /** The newest file that is to be indexed anew. */
  nextToIndex(): KeptFile | undefined {
    return this.#sql.one<KeptFile>(
      'SELECT * FROM files WHERE form < ? ORDER BY asset DESC LIMIT 1',
      index_form,
    )
  }

  /** The text of a file that was indexed before texts were kept: its passages. */
  earlierText(kept: KeptFile): string {
    return this.#sql
      .values<string>(
        'SELECT text FROM earlier_passages WHERE rowid BETWEEN ? AND ? ORDER BY rowid',
        kept.first,
        kept.last,
      )
      .join('\n\n')
  }

  /** Leaves a file out that cannot be indexed, until the index has another form. */
  leaveOut(kept: KeptFile): void {
    this.replace(kept, [], kept.document)
  }

  /** Marks a file as to be indexed anew, such as with another name. */
  setBack(asset: number): void {
    this.#sql.run('UPDATE files SET form = 0 WHERE asset = ?', asset)
  }

  progress(): IndexProgress {
    return progressOf(this.#sql)
  }

  /** A file with its text; undefined if it is not in this index. */
  file(asset: number): KeptFile | undefined {
    return this.#sql.one<KeptFile>('SELECT * FROM files WHERE asset = ?', asset)
  }

  #tableFor(project: number): ProjectTable {
    let table = this.#tables.get(project)
    if (table === undefined) {
      this.#database.exec(ProjectTable.formOf(project))
      table = new ProjectTable(this.#database, project)
      this.#tables.set(project, table)
    }
    return table
  }

  /** Drops the table of the form before, once no file has passages in it. */
  #dropEarlier(): void {
    const is_needed = this.#sql.one(
      'SELECT asset FROM files WHERE form = 0 AND document IS NULL AND last >= first LIMIT 1',
    )
    if (is_needed === undefined) this.#database.exec('DROP TABLE IF EXISTS earlier_passages')
  }

  /** Drops tables with other columns: their files are indexed anew. */
  #dropOtherTables(): void {
    const made = this.#sql.all<{ name: string; sql: string }>(
      `SELECT name, sql FROM sqlite_master WHERE sql LIKE 'CREATE VIRTUAL TABLE passages\\_%' ESCAPE '\\'`,
    )
    for (const { name, sql } of made) {
      const project = Number(name.slice('passages_'.length))
      if (sql === ProjectTable.formOf(project)) {
        this.#tables.set(project, new ProjectTable(this.#database, project))
        continue
      }
      this.#database.transaction(() => {
        this.#database.exec(`DROP TABLE ${name}`)
        this.#sql.run(
          'UPDATE files SET form = 0, first = 1, last = 0 WHERE project = ? AND document IS NOT NULL',
          project,
        )
      })()
    }
  }
}

function progressOf(sql: ReturnType<typeof statementsOf>): IndexProgress {
  const of = sql.value<number>('SELECT count(*) FROM files')!
  const left = sql.value<number>('SELECT count(*) FROM files WHERE form < ?', index_form)!
  return { done: of - left, of }
}

/** `1,200 of 8,000 files are in it`. */
export function progressText({ done, of }: IndexProgress): string {
  return `${formatCount(done)} of ${counted(of, 'file')} are in it`
}

/** The progress of a service that may run. Error `database.missing`: it has read no file yet. */
export function readIndexProgress(data_dir: string): IndexProgress {
  const database = openSqliteReadOnly(dataPaths(data_dir).passages, passage_migrations)
  try {
    return progressOf(statementsOf(database))
  } finally {
    database.close()
  }
}

/**
 * Some passages of a service that may run, first those that were read first. Error
 * `database.missing`: it has read no file yet.
 */
export function samplePassages(data_dir: string, limit: number): string[] {
  const database = openSqliteReadOnly(dataPaths(data_dir).passages, passage_migrations)
  try {
    const projects = database.prepare('SELECT DISTINCT project FROM files WHERE last >= first')
    return (projects.pluck().all() as number[])
      .flatMap((project) => {
        const some = database.prepare(`SELECT text FROM passages_${project} LIMIT ?`)
        return some.pluck().all(limit) as string[]
      })
      .slice(0, limit)
  } finally {
    database.close()
  }
}
