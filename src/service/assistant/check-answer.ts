import { messageOf } from '../../base/run/errors.ts'
import { formatCount } from '../../base/text/format.ts'
import type { MessageWarning } from '../../contract/messages/messages-chats.ts'
import type { Parts } from '../parts.ts'
import { findQuotations } from '../quotations/find-quotations.ts'
import type { Answered } from './assistant.ts'
import { scopeFiles } from './sources.ts'
import { knowledgeOf, type Turn } from './turn-material.ts'

/** The answer of a model, whose quotations are those of the files in scope. */
export async function withCheckedQuotations(
  parts: Parts,
  turn: Turn,
  answered: Answered,
): Promise<Answered> {
  const { reader, signal, log } = parts
  if (findQuotations(answered.response).length === 0) return answered
  const files = scopeFiles(parts, knowledgeOf(parts, turn)).flatMap(({ asset, name, unread }) =>
    unread === undefined ? [{ asset, names: [name, name.slice(name.lastIndexOf('/') + 1)] }] : [],
  )
  try {
    const asked = { answer: answered.response, files }
    const { answer, not_found } = await reader.ask('checkQuotations', asked)
    return not_found === 0 ? answered : withWarning({ ...answered, response: answer }, not_found)
  } catch (error) {
    if (signal.aborted) throw error
    log(`the quotations of an answer were not compared with the files: ${messageOf(error)}`)
    return withWarning(answered)
  }
}

/** `not_found` is undefined if the quotations were not compared. */
function withWarning({ response, record, calls }: Answered, not_found?: number): Answered {
  const warning: MessageWarning = { code: 'quotations_not_found', humane: warningOf(not_found) }
  return {
    response: `${response}\n\n_${warning.humane}_`,
    calls,
    record: { ...record, warnings: [...(record.warnings ?? []), warning] },
  }
}

function warningOf(not_found: number | undefined): string {
  if (not_found === undefined) return 'What is quoted here was not compared with the files.'
  return not_found === 1
    ? 'One quotation is not in the file that it names. It lost its quotation marks.'
    : `${formatCount(not_found)} quotations are not in the files that they name. They lost their quotation marks.`
}
