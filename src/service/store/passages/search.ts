import type { statementsOf } from '../database.ts'
import { phrasesOf, quoted } from './match-words.ts'
import { nameWords } from './normal-forms.ts'
import type { Passage } from './passage.ts'
import type { FoundRow, ProjectTable } from './project-table.ts'
import { byFile, byTurns } from './rank-hits.ts'

export interface SearchRequest {
  /** A passage with any of these words matches. More and rarer words rank it higher (BM25). */
  words: readonly string[]
  /** The normal forms of the dates and numbers that the question has. */
  forms: readonly string[]
  /** What may be names of files in the question. */
  names: readonly string[]
  /** All words are English. */
  is_english: boolean
  /** The search covers these projects, by number, and the assets below. */
  projects: readonly number[]
  assets: readonly number[]
  limit: number
  /** The passages that an answer uses: half of them may be of a file that the question names. */
  wanted: number
}

export interface Hit extends Passage {
  asset: number
}

type Sql = ReturnType<typeof statementsOf>

interface NamedFile {
  asset: number
  project: number
  name: string
  first: number
  last: number
}

/** A name that more files have than these names no file. */
const max_named = 5
/** So many files may have the words of a name in theirs before it is compared as a whole. */
const max_looked_at = 200
const has_ending = /\.(?=\w*[a-z])\w{1,5}$/i

/** Finds passages in the tables of the projects. */
export class PassageSearch {
  readonly #sql: Sql
  readonly #tableOf: (project: number) => ProjectTable | undefined

  constructor(sql: Sql, tableOf: (project: number) => ProjectTable | undefined) {
    this.#sql = sql
    this.#tableOf = tableOf
  }

  /** The best passages first: of a file that the question names, then those that match it. */
  search(request: SearchRequest): Hit[] {
    const phrases = phrasesIn(request)
    const named = this.#namedFiles(request)
    const first = byTurns(named.map((file) => this.#passagesOf(file, request)))
    const others = phrases.length === 0 ? [] : byTurns(this.#matching(request, phrases))
    const seen = new Set<string>()
    return [...first, ...others]
      .filter(({ asset, rowid }) => {
        const key = `${asset} ${rowid}`
        return !seen.has(key) && seen.add(key)
      })
      .slice(0, request.limit)
      .map(hitOf)
  }

  /** The first passage of each file, in their order. */
  first(assets: readonly number[]): Hit[] {
    return assets.flatMap((asset) => {
      const file = this.#sql.one<NamedFile>('SELECT * FROM files WHERE asset = ?', asset)
      const table = file && this.#tableOf(file.project)
      return table ? table.rows(file.first, file.last, 1).map(hitOf) : []
    })
  }

  /** How many files of the scope have one of these words in their names. */
  countNamed({
    words,
    projects,
    assets,
  }: Pick<SearchRequest, 'words' | 'projects' | 'assets'>): number {
    if (words.length === 0) return 0
    return this.#sql.value<number>(
      `SELECT count(*) FROM file_names CROSS JOIN files ON asset = file_names.rowid WHERE file_names MATCH ?
         AND (project IN (SELECT value FROM json_each(?)) OR asset IN (SELECT value FROM json_each(?)))`,
      words.flatMap((word) => phrasesOf(word)).join(' OR '),
      JSON.stringify(projects),
      JSON.stringify(assets),
    )!
  }

  /** The passages of a named file: those that match the rest of the question, then its first. */
  #passagesOf(file: NamedFile, request: SearchRequest): FoundRow[] {
    const table = this.#tableOf(file.project)
    if (!table) return []
    const of_name = new Set(nameWords(file.name).toLowerCase().split(' '))
    const words = request.words.filter((word) => !of_name.has(word))
    const match = phrasesIn({ ...request, words }).join(' OR ')
    const half = Math.ceil(request.wanted / 2)
    // The name first, so that no passage of another file is ranked.
    const of_file = `name : ${quoted(plainWords(file.name))} AND (${match})`
    const matching = match === '' ? [] : table.search(of_file, half, JSON.stringify([file.asset]))
    return [
      ...matching,
      ...table.rows(file.first, file.last, matching.length > 0 ? half : request.wanted),
    ]
  }

  /** Files in scope whose whole name stands in the question, or a part of it with its ending. */
  #namedFiles({ names, projects, assets }: SearchRequest): NamedFile[] {
    const found = new Map<number, NamedFile>()
    const known: string[] = []
    for (const name of names) {
      const words = plainWords(name)
      if (known.some((longer) => longer.includes(words))) continue
      const some = this.#sql.all<NamedFile>(
        `SELECT asset, project, files.name, first, last FROM file_names CROSS JOIN files ON asset = file_names.rowid
         WHERE file_names MATCH ? AND last >= first
           AND (project IN (SELECT value FROM json_each(?)) OR asset IN (SELECT value FROM json_each(?))) LIMIT ?`,
        quoted(words),
        JSON.stringify(projects),
        JSON.stringify(assets),
        max_looked_at,
      )
      const whole = some.filter((file) => ownNames(file).some((own) => isWhole(own, words)))
      const meant = whole.length > 0 || !has_ending.test(name) ? whole : some
      if (meant.length === 0 || meant.length > max_named) continue
      known.push(words)
      for (const file of meant) found.set(file.asset, file)
    }
    return [...found.values()].slice(0, max_named)
  }

  /** The best passages of each project in scope. */
  #matching({ projects, assets, limit }: SearchRequest, phrases: readonly string[]): FoundRow[][] {
    const shares = this.#sql.all<{ project: number; only?: string }>(
      `SELECT value AS project, NULL AS only FROM json_each(@projects)
       UNION ALL SELECT project, json_group_array(asset) FROM files WHERE asset IN (SELECT value FROM json_each(@assets))
         AND project NOT IN (SELECT value FROM json_each(@projects)) GROUP BY project`,
      { projects: JSON.stringify(projects), assets: JSON.stringify(assets) },
    )
    return shares.map(({ project, only }) => {
      const table = this.#tableOf(project)
      const match = table?.telling(phrases).join(' OR ') ?? ''
      const rows = table?.search(match, limit, only ?? undefined) ?? []
      return byFile(rows.map((row) => ({ ...row, score: -row.rank })))
    })
  }
}

function hitOf({ asset, text, place }: FoundRow): Hit {
  return { ...(JSON.parse(place) as Passage), asset, text }
}

/** What to search for: each word in all of its forms, and each date and number. */
function phrasesIn({ words, forms, is_english }: SearchRequest): string[] {
  const phrases = words.map((word) => phrasesOf(word, is_english).join(' OR '))
  return [...phrases, ...forms.map((form) => `forms : ${quoted(form)}`)]
}

/** The last part of the path that a file was sent with, and the name that a user gave it. */
function ownNames({ name }: NamedFile): string[] {
  return name.split('\n').map((each) => plainWords(each.slice(each.lastIndexOf('/') + 1)))
}

/** With its ending or without. */
function isWhole(own: string, words: string): boolean {
  return own === words || own.replace(/ \S+$/, '') === words || words.endsWith(` ${own}`)
}

function plainWords(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .trim()
}
