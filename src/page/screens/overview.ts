import type { HttpApp } from '../../base/net/http-server-app.ts'
import { formatCount } from '../../base/text/format.ts'
import { stateText } from '../../domain/run.ts'
import type { Stage, StageWanted } from '../../ledger/views/view-files.ts'
import { amountOf, sumOfAttention, underway } from '../../status/folders.ts'
import type { StatusView } from '../../status/view.ts'
import { type Html, html, nameText, sentenceText, timeText } from '../html/html.ts'
import { table } from '../html/layout.ts'
import { noReports, promptPath } from '../html/run-parts.ts'
import type { PageTools } from '../page-tools.ts'
import { attentionIn, no_daemon, not_known, verdictText } from '../reads/attention.ts'
import { type LastReports, lastReports } from '../reads/last-reports.ts'
import { ownStatus, sharedStatus } from '../reads/own-status.ts'
import { get } from '../screen.ts'

/** The verdict on all files, the problems for a user, and the facts of the last reports. */
export function serveOverview(app: HttpApp, tools: PageTools): void {
  get(app, tools, '/', async ({ viewer, is_refresh }) => {
    const status = await (is_refresh ? sharedStatus : ownStatus)(tools, viewer)
    const reports = await lastReports(tools, viewer, status)
    const live = html`${verdict(status)}${todo(status, tools)}
<h2>Folders</h2>${folders(status, tools)}
<h2>Reports</h2>${status.prompts.length === 0 ? noReports(viewer) : prompts(status, reports, tools)}`
    return { title: 'Overview', live }
  })
}

/** Says in one sentence whether everything is in. */
export function verdict(status: StatusView): Html {
  const { verdict: is, stale_since, daemon } = status
  if (is === 'stale') return html`<p class="verdict bad">${not_known} ${timeText(stale_since)}.</p>`
  const tone = is === 'all_ready' ? 'good' : is === 'refused' ? 'bad' : 'warn'
  const stopped = daemon.state !== 'running' && html`<p class="bad">${no_daemon}</p>`
  return html`<p class="verdict ${tone}">${verdictText(status)}</p>${stopped}`
}

/** Lists what a user should know or do; files lead to their problems. */
function todo(status: StatusView, { base_path }: PageTools): Html | undefined {
  const entries = attentionIn(status).map(({ message, hint, since, state, count }) =>
    since !== null
      ? html`${sentenceText(message)} (since ${timeText(since)}). ${sentenceText(hint ?? '')}`
      : state === null
        ? html`${sentenceText(message)}.`
        : html`<a href="${base_path}/problems">${formatCount(count ?? 0)} ${stageText(state)}</a>: ${sentenceText(message)}`,
  )
  if (entries.length === 0) return undefined
  return html`<h2>What needs attention</h2><ul>${entries.map((entry) => html`<li>${entry}</li>`)}</ul>`
}

export function stageText(stage: StageWanted): string {
  return stage.replaceAll('_', ' ')
}

function folders({ folders: all }: StatusView, { base_path }: PageTools): Html {
  if (all.length === 0)
    return html`<p>You may see no folder yet. Ask the administrator for one.</p>`
  const rows = all.map((folder) => {
    const { name, state, reason, since, last_scan } = folder
    const number = (...stages: Stage[]) => formatCount(amountOf([folder], stages).files)
    const where =
      state === 'offline'
        ? html`<span class="bad">offline since ${timeText(since)}: ${sentenceText(reason ?? '')}</span>`
        : state
    return [
      html`<a href="${base_path}/files?folder=${encodeURIComponent(name)}">${nameText(name)}</a>`,
      html`${where}`,
      number('ready'),
      number(...underway),
      formatCount(sumOfAttention([folder])),
      timeText(last_scan?.ended),
    ]
  })
  return table(
    'Files of each folder',
    ['Folder', 'State', 'In', 'On the way', 'Attention', 'Last scan'],
    rows,
  )
}

function prompts(
  { prompts: all }: StatusView,
  reports: LastReports,
  { base_path }: PageTools,
): Html {
  const linkTo = ({ run, line }: { run: number; line: string }) =>
    html`<a href="${base_path}/runs/${run}">${sentenceText(line)}</a>`
  const rows = all.map(({ name, next, last_run, undelivered }) => [
    html`<a href="${base_path}${promptPath(name)}">${nameText(name)}</a>`,
    html`${reports.has(name) && linkTo(reports.get(name)!)}`,
    last_run
      ? html`<a href="${base_path}/runs/${last_run.run}">${stateText(last_run.state, last_run.empty)}</a> ${timeText(last_run.due)}${last_run.why !== null && html`: ${sentenceText(last_run.why)}`}`
      : 'has not run yet',
    html`${undelivered.length > 0 && html`<span class="bad">${undelivered.length} not delivered</span>`}`,
    timeText(next),
  ])
  return table('The prompts', ['Prompt', 'Last report', 'Last run', 'Deliveries', 'Next run'], rows)
}
