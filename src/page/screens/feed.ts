import { createHash } from 'node:crypto'
import type { HttpApp } from '../../base/net/http-server-app.ts'
import { isoTime, localDate } from '../../base/time/time.ts'
import type { RunView } from '../../ledger/views/view-prompts.ts'
import { zoneOf } from '../../prompts/show/find-run.ts'
import { reportBody } from '../../prompts/show/run-answers.ts'
import { html, markdownText } from '../html/html.ts'
import { promptPath } from '../html/run-parts.ts'
import type { PageTools } from '../page-tools.ts'
import { withOwnRuns } from '../reads/own-runs.ts'
import { send } from '../screen.ts'

/** Feed readers keep what they have read. */
const max_entries = 20
/** Runs among which the written ones are searched; most of a prompt may be skipped. */
const max_searched = 200

/** An Atom feed (RFC 4287) of the reports of each prompt. */
export function serveFeed(app: HttpApp, tools: PageTools): void {
  send(app, tools, '/prompts/:name/feed.xml', async ({ viewer, param, address }) =>
    withOwnRuns(tools, viewer, (own) => {
      const name = param('name')
      const written = own.history(name, 0, max_searched).filter(({ state }) => state === 'written')
      const runs = written.slice(0, max_entries).map(({ run }) => own.run(run))
      const zone = zoneOf(name, tools.config)
      const entries = runs.map((run) => {
        const page = `${address}/runs/${run.run}`
        return html`<entry><id>${urnOf(name, run.due_ms)}</id><title>${name} ${localDate(run.due_ms, zone)}</title>
<updated>${isoTime(endOf(run))}</updated><link rel="alternate" type="text/html" href="${page}"/>
<content type="html">${markdownText(reportBody(run, own.paths).text).text}</content></entry>
`
      })
      const feed = html`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom"><id>${urnOf(name)}</id><title>${name}</title><author><name>Sluice</name></author>
<updated>${isoTime(Math.max(0, ...runs.map(endOf)))}</updated><link rel="self" href="${address}${promptPath(name)}/feed.xml"/>
${entries}</feed>
`
      return { type: 'application/atom+xml', body: feed.text.replace(not_in_xml, '\ufffd') }
    }),
  )

  /** A version 8 UUID (RFC 9562): the same for ever, also at another address of the page. */
  function urnOf(...parts: (string | number)[]): string {
    const digest = createHash('sha256')
      .update(JSON.stringify([tools.config.service.project_id, ...parts]))
      .digest('hex')
    return digest.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, 'urn:uuid:$1-$2-8$3-8$4-$5')
  }
}

function endOf({ ended_ms, due_ms }: RunView): number {
  return ended_ms ?? due_ms
}

/** Characters that XML 1.0 does not allow, and that a report may quote from a file. */
const not_in_xml = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu
