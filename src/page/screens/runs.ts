import type { Paths } from '../../base/files/paths.ts'
import type { HttpApp } from '../../base/net/http-server-app.ts'
import { counted, formatCount } from '../../base/text/format.ts'
import { wallText } from '../../base/time/time.ts'
import type { Config } from '../../config/config.ts'
import { isFinal, stateText } from '../../domain/run.ts'
import type { DeliveryView, RunView } from '../../ledger/views/view-prompts.ts'
import { coverageOf } from '../../prompts/report/report.ts'
import { differenceOf } from '../../prompts/show/compare-runs.ts'
import { receiverOf, targetsOf, zoneOf } from '../../prompts/show/find-run.ts'
import { reportBody, reportOf, whyText } from '../../prompts/show/run-answers.ts'
import { type Html, html, markdownText, nameText, sentenceText, timeText } from '../html/html.ts'
import { actButton, table } from '../html/layout.ts'
import { filesTable, max_rows, promptPath } from '../html/run-parts.ts'
import type { PageTools } from '../page-tools.ts'
import { withOwnRuns } from '../reads/own-runs.ts'
import { notThere, withDaemon } from '../reads/with-daemon.ts'
import { act, get, send, type Visit } from '../screen.ts'

/** One run: its report, what it covers, where it was delivered, and what changed since the last. */
export function serveRuns(app: HttpApp, tools: PageTools): void {
  const { config, base_path } = tools
  serveDifferences(app, tools)
  const nameOf = ({ prompt, due_ms }: RunView) =>
    `${prompt} ${wallText(due_ms, zoneOf(prompt, config))}`

  get(app, tools, '/runs/:id', async (visit) =>
    withOwnRuns(tools, visit.viewer, (own) => {
      const run = own.run(Number(visit.param('id')))
      const live = html`${state(run, own.before(run) !== undefined, base_path)}${report(run, own.paths)}
${run.coverage !== undefined && coverage(run)}
${filesTable('Files that it covers', run.planned_assets, coverageOf(run).copies, base_path)}${refused(run)}${deliveries(run, visit, own.config)}`
      const is_settled =
        isFinal(run.state) && run.deliveries.every((delivery) => delivery.state !== 'wanted')
      return { ...titled(run), live, is_settled }
    }),
  )

  send(app, tools, '/runs/:id/report.md', async ({ viewer, param }) =>
    withOwnRuns(tools, viewer, (own) => {
      const run = own.run(Number(param('id')))
      if (run.state !== 'written') throw notThere()
      return {
        type: 'text/markdown',
        body: reportOf(run, own.paths).text,
        save_as: `${nameOf(run).replace(/[^\w.-]/g, '-')}.md`,
      }
    }),
  )

  act(app, tools, '/runs/:id/deliver', {
    role: 'operator',
    async run({ viewer, param, field }) {
      const run = await withOwnRuns(tools, viewer, (own) => own.run(Number(param('id'))))
      const targets = targetsOf(run, field('target'), config)
      if (targets.length > 0)
        await withDaemon(tools, (daemon) => daemon.deliverAgain({ run: run.run, targets }))
      const said =
        targets.length > 0
          ? `Sluice sends it to ${receiverOf({ prompt: run.prompt, target: field('target') }, config)} again.`
          : 'It has arrived there already.'
      return { to: `/runs/${run.run}`, said }
    },
  })
}

function serveDifferences(app: HttpApp, tools: PageTools): void {
  const { base_path } = tools
  get(app, tools, '/runs/:id/diff', async ({ viewer, param }) =>
    withOwnRuns(tools, viewer, (own) => {
      const run = own.run(Number(param('id')))
      const before = own.before(run)
      if (!before) throw notThere()
      const { patch, added, removed } = differenceOf(before, run, own.config)
      const files = [
        ...added.map((name) => `+ file ${name}`),
        ...removed.map((name) => `- file ${name}`),
      ]
      const lines = [
        ...(patch === '' ? ['The answers are the same.'] : patch.trimEnd().split('\n').slice(2)),
        ...files,
      ]
      const linkTo = ({ run: id, due_ms }: RunView) =>
        html`<a href="${base_path}/runs/${id}">${timeText(due_ms)}</a>`
      const top = html`<p>The report of ${linkTo(run)}, compared with that of ${linkTo(before)}.</p>
<pre>${lines.map(diffLine)}</pre>`
      return {
        title: `Changes: ${titled(run).title}`,
        heading: html`Changes in ${titled(run).heading}`,
        top,
      }
    }),
  )
}

/** The time is in the heading alone, where it is shown in the reader's zone. */
function titled({ run, prompt, due_ms }: RunView): { title: string; heading: Html } {
  return {
    title: `Run ${run} of ${prompt}`,
    heading: html`${nameText(prompt)}, ${timeText(due_ms)}`,
  }
}

function state(run: RunView, has_before: boolean, base_path: string): Html {
  const tone = run.state === 'written' ? 'soft' : run.state === 'failed' ? 'verdict bad' : 'verdict'
  const turns =
    run.turns.length > 1 && !isFinal(run.state) && `, turn ${run.turn + 1} of ${run.turns.length}`
  const why = whyText(run)
  const at = `${base_path}/runs/${run.run}`
  return html`<p class="${tone}">Run ${run.run} of <a href="${base_path}${promptPath(run.prompt)}">${nameText(run.prompt)}</a>,
due ${timeText(run.due_ms)}: ${stateText(run.state, run.empty)}${turns}${why !== undefined && `: ${why}`}.</p>
<p class="links">${run.state === 'written' && html`<a href="${at}/report.md">Download as Markdown</a>`}${
    has_before &&
    run.state === 'written' &&
    html` · <a href="${at}/diff">Changes since the run before</a>`
  }</p>`
}

function report(run: RunView, paths: Paths): Html | undefined {
  const { text, lost } = reportBody(run, paths)
  if (text === '') return undefined
  return html`${lost !== undefined && html`<p class="warn">Its file cannot be read. This is the answer as Sluice keeps it.</p>`}
<article dir="auto">${markdownText(text)}</article>`
}

const stages = ['refused', 'moving', 'on_the_way', 'blocked', 'removed'] as const

function coverage(run: RunView): Html {
  const whole = coverageOf(run)
  const { ready, taken, left_for_next, left_are, folders } = whole
  const rows = [
    ['ready', formatCount(ready), ''],
    ['in this report', formatCount(taken), ''],
    [left_are, formatCount(left_for_next), ''],
    ...stages.map((stage) => {
      const { total, files } = whole[stage]
      return [
        stage.replaceAll('_', ' '),
        formatCount(total),
        html`${files.map(({ name }) => html`${nameText(name)} `)}`,
      ]
    }),
  ].filter(([, count]) => count !== '0')
  const scans = folders.map(({ name, scanned_ms, offline_reason }) => [
    nameText(name),
    timeText(scanned_ms),
    offline_reason === undefined ? 'online' : html`<span class="bad">${offline_reason}</span>`,
  ])
  return html`<h2>How complete it is</h2>${table('Files by state', ['State', 'Files', 'Names'], rows)}
${table('Folders in its scope', ['Folder', 'Last scan', 'State'], scans)}`
}

function refused(run: RunView): Html | undefined {
  const { total, files } = coverageOf(run).refused
  if (total === 0) return undefined
  const rows = files
    .slice(0, max_rows)
    .map(({ name, why = '' }) => [nameText(name), sentenceText(why)])
  return html`<h2>Refused</h2>${table(counted(total, 'file'), ['File', 'Why'], rows)}`
}

function deliveries(run: RunView, { viewer, frame }: Visit, config: Config): Html | undefined {
  if (run.deliveries.length === 0) return undefined
  const is_operator = viewer.role === 'operator'
  const rows = run.deliveries.map((delivery) => {
    const { target, state, error, attempts } = delivery
    const again =
      is_operator &&
      state !== 'done' &&
      actButton(frame, `/runs/${run.run}/deliver`, 'Send again', { target })
    // An error may name hosts and directories, which are the operator's.
    return [
      sentenceText(receiverOf(delivery, config, !is_operator)),
      deliveryState(delivery),
      formatCount(attempts),
      html`${is_operator && error?.message}`,
      html`${again}`,
    ]
  })
  return html`<h2>Deliveries</h2>${table('Where the report goes', ['To', 'State', 'Tries', 'Last error', ''], rows)}`
}

function deliveryState({ state, ended_ms, not_before_ms }: DeliveryView): Html {
  if (state === 'done') return html`<span class="good">delivered</span> ${timeText(ended_ms)}`
  if (state === 'failed') return html`<span class="bad">given up</span> ${timeText(ended_ms)}`
  return html`waits; the next try is at ${timeText(not_before_ms)}`
}

function diffLine(line: string): Html {
  if (line.startsWith('@@')) return html`<span class="soft">…</span>\n`
  const tone = line.startsWith('+') ? 'good' : line.startsWith('-') ? 'bad' : ''
  const parts = line.split('\t').map((part, at) => html`${at > 0 && '\t'}${sentenceText(part)}`)
  return html`<span class="${tone}">${parts}</span>\n`
}
