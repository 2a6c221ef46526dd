import type { Message } from './message.ts'

/** docs.slack.dev, "Blocks": a message has at most 50. */
const max_blocks = 50
/** docs.slack.dev, header block: 150 characters. */
const max_header_chars = 150
/** Title in Teams; text for Slack's notifications, which show no blocks (Slack cuts far later). */
const max_fallback_chars = 1_000
/** Teams accepts 28 KB per message, and we do not know how much the service adds around ours. */
const max_card_bytes = 27_000

/** The body for an incoming webhook of Slack, cut if too long. */
export function slackBody({ subject, text }: Message): string {
  const sections = slackSections(text)
  const max_sections = max_blocks - 2
  const shown = sections
    .slice(0, max_sections)
    .map((mrkdwn) => ({ type: 'section', text: { type: 'mrkdwn', text: mrkdwn } }))
  const header = {
    type: 'header',
    text: { type: 'plain_text', text: shortened(subject, max_header_chars) || '-' },
  }
  const cut = { type: 'context', elements: [{ type: 'plain_text', text: '… shortened' }] }
  const blocks = [header, ...shown, ...(sections.length > max_sections ? [cut] : [])]
  return JSON.stringify({ text: escapeText(shortened(subject, max_fallback_chars)), blocks })
}

/** The body for Workflows in Teams: an Adaptive Card 1.4 (adaptivecards.io), cut if too long. */
export function teamsBody({ subject, text }: Message): string {
  const title = {
    type: 'TextBlock',
    text: shortened(subject, max_fallback_chars),
    wrap: true,
    weight: 'Bolder',
    size: 'Medium',
  }
  // Text blocks render bold, links and lists of Markdown, but no headings.
  const plain = text.replace(/^#{1,6} +(.+)$/gm, '**$1**')
  const cardWith = (shown: string) =>
    JSON.stringify(card([title, { type: 'TextBlock', text: shown, wrap: true }]))
  const whole = cardWith(plain)
  if (Buffer.byteLength(whole) <= max_card_bytes) return whole
  const ending = '\n\n… shortened'
  return cardWith(
    `${fitting(plain, max_card_bytes - Buffer.byteLength(cardWith(ending)))}${ending}`,
  )
}

function card(body: readonly object[]) {
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body,
  }
  return {
    type: 'message',
    attachments: [
      { contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content },
    ],
  }
}

/** The longest beginning of the text that takes at most `bytes` inside a JSON string. */
function fitting(text: string, bytes: number): string {
  let left = bytes
  let end = 0
  for (const character of text) {
    left -= Buffer.byteLength(JSON.stringify(character)) - 2
    if (left < 0) break
    end += character.length
  }
  return text.slice(0, end)
}

function shortened(text: string, max_chars: number): string {
  return text.length <= max_chars
    ? text
    : `${text.slice(0, max_chars - 1).replace(/[\ud800-\udbff]$/, '')}…`
}

/** Sections have at most 3,000 characters (docs.slack.dev); closing a fence takes a few. */
const max_section_chars = 2_980
/** Escaping makes at most five characters of one, so a piece of this size fits in a section. */
const max_piece_chars = 500
const fence = '```'

/** Converts Markdown to the mrkdwn of Slack, cut between lines into sections. */
function slackSections(markdown: string): string[] {
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

/** Escapes these three (docs.slack.dev). Without `<`, a file name mentions no user or channel. */
function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
