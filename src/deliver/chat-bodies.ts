import { escapeMarkdown, fitText, printable } from '../base/text/format.ts'
import type { Message } from './message.ts'
import type { ReportHead } from './report-head.ts'

/** docs.slack.dev, "Blocks": a message has at most 50. */
const max_blocks = 50
/** docs.slack.dev, header block: 150 characters. */
const max_header_chars = 150
/** Title in Teams; text for Slack's notifications, which show no blocks (Slack cuts far later). */
const max_fallback_chars = 1_000
/** Teams accepts 28 KB per message, and we do not know how much the service adds around ours. */
const max_card_bytes = 27_000

/** Of an address longer than this a chat shows the name alone. */
const max_url_chars = 1_000
/** Of a name longer than this a chat shows both ends. */
const max_name_columns = 120
/** What a chat says of one file; the report has it all. */
const max_about_chars = 200
/** Bytes of the lines of files: half of what Teams accepts. The rest is for the answer. */
const max_lines_bytes = max_card_bytes / 2
const shortened_alert = '… shortened'

type Report = NonNullable<Message['report']>

/** The body for an incoming webhook of Slack. If it is too long, its end is cut. */
export function slackBody({ subject, text, report }: Message): string {
  const title = shortened(report?.head.title ?? subject, max_header_chars) || '-'
  const head = report ? [...slackHead(report).map(section), { type: 'divider' }] : []
  const blocks = [
    { type: 'header', text: { type: 'plain_text', text: title } },
    ...head,
    ...inSections(slackLines(report?.body ?? text)).map(section),
  ]
  const ending = report ? slackText(endingOf(report)) : shortened_alert
  const cut = { type: 'context', elements: [{ type: 'mrkdwn', text: ending }] }
  const shown = blocks.length > max_blocks ? [...blocks.slice(0, max_blocks - 1), cut] : blocks
  return JSON.stringify({ text: escapeText(shortened(subject, max_fallback_chars)), blocks: shown })
}

function section(mrkdwn: string): object {
  return { type: 'section', text: { type: 'mrkdwn', text: mrkdwn } }
}

/** Sections with the counts and the coverage line, then sections with the files. */
function slackHead({ head, page }: Report): string[] {
  const { labels, counts, coverage, remarks, question, period } = head
  const facts = [
    `*${escapeText(counts)}*`,
    ...[coverage, ...remarks].flatMap(pieces).map(escapeText),
    escapeText(`${labels.question}: ${question}`),
    escapeText(`${labels.period}: ${period}`),
    ...(page === undefined ? [] : [slackText({ text: labels.page, url: page })]),
  ]
  const lines = chatLines(head).map(({ link, about }) => {
    return `• ${[...(link ? [slackText(link)] : []), escapeText(about)].join(': ')}`
  })
  return [...inSections(facts), ...inSections(withRoom(lines, `• ${labels.shortened}`))]
}

interface Link {
  text: string
  url: string | undefined
}

function slackText({ text, url }: Link): string {
  return url === undefined
    ? escapeText(text)
    : `<${escapeText(url)}|${escapeText(text).replaceAll('|', '¦')}>`
}

/** The lines before the answer, each with bounded texts. Without a link: a sentence. */
function chatLines({ lines, others, more, labels }: ReportHead): { link?: Link; about: string }[] {
  return [
    ...lines.map(({ name, text, url = '' }) => ({
      link: {
        text: fitText(printable(name), max_name_columns),
        url: url !== '' && url.length <= max_url_chars ? url : undefined,
      },
      about: shortened(printable(text), max_about_chars),
    })),
    ...(others.length > 0 ? [labels.others_below] : more).map((about) => ({ about })),
  ]
}

/** The lines that leave room for the answer; `ending` stands for those after them. */
function withRoom(lines: readonly string[], ending: string): string[] {
  let bytes = 0
  const end = lines.findIndex((line) => {
    bytes += Buffer.byteLength(line)
    return bytes > max_lines_bytes
  })
  return end < 0 ? [...lines] : [...lines.slice(0, end), ending]
}

function endingOf({ head: { labels }, page }: Report): Link {
  return page === undefined
    ? { text: labels.shortened, url: undefined }
    : { text: `${labels.shortened}: ${labels.page}`, url: page }
}

/**
 * The body for Workflows in Teams: an Adaptive Card 1.4 (adaptivecards.io). If it is too long, its
 * end is cut.
 */
