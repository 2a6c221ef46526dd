import type { Message } from './message.ts'
import { slackSections } from './slack-text.ts'

/** docs.slack.dev, "Blocks": a message has at most 50. */
const max_blocks = 50
/** docs.slack.dev, header block: 150 characters. */
const max_header_chars = 150
/** The fallback text for notifications, which show no blocks. Slack itself cuts far later. */
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
  const header = { type: 'header', text: { type: 'plain_text', text: shortened(subject, max_header_chars) || '-' } }
  const cut = { type: 'context', elements: [{ type: 'plain_text', text: '… shortened' }] }
  const blocks = [header, ...shown, ...(sections.length > max_sections ? [cut] : [])]
  return JSON.stringify({ text: escapeControl(shortened(subject, max_fallback_chars)), blocks })
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
  const cardWith = (shown: string) => JSON.stringify(card([title, { type: 'TextBlock', text: shown, wrap: true }]))
  const whole = cardWith(plain)
  if (Buffer.byteLength(whole) <= max_card_bytes) return whole
  const ending = '\n\n… shortened'
  return cardWith(`${fitting(plain, max_card_bytes - Buffer.byteLength(cardWith(ending)))}${ending}`)
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
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }],
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
  return text.length <= max_chars ? text : `${text.slice(0, max_chars - 1).replace(/[\ud800-\udbff]$/, '')}…`
}

function escapeControl(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
