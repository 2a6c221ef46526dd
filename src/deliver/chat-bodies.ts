import type { Message } from './message.ts'
import { slackSections } from './slack-text.ts'

/** docs.slack.dev, "Blocks": a message has at most 50. */
const max_blocks = 50
/** docs.slack.dev, header block: 150 characters. */
const max_header_chars = 150
/** Fallback for notifications, where no blocks are shown; Slack cuts far later. */
const max_fallback_chars = 1_000
/** Teams takes 28 KB of a message; what is around it on the way is not ours to know. */
const max_card_bytes = 27_000

/** What an incoming webhook of Slack accepts. A longer report is cut, and says so. */
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

/** What the Workflows app of Teams accepts: one Adaptive Card (adaptivecards.io, 1.4). A longer report is cut, and says so. */
export function teamsBody({ subject, text }: Message): string {
  const title = {
    type: 'TextBlock',
    text: shortened(subject, max_fallback_chars),
    wrap: true,
    weight: 'Bolder',
    size: 'Medium',
  }
  // Text blocks know bold, links and lists of Markdown, but no headings.
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

/** As much from the beginning as takes up to so many bytes within a JSON string. */
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
