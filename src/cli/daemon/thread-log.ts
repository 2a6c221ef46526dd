import { noAnswer } from '../../base/files/ask-paths.ts'
import { path_patience_ms } from '../../base/files/paths.ts'
import { startThread } from '../../base/run/thread.ts'
import { type LogDestination, standard_error } from '../../base/text/log.ts'
import { system_clock, within } from '../../base/time/time.ts'
import { beforeEnd } from '../last-works.ts'

/** A mount that hangs for long takes no more memory. */
const max_waiting_lines = 1_000

interface WaitingLine {
  line: string
  /** Standard error has it. */
  is_printed: boolean
}

/**
 * A log in a file, as `openLogFile`, that a thread writes: a call to a mount that hangs never
 * returns. Standard error gets the lines that the file has not taken within 2 s, and those at the
 * end of the process. Then the file may have them, too.
 */
export class ThreadLog implements LogDestination {
  readonly #file: string
  readonly #thread
  /** In the order in which they were written. */
  readonly #waiting = new Map<WaitingLine, Promise<boolean>>()
  #is_silent = false

  constructor(file: string) {
    this.#file = file
    this.#thread = startThread('cli/daemon/log-thread', file, { young_mb: 1 })
    beforeEnd(async () => {
      await within(Promise.all(this.#waiting.values()), path_patience_ms, system_clock)
      this.#printAll()
    })
    // After an uncaught error, too.
    process.on('exit', () => this.#printAll())
  }

  write(line: string): void {
    const waiting = { line, is_printed: false }
    const has_room = this.#waiting.size < max_waiting_lines
    if (this.#is_silent || !has_room) this.#print(waiting)
    if (has_room) void this.#hand(waiting)
  }

  async #hand(waiting: WaitingLine): Promise<void> {
    const written = this.#thread
      .call('write', waiting.line)
      .catch(() => this.#print(waiting))
      .then(() => {
        this.#waiting.delete(waiting)
        this.#is_silent = false
        return true
      })
    this.#waiting.set(waiting, written)
    if ((await within(written, path_patience_ms, system_clock)) || this.#is_silent) return
    this.#is_silent = true
    standard_error.write(
      `${noAnswer(this.#file, path_patience_ms).message}: the log goes on here\n`,
    )
    this.#printAll()
  }

  #printAll(): void {
    for (const waiting of this.#waiting.keys()) this.#print(waiting)
  }

  #print(waiting: WaitingLine): void {
    if (!waiting.is_printed) standard_error.write(waiting.line)
    waiting.is_printed = true
  }
}
