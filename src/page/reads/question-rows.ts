import type { Sqlite } from '../../base/files/sqlite.ts'
import type { AskAnswer } from '../../control/control-verbs.ts'

/** A question of a user. Without `folders` it is about all that they see. */
export interface AskWish {
  question: string
  folders: readonly string[]
  /** A pattern as in .gitignore; an empty text: every file. */
  path: string
  /** A label of the service; an empty text: none. Only for who sees all folders. */
  label: string
  /** Only files that came in within this time. */
  within_ms?: number | undefined
  /** The question of the same user to go on from. */
  after?: number | undefined
}

export interface Asked {
  id: number
  /** The folders of this question and of those before it in the chat; `all`: the project. */
  over: readonly string[] | 'all'
  asked_ms: number
  wish: AskWish
  /** Undefined while it is waited for, and after an error. */
  answer: AskAnswer | undefined
  error: string | undefined
}

/** `naming`: see `Asking`; undefined if it is not known yet. */
export interface KeptQuestion extends Asked {
  user: string
  naming: (string | null)[] | undefined
}

type KeptAnswer = AskAnswer & { naming?: KeptQuestion['naming'] }

interface Row {
  id: number
  user: string
  asked_ms: number
  wish: string
  over: string
  answer: string | null
  error: string | null
}

const max_listed = 50

/** The questions in page.db. `user`: the key of a viewer. */
export class QuestionRows {
  readonly #database: Sqlite

  /** Removes the questions from before this time. */
  constructor(database: Sqlite, kept_since_ms: number) {
    this.#database = database
    this.#run('DELETE FROM questions WHERE asked_ms < ?', kept_since_ms)
  }

  #run(sql: string, ...values: unknown[]) {
    return this.#database.prepare(sql).run(...values)
  }

  insert(user: string, asked_ms: number, wish: AskWish, over: Asked['over']): number {
    const sql = 'INSERT INTO questions (user, asked_ms, wish, over) VALUES (?, ?, ?, ?)'
    const row = this.#run(sql, user, asked_ms, JSON.stringify(wish), JSON.stringify(over))
    return Number(row.lastInsertRowid)
  }

  answer(id: number, answer: KeptAnswer): void {
    this.#run('UPDATE questions SET answer = ? WHERE id = ?', JSON.stringify(answer), id)
  }

  fail(id: number, error: string): void {
    this.#run('UPDATE questions SET error = ? WHERE id = ?', error, id)
  }

  failOpen(error: string): void {
    this.#run('UPDATE questions SET error = ? WHERE answer IS NULL AND error IS NULL', error)
  }

  countSince(user: string, since_ms: number): number {
    return this.#count('asked_ms > ?', user, since_ms)
  }

  countOpen(user: string): number {
    return this.#count('answer IS NULL AND error IS NULL', user)
  }

  #count(condition: string, ...values: unknown[]): number {
    const sql = `SELECT count(*) FROM questions WHERE user = ? AND ${condition}`
    return this.#database
      .prepare(sql)
      .pluck()
      .get(...values) as number
  }

  one(user: string, id: number): KeptQuestion | undefined {
    const one = this.#database.prepare('SELECT * FROM questions WHERE user = ? AND id = ?')
    const row = one.get(user, id) as Row | undefined
    return row && questionOf(row)
  }

  newest(user: string): KeptQuestion[] {
    const newest = `SELECT * FROM questions WHERE user = ? ORDER BY id DESC LIMIT ${max_listed}`
    return (this.#database.prepare(newest).all(user) as Row[]).map(questionOf)
  }
}

function questionOf({ wish, over, answer: json, error, ...row }: Row): KeptQuestion {
  const kept = json === null ? undefined : (JSON.parse(json) as KeptAnswer)
  const { naming, ...answer } = kept ?? {}
  return {
    ...row,
    wish: JSON.parse(wish) as AskWish,
    over: JSON.parse(over) as Asked['over'],
    answer: kept && (answer as AskAnswer),
    naming,
    error: error ?? undefined,
  }
}
