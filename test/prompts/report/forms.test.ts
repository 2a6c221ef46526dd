import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { slackBody, teamsBody } from '../../../src/deliver/chat-bodies.ts'
import { deliver } from '../../../src/deliver/deliver.ts'
import { plainText, renderMarkdown } from '../../../src/deliver/markdown.ts'
import { composeReport, coverageOf, reportMessage } from '../../../src/prompts/report/report.ts'
import { tools } from '../../deliver/delivery-tools.ts'
import { parsePart, startMailReceiver } from '../../deliver/mail-receiver.ts'
import { due_ms, hostile_name, settingsOf } from '../settings.ts'
import { officeRun, page_url } from './office-run.ts'

const settings = settingsOf({ scope: { ...settingsOf().scope, folders: ['office'] } })

function messageOf(run = officeRun()) {
  const written = { ...run, written_ms: due_ms }
  const delivery = { report_path: '/srv/reports/weekly-digest-2026-11-23.md', target: 'chat' }
  return reportMessage({ written, ...delivery }, settings, page_url)
}

test('docs/prompts.md shows a report as it is written', () => {
  const run = officeRun()
  const { markdown } = composeReport(run, settings, coverageOf(run), { now_ms: due_ms })
  const docs = readFileSync(new URL('../../../docs/prompts.md', import.meta.url), 'utf8')
  expect(/^````markdown\n([\s\S]*?)^````$/m.exec(docs)?.[1]).toBe(markdown)
})

test('plain mail has no marks of Markdown; links have their address, quotes their lines', () => {
  expect(plainText(messageOf().text)).toMatchInlineSnapshot(`
    "This report on the page (https://sluice.example.org/runs/1)

    weekly-digest, 23 November 2026

    Question: What is new in office since 2026-11-16 08:00? Name the file behind each statement. 3 files arrived: …

    Period: 16 Nov 2026, 08:00 to 23 Nov 2026, 08:00 (Europe/Berlin)

    2 new · 1 changed · 1 gone · 1 moved · 1 refused · 1 still refused

    asked about 3 files: 1 read whole, 1 in part (office/contracts/lease.pdf; not asked about again), 1 not read (office/prices.xlsx; asked about again next time); 1 named; 1 refused (office/scan.pdf)

    - office/prices.xlsx (https://sluice.example.org/file?folder=office&path=prices.xlsx): changed, 21 Nov 2026, 06:30, 9.9 kB, not read
    - office/contracts/lease.pdf (https://sluice.example.org/file?folder=office&path=contracts%2Flease.pdf): new, 19 Nov 2026, 06:30, 182 kB, read in part (page 1, page 2; the rest was too long)
    - office/minutes/2026-11-20.docx (https://sluice.example.org/file?folder=office&path=minutes%2F2026-11-20.docx): new, 20 Nov 2026, 06:30, 24 kB, read whole
    - office/draft.docx: gone
    - office/done/offer.pdf (https://sluice.example.org/file?folder=office&path=done%2Foffer.pdf): moved from office/offer.pdf
    - office/scan.pdf (https://sluice.example.org/file?folder=office&path=scan.pdf): refused: it has no text
    - office/old.bin (https://sluice.example.org/file?folder=office&path=old.bin): still refused: not readable

    ---

    Decide this week

    The lease can be terminated until 30 November (office/contracts/lease.pdf):

    > § 7 Term
    > Either party may terminate with three months' notice,
    > for the first time on 30 November 2026.

    - Minutes of 20 November: the move is planned for March (agenda (https://intranet.example.org/agenda)).
    "
  `)
})

