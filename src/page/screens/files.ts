import type { HttpApp } from '../../base/net/http-server-app.ts'
import { formatBytes } from '../../base/text/format.ts'
import { day_ms } from '../../base/time/time.ts'
import { type FileView, stages } from '../../ledger/views/view-files.ts'
import { noLedgerYet } from '../../status/with-view.ts'
import { configFor } from '../access/viewer.ts'
import { type Html, html, nameText, timeText } from '../html/html.ts'
import { filePath, table } from '../html/layout.ts'
import type { PageTools } from '../page-tools.ts'
import { withSearchView } from '../reads/search-files.ts'
import { max_query_chars } from '../reads/search-words.ts'
import { notThere } from '../reads/with-daemon.ts'
import { get } from '../screen.ts'
import { stageText } from './overview.ts'

const page_files = 100
/** An answer that takes no longer than 10 ms may be made again every five seconds. */
const max_live_rows = 10_000

/** Finds files by a part of their name or path. */
export function serveFiles(app: HttpApp, tools: PageTools): void {
  const { base_path, config, clock } = tools
  get(app, tools, '/files', async ({ viewer, query }) => {
    const all = configFor(config, viewer).folders
    const q = query('q').slice(0, max_query_chars)
    const [folder, state, since] = [query('folder'), query('state'), query('since')]
    const folders = all.filter(({ name }) => folder === '' || folder === name)
    if (folder !== '' && folders.length === 0) throw notThere()
    const after = query('after') === '' ? undefined : { folder: query('after_folder'), path: query('after') }
    const wanted = stages.filter((stage) => stage === state)
    const search = { folders, query: q, stages: wanted, since_ms: startOf(since), after, limit: page_files }
    const found = await withSearchView(config.state_dir, (view) => view?.search(search))
    const linkTo = (to: Record<string, string>) =>
      `${base_path}/files?${new URLSearchParams({ q, folder, state, since, ...to })}`
    const last = found?.files.at(-1)
    const live = !found
      ? html`<p>Nothing is known yet: ${noLedgerYet(config.state_dir)}.</p>`
      : !last
        ? nothingFound(linkTo({ folder: '', state: '', since: '' }), q + state + since === '')
        : html`${table('Files, by folder and path', columns, found.files.map(rowOf(base_path)))}
${found.has_more && html`<p><a rel="next" href="${linkTo({ after_folder: last.folder, after: last.path })}">The next ${page_files}</a></p>`}`
    const form = searchForm({ q, folder, state, since }, all, base_path)
    const days = Object.entries(quickDays(clock.now_ms()))
    const links = html`<p>Came in ${days.map(([words, day]) => html`<a href="${linkTo({ since: day })}">${words}</a> `)}</p>`
    return { title: 'Files', top: html`${form}${links}`, live, is_settled: (found?.rows_read ?? 0) > max_live_rows }
  })
}

/** Unix ms of the first moment of a day such as 2026-03-01, in the zone of this machine. */
function startOf(day: string): number | undefined {
  return (/^\d{4}-\d\d-\d\d$/.test(day) && Date.parse(`${day}T00:00`)) || undefined
}

function quickDays(now_ms: number): Record<string, string> {
  // Sweden writes days as forms do.
  const before = (days: number) => new Date(now_ms - days * day_ms).toLocaleDateString('sv')
  const since_monday = (new Date(now_ms).getDay() + 6) % 7
  return { today: before(0), 'since Monday': before(since_monday), 'in the last 7 days': before(7) }
}

type Asked = Record<'q' | 'folder' | 'state' | 'since', string>

function searchForm({ q, folder, state, since }: Asked, folders: readonly { name: string }[], base_path: string): Html {
  const option = (value: string, words: string, chosen = '') =>
    html`<option value="${value}"${value === chosen && html` selected`}>${words}</option>`
  return html`<form class="line" role="search" action="${base_path}/files" hx-get="${base_path}/files" hx-target="#live" hx-select="#live"
 hx-trigger="submit, input changed delay:400ms from:find input, change" hx-swap="outerHTML" hx-sync="this:replace" hx-replace-url="true">
<label>Part of a name or path <input type="search" name="q" value="${q}" maxlength="${max_query_chars}"></label>
<label>Folder <select name="folder">${option('', 'all')}${folders.map(({ name }) => option(name, name, folder))}</select></label>
<label>State <select name="state">${option('', 'all')}${stages.map((stage) => option(stage, stageText(stage), state))}</select></label>
<label>Came in since <input type="date" name="since" value="${since}"></label>
<button>Find</button></form>`
}

const columns = ['Name', 'Folder', 'State', 'Size', 'Modified', 'In since']

function rowOf(base_path: string) {
  return ({ folder, path, stage, size, mtime_ns, ready_ms }: FileView) => {
    const name = html`<a href="${base_path}${filePath({ folder, path })}">${nameText(path)}</a>`
    const times = [timeText(Number(mtime_ns / 1_000_000n)), timeText(ready_ms)]
    return [name, nameText(folder), stageText(stage), formatBytes(size), ...times]
  }
}

function nothingFound(wider: string, is_all: boolean): Html {
  if (is_all) return html`<p>Sluice knows no file here yet. Save one in a folder: it shows here once it was seen.</p>`
  return html`<p>No file has all of this. A shorter part of its name may find it, or <a href="${wider}">all folders, states and times</a>.</p>
<p>A file that an ignore rule leaves out is not listed: <code>sluice explain PATH</code> says why.</p>`
}
