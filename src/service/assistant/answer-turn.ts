import { counted } from '../../base/text/format.ts'
import type { MessageWarning } from '../../contract/messages/messages-chats.ts'
import type { Parts } from '../parts.ts'
import type { Outcome } from './assistant.ts'
import { frame_chars } from './model/fence.ts'
import { newest } from './model/model-messages.ts'
import type { PreparedTurn } from './prepared-turn.ts'
import {
  passageSources,
  recordOf,
  type ScopeFile,
  scopeFiles,
  sourcesOf,
  unlisted,
} from './sources.ts'
import { gatherMaterial, knowledgeOf, type Turn } from './turn-material.ts'
import { onlyMemories, readsEveryFile } from './turn-plan.ts'
import { answerByNotes } from './whole/answer-by-notes.ts'
import { spaceFor } from './whole/call-space.ts'
import { fileItems } from './whole/items.ts'
import { charsIn } from './whole/make-batches.ts'
import { answerBySections } from './whole/sections.ts'

const history_share = 0.25

/** Makes one attempt to answer a turn. How it reads is not its mode (C-24, C-25). */
export async function answerTurn(parts: Parts, turn: Turn): Promise<Outcome> {
  const { assistant, assets, reading_notes } = parts
  const { model, config } = assistant
  const reads_every = readsEveryFile(turn.options)
  if (reads_every && !model) return await answerBySections(parts, turn)
  const { message, plan } = turn
  const knowledge = knowledgeOf(parts, turn)
  const used = reads_every ? { ...turn, plan: onlyMemories(plan) } : turn
  const material = await gatherMaterial(parts, used, knowledge)
  // Files are what such a turn is about, so a long conversation leaves them most of a call.
  if (reads_every)
    material.conversation = newest(material.conversation, config.context_chars * history_share)
  const prepared = { prompt: message.prompt, plan, attempts: message.attempts, ...material }
  const may_read = model && plan.mode !== 'fast' && plan.tools.has('passages')
  const count = may_read ? assets.countOf(knowledge) : 0
  if (reads_every || (may_read && count * frame_chars < config.context_chars)) {
    const files = scopeFiles(parts, knowledge)
    // With notes, an earlier start of the service has found that one call does not do.
    const has_begun = reading_notes.of(message.seq, 0).length > 0
    const outcome = has_begun ? undefined : await answerAtOnce(parts, prepared, files)
    if (outcome) return outcome
    const more_files = unlisted(parts, knowledge, files)
    if (reads_every)
      return await answerByNotes(parts, model!, turn, { prepared, files, more_files })
  }
  const outcome = await assistant.answer(prepared, parts.signal)
  if ('fault' in outcome) return outcome
  const sources = passageSources(parts, knowledge, prepared.quotes)
  const warnings = outcome.record.warnings ?? []
  if (count === 0) return { ...outcome, record: { ...outcome.record, ...sources } }
  const humane = `The text of the ${counted(count, 'file')} asked about is too long for one call, so this answer rests on passages that a search found.`
  const searched: MessageWarning = { code: 'searched', humane }
  const response = `${outcome.response}\n\n_${humane}_`
  return { ...outcome, response, record: { ...sources, warnings: [...warnings, searched] } }
}

/** Undefined if the texts do not fit into one call, or its host refuses them as too long. */
async function answerAtOnce(
  { assistant, reader, signal }: Parts,
  prepared: PreparedTurn,
  files: readonly ScopeFile[],
): Promise<Outcome | undefined> {
  const others = prepared.quotes.filter(({ asset }) => asset === undefined)
  const bare = { ...prepared, quotes: others, searched: undefined }
  const max_chars = spaceFor(assistant.config, bare)
  const items = await fileItems(reader, files, [], { max_chars, total_chars: max_chars })
  if (items.length > 0 && charsIn(items) > max_chars) return undefined
  const texts = items.map(({ key, name, text }) => ({ asset: key, source: name, text }))
  const turn = items.length > 0 ? { ...bare, quotes: [...texts, ...others] } : prepared
  const outcome = await assistant.answer(turn, signal)
  if ('fault' in outcome) return outcome.is_too_long ? undefined : outcome
  const amounts = new Map(items.map(({ key }) => [key, 'whole' as const]))
  const sources = sourcesOf(files, amounts, { not: 'it has no text' })
  return { ...outcome, record: recordOf(sources, outcome.record.warnings) }
}
