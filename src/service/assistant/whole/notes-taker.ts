import { allEnded } from '../../../base/run/worker.ts'
import type { Parts } from '../../parts.ts'
import type { NotesRow } from '../../store/store-chats.ts'
import { warned } from '../answer-text.ts'
import { notesModels } from '../assistant-config.ts'
import { keepWriting } from '../keep-writing.ts'
import { frame_chars } from '../model/fence.ts'
import { type ModelAnswer, shownFault } from '../model/model-answer.ts'
import { charsOf, type Model } from '../model/model-host.ts'
import { promptChars } from './call-space.ts'
import { cutItem, type Item, min_item_chars } from './items.ts'
import { type Batch, halveBatch } from './make-batches.ts'
import { notesMessages } from './notes-messages.ts'

export interface NotesTask {
  /** The number of the message. */
  message: number
  request: string
  /** 0 for notes on files, more for notes on notes of the level below. */
  level: number
  /** The most calls of this level, with those of earlier starts of the service. */
  max_calls: number
}

const page_refused = 'the model refuses even a page of it as too long'

/**
 * Has a model take notes of batches. Notes are a row as soon as their call is answered, so after a
 * kill only the rest is paid for. The first call is made alone: if the host refuses it, no others
 * are sent in vain, and its limit of length becomes known.
 */
export class NotesTaker {
  readonly #parts: Parts
  readonly #model: Model
  readonly #task: NotesTask
  /** Why notes on an item are missing, by its key. */
  readonly why = new Map<number, string>()
  #queue: Batch<Item>[] = []
  #answered: number
  #under_way = 0
  /** Calls that were given up. */
  #failed = 0
  /** Characters of a batch; less after the model has refused a longer one. */
  #max_chars: number
  #stopped: string | undefined

  constructor(parts: Parts, model: Model, task: NotesTask) {
    this.#parts = parts
    this.#model = model
    this.#task = task
    this.#answered = this.rows().length
    const fixed = charsOf(notesMessages(task.request, task.level, [])) + frame_chars
    this.#max_chars = Math.max(min_item_chars, promptChars(parts.assistant.config) - fixed)
  }

  get max_chars(): number {
    return this.#max_chars
  }

  /** Why no further batch is read, if it is not for the limit of calls. */
  get stopped(): string | undefined {
    return this.#stopped
  }

  /** The notes of this level, in the order in which they came. */
  rows(): NotesRow[] {
    return this.#parts.reading_notes.of(this.#task.message, this.#task.level)
  }

  /** Takes notes of these batches, as far as the calls suffice. */
  async take(batches: readonly Batch<Item>[]): Promise<void> {
    this.#queue = [...batches]
    await this.#noteProgress()
    while (this.#answered === 0 && (await this.#takeNext()));
    const { answers_at_once } = this.#parts.assistant.config
    const each = Array.from({ length: answers_at_once }, async () => {
      while (await this.#takeNext());
    })
    // A further attempt must not begin beside calls of this one.
    await allEnded(each)
  }

  /** Returns false if there is no batch left, or no call for it. */
  async #takeNext(): Promise<boolean> {
    if (this.#stopped !== undefined || this.#left_calls <= 0) return false
    const batch = this.#queue.shift()
    if (!batch) return false
    this.#under_way++
    try {
      // Its length is known to be refused.
      if (batch.chars > this.#max_chars && isLong(batch)) this.#halve(batch)
      else await this.#judge(batch, await this.#ask(batch))
    } finally {
      this.#under_way--
    }
    return true
  }

  get #left_calls(): number {
    return this.#task.max_calls - this.#answered - this.#under_way
  }

  #ask({ items }: Batch<Item>): Promise<ModelAnswer> {
    const { assistant, signal } = this.#parts
    const sources = items.map(({ name, text, piece }) => ({
      source: piece?.place ? `${name}, ${piece.place}` : name,
      text,
    }))
    const messages = notesMessages(this.#task.request, this.#task.level, sources)
    const call = { messages, models: notesModels(assistant.config), thinking: 'none' } as const
    return this.#model.askUntilAnswered(call, signal)
  }

  async #judge(batch: Batch<Item>, answer: ModelAnswer): Promise<void> {
    if ('text' in answer) return this.#keep(batch, answer)
    if (answer.is_too_long && isLong(batch)) {
      this.#max_chars = Math.min(this.#max_chars, Math.ceil(batch.chars / 2))
      return this.#halve(batch)
    }
    const why = answer.is_too_long ? page_refused : shownFault(answer)
    for (const { key } of batch.items) this.why.set(key, why)
    // A host that refuses more than it answers is not asked again.
    if (++this.#failed > this.#answered) this.#stopped = why
  }

  async #keep(
    { items }: Batch<Item>,
    answer: Extract<ModelAnswer, { text: string }>,
  ): Promise<void> {
    const { reading_notes, clock } = this.#parts
    const { response: notes, record } = warned(answer)
    const row = {
      level: this.#task.level,
      covers: JSON.stringify(items.map(({ key, piece }) => piece ?? key)),
      notes,
      warnings: JSON.stringify(record.warnings ?? []),
    }
    const is_kept = await keepWriting(this.#parts, () =>
      reading_notes.add(this.#task.message, row, clock.now_ms()),
    )
    this.#answered++
    if (!is_kept) this.#stopped = 'the question was removed'
    await this.#noteProgress()
  }

  /** Puts two halves in place of a batch that is long enough. A single text is cut. */
  #halve(batch: Batch<Item>): void {
    const [item] = batch.items
    const halves = halveBatch(batch)
    if (halves) this.#queue.unshift(...halves)
    else {
      const whole = { from: 0, to: item!.text.length }
      const pieces = cutItem(item!, whole, Math.ceil(batch.chars / 2))
      this.#queue.unshift(...pieces.map((piece) => ({ items: [piece], chars: piece.chars })))
    }
  }

  /** The closing call is one more. */
  async #noteProgress(): Promise<void> {
    const { reading_notes, commits } = this.#parts
    const open = this.#under_way + Math.min(this.#queue.length, this.#left_calls) + 1
    await commits.writeUnflushed(() => reading_notes.setLeft(this.#task.message, open))
  }
}

/** True for several items, and for one that is worth cutting. */
function isLong({ items }: Batch<Item>): boolean {
  return items.length > 1 || items[0]!.text.length >= 2 * min_item_chars
}