test('a mail has both forms; the HTML has its styles in its elements, and loads nothing', async () => {
  const receiver = await startMailReceiver()
  const smtp = { host: '127.0.0.1', port: receiver.port, tls: 'none' } as const
  const to = ['team@example.org']
  await deliver(
    { kind: 'email', name: 'x', to, from: 'sluice@example.net', smtp },
    messageOf(),
    tools(),
  )
  const { headers, parts } = parsePart(receiver.received[0]!.raw)
  expect(headers.get('subject')).toEqual([
    'weekly-digest 2026-11-23: 2 new, 1 changed, 1 gone, 1 moved, 1 refused, 1 still refused',
  ])
  const [text, html] = parts.map(({ body }) => body.replaceAll('\r\n', '\n'))
  expect(text?.trimEnd()).toBe(plainText(messageOf().text).trimEnd())
  expect(html).toContain('<html lang="en">')
  expect(html).toMatch(/<h1 style="[^"]+">weekly-digest, 23 November 2026<\/h1>/)
  expect(html).toMatch(/<blockquote style="[^"]+">\n<p style="[^"]+">§ 7 Term<br>\nEither/)
  expect(html).not.toMatch(/<(?:img|style|link|script)|url\(/)
})

test('Slack: the head in sections of its own, then the answer', () => {
  expect(JSON.parse(slackBody(messageOf()))).toMatchInlineSnapshot(`
    {
      "blocks": [
        {
          "text": {
            "text": "weekly-digest, 23 November 2026",
            "type": "plain_text",
          },
          "type": "header",
        },
        {
          "text": {
            "text": "*2 new · 1 changed · 1 gone · 1 moved · 1 refused · 1 still refused*
    asked about 3 files: 1 read whole, 1 in part (office/contracts/lease.pdf; not asked about again), 1 not read (office/prices.xlsx; asked about again next time); 1 named; 1 refused (office/scan.pdf)
    Question: What is new in office since 2026-11-16 08:00? Name the file behind each statement. 3 files arrived: …
    Period: 16 Nov 2026, 08:00 to 23 Nov 2026, 08:00 (Europe/Berlin)
    <https://sluice.example.org/runs/1|This report on the page>",
            "type": "mrkdwn",
          },
          "type": "section",
        },
        {
          "text": {
            "text": "• <https://sluice.example.org/file?folder=office&amp;path=prices.xlsx|office/prices.xlsx>: changed, 21 Nov 2026, 06:30, 9.9 kB, not read
    • <https://sluice.example.org/file?folder=office&amp;path=contracts%2Flease.pdf|office/contracts/lease.pdf>: new, 19 Nov 2026, 06:30, 182 kB, read in part (page 1, page 2; the rest was too long)
    • <https://sluice.example.org/file?folder=office&amp;path=minutes%2F2026-11-20.docx|office/minutes/2026-11-20.docx>: new, 20 Nov 2026, 06:30, 24 kB, read whole
    • office/draft.docx: gone
    • <https://sluice.example.org/file?folder=office&amp;path=done%2Foffer.pdf|office/done/offer.pdf>: moved from office/offer.pdf
    • <https://sluice.example.org/file?folder=office&amp;path=scan.pdf|office/scan.pdf>: refused: it has no text
    • <https://sluice.example.org/file?folder=office&amp;path=old.bin|office/old.bin>: still refused: not readable",
            "type": "mrkdwn",
          },
          "type": "section",
        },
        {
          "type": "divider",
        },
        {
          "text": {
            "text": "*Decide this week*

    The lease can be terminated until 30 November (\`office/contracts/lease.pdf\`):

    &gt; § 7 Term
    &gt; Either party may terminate with three months' notice,
    &gt; for the first time on 30 November 2026.

    • *Minutes* of 20 November: the move is planned for March (<https://intranet.example.org/agenda|agenda>).
    ",
            "type": "mrkdwn",
          },
          "type": "section",
        },
      ],
      "text": "weekly-digest 2026-11-23: 2 new, 1 changed, 1 gone, 1 moved, 1 refused, 1 still refused",
    }
  `)
})

test('Teams: the head in blocks of its own, then the answer', () => {
  expect(JSON.parse(teamsBody(messageOf())).attachments[0].content.body).toMatchInlineSnapshot(`
    [
      {
        "size": "Medium",
        "text": "weekly-digest, 23 November 2026",
        "type": "TextBlock",
        "weight": "Bolder",
        "wrap": true,
      },
      {
        "text": "2 new · 1 changed · 1 gone · 1 moved · 1 refused · 1 still refused",
        "type": "TextBlock",
        "weight": "Bolder",
        "wrap": true,
      },
      {
        "text": "asked about 3 files: 1 read whole, 1 in part (office/contracts/lease.pdf; not asked about again), 1 not read (office/prices.xlsx; asked about again next time); 1 named; 1 refused (office/scan.pdf)

    Question: What is new in office since 2026-11-16 08:00? Name the file behind each statement. 3 files arrived: …

    Period: 16 Nov 2026, 08:00 to 23 Nov 2026, 08:00 (Europe/Berlin)

    [This report on the page](https://sluice.example.org/runs/1)",
        "type": "TextBlock",
        "wrap": true,
      },
      {
        "text": "- [office/prices.xlsx](https://sluice.example.org/file?folder=office&path=prices.xlsx): changed, 21 Nov 2026, 06:30, 9.9 kB, not read
    - [office/contracts/lease.pdf](https://sluice.example.org/file?folder=office&path=contracts%2Flease.pdf): new, 19 Nov 2026, 06:30, 182 kB, read in part (page 1, page 2; the rest was too long)
    - [office/minutes/2026-11-20.docx](https://sluice.example.org/file?folder=office&path=minutes%2F2026-11-20.docx): new, 20 Nov 2026, 06:30, 24 kB, read whole
    - office/draft.docx: gone
    - [office/done/offer.pdf](https://sluice.example.org/file?folder=office&path=done%2Foffer.pdf): moved from office/offer.pdf
    - [office/scan.pdf](https://sluice.example.org/file?folder=office&path=scan.pdf): refused: it has no text
    - [office/old.bin](https://sluice.example.org/file?folder=office&path=old.bin): still refused: not readable",
        "type": "TextBlock",
        "wrap": true,
      },
      {
        "separator": true,
        "text": "**Decide this week**

    The lease can be terminated until 30 November (\`office/contracts/lease.pdf\`):

    > § 7 Term

    > Either party may terminate with three months' notice,

    > for the first time on 30 November 2026.

    - **Minutes** of 20 November: the move is planned for March ([agenda](https://intranet.example.org/agenda)).
    ",
        "type": "TextBlock",
        "wrap": true,
      },
    ]
  `)
})

test.each([
  ['Slack', slackBody],
  ['Teams', teamsBody],
])('%s cuts a long answer, never the head, and links to the page', (_what, bodyOf) => {
  const message = messageOf()
  const long = {
    ...message,
    report: { ...message.report!, body: 'All is well.\n\n'.repeat(20_000) },
  }
  const body = bodyOf(long)
  const { counts, coverage, lines } = message.report!.head
  for (const text of [counts, coverage, ...lines.map(({ name }) => name)])
    expect(body).toContain(text)
  expect(body).toContain('… shortened: ')
  expect(body.lastIndexOf(`${page_url}/runs/1`)).toBeGreaterThan(body.indexOf('All is well.'))
})

test.each([
  ['Slack', slackBody],
  ['Teams', teamsBody],
])('%s leaves room for the answer behind many long lines', (_what, bodyOf) => {
  const message = messageOf()
  const { head } = message.report!
  const path = 'Договоры и соглашения/Поставщики за 2026 год/Договор аренды'
  const lines = Array.from({ length: 100 }, (_, at) => {
    const name = `office/${path} ${at}.pdf`
    return { ...head.lines[0]!, name, url: `${page_url}/file?path=${encodeURIComponent(name)}` }
  })
  const body = bodyOf({ ...message, report: { ...message.report!, head: { ...head, lines } } })
  for (const text of ['аренды 0.pdf', '… shortened', 'Decide this week'])
    expect(body).toContain(text)
})

test('property: no name of a file ends an element, a link or a mention in any form', () => {
  fc.assert(
    fc.property(hostile_name, (name) => {
      const run = officeRun()
      const assets = run.assets.map((asset) => ({ ...asset, name: `office/${name}` }))
      const message = messageOf({ ...run, assets })
      const html = renderMarkdown(message.text, { p: 'margin:0' })
      expect(
        html.match(/<\/?(?!(?:a|blockquote|br|code|em|h1|h2|hr|li|p|strong|ul)\b)\w+/g),
      ).toBeNull()
      const slack = JSON.parse(slackBody(message)) as { blocks: { text?: { text: string } }[] }
      const texts = slack.blocks.flatMap(({ text }) => text?.text ?? [])
      expect(
        texts
          .join('\n')
          .match(/<(?!https:\/\/(?:sluice|intranet)\.example\.org\/[^<>|]*\|[^<>|]*>)/g),
      ).toBeNull()
      expect(
        plainText(message.text)
          .split('\n')
          .filter((line) => line.startsWith('Run ')),
      ).toEqual([])
      expect(bodiesOf(message)).toEqual(bodiesOf(messageOf({ ...run, assets })))
    }),
    { numRuns: 100 },
  )
})

/** What must be the same at each try. */
function bodiesOf(message: ReturnType<typeof messageOf>): string[] {
  return [slackBody(message), teamsBody(message), plainText(message.text)]
}
