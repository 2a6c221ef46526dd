import { formatCount } from '../../../base/text/format.ts'
import { requestIn } from '../../../base/text/prompt-lines.ts'
import type { Parts } from '../../parts.ts'
import { composeAnswer, type Quote } from '../answer-text.ts'
import type { Answered } from '../assistant.ts'
import { searchWords } from '../question.ts'
import { filesAsked } from '../scope.ts'
import {
  type Amount,
  recordOf,
  type ScopeFile,
  scopeFiles,
  sourcesOf,
  unlisted,
} from '../sources.ts'
import { knowledgeOf, type Turn } from '../turn-material.ts'
import { max_searched_length, nearestSentences } from './nearest-sentences.ts'

/** An answer that a client can read. */
const max_answer_chars = 2_000_000

/** One section a file, without a model: the sentences nearest to the request. */
export async function answerBySections(parts: Parts, turn: Turn): Promise<Answered> {
  const { prompt, scope } = turn.message
  const words = searchWords(requestIn(prompt, filesAsked(scope)))
  const knowledge = knowledgeOf(parts, turn)
  const files = scopeFiles(parts, knowledge)
  const quotes: (Quote & { asset: number })[] = []
  let left_chars = max_answer_chars
  for (const file of files) {
    const quote = left_chars > 0 && (await sectionOf(parts, file, words))
    if (!quote) continue
    quotes.push(quote)
    left_chars -= quote.source.length + quote.text.length
  }
  const amounts = new Map<number, Amount>(
    quotes.map(({ asset, place }) => [asset, place === undefined ? 'whole' : [place]]),
  )
  const not = left_chars > 0 ? 'it has no text' : 'past the length of one answer'
  const more = unlisted(parts, knowledge, files)
  const record = recordOf(sourcesOf(files, amounts, { not }), [], more)
  return { response: composeAnswer(quotes), calls: 0, record }
}

async function sectionOf(
  { reader }: Parts,
  { asset, name, unread }: ScopeFile,
  words: readonly string[],
): Promise<(Quote & { asset: number }) | undefined> {
  if (unread !== undefined) return undefined
  const [found] = await reader.ask('texts', { assets: [asset], max_chars: 0 })
  if (!found || found.text === '') return undefined
  const quote = { asset, source: name, text: nearestSentences(found.text, words).join('\n') }
  if (found.text.length <= max_searched_length) return quote
  return { ...quote, place: `characters 1 to ${formatCount(max_searched_length)}` }
}
