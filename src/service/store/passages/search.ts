import type { statementsOf } from '../database.ts'
import { phrasesOf, quoted } from './match-words.ts'
import { lastDateIn, nameWords } from './normal-forms.ts'
import type { Passage } from './passage.ts'
import { anyOf, type FoundRow, type ProjectTable, type Term } from './project-table.ts'
import { byFile, byTurns } from './rank-hits.ts'

export interface SearchRequest {
  /** A passage with any of these words matches. More and rarer words rank it higher (BM25). */
  words: readonly string[]
  /** The normal forms of the dates and numbers that the question has. */
  forms: readonly string[]
  /** What may be names of files in the question. */
  names: readonly string[]
  /** Other spellings of a word, as phrases: `get user` for `getuser`. */
  spellings: ReadonlyMap<string, readonly string[]>
  /** All words are English. */
  is_english: boolean
  /** The search covers these projects, by number, and the assets below. */
  projects: readonly number[]
  assets: readonly number[]
  limit: number
  /** The passages that an answer uses: half of them may be of a file that the question names. */
  wanted: number
}

type Scope = Pick<SearchRequest, 'projects' | 'assets'>
export type NamedRequest = Scope & Pick<SearchRequest, 'words'>

export interface Hit extends Passage {
  asset: number
}

export interface Found {
  hits: Hit[]
  /** Words of the question that no file in scope has, also not as a part of a word. */
  unknown: string[]
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
/** So many passages are read with the one behind them: more would make a long answer. */
const max_joined = 6
const max_title_length = 100
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
  search(request: SearchRequest): Found {
    const terms = termsOf(request)
    const named = this.#namedFiles(request)
    const first = byTurns(named.map((file) => this.#passagesOf(file, request)))
    const shares = terms.length === 0 ? [] : this.#matching(request, terms)
    const rows = [...first, ...byTurns(shares.map((share) => share.rows))]
    const [unknown = [], ...others] = shares.map((share) => share.unknown)
    return {
      hits: this.#joined(rows, request),
      unknown: unknown.filter((word) => others.every((other) => other.includes(word))),
    }
  }

  /** Each row once. The first ones with the passage behind them, which may be what is asked for. */
  #joined(rows: readonly FoundRow[], { limit, wanted }: SearchRequest): Hit[] {
    const hits: Hit[] = []
    const seen = new Set<string>()
    const isNew = (row: FoundRow) => !seen.has(keyOf(row)) && seen.add(keyOf(row))
    for (const row of rows) {
      if (hits.length === limit) break
      if (!isNew(row)) continue
      const next = hits.length < Math.min(max_joined, wanted) ? this.#rowBehind(row) : undefined
      const text = next && isNew(next) ? `${row.text}\n\n${next.text}` : row.text
      hits.push(hitOf({ ...row, text }))
    }
    return hits
  }

  /**
   * The passage behind this one in the same section, or behind a title. Rows of a table stand by
   * themselves.
   */
  #rowBehind({ asset, rowid, text, place }: FoundRow): FoundRow | undefined {
    const file = this.#sql.one<NamedFile>('SELECT project, last FROM files WHERE asset = ?', asset)
    if (!file || rowid >= file.last) return undefined
    const [next] = this.#tableOf(file.project)?.rows(rowid + 1, rowid + 1, 1) ?? []
    if (!next) return undefined
    const of = JSON.parse(place) as Passage
    const of_next = JSON.parse(next.place) as Passage
    if (of.rows.length + of_next.rows.length > 0 || of.unit !== of_next.unit) return undefined
    const is_title = text.length <= max_title_length && !text.includes('\n')
    return is_title || next.place === place ? next : undefined
  }

