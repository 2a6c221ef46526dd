import { expect, test } from 'vitest'
import { slackBody, teamsBody } from '../../src/deliver/chat-bodies.ts'
import { message } from './delivery-tools.ts'

const paragraph =
  '## Part <1> & more\n\n- **Bold** and [a link](https://example.org/a?b=c&d=e), `code` 😀\n\n'
const long = paragraph.repeat(1_100)

interface SlackBlock {
  type: string
  text?: { type: string; text: string }
}

test.each([
  ['# Title **bold**', '*Title bold*'],
  ['**bold** __too__ and *soft*', '*bold* *too* and _soft_'],
  ['- one', '• one'],
  [
    '[a](https://x.org/?b=1&c=2) ![i](http://x.org/i.png)',
    '<https://x.org/?b=1&amp;c=2|a> <http://x.org/i.png|i>',
  ],
  ['[x](javascript:alert)', '[x](javascript:alert)'],
  ['<!channel> <@U1> & `**code**`', '&lt;!channel&gt; &lt;@U1&gt; &amp; `**code**`'],
  ['```js\n# a **b** <c>\n```\n# d', '```\n# a **b** &lt;c&gt;\n```\n*d*'],
])('mrkdwn of %j', (markdown, text) => {
  const { blocks } = JSON.parse(slackBody(message({ text: markdown }))) as { blocks: SlackBlock[] }
  expect(blocks.slice(1)).toEqual([{ type: 'section', text: { type: 'mrkdwn', text } }])
})

test.each([
  ['paragraphs', long],
  ['one line', '&'.repeat(100_000)],
  ['code', `\`\`\`\n${'<b> code\n'.repeat(11_000)}`],
  ['brackets', '['.repeat(100_000)],
  ['stars', '**a '.repeat(25_000)],
  ['pictures', '😀'.repeat(50_000)],
])('100 KB of %s stay within the limits of Slack', (_what, text) => {
  const began = performance.now()
  const { blocks } = JSON.parse(slackBody(message({ text, subject: 's'.repeat(5_000) }))) as {
    blocks: SlackBlock[]
  }
  expect(performance.now() - began).toBeLessThan(2_000)
  expect(blocks.length).toBeLessThanOrEqual(50)
  expect(blocks.length).toBeGreaterThan(10)
  for (const { type, text: inner } of blocks) {
    if (type !== 'section') continue
    expect(inner?.text.length).toBeLessThanOrEqual(3_000)
    expect(inner?.text.trim()).not.toBe('')
    // No code fence stays open, and no character is cut in half.
    expect((inner?.text.split('```').length ?? 0) % 2).toBe(1)
    expect(inner?.text).not.toMatch(/\p{Cs}/u)
  }
})

test('a report that Slack cannot hold says that it is shortened', () => {
  expect(slackBody(message({ text: '&'.repeat(100_000) }))).toContain('… shortened')
  expect(slackBody(message())).not.toContain('shortened')
})

test('Teams: one Adaptive Card, complete if it fits', () => {
  const card = JSON.parse(teamsBody(message()))
  expect(card).toMatchObject({
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive' }],
  })
  expect(card.attachments[0].content).toMatchObject({ type: 'AdaptiveCard', version: '1.4' })
  expect(card.attachments[0].content.body.map(({ text }: { text: string }) => text)).toEqual([
    'Weekly digest',
    '**Weekly digest**\n\nThree **new** contracts: [first](https://example.org/1).\n',
  ])
})

test.each([long, '\u0001'.repeat(100_000), '😀'.repeat(50_000)])(
  'Teams: 100 KB are cut below 28 KB',
  (text) => {
    const body = teamsBody(message({ text }))
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(28 * 1_024)
    expect(Buffer.byteLength(body)).toBeGreaterThan(26_000)
    const shown = JSON.parse(body).attachments[0].content.body[1].text as string
    expect(shown).toMatch(/… shortened$/)
    expect(shown).not.toMatch(/\p{Cs}/u)
  },
)
