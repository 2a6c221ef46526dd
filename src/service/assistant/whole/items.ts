import { formatCount } from '../../../base/text/format.ts'
import { placesIn } from '../../ingest/passages/placed-text.ts'
import type { Parts } from '../../parts.ts'
import type { NotesRow, ReadPiece } from '../../store/store-chats.ts'
import { frame_chars } from '../model/fence.ts'
import type { ScopeFile } from '../sources.ts'
import { cutText, type Range, uncovered } from './cut-text.ts'
import type { Sized } from './make-batches.ts'

/** What a call takes notes of: a piece of a file, or notes of the level below. */
export interface Item extends Sized {
  /** The number of the file, or of the row of the notes. */
  key: number
  name: string
  text: string
  /** Absent for notes. */
  piece?: ReadPiece
}

/** The place of a piece in its title, such as `, characters 1 to 24,000 of 100,000`. */
const place_chars = 60
/** A shorter text is not cut further: a model that takes no page is of no use. */
export const min_item_chars = 1_000

/** The parts of files that no row of notes covers, in order, from texts of `total_chars` in all. */
export async function fileItems(
  reader: Parts['reader'],
  files: readonly ScopeFile[],
  rows: readonly NotesRow[],
  { max_chars, total_chars }: { max_chars: number; total_chars: number },
): Promise<Item[]> {
  const with_text = files.filter(({ unread }) => unread === undefined)
  const assets = with_text.map(({ asset }) => asset)
  const covered = rows.flatMap(piecesOf)
  const texts = await reader.ask('texts', { assets, max_chars: total_chars })
  return texts.flatMap(({ asset, text }, at) => {
    // A text that has changed since is read anew.
    const read = covered.filter((piece) => piece.asset === asset && piece.of === text.length)
    const whole = pieceItem(with_text[at]!, text, { from: 0, to: text.length, of: text.length })
    return uncovered(text.length, read).flatMap((gap) => cutItem(whole, gap, max_chars))
  })
}

/** The pieces of a part of an item; the part itself where it is short enough. None of notes. */
export function cutItem(item: Item, part: Range, max_chars: number): Item[] {
  const { key: asset, name, text, piece } = item
  if (!piece) return []
  const room = Math.max(min_item_chars, max_chars - frameOf(name))
  return cutText(text, part, room).map(({ from, to }) => {
    const range = { from: piece.from + from, to: piece.from + to, of: piece.of }
    return pieceItem({ asset, name }, text.slice(from, to), range)
  })
}

function pieceItem(
  { asset, name }: Pick<ScopeFile, 'asset' | 'name'>,
  text: string,
  { from, to, of }: Range & { of: number },
): Item {
  const numbers = `characters ${formatCount(from + 1)} to ${formatCount(to)} of ${formatCount(of)}`
  const place = to - from < of ? { place: placesIn(text).join(' to ') || numbers } : {}
  const piece = { asset, from, to, of, ...place }
  return { key: asset, name, text, piece, chars: text.length + frameOf(name) }
}

function frameOf(name: string): number {
  return name.length + place_chars + frame_chars
}

/** Notes as what a further call puts together, or the closing call answers from. */
export function notesItem({ seq, notes }: NotesRow): Item {
  const name = `Notes ${seq}`
  return { key: seq, name, text: notes, chars: notes.length + frameOf(name) }
}

/** The pieces of files that a row of the lowest level is about. */
export function piecesOf({ covers }: NotesRow): ReadPiece[] {
  return JSON.parse(covers) as ReadPiece[]
}
