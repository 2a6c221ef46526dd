import type { HttpApp } from '../../base/net/http-server-app.ts'
import { formatCount, formatDuration, formatSpan } from '../../base/text/format.ts'
import { stateText } from '../../domain/run.ts'
import type { RunSummary } from '../../ledger/views/view-prompts.ts'
import { promptOf } from '../../prompts/plan/question.ts'
import { nextTimes } from '../../prompts/plan/schedule.ts'
import type { PromptScope, PromptSettings } from '../../prompts/prompt-settings.ts'
import { callsText, type DryRun, dryRun } from '../../prompts/show/dry-run.ts'
import { whyText } from '../../prompts/show/run-answers.ts'
import { scheduleText } from '../../prompts/show/run-texts.ts'
import { remoteOpener } from '../../remote/open-remote.ts'
import { refuseWhilePaused } from '../../status/daemon-status.ts'
import { withFreshView } from '../../status/with-view.ts'
import type { Viewer } from '../access/viewer.ts'
import { type Html, html, nameText, sentenceText, timeText } from '../html/html.ts'
import { actButton, table } from '../html/layout.ts'
import { filesTable, noReports, promptPath } from '../html/run-parts.ts'
import type { PageTools } from '../page-tools.ts'
import { otherNamesText, withOwnRuns } from '../reads/own-runs.ts'
import { notThere, withDaemon } from '../reads/with-daemon.ts'
import { act, get, notAllowed } from '../screen.ts'

const page_runs = 50
/** Runs are kept for two years. */
const max_from = 20_000

/** The prompts, each with its runs, and a run by hand after a dry run. */
export function servePrompts(app: HttpApp, tools: PageTools): void {
  const { clock, base_path } = tools
  serveDryRuns(app, tools)

  get(app, tools, '/prompts', async ({ viewer }) => {
    const rows = await withOwnRuns(tools, viewer, ({ config: own, left, history }) =>
      [...own.prompts, ...left.map((name) => ({ name, schedule: undefined }))].map(
        ({ name, schedule }) => [
          html`<a href="${base_path}${promptPath(name)}">${nameText(name)}</a>`,
          schedule ? scheduleText(schedule) : 'no longer in the configuration',
          lastRun(history(name, 0, 1)[0], base_path),
          timeText(schedule && nextTimes(schedule, clock.now_ms(), 1)[0]?.at_ms),
        ],
      ),
    )
    const all = table(
      'Questions that are asked on a schedule',
      ['Prompt', 'When', 'Last run', 'Next run'],
      rows,
    )
    return { title: 'Reports', live: rows.length === 0 ? noReports(viewer) : all }
  })

  get(app, tools, '/prompts/:name', async ({ viewer, param, query }) => {
    const name = param('name')
    const from = Math.min(Math.max(0, Math.floor(Number(query('from'))) || 0), max_from)
    return withOwnRuns(tools, viewer, ({ prompt, history, hidesSome, withOtherNames }) => {
      const settings = prompt(name)
      const older = history(name, from + page_runs, 1).length > 0
      const live = html`${settings && nextRuns(settings, clock.now_ms())}
<h2>Runs</h2>${runsTable(history(name, from, page_runs), base_path)}
${older && html`<p><a rel="next" href="${base_path}${promptPath(name)}?from=${from + page_runs}">Older runs</a></p>`}
${hidesSome() && html`<p>Some runs are not shown to you: their chat began before the runs that Sluice keeps, so they may be about other folders.</p>`}
${withOtherNames() > 0 && html`<p>${otherNamesText(withOtherNames())}</p>`}`
      return { title: name, top: settings && about(settings, viewer, base_path), live }
    })
  })
}

