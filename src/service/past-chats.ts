import { bestPassages, type Quote, withoutNote } from './answer-text.ts'
import type { Parts } from './parts.ts'
import { splitPassages } from './split-passages.ts'
import type { MessageRow } from './store-chats.ts'

export interface SaidPlaces {
  /** Read through, the chat of the turn itself included where it is named. */
  chats: readonly number[]
  /** With every other chat in them. */
  projects: readonly number[]
  /** The turn that asks, which is not its own source. */
  asking: Pick<MessageRow, 'seq' | 'chat'>
}

/** Turns between which the event loop goes on: they are in no index, and fifty of 5,000 characters take some 30 ms. */
const page_turns = 50

/** The best passages of what was said there, of the newest `past_chars_most` characters. */
export async function searchSaid(
  { chats, assistant }: Parts,
  { chats: named, projects, asking }: SaidPlaces,
  words: readonly string[],
  most: number,
): Promise<Quote[]> {
  const is_named = new Set(named)
  const sources = [
    { where: { chats: named }, has: ({ seq }: MessageRow) => seq !== asking.seq },
    { where: { projects }, has: ({ chat }: MessageRow) => chat !== asking.chat && !is_named.has(chat) },
  ]
  let best: Quote[] = []
  let left_chars = assistant.config.past_chars_most
  for (const { where, has } of sources) {
    let before_seq = Number.MAX_SAFE_INTEGER
    while (left_chars > 0) {
      const page = chats.said(where, before_seq, page_turns)
      const passages: Quote[] = []
      for (const { message_id, prompt, response } of page.filter(has)) {
        if (left_chars <= 0) break
        const text = `${prompt}\n\n${withoutNote(response ?? '')}`
        left_chars -= text.length
        for (const each of splitPassages(text)) passages.push({ source: message_id, text: each })
      }
      best = bestPassages([...best, ...passages], words, most)
      if (page.length < page_turns) break
      before_seq = page.at(-1)!.seq
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  return best
}
