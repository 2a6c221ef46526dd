import { join } from 'node:path'
import { openSqliteReadOnly } from '../../../src/base/files/sqlite.ts'
import { type Clock, hour_ms, minute_ms, second_ms } from '../../../src/base/time/time.ts'
import { ledger_migrations } from '../../../src/ledger/file/ledger-file.ts'
import { ledgerFile } from '../../../src/ledger/file/state-directory.ts'
import { type RecordingServer, startServer } from '../../remote/recording-server.ts'

export interface PromptOptions {
  /** Number of questions that the service takes in an undisturbed run. */
  asks: number
  /** Fields of the prompt in the configuration. */
  fields?: Record<string, unknown>
  /** Status codes of the receiver in turn; the last one repeats. */
  receiver?: number[]
}

/**
 * Delay of the due time, so that nothing is due before a scenario wants it. It is due again a year
 * later.
 */
const due_after_ms = hour_ms

/**
 * A prompt over the folder of a world, the directory of its reports, and its receivers: a file and
 * a webhook.
 */
export class PromptSide {
  readonly due_ms: number
  readonly reports: string
  readonly copies: string
  readonly receiver: RecordingServer
  readonly #options: PromptOptions
  readonly #state_dir: string

  static async begin(
    options: PromptOptions,
    home: string,
    state_dir: string,
    clock: Clock,
  ): Promise<PromptSide> {
    const answers = (options.receiver ?? [200]).map((status) => ({ status }))
    return new PromptSide(options, home, state_dir, clock, await startServer(answers))
  }

  private constructor(
    options: PromptOptions,
    home: string,
    state_dir: string,
    clock: Clock,
    receiver: RecordingServer,
  ) {
    this.#options = options
    this.#state_dir = state_dir
    this.due_ms = Math.ceil((clock.now_ms() + due_after_ms) / minute_ms) * minute_ms
    this.reports = join(home, 'reports')
    this.copies = join(home, 'copies')
    this.receiver = receiver
  }

  config() {
    const due = new Date(this.due_ms)
    const [minute, hour, day, month] = [
      due.getUTCMinutes(),
      due.getUTCHours(),
      due.getUTCDate(),
      due.getUTCMonth() + 1,
    ]
    const prompt = {
      name: 'digest',
      cron: `${minute} ${hour} ${day} ${month} *`,
      timezone: 'UTC',
      prompt: 'What is new? {{files}}',
      intelligence: 'fast',
      scope: { folders: ['docs'] },
      first_run: 'all',
      wait_for_files: '20s',
      deliver: [
        { name: 'report', file: { dir: this.reports, name: '{{name}}.md' } },
        { name: 'copy', file: { dir: this.copies, name: 'copy.md' } },
        { name: 'hook', webhook: { url: `${this.receiver.origin}/hook` } },
      ],
      ...this.#options.fields,
    }
    const asking = {
      first_ms: 10,
      max_ms: 50,
      find_turn_ms: 300,
      deliver_first_ms: 10,
      max_deliver_ms: 100,
    }
    return { prompts: [prompt], asking }
  }

  /** Time until just after the due time. */
  leftUntilDue_ms(now_ms: number): number {
    return this.due_ms - now_ms + second_ms
  }

  /** Reads a ledger that another life may be writing to. */
  read(sql: string): unknown[] {
    const ledger = openSqliteReadOnly(ledgerFile(this.#state_dir), ledger_migrations)
    try {
      return ledger.prepare(sql).all()
    } finally {
      ledger.close()
    }
  }

  holds(condition: string): boolean {
    return this.read(`SELECT 1 WHERE ${condition}`).length > 0
  }
}
