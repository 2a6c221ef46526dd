import type { HttpApp } from '../../base/net/http-server-app.ts'
import { formatBytes } from '../../base/text/format.ts'
import { parseTime_ms } from '../../base/time/parse-time.ts'
import { day_ms, isoTime, localDate, zoneOffset_ms } from '../../base/time/time.ts'
import { filePath } from '../../domain/file.ts'
import { amountRead } from '../../domain/reading.ts'
import { type FileView, stages_wanted } from '../../ledger/views/view-files.ts'
import { noLedgerYet } from '../../status/with-view.ts'
import { configFor, seenBy } from '../access/viewer.ts'
import { type Html, html, nameText, timeText } from '../html/html.ts'
import { table } from '../html/layout.ts'
import type { PageTools } from '../page-tools.ts'
import { type Cursor, withSearchView } from '../reads/search-files.ts'
import { max_query_chars } from '../reads/search-words.ts'
import { notThere } from '../reads/with-daemon.ts'
import { get, type Visit } from '../screen.ts'
import { stageText } from './overview.ts'

const page_files = 100
/** An answer that takes no longer than 10 ms may be made again every five seconds. */
const max_live_rows = 10_000

/** Finds files by a part of their name or path. */
export function serveFiles(app: HttpApp, tools: PageTools): void {
  const { base_path, config, clock } = tools
  get(app, tools, '/files', async (visit) => {
    const { viewer, query } = visit
    const all = configFor(config, viewer).folders
    const q = query('q').slice(0, max_query_chars)
    const folder = query('folder')
    const state = query('state')
    const since = query('since')
    const folders = all.filter(({ name }) => folder === '' || folder === name)
    if (folder !== '' && folders.length === 0) throw notThere()
    const zone = visit.zone()
    const since_ms = startOf(since, zone)
    const wanted = stages_wanted.filter((stage) => stage === state)
    const search = {
      folders,
      query: q,
      stages: wanted,
      since_ms,
      after: cursorIn(visit),
      limit: page_files,
      sees: seenBy(viewer),
    }
    const found = await withSearchView(config.state_dir, (view) => view?.search(search))
    const linkTo = (to: Record<string, string>) =>
      `${base_path}/files?${new URLSearchParams({ q, folder, state, since, ...to })}`
    const days = Object.entries(daysBefore(clock.now_ms(), zone))
    const links = days.map(
      ([words, day]) => html`<a href="${linkTo({ since: day })}">${words}</a> `,
    )
    const order = since_ms === undefined ? 'by folder and path' : 'the newest first'
    const answer = !found
      ? html`<p>Nothing is known yet${viewer.role === 'operator' && `: ${noLedgerYet(config.state_dir)}`}.</p>`
      : found.files.length > 0
        ? table(`Files, ${order}`, columns, found.files.map(rowOf(base_path)))
        : nothingFound(linkTo({ folder: '', state: '', since: '' }), q + state + since === '')
    const next = found?.next
    const further =
      next && linkTo({ after_folder: next.folder, after: next.path, seq: String(next.seq ?? 0) })
    const ignored = [wanted.length === 0 ? state : '', since_ms === undefined ? since : ''].filter(
      Boolean,
    )
    // The links are in the part that follows what is typed, because they keep it.
    const live = html`<p class="soft">Came in ${links} (days in ${zone}). Listed ${order}.</p>
${ignored.map((text) => html`<p class="warn">There is no state or day ${nameText(text)}: it does not narrow the list.</p>`)}
${answer}${further && html`<p><a rel="next" href="${further}">Look further</a></p>`}`
    const top = searchForm({ q, folder, state, since }, all, base_path)
    return { title: 'Files', top, live, is_settled: (found?.rows_read ?? 0) > max_live_rows }
  })
}

function cursorIn({ query }: Visit): Cursor | undefined {
  const cursor = {
    folder: query('after_folder'),
    path: query('after'),
    seq: Number(query('seq')) || 0,
  }
  return cursor.path === '' && cursor.seq === 0 ? undefined : cursor
}

/** Unix ms of the first moment of a day such as 2026-03-01. */
function startOf(day: string, zone: string): number | undefined {
  const utc_ms = /^\d{4}-\d\d-\d\d$/.test(day) ? parseTime_ms(day) : Number.NaN
  if (Number.isNaN(utc_ms)) return undefined
  // The offset of that moment, which is not that of midnight in UTC where summer time begins.
  return utc_ms - zoneOffset_ms(utc_ms - zoneOffset_ms(utc_ms, zone), zone)
}

function daysBefore(now_ms: number, zone: string): Record<string, string> {
  const today_ms = Date.parse(`${localDate(now_ms, zone)}T00:00Z`)
  const before = (days: number) => isoTime(today_ms - days * day_ms).slice(0, 10)
  const since_monday = (new Date(today_ms).getUTCDay() + 6) % 7
  return { today: before(0), 'since Monday': before(since_monday), 'in the last 7 days': before(7) }
}

type Asked = Record<'q' | 'folder' | 'state' | 'since', string>

function searchForm(
  { q, folder, state, since }: Asked,
  folders: readonly { name: string }[],
  base_path: string,
): Html {
  const option = (value: string, words: string, chosen = '') =>
    html`<option value="${value}"${value === chosen && html` selected`}>${words}</option>`
  return html`<form class="line" role="search" aria-label="Files" action="${base_path}/files" hx-get="${base_path}/files" hx-target="#live" hx-select="#live"
 hx-trigger="submit, input changed delay:400ms from:find input, change" hx-swap="outerHTML" hx-sync="this:replace" hx-replace-url="true">
<label>Part of a name or path <input type="search" name="q" value="${q}" maxlength="${max_query_chars}"></label>
<label>Folder <select name="folder">${option('', 'all')}${folders.map(({ name }) => option(name, name, folder))}</select></label>
<label>State <select name="state">${option('', 'all')}${stages_wanted.map((stage) => option(stage, stageText(stage), state))}</select></label>
<label>Came in since <input type="date" name="since" value="${since}"></label>
<button>Find</button></form>`
}

const columns = ['Name', 'Folder', 'State', 'Size', 'Modified', 'In since']

function rowOf(base_path: string) {
  return ({ folder, path, stage, size, mtime_ns, ready_ms, reading }: FileView) => {
    const name = html`<a href="${base_path}${filePath({ folder, path })}">${nameText(path)}</a>`
    const times = [timeText(Number(mtime_ns / 1_000_000n)), timeText(ready_ms)]
    const shown = amountRead(reading) === 'in_part' ? 'ready_in_part' : stage
    return [name, nameText(folder), stageText(shown), formatBytes(size), ...times]
  }
}

function nothingFound(wider: string, is_all: boolean): Html {
  if (is_all)
    return html`<p>Sluice knows no file here yet. Save one in a folder: it shows here once it was seen.</p>`
  return html`<p>No file has all of this. A shorter part of its name may find it, or <a href="${wider}">all folders, states and times</a>.</p>
<p>A file that an ignore rule leaves out is not listed. The box at the top of the page says which rule: by its name if it is in the first level of a folder, else by its whole path, FOLDER/PATH.</p>`
}
