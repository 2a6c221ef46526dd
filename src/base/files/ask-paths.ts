import { startApart } from '../run/apart.ts'
import { isSluiceError, type PlainError, SluiceError } from '../run/errors.ts'
import type { Thread } from '../run/thread.ts'
import { formatDuration } from '../text/format.ts'
import { system_clock } from '../time/time.ts'
import { mayHang } from './mount-table.ts'
import { isBelow } from './path-below.ts'
import {
  type Asked,
  type Beginning,
  direct_paths,
  type PathFacts,
  type Paths,
  patienceWith,
  type Question,
  slow_ms,
  unknown,
} from './paths.ts'

/** Called about paths that let the caller wait. */
export interface PathNotes {
  onSlow?(path: string): void
  onSilent?(path: string): void
}

/**
 * Runs `work`, which asks about paths that the user has named. No call to them is made in this
 * process while one could hang: then `work` runs first without answers, the paths that it asked
 * for are asked apart, and it runs again, until it has asked nothing new. So `work` must have no
 * effects. A path on a share that does not answer for 2 s (10 s elsewhere) is silent, and with
 * it all below it. `known`: the `Paths` of an earlier work, whose answers still count.
 */
export async function askingPaths<Value>(
  work: (paths: Paths) => Value,
  notes: PathNotes = {},
  known?: Paths,
): Promise<Value> {
  if (!mayHang()) return work(direct_paths)
  const paths = known instanceof AskedPaths ? known : new AskedPaths(notes)
  try {
    for (;;) {
      const outcome = outcomeOf(() => work(paths))
      if (await paths.ask()) continue
      if ('error' in outcome) throw outcome.error
      return outcome.value
    }
  } finally {
    paths.close()
  }
}

function outcomeOf<Value>(work: () => Value): { value: Value } | { error: unknown } {
  try {
    return { value: work() }
  } catch (error) {
    return { error }
  }
}

/** The error of a path that has not answered. */
export function noAnswer(path: string, limit_ms = patienceWith(path)): SluiceError {
  return new SluiceError({
    code: 'path.no_answer',
    message: `${path} has not answered for ${formatDuration(limit_ms)}`,
    hint: 'is it a share whose server is offline? Check the mount (findmnt, dmesg)',
  })
}

export function isNoAnswer(error: unknown): error is SluiceError {
  return isSluiceError(error, 'path.no_answer')
}

class AskedPaths implements Paths {
  readonly #notes: PathNotes
  readonly #answers = new Map<string, { value: unknown } | { error: PlainError }>()
  readonly #wanted = new Map<string, Question>()
  readonly #silent = new Set<string>()
  #process: Thread | undefined

  constructor(notes: PathNotes) {
    this.#notes = notes
  }

  look(path: string): PathFacts {
    const answer = this.#answerTo({ method: 'look', path, max: 0 })
    if (answer && 'value' in answer) return answer.value as PathFacts
    return { ...unknown, real: path, is_silent: true }
  }

  read(path: string, max_bytes: number): Beginning {
    const answer = this.#answerTo({ method: 'read', path, max: max_bytes })
    if (!answer) throw noAnswer(path)
    if ('error' in answer) throw new SluiceError(answer.error)
    return answer.value as Beginning
  }

  list(path: string, max_names: number): readonly string[] {
    const answer = this.#answerTo({ method: 'list', path, max: max_names })
    return answer && 'value' in answer ? (answer.value as string[]) : []
  }

  silent(): readonly string[] {
    return [...this.#silent]
  }

  /** Asks for what is wanted; false if nothing is. */
  async ask(): Promise<boolean> {
    const questions = new Map(this.#wanted)
    this.#wanted.clear()
    if (questions.size === 0) return false
    const asker = await this.#started()
    const over = new AbortController()
    void this.#nameSlow(questions, over.signal)
    const asked = [...questions].map(async ([key, question]) => {
      const answer = await asker.call<Asked>('ask', question)
      questions.delete(key)
      if (!('is_silent' in answer)) this.#answers.set(key, answer)
      else if (!this.#silent.has(question.path)) {
        this.#silent.add(question.path)
        this.#notes.onSilent?.(question.path)
      }
    })
    await Promise.all(asked).finally(() => over.abort())
    return true
  }

  close(): void {
    void this.#process?.terminate()
    this.#process = undefined
  }

  /** Undefined while it is not known, and for a silent path. */
  #answerTo(question: Question) {
    const { path } = question
    const key = JSON.stringify(question)
    const answer = this.#answers.get(key)
    if (answer) return answer
    if (![...this.#silent].some((silent) => isBelow(path, silent))) this.#wanted.set(key, question)
    return undefined
  }

  async #started(): Promise<Thread> {
    this.#process ??= startApart('base/files/path-process')
    await this.#process.call('ready', undefined)
    return this.#process
  }

  async #nameSlow(open: ReadonlyMap<string, Question>, over: AbortSignal): Promise<void> {
    await system_clock.sleep(slow_ms, over)
    if (over.aborted) return
    for (const path of new Set([...open.values()].map(({ path }) => path))) {
      this.#notes.onSlow?.(path)
    }
  }
}
