import { requestIn } from '../../../base/text/prompt-lines.ts'
import type { Quote } from '../answer-text.ts'
import { fencedSources } from '../model/fence.ts'
import type { ModelMessage } from '../model/model-host.ts'

const notes_task = `You read files for a colleague who will answer a request from your notes alone, without the files. Go through the
sources in their order and leave none out. For each write its title as a heading (###), then short notes of everything in it that bears
on the request: numbers, dates, amounts and names word for word, each with its place where the text shows one, such as [page 3]. Of a
source that says nothing about the request, say in one sentence what it is. Add nothing of your own. Write in the language of the request.`

const shorter_task = `You put notes on files together for a colleague who will answer a request from them. Make them half as long: keep
the title of every file as a heading (###), keep numbers, dates, amounts, names and places word for word, leave out what matters least to
the request. Add nothing of your own. Write in the language of the request.`

/** What the model of the closing answer is told besides its usual task. */
export const closing_note = `The sources are notes on the files, made for this request, because the files are too long for one call. They
stand below your answer in full: answer the request over all of them, name the files, and do not repeat the notes.`

/** Characters of a request that goes to a call with files: a longer one is cut. */
const max_request_share = 1 / 8

/** The request for a call about some of the files; without lists of all files if it is long. */
export function shortRequest(prompt: string, files: number, context_chars: number): string {
  const max_chars = Math.floor(context_chars * max_request_share)
  if (prompt.length <= max_chars) return prompt
  return requestIn(prompt, files).slice(0, max_chars)
}

export function notesMessages(
  request: string,
  level: number,
  sources: readonly Quote[],
): ModelMessage[] {
  const task = level === 0 ? notes_task : shorter_task
  return [
    { role: 'system', content: task },
    { role: 'user', content: `# Request\n\n${request}\n\n# Sources\n\n${fencedSources(sources)}` },
  ]
}
