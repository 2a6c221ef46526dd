import { formatCount, printable } from '../../base/text/format.ts'
import type { Source } from '../../prompts/ask/ask-question.ts'
import { type Line, LineWriter } from '../../status/text/lines.ts'

/** Sources shown, because a user reads no more. `--json` has them all. */
const max_sources = 20

/** The answer with its control characters made visible, so that it cannot steer the terminal. */
export function answerText(answer: string): string {
  const line = (text: string) => text.split('\t').map(printable).join('\t')
  return answer.trimEnd().split(/\r?\n/).map(line).join('\n')
}

/** `asked_about`: see scopeText. */
export function sourceLines(
  sources: readonly Source[],
  asked_about: string,
  width: number,
): Line[] {
  const writer = new LineWriter(width)
  const named = sources.filter(({ is_named }) => is_named)
  const shown = named.length > 0 ? named : sources
  if (shown.length > 0) {
    writer.say(named.length > 0 ? 'sources named in the answer' : 'sources', { tone: 'strong' })
    for (const { name } of shown.slice(0, max_sources)) writer.say(name, { indent: 2 })
    const more = shown.length - max_sources
    if (more > 0) writer.say(`and ${formatCount(more)} more`, { indent: 2 })
  }
  writer.say(`asked about ${asked_about}`, { tone: 'faint' })
  return writer.lines
}