export function teamsBody({ subject, text, report }: Message): string {
  const title = shortened(report?.head.title ?? subject, max_fallback_chars)
  const ending = report ? teamsLink(endingOf(report)) : shortened_alert
  const blocks: TextBlock[] = [
    { ...textBlock(title), weight: 'Bolder', size: 'Medium' },
    ...(report ? teamsHead(report) : []),
    { ...textBlock(teamsText(report?.body ?? text)), separator: report !== undefined },
  ]
  const shown: TextBlock[] = []
  for (const block of blocks) {
    const left = max_card_bytes - bytesOf([...shown, { ...block, text: '' }])
    const cut = fitting(block.text, left)
    if (cut.length < block.text.length) {
      shown.push({ ...block, text: `${cut}\n\n${ending}` })
      break
    }
    shown.push(block)
  }
  return JSON.stringify(card(shown))
}

interface TextBlock {
  type: 'TextBlock'
  text: string
  wrap: true
  weight?: 'Bolder'
  size?: 'Medium'
  separator?: boolean
}

function textBlock(text: string): TextBlock {
  return { type: 'TextBlock', text, wrap: true }
}

function bytesOf(blocks: readonly TextBlock[]): number {
  return Buffer.byteLength(JSON.stringify(card(blocks)))
}

function teamsHead({ head, page }: Report): TextBlock[] {
  const { labels, counts, coverage, remarks, question, period } = head
  const lines = chatLines(head).map(({ link, about }) => {
    return `- ${[...(link ? [teamsLink(link)] : []), escapeMarkdown(about)].join(': ')}`
  })
  const facts = [`${labels.question}: ${question}`, `${labels.period}: ${period}`]
  const paragraphs = [coverage, ...remarks, ...facts].map(escapeMarkdown)
  const link = page === undefined ? [] : [teamsLink({ text: labels.page, url: page })]
  return [
    { ...textBlock(counts), weight: 'Bolder' },
    textBlock([...paragraphs, ...link].join('\n\n')),
    ...(lines.length === 0 ? [] : [textBlock(withRoom(lines, `- ${labels.shortened}`).join('\n'))]),
  ]
}

function teamsLink({ text, url }: Link): string {
  return url === undefined ? escapeMarkdown(text) : `[${escapeMarkdown(text)}](${url})`
}

/** Text blocks render bold, links and lists of Markdown, but neither headings nor quotes. */
function teamsText(markdown: string): string {
  return markdown.replace(/^#{1,6} +(.+)$/gm, '**$1**').replace(/^(>.*)\n(?=>)/gm, '$1\n\n')
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

/** Lines of mrkdwn, cut between them into sections. */
function inSections(lines: readonly string[]): string[] {
  const sections: string[] = []
  let section = ''
  let in_code = false
  for (const line of lines) {
    if (section !== '' && section.length + 1 + line.length > max_section_chars) {
      sections.push(in_code ? `${section}\n${fence}` : section)
      section = in_code ? fence : ''
    }
    section += section === '' ? line : `\n${line}`
    if (line === fence) in_code = !in_code
  }
  if (in_code) section += `\n${fence}`
  // Slack refuses a section without text.
  return [...sections, section].filter((text) => text.trim() !== '')
}

/** Converts Markdown to lines of the mrkdwn of Slack. */
function slackLines(markdown: string): string[] {
  let in_code = false
  return markdown.split('\n').flatMap((line) => {
    const is_fence = line.trimStart().startsWith(fence)
    if (is_fence) in_code = !in_code
    // Slack would show the language that follows a fence.
    if (is_fence) return [fence]
    return pieces(line).map(in_code ? escapeText : slackLine)
  })
}

function pieces(line: string): string[] {
  if (escapeText(line).length <= max_piece_chars * 5) return [line]
  return line.match(new RegExp(`.{1,${max_piece_chars}}`, 'gsu')) ?? []
}

// One pass, so that no rule sees the output of another. Bounded lengths keep the time linear.
const spans =
  /\\(&\w+;|[^\w\s&])|`[^`]+`|!?\[(?:`([^`]{1,300})`|([^[\]]{1,300}))\]\(((?:https?:\/\/|mailto:)[^\s()<>|]{1,1000})\)|\*\*([^*]+)\*\*|__([^_]+)__|\*([^*\s][^*]*)\*/g

function slackLine(line: string): string {
  const heading = /^#{1,6} +(.+)$/.exec(line)
  // Slack shows the stars of bold text inside bold text.
  if (heading) return `*${escapeText(heading[1]!.replace(/[*`]/g, '').trim())}*`
  return escapeText(line.replace(/^(\s*)[*+-] /, '$1• ')).replace(spans, slackSpan)
}

/** The parameters are the groups of `spans`. */
function slackSpan(whole: string, ...groups: (string | undefined)[]): string {
  const [mark, code, label = code, url, stars, bars, italic] = groups
  if (mark !== undefined) return mark
  if (label !== undefined) return `<${url}|${label.replaceAll('|', '¦')}>`
  if (stars !== undefined || bars !== undefined) return `*${stars ?? bars}*`
  return italic === undefined ? whole : `_${italic}_`
}

/** Escapes these three (docs.slack.dev). Without `<`, a file name mentions no user or channel. */
function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
