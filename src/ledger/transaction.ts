import type { Sqlite } from '../base/sqlite.ts'

/**
 * One file's part in a batch: a transaction that begins with the first write and savepoints around single calls. Statements are
 * prepared once: at thousands of calls a second, parsing "SAVEPOINT" costs more than the savepoint.
 */
export class Transaction {
  readonly #database: Sqlite
  readonly #begin
  readonly #commit
  readonly #rollback
  readonly #savepoint
  readonly #release
  readonly #rollback_to
  #in_call = false

  constructor(database: Sqlite) {
    this.#database = database
    this.#begin = database.prepare('BEGIN IMMEDIATE')
    this.#commit = database.prepare('COMMIT')
    this.#rollback = database.prepare('ROLLBACK')
    this.#savepoint = database.prepare('SAVEPOINT one_call')
    this.#release = database.prepare('RELEASE one_call')
    this.#rollback_to = database.prepare('ROLLBACK TO one_call')
  }

  /** Before the first write of a call; again within the call it does nothing. */
  enter(): void {
    if (this.#in_call) return
    if (!this.#database.inTransaction) this.#begin.run()
    this.#savepoint.run()
    this.#in_call = true
  }

  /** The call's writes stay, until the batch commits. */
  keepCall(): void {
    if (this.#in_call) this.#release.run()
    this.#in_call = false
  }

  /** False when SQLite ended the whole transaction by itself (disk full, I/O): then the batch fails as one. */
  undoCall(): boolean {
    if (!this.#in_call) return true
    this.#in_call = false
    if (!this.#database.inTransaction) return false
    this.#rollback_to.run()
    this.#release.run()
    return true
  }

  commit(): void {
    if (this.#database.inTransaction) this.#commit.run()
  }

  rollBack(): void {
    this.#in_call = false
    if (this.#database.inTransaction) this.#rollback.run()
  }
}