/** Runs by hand, after a dry run. */
function serveDryRuns(app: HttpApp, tools: PageTools): void {
  const { config, clock, base_path } = tools

  get(app, tools, '/prompts/:name/dry-run', async ({ viewer, frame, param }) => {
    const settings = await configured(viewer, param('name'))
    const with_remote = { withRemote: remoteOpener(config, clock), now_ms: clock.now_ms() }
    const planned = await withFreshView(config.state_dir, (view) =>
      dryRun(settings, { view, ...with_remote }),
    )
    const top = html`${plan(planned, base_path)}
<p>A run scans the folders first, and waits for files that are on the way. It takes minutes, and the service may charge for it.</p>
${actButton(frame, `${promptPath(settings.name)}/run`, 'Run now')}`
    return { title: `Dry run of ${settings.name}`, top }
  })

  act(app, tools, '/prompts/:name/run', {
    role: 'operator',
    async run({ viewer, param }) {
      const { name } = await configured(viewer, param('name'))
      await refuseWhilePaused(config.state_dir, `${name} is not run`)
      const { due_ms } = await withDaemon(tools, (daemon) => daemon.runPrompt({ prompt: name }))
      const runs = await withOwnRuns(tools, viewer, ({ history }) => history(name, 0, page_runs))
      const run = runs.find((other) => other.due_ms === due_ms)
      return { to: run ? `/runs/${run.run}` : promptPath(name), said: `${name} runs now.` }
    },
  })

  async function configured(viewer: Viewer, name: string): Promise<PromptSettings> {
    const settings = await withOwnRuns(tools, viewer, ({ prompt }) => prompt(name))
    if (viewer.role !== 'operator') throw notAllowed()
    if (!settings) throw notThere()
    return settings
  }
}

function lastRun(run: RunSummary | undefined, base_path: string): Html {
  if (!run) return html`has not run yet`
  const why = whyText(run)
  return html`<a href="${base_path}/runs/${run.run}">${stateText(run.state, run.empty)}</a> ${timeText(run.due_ms)}${why !== undefined && html`: ${sentenceText(why)}`}`
}

function about(
  { name, prompt, scope, schedule }: PromptSettings,
  { role }: Viewer,
  base_path: string,
): Html {
  return html`<h2>Question</h2><pre>${prompt}</pre>
<dl><dt>When</dt><dd>${scheduleText(schedule)}</dd>${scopeOf(scope)}</dl>
<p class="links"><a href="${base_path}${promptPath(name)}/feed.xml">Feed of the reports</a>${
    role === 'operator' &&
    html` · <a href="${base_path}${promptPath(name)}/dry-run">Dry run: what would be asked now?</a>`
  }</p>`
}

function scopeOf({ fresh, ...kinds }: PromptScope): Html {
  const span = typeof fresh === 'object' && `what came in within ${formatDuration(fresh.within_ms)}`
  const what = span || (fresh === 'all' ? 'everything' : 'what came in since the last report')
  const named = Object.entries(kinds).filter(([, names]) => names.length > 0)
  return html`<dt>Asked about</dt><dd>${what}</dd>${named.map(
    ([kind, names]) =>
      html`<dt>In ${kind}</dt><dd>${names.map((name) => html`${nameText(name)} `)}</dd>`,
  )}`
}

function nextRuns({ schedule }: PromptSettings, now_ms: number): Html {
  const times = nextTimes(schedule, now_ms)
  if (times.length === 0) return html`<p>Its schedule has no further time.</p>`
  return html`<h2>Next runs</h2><ul>${times.map(({ at_ms }) => html`<li>${timeText(at_ms)}</li>`)}</ul>`
}

function runsTable(runs: readonly RunSummary[], base_path: string): Html {
  if (runs.length === 0) return html`<p>It has not run yet.</p>`
  const rows = runs.map((run) => [
    html`<a href="${base_path}/runs/${run.run}">${timeText(run.due_ms)}</a>`,
    html`<span class="${(run.state === 'failed' || run.empty) && 'bad'}">${stateText(run.state, run.empty)}</span>`,
    formatCount(run.files),
    run.ended_ms === undefined ? '' : formatSpan(run.began_ms, run.ended_ms),
    whyText(run) ?? '',
  ])
  return table('The newest first', ['Due', 'State', 'Files', 'Took', 'Why'], rows)
}

function plan(planned: DryRun, base_path: string): Html {
  const { why, coverage, bodies, assets, copies, notes } = planned
  if (why !== undefined)
    return html`<p class="verdict warn">Nothing would be asked now: ${why}.</p>`
  return html`<p class="verdict">${coverage ?? ''}</p>
${notes.length > 0 && html`<ul>${notes.map((note) => html`<li>${note}</li>`)}</ul>`}
<p>It would take ${callsText(planned)}.</p>
<h2>Question</h2>${bodies.map((body) => html`<pre>${promptOf(body)}</pre>`)}
${filesTable('The files that it would be asked over', assets, copies, base_path)}`
}
