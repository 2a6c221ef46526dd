import { basename } from 'node:path'
import type { HttpApp } from '../../base/net/http-server-app.ts'
import { formatBytes, printable } from '../../base/text/format.ts'
import { filePath } from '../../domain/file.ts'
import type { Explanation } from '../../inspect/explain/explain.ts'
import type { Place } from '../../inspect/files/place.ts'
import { withPassView } from '../../status/with-view.ts'
import { capital, type Html, html, nameText, sentenceText, timeText } from '../html/html.ts'
import { actButton, fileLink, type Screen } from '../html/layout.ts'
import type { PageTools } from '../page-tools.ts'
import { ownExplanation } from '../reads/own-explanation.ts'
import { get, type Visit } from '../screen.ts'

const tones: Partial<Record<Explanation['state'], string>> = {
  ready: 'good',
  refused: 'bad',
  unknown: 'bad',
}

const both_acts = ['retried', 'accepted'] as const

/** The state of one file, the reason, and the next step. */
export function serveFile(app: HttpApp, tools: PageTools): void {
  get(app, tools, '/file', (visit) =>
    fileScreen(tools, visit, { folder: visit.query('folder'), path: visit.query('path') }),
  )
}

/** Error `page.not_there`: the viewer does not see this folder, or the path leads out of it. */
export async function fileScreen(
  tools: PageTools,
  { viewer, frame }: Visit,
  place: Place,
): Promise<Screen> {
  const { base_path, config, clock } = tools
  const file = await ownExplanation(tools, viewer, place)
  const acts = viewer.role === 'operator' && file.state !== 'ready' ? both_acts : []
  const useful = await withPassView(config.state_dir, (pass) =>
    acts.filter((type) => pass && pass.reachedBy({ type, ...place }, clock.now_ms()).files > 0),
  )
  const back = filePath(place)
  const live = html`<p class="verdict ${tones[file.state] ?? 'warn'}">${capital(verdictOf(file))}</p>
<ul>${file.why.map((sentence) => html`<li>${sentenceText(capital(sentence))}</li>`)}</ul>
${useful.includes('retried') && actButton(frame, '/retry', 'Retry', { ...place, back })}
${useful.includes('accepted') && actButton(frame, '/accept', 'Upload it all the same', { ...place, back })}
${file.on_disk.kind === 'directory' && html`<p><a href="${base_path}/files?${filesBelow(place)}">The files in it</a></p>`}
<h2>The file</h2>${factsOf(file, base_path)}
<h2>What happened</h2>${timeline(file)}${details(file)}`
  const name = basename(place.path) || place.folder
  return {
    title: printable(name),
    heading: nameText(name),
    // A refresh takes an answer other than 200 for a failure.
    ...(file.state === 'unknown' ? { top: live, status: 404 } : { live }),
  }
}

function filesBelow({ folder, path }: Place): string {
  return String(new URLSearchParams({ folder, q: path }))
}

/** The state in a word. What keeps scans from the path says more than that they do not know it. */
function verdictOf({ state, obstacle, on_disk }: Explanation): string {
  if (state !== 'special' && state !== 'unknown') return state.replaceAll('_', ' ')
  if (obstacle) return obstacles[obstacle.kind]
  return state === 'special' ? on_disk.kind : state
}

const obstacles = { link: 'linked', closed: 'closed', odd_name: 'name not in UTF-8' } as const

function factsOf(file: Explanation, base_path: string): Html {
  const {
    folder,
    path,
    on_disk,
    next_try,
    last_error,
    same_bytes,
    label_settings,
    older_versions,
  } = file
  const labels = label_settings.map(({ label, setting }) =>
    setting === null ? label : `${label} (${setting})`,
  )
  const facts: Fact[] = [
    [
      'Folder',
      html`<a href="${base_path}/files?${String(new URLSearchParams({ folder }))}">${nameText(folder)}</a>`,
    ],
    ['Path', nameText(path)],
    ['Size', on_disk.kind === 'file' && on_disk.size !== null && formatBytes(on_disk.size)],
    ['Modified', on_disk.modified !== null && timeText(on_disk.modified)],
    ['Next try', next_try !== null && timeText(next_try)],
    ['Last error', last_error !== null && sentenceText(last_error.message)],
    ['Labels', labels.length > 0 && sentenceText(labels.join(', '))],
    [
      'Same bytes',
      same_bytes.length > 0 &&
        html`${same_bytes.map((copy) => html`${fileLink(base_path, copy)} `)}`,
    ],
    [
      'Older versions that still answer',
      older_versions.length > 0 && String(older_versions.length),
    ],
  ]
  return list(facts)
}

/** Lists codes and ids, for a user who searches for the cause. */
function details({ last_error, asset_id, md5 }: Explanation): Html | undefined {
  const codes: Fact[] = [
    ['Error code', last_error?.code ?? false],
    ['Asset', asset_id ?? false],
    ['MD5', md5 ?? false],
  ]
  const has_any = codes.some(([, value]) => value !== false)
  return has_any ? html`<h2>Details</h2>${list(codes)}` : undefined
}

type Fact = readonly [name: string, value: Html | string | false]

function list(facts: readonly Fact[]): Html {
  const known = facts.filter(([, value]) => value !== false)
  return html`<dl>${known.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`
}

/** Events as users see them. Those of a file and of its bytes may be the same. */
function wordsOf(event: string): string {
  if (event === 'sent' || event === 'bytes_accepted') return 'uploaded'
  if (event === 'slot_reserved') return 'upload begins'
  return event === 'ingest_started'
    ? 'the service reads it'
    : event.replace(/^(asset|content)_/, '').replaceAll('_', ' ')
}

function timeline({ times, history }: Explanation): Html {
  const own = Object.entries(times ?? {}).flatMap(([event, at]) =>
    at === null ? [] : [{ at, event, detail: null }],
  )
  const different = new Map(
    [...own, ...history].map((each) => [`${each.at} ${wordsOf(each.event)}`, each]),
  )
  const events = [...different.values()].sort((a, b) => a.at.localeCompare(b.at))
  if (events.length === 0) return html`<p>Sluice has recorded nothing of it.</p>`
  return html`<ol>${events.map(({ at, event, detail }) => html`<li>${timeText(at)} ${wordsOf(event)}${detail !== null && html`: ${sentenceText(detail)}`}</li>`)}</ol>`
}
