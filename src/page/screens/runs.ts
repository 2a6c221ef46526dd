import type { HttpApp } from '../../base/net/http-server-app.ts'
import { formatCount } from '../../base/text/format.ts'
import { wallText } from '../../base/time/time.ts'
import type { Config } from '../../config/config.ts'
import { isFinal, type RunState, stateText } from '../../domain/run.ts'
import type { DeliveryView, RunView } from '../../ledger/views/view-prompts.ts'
import { differenceOf } from '../../prompts/show/compare-runs.ts'
import { receiverOf, targetsOf, zoneOf } from '../../prompts/show/find-run.ts'
import { reportOf, whyText } from '../../prompts/show/run-answers.ts'
import { type Html, html, nameText, sentenceText, timeText } from '../html/html.ts'
import { actButton, table } from '../html/layout.ts'
import { runDocument } from '../html/run-document.ts'
import { promptPath } from '../html/run-parts.ts'
import type { PageTools } from '../page-tools.ts'
import { type OwnRuns, withOwnRuns } from '../reads/own-runs.ts'
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
      const document =
        run.coverage !== undefined &&
        runDocument(run, own.config, { zone: visit.zone(), base_path })
      const live = html`${state(run, own, base_path)}${document}${deliveries(run, visit, own.config)}`
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

function state(run: RunView, own: OwnRuns, base_path: string): Html {
  const tone = run.state === 'written' ? 'soft' : run.state === 'failed' ? 'verdict bad' : 'verdict'
  const turns =
    run.turns.length > 1 && !isFinal(run.state) && `, turn ${run.turn + 1} of ${run.turns.length}`
  const why = whyText(run)
  const at = `${base_path}/runs/${run.run}`
  const has_diff = run.state === 'written' && own.before(run) !== undefined
  return html`<p class="${tone}">Run ${run.run} of <a href="${base_path}${promptPath(run.prompt)}">${nameText(run.prompt)}</a>,
due ${timeText(run.due_ms)}: ${stateText(run.state, run.empty)}${turns}${why !== undefined && html`: ${sentenceText(why)}`}.</p>
${waiting(run, own.config)}
<p class="links">${run.state === 'written' && html`<a href="${at}/report.md">Download as Markdown</a>`}${
    has_diff && html` · <a href="${at}/diff">Changes since the run before</a>`
  }</p>`
}

const waits: Partial<Record<RunState, string>> = {
  due: 'It waits until its folders are scanned and the files on the way are in',
  planned: 'Its question is about to be sent',
  asking:
    'Its question may have reached the service: Sluice searches for it there before it sends it again',
  asked: 'The service has its question and is answering',
  answered: 'The answer is there, and the report is to be written',
}

/** Says what an open run waits for. */
function waiting(run: RunView, { prompts }: Config): Html | undefined {
  const text = waits[run.state]
  if (text === undefined) return undefined
  const settings = prompts.find(({ name }) => name === run.prompt)
  const until = run.state === 'due' && settings && run.began_ms + settings.wait_for_files_ms
  return html`<p>${text}${typeof until === 'number' && html`, until ${timeText(until)} at the latest`}.${
    run.error && html` The next try is at ${timeText(run.not_before_ms)}.`
  }</p>`
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
