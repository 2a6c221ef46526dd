import { listOf } from '../../../base/run/group.ts'
import { withClosedFence } from '../../../base/text/fences.ts'
import { formatCount } from '../../../base/text/format.ts'
import { unreadLine } from '../../../base/text/mentions.ts'
import type { MessageSource, MessageWarning } from '../../../contract/messages/messages-chats.ts'
import type { ReadPiece } from '../../store/store-chats.ts'
import { type Amount, type ScopeFile, sourcesOf } from '../sources.ts'
import { uncovered } from './cut-text.ts'

/** Names of unread files in an answer. More are in the record of the message. */
const max_named = 200

/** What was read of each file. `rest` is the reason of all that have none in `why`. */
export function notesSources(
  files: readonly ScopeFile[],
  pieces: readonly ReadPiece[],
  { why, rest }: { why: ReadonlyMap<number, string>; rest: string },
): MessageSource[] {
  const of_file = new Map<number, ReadPiece[]>()
  for (const piece of pieces) listOf(of_file, piece.asset).push(piece)
  const amounts = new Map<number, Amount>()
  for (const [asset, some] of of_file) {
    const is_whole = uncovered(some[0]!.of, some).length === 0
    const in_order = some.toSorted((one, other) => one.from - other.from)
    amounts.set(asset, is_whole ? 'whole' : in_order.flatMap(({ place }) => place ?? []))
  }
  return sourcesOf(files, amounts, { why, not: rest, part: rest })
}

/** Undefined if all files were read as far as the service can. */
export function unreadWarning(
  sources: readonly MessageSource[],
  more_files: number,
): MessageWarning | undefined {
  const not = sources.filter(({ read }) => read === 'not').length + more_files
  if (not === 0) return undefined
  const which = `${formatCount(not)} of ${formatCount(sources.length + more_files)} files`
  const humane = `${which} ${not === 1 ? 'was' : 'were'} not read; the end of this answer says which, and why.`
  return { code: 'files_not_read', humane }
}

export interface AnswerParts {
  /** The closing answer with its warnings. */
  closing: string
  /** The notes on the files, in the order of the files. */
  notes: readonly string[]
  files: readonly ScopeFile[]
  sources: readonly MessageSource[]
}

/** The closing answer, then the notes in full, then what was not read. */
export function composeByNotes({ closing, notes, files, sources }: AnswerParts): string {
  const sections = notes.map(
    (text, at) => `## Notes on the files, ${at + 1} of ${notes.length}\n\n${withClosedFence(text)}`,
  )
  const names = new Map(files.map(({ asset_id, name }) => [asset_id, name]))
  const lines = sources.flatMap(({ asset_id, read, why }) => {
    const name = names.get(asset_id) ?? asset_id
    return why === undefined ? [] : [unreadLine(name, { is_part: read === 'part', why })]
  })
  const more = lines.length - max_named
  if (more > 0) lines.splice(max_named, more, `- … and ${formatCount(more)} more`)
  const unread = lines.length === 0 ? [] : [`## Not read\n\n${lines.join('\n')}`]
  return [withClosedFence(closing), ...sections, ...unread].join('\n\n')
}