  /** The first passage of each file, in their order. */
  first(assets: readonly number[]): Hit[] {
    return assets.flatMap((asset) => {
      const file = this.#sql.one<NamedFile>(
        'SELECT project, first, last FROM files WHERE asset = ?',
        asset,
      )
      const table = file && this.#tableOf(file.project)
      return table ? table.rows(file.first, file.last, 1).map(hitOf) : []
    })
  }

  /** Files of the scope with all of these words in name or path, the last date in a name first. */
  named({ words, ...scope }: NamedRequest): number[] {
    const match = words.map((word) => `(${anyOf(phrasesOf(word))})`).join(' AND ')
    return this.#filesWith(match, scope, -1)
      .map(({ asset, name }) => ({ asset, date: lastDateIn(name) }))
      .sort((one, other) => other.date.localeCompare(one.date) || other.asset - one.asset)
      .map(({ asset }) => asset)
  }

  /** Files of the scope by their names and paths. A negative limit is none. */
  #filesWith(match: string, { projects, assets }: Scope, limit: number): NamedFile[] {
    return this.#sql.all<NamedFile>(
      `SELECT asset, project, files.name, first, last FROM file_names CROSS JOIN files ON asset = file_names.rowid
       WHERE file_names MATCH ? AND last >= first
         AND (project IN (SELECT value FROM json_each(?)) OR asset IN (SELECT value FROM json_each(?))) LIMIT ?`,
      match,
      JSON.stringify(projects),
      JSON.stringify(assets),
      limit,
    )
  }

  /** The passages of a named file: those that match the rest of the question, then its first. */
  #passagesOf(file: NamedFile, request: SearchRequest): FoundRow[] {
    const table = this.#tableOf(file.project)
    if (!table) return []
    const of_name = new Set(nameWords(file.name).toLowerCase().split(' '))
    const words = request.words.filter((word) => !of_name.has(word))
    const match = anyOf(termsOf({ ...request, words }).flatMap(({ phrases }) => phrases))
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
  #namedFiles(request: SearchRequest): NamedFile[] {
    const found = new Map<number, NamedFile>()
    const known: string[] = []
    for (const name of request.names) {
      const words = plainWords(name)
      if (known.some((longer) => longer.includes(words))) continue
      const some = this.#filesWith(quoted(words), request, max_looked_at)
      const whole = some.filter((file) => ownNames(file).some((own) => isWhole(own, words)))
      const meant = whole.length > 0 || !has_ending.test(name) ? whole : some
      if (meant.length === 0 || meant.length > max_named) continue
      known.push(words)
      for (const file of meant) found.set(file.asset, file)
    }
    return [...found.values()].slice(0, max_named)
  }

  /** The best passages of each project in scope, and the words that it does not have. */
  #matching({ projects, assets, limit }: SearchRequest, terms: readonly Term[]) {
    const shares = this.#sql.all<{ project: number; only?: string }>(
      `SELECT value AS project, NULL AS only FROM json_each(@projects)
       UNION ALL SELECT project, json_group_array(asset) FROM files WHERE asset IN (SELECT value FROM json_each(@assets))
         AND project NOT IN (SELECT value FROM json_each(@projects)) GROUP BY project`,
      { projects: JSON.stringify(projects), assets: JSON.stringify(assets) },
    )
    return shares.flatMap(({ project, only }) => {
      const table = this.#tableOf(project)
      if (!table) return []
      const { match, unknown } = table.matching(terms)
      const rows = table.search(match, limit, only ?? undefined)
      return [{ rows: byFile(rows.map((row) => ({ ...row, score: -row.rank }))), unknown }]
    })
  }
}

function keyOf({ asset, rowid }: FoundRow): string {
  return `${asset} ${rowid}`
}

function hitOf({ asset, text, place }: FoundRow): Hit {
  return { ...(JSON.parse(place) as Passage), asset, text }
}

/** What to search for: each word in all of its forms, and each date and number. */
function termsOf({ words, spellings, forms, is_english }: SearchRequest): Term[] {
  const of_words = words.map((word) => {
    const others = (spellings.get(word) ?? []).map(quoted)
    return { word, phrases: [...phrasesOf(word, is_english), ...others] }
  })
  return [...of_words, ...forms.map((form) => ({ phrases: [`forms : ${quoted(form)}`] }))]
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
