import type { MessageWarning } from '../../../contract/messages/messages-chats.ts'
import type { Parts } from '../../parts.ts'
import type { NotesRow, ReadPiece } from '../../store/store-chats.ts'
import { type Quote, warned } from '../answer-text.ts'
import type { Outcome } from '../assistant.ts'
import { keepWriting } from '../keep-writing.ts'
import { shownFault } from '../model/model-answer.ts'
import type { Model } from '../model/model-host.ts'
import { turnMessages } from '../model/model-messages.ts'
import type { PreparedTurn } from '../prepared-turn.ts'
import { filesAsked } from '../scope.ts'
import { recordOf, type ScopeFile } from '../sources.ts'
import type { Turn } from '../turn-material.ts'
import { spaceFor } from './call-space.ts'
import { fileItems, type Item, notesItem, piecesOf } from './items.ts'
import { charsIn, makeBatches } from './make-batches.ts'
import { composeByNotes, notesSources, unreadWarning } from './notes-answer.ts'
import { closing_note, shortRequest } from './notes-messages.ts'
import { NotesTaker, type NotesTask } from './notes-taker.ts'

/** Of the calls of a question, those for notes that do not fit the closing call. */
const shortening_share = 0.1
/** Less space than this is not worth a call. */
const min_notes_chars = 1_000

export interface ToRead {
  /** All but the files. */
  prepared: PreparedTurn
  files: readonly ScopeFile[]
  /** Files in scope beyond those. */
  more_files: number
}

/** Reads files in batches (C-24): a closing answer over notes on each, then the notes in full. */
export async function answerByNotes(
  parts: Parts,
  model: Model,
  { message }: Turn,
  { prepared, files, more_files }: ToRead,
): Promise<Outcome> {
  const { context_chars, max_calls } = parts.assistant.config
  const task: NotesTask = {
    message: message.seq,
    request: shortRequest(message.prompt, filesAsked(message.scope), context_chars),
    level: 0,
    max_calls: Math.max(1, max_calls - 1 - Math.floor(max_calls * shortening_share)),
  }
  const taker = new NotesTaker(parts, model, task)
  const { max_chars } = taker
  const budget = { max_chars, total_chars: max_chars * task.max_calls }
  const items = await fileItems(parts.reader, files, taker.rows(), budget)
  await taker.take(makeBatches(items, max_chars))
  const rest = taker.stopped ?? `past the limit of ${max_calls} calls for one question`
  const rows = inOrder(taker.rows(), files)
  const [why = 'no file has a text'] = taker.why.values()
  if (rows.length === 0) return { fault: taker.stopped ?? why, max_attempts: 1 }
  const asked = { ...prepared, notes: [...prepared.notes, closing_note] }
  const has_space = spaceFor(parts.assistant.config, asked) >= min_notes_chars
  const turn = has_space ? asked : { ...asked, prompt: task.request }
  const closing = await closeOver(parts, model, { task, turn, rows })
  const sources = notesSources(files, rows.flatMap(piecesOf), { why: taker.why, rest })
  const unread = unreadWarning(sources, more_files)
  const warnings = [
    ...closing.warnings,
    ...rows.flatMap((row) => JSON.parse(row.warnings) as MessageWarning[]),
    ...(unread ? [unread] : []),
  ]
  const text = unread ? `${closing.text}\n\n_${unread.humane}_` : closing.text
  return {
    response: composeByNotes({
      closing: text,
      notes: rows.map(({ notes }) => notes),
      files,
      sources,
    }),
    calls: closing.calls,
    record: recordOf(sources, warnings, more_files),
  }
}

interface Closed {
  text: string
  warnings: readonly MessageWarning[]
  calls: number
}

interface ToClose {
  task: NotesTask
  /** All but the notes. */
  turn: PreparedTurn
  rows: readonly NotesRow[]
}

/** The level of the row that keeps the closing answer until the turn ends. */
const closing_level = -1

/** One call with the models of the turn. A fault becomes the text: the notes must not be lost. */
async function closeOver(
  parts: Parts,
  model: Model,
  { task, turn, rows }: ToClose,
): Promise<Closed> {
  const { reading_notes, clock } = parts
  const { config } = parts.assistant
  const [kept] = reading_notes.of(task.message, closing_level)
  if (kept) return { text: kept.notes, warnings: JSON.parse(kept.warnings), calls: 0 }
  const { models, thinking } = turn.plan
  let max_chars = Math.max(min_notes_chars, spaceFor(config, turn))
  const notes = await shorten(parts, model, { task, rows, max_chars })
  for (;;) {
    const quotes = [...turn.quotes, ...withinChars(notes, max_chars)]
    const messages = turnMessages({ ...turn, quotes }, config.model?.max_history_chars ?? 0)
    const call = { messages, models, thinking }
    const answer = await model.askUntilAnswered(call, parts.signal)
    if ('text' in answer) {
      const { response: notes, record } = warned(answer)
      const warnings = record.warnings ?? []
      const row = { level: closing_level, covers: '[]', notes, warnings: JSON.stringify(warnings) }
      // Its quotations are still to be compared, and no end in between may cost the call again.
      await keepWriting(parts, () => reading_notes.add(task.message, row, clock.now_ms()))
      return { text: notes, warnings, calls: 0 }
    }
    if (!answer.is_too_long || max_chars < 2 * min_notes_chars) {
      const humane = `There is no answer over all files, because ${shownFault(answer)}. The notes on the files follow.`
      return { text: `_${humane}_`, warnings: [{ code: 'no_closing', humane }], calls: 0 }
    }
    max_chars = Math.floor(max_chars / 2)
  }
}

/** Puts notes together, level by level, as far as it helps and the calls suffice. */
async function shorten(
  parts: Parts,
  model: Model,
  { task, rows, max_chars }: Omit<ToClose, 'turn'> & { max_chars: number },
): Promise<Item[]> {
  let notes = rows.map(notesItem)
  let max_calls = parts.assistant.config.max_calls - 1 - rows.length
  for (let level = 1; charsIn(notes) > max_chars; level++) {
    const taker = new NotesTaker(parts, model, { ...task, level, max_calls })
    const covered = (items: readonly Item[]) => {
      const keys = new Set(taker.rows().flatMap(({ covers }) => JSON.parse(covers) as number[]))
      return items.filter(({ key }) => !keys.has(key))
    }
    const batches = makeBatches(covered(notes), taker.max_chars)
    // Notes that no other fits beside are long enough as they are.
    await taker.take(batches.filter(({ items }) => items.length > 1))
    const made = taker.rows()
    if (made.length === 0) break
    notes = [...made.map(notesItem), ...covered(notes)]
    max_calls -= made.length
  }
  return notes
}

/** Notes that are too long for the call lose their ends; the reader has them in full. */
function withinChars(notes: readonly Item[], max_chars: number): Quote[] {
  const share = Math.min(1, max_chars / charsIn(notes))
  return notes.map(({ name, text }) => ({
    source: name,
    text: text.slice(0, Math.floor(text.length * share)),
  }))
}

/** More characters than a text has: all pieces of a file come before the next one. */
const file_step = 1e9

/** Notes in the order of their first files. */
function inOrder(rows: readonly NotesRow[], files: readonly ScopeFile[]): NotesRow[] {
  const place = new Map(files.map(({ asset }, at) => [asset, at * file_step]))
  const placeOf = (row: NotesRow) => {
    const [{ asset, from }] = piecesOf(row) as [ReadPiece]
    return (place.get(asset) ?? Number.MAX_SAFE_INTEGER) + from
  }
  return rows.toSorted((one, other) => placeOf(one) - placeOf(other))
}
