import { counted, formatBytes } from '../../base/text/format.ts'
import { promptTimeText } from '../../base/time/time.ts'
import type { PromptSettings } from '../../prompts/prompt-settings.ts'
import { callsText, type DryRun } from '../../prompts/show/dry-run.ts'
import type { Question } from '../../remote/chats.ts'
import { type Line, LineWriter } from '../../status/text/lines.ts'

/** The plan of a run in words. `--json` has the request bodies, and the ids. */
export function dryRunLines(
  { name, schedule }: Pick<PromptSettings, 'name' | 'schedule'>,
  { bodies, assets, chat_id, calls, coverage, notes, why }: DryRun,
  { now_ms, width }: { now_ms: number; width: number },
): Line[] {
  const writer = new LineWriter(width)
  const due = promptTimeText(now_ms, schedule.timezone)
  writer.say(`${name}, as if it came due at ${due}; nothing is sent`, { tone: 'faint' })
  if (why !== undefined) writer.say(`nothing would be asked: ${why}`)
  for (const [turn, body] of bodies.entries()) {
    const which = bodies.length > 1 ? `question ${turn + 1} of ${bodies.length}` : 'question'
    const is_last = turn === bodies.length - 1
    const chat = is_last && chat_id !== undefined ? 'the same chat' : 'a new chat'
    writer.gap()
    writer.say(`${which}, in ${chat}`, { tone: 'strong' })
    sayQuestion(writer, JSON.parse(body) as Question, turn > 0 && is_last)
    for (const asset of assets.filter((other) => other.turn === turn))
      writer.detail(`${asset.name}  ${formatBytes(asset.size)}`)
  }
  writer.gap()
  if (why === undefined) writer.say(callsText({ bodies, calls }))
  for (const note of notes) writer.say(`note: ${note}`)
  if (coverage !== undefined) writer.say(coverage)
  return writer.lines
}

/** `is_closing`: it is asked over the answers to all others. */
function sayQuestion(writer: LineWriter, question: Question, is_closing: boolean): void {
  const { prompt, intelligence, provider, skills = [], public_data, scope = {} } = question
  for (const row of prompt.split(/[ \t]*\n/)) {
    if (row === '') writer.gap()
    else writer.say(row, { indent: 4 })
  }
  const kinds = Object.entries(scope).map(([kind, ids]) => {
    return counted(ids.length, kind_names[kind as keyof typeof kind_names])
  })
  const how = [
    `intelligence ${intelligence}`,
    ...(provider === undefined ? [] : [`provider ${provider}`]),
    ...(skills.length === 0 ? [] : [`skills ${skills.join(', ')}`]),
    ...(public_data === false ? ['no web search'] : []),
    `over ${is_closing ? 'the answers before' : kinds.join(', ')}`,
  ]
  writer.detail(how.join('; '))
}

const kind_names = {
  asset_ids: 'file',
  label_ids: 'label',
  chat_ids: 'chat',
  concept_ids: 'concept',
  project_ids: 'project',
  view_ids: 'view',
} as const satisfies Record<keyof NonNullable<Question['scope']>, string>
