/** docs.slack.dev, section block: 3,000 characters of text; a fence that is closed and opened again needs a few. */
const max_section_chars = 2_980
/** Escaping makes at most five characters of one. */
const max_piece_chars = 500
const fence = '```'

/** Markdown as Slack's mrkdwn, cut between lines into texts that fit into a section each. */
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
    // Slack knows no language behind a fence and would show it.
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

// One pass, so that what was made of one thing is not taken for another. Lengths are bounded and no part can begin again
// within itself: the time stays proportional to the text.
const spans =
  /`[^`]+`|!?\[([^[\]]{1,300})\]\(((?:https?:\/\/|mailto:)[^\s()<>|]{1,1000})\)|\*\*([^*]+)\*\*|__([^_]+)__|\*([^*\s][^*]*)\*/g

function slackLine(line: string): string {
  const heading = /^#{1,6} +(.+)$/.exec(line)
  // Bold within bold shows its stars.
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

/** docs.slack.dev, "Escaping text": these three; without `<` a file's name can mention nobody and call no channel. */
function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
