import { formatCount, printable } from '../base/format.ts'
import type { ArrivedFile } from '../ledger/view-arrivals.ts'
import { type Line, LineWriter } from '../status/lines.ts'

/** More are not read; `--json` has them all. */
const most_sources = 20

export interface Source {
  /** Folder and path. */
  name: string
  asset_id: string
  /** The answer mentions it: by its path, or by its own name. */
  is_named: boolean
}

/** The files that a question was asked over; those that the answer names first. */
export function sourcesOf(answer: string, files: readonly ArrivedFile[]): Source[] {
  const sources = files.map(({ folder, path, asset_id }) => {
    const own_name = path.slice(path.lastIndexOf('/') + 1)
    return { name: `${folder}/${path}`, asset_id, is_named: mentions(answer, own_name) }
  })
  return [...sources.filter(({ is_named }) => is_named), ...sources.filter(({ is_named }) => !is_named)]
}

/** As a name of its own: `a.txt` is not meant by `data.txt`. */
function mentions(answer: string, name: string): boolean {
  for (let at = answer.indexOf(name); at >= 0; at = answer.indexOf(name, at + 1)) {
    const before = answer.slice(0, at).at(-1) ?? ''
    const after = answer.charAt(at + name.length)
    if (!/[\p{L}\p{N}_-]/u.test(before) && !/[\p{L}\p{N}_-]/u.test(after)) return true
  }
  return false
}

/** The answer as it came, but for what would steer the terminal. */
export function answerText(answer: string): string {
  const line = (text: string) => text.split('\t').map(printable).join('\t')
  return answer.trimEnd().split(/\r?\n/).map(line).join('\n')
}

/** `asked_about`: see scopeText. */
export function sourceLines(sources: readonly Source[], asked_about: string, width: number): Line[] {
  const writer = new LineWriter(width)
  const named = sources.filter(({ is_named }) => is_named)
  const shown = named.length > 0 ? named : sources
  if (shown.length > 0) {
    writer.say(named.length > 0 ? 'sources named in the answer' : 'sources', { tone: 'strong' })
    for (const { name } of shown.slice(0, most_sources)) writer.say(name, { indent: 2 })
    const more = shown.length - most_sources
    if (more > 0) writer.say(`and ${formatCount(more)} more`, { indent: 2 })
  }
  writer.say(`asked about ${asked_about}`, { tone: 'faint' })
  return writer.lines
}
