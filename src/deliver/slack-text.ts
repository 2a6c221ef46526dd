/** Sections have at most 3,000 characters (docs.slack.dev); closing a fence takes a few. */
const max_section_chars = 2_980
/** Escaping turns one character into at most five. */
const max_piece_chars = 500
const fence = '```'

/** Converts Markdown to the mrkdwn of Slack, cut between lines into sections. */
export function slackSections(markdown: string): string[] {
  const sections: string[] = []
  let section = ''
  let in_code = false

  function add(line: string): void {
    if (section !== '' && section.length + 1 + line.length > max_section_chars) {
      sections.push(in_code ? `${section}\n${fence}` : section)
      section = in_code ? fence : ''
    }
    section += section === '' ? line : `\n${line}`
  }

  for (const line of markdown.split('\n')) {
    const is_fence = line.trimStart().startsWith(fence)
    // Slack would show the language that follows a fence.
    if (is_fence) add(fence)
    else for (const piece of pieces(line)) add(in_code ? escapeText(piece) : slackLine(piece))
    if (is_fence) in_code = !in_code
  }
  if (in_code) section += `\n${fence}`
  // Slack refuses a section without text.
  return [...sections, section].filter((text) => text.trim() !== '')
}

function pieces(line: string): string[] {
  if (escapeText(line).length <= max_piece_chars * 5) return [line]
  return line.match(new RegExp(`.{1,${max_piece_chars}}`, 'gsu')) ?? []
}

// One pass, so that no rule sees the output of another. Bounded lengths keep the time linear.
const spans =
  /`[^`]+`|!?\[([^[\]]{1,300})\]\(((?:https?:\/\/|mailto:)[^\s()<>|]{1,1000})\)|\*\*([^*]+)\*\*|__([^_]+)__|\*([^*\s][^*]*)\*/g

function slackLine(line: string): string {
  const heading = /^#{1,6} +(.+)$/.exec(line)
  // Slack shows the stars of bold text inside bold text.
  if (heading) return `*${escapeText(heading[1]!.replace(/[*`]/g, '').trim())}*`
  return escapeText(line.replace(/^(\s*)[*+-] /, '$1• ')).replace(
    spans,
    (whole, label?: string, url?: string, stars?: string, bars?: string, italic?: string) => {
      if (label !== undefined) return `<${url}|${label.replaceAll('|', '¦')}>`
      if (stars !== undefined || bars !== undefined) return `*${stars ?? bars}*`
      return italic === undefined ? whole : `_${italic}_`
    },
  )
}

/** These three (docs.slack.dev); without `<`, a file name mentions no user or channel. */
function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
