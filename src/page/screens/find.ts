import { askingPaths } from '../../base/files/ask-paths.ts'
import type { HttpApp } from '../../base/net/http-server-app.ts'
import { noPlace, pathFault, withoutQuotes } from '../../inspect/files/no-place.ts'
import type { Place } from '../../inspect/files/place.ts'
import { stages } from '../../ledger/views/view-files.ts'
import { configFor, seenBy } from '../access/viewer.ts'
import { capital, type Html, html, nameText } from '../html/html.ts'
import { fileLink, type Screen } from '../html/layout.ts'
import type { PageTools } from '../page-tools.ts'
import { pathAsked } from '../reads/path-asked.ts'
import { placeAsked, placesAtTop } from '../reads/place-asked.ts'
import { type Found, withSearchView } from '../reads/search-files.ts'
import { get, type Visit } from '../screen.ts'
import { fileScreen } from './file.ts'

/** As users write a path of any machine: `/docs`, `~/docs`, `Z:\docs`, `\\server\docs`. */
const elsewhere = /^(?:\/|~\/|\\\\|[a-z]:[\\/]|[a-z]+:\/\/)/i
/** Characters of a long text in the heading. */
const max_shown = 200

/** Is it in, and why not: for any path, from the box on every screen. A name is searched. */
export function serveFind(app: HttpApp, tools: PageTools): void {
  get(app, tools, '/find', async (visit) => {
    const text = withoutQuotes(visit.query('path'))
    const fault = pathFault(pathAsked(text))
    if (fault !== undefined)
      return answer(text, html`<p class="verdict bad">No path</p><p>${capital(fault)}.</p>`)
    const place = await placeAsked(text, { config: tools.config, viewer: visit.viewer })
    const is_outside = elsewhere.test(text)
    const is_name = place === undefined && text !== '' && !is_outside
    const called = is_name ? await filesCalled(text, tools, visit) : undefined
    const at_top = is_name && !called?.files.length ? await placesCalled(text, tools, visit) : []
    const [named, ...others] =
      called?.next === undefined ? [...(called?.files ?? []), ...at_top] : []
    const meant = place ?? (others.length === 0 ? named : undefined)
    // It answers the question, also where the answer is that nothing is there.
    if (meant) return { ...(await fileScreen(tools, visit, meant)), status: 200 }
    if (others.length > 0) return answer(text, severalHtml(at_top, tools))
    const top = noPlaceHtml(text, is_outside, tools, visit)
    if (is_outside || (top && called?.files.length === 0)) return answer(text, top)
    const are_gone = called?.files[0]?.stage === 'gone'
    return { ...answer(text, top), to: searchFor(text, are_gone ? { state: 'gone' } : {}) }
  })
}

function answer(text: string, top: Html | undefined): Screen {
  const shown = text.length > max_shown ? `${text.slice(0, max_shown)}…` : text
  return { title: 'Is it in?', heading: nameText(shown), top }
}

function searchFor(q: string, more: { state?: 'gone' } = {}): string {
  return `/files?${new URLSearchParams({ q, ...more })}`
}

function severalHtml(places: readonly Place[], { base_path }: PageTools): Html {
  return html`<p class="verdict warn">Several</p>
<p>More than one of your folders has this name in its first level. Which one do you mean?</p>
<ul>${places.map((place) => html`<li>${fileLink(base_path, place)}</li>`)}</ul>`
}

/** Shows what is known of a text that names no place. */
function noPlaceHtml(
  text: string,
  is_outside: boolean,
  { config, base_path }: PageTools,
  { viewer }: Visit,
): Html | undefined {
  const { folders } = configFor(config, viewer)
  const found = noPlace(text, folders)
  if (!found && !is_outside) return undefined
  const name = text.split(/[/\\]/).at(-1)!
  const search = html`<p><a href="${base_path}${searchFor(name)}">Search your folders for this name</a></p>`
  if (!found)
    return html`<p class="verdict warn">Outside</p>
<p>This path is in no folder that you may see. Sluice takes up no file from there, and has not looked whether there is one.</p>
${search}`
  const { why, meant } = found
  const next =
    meant === undefined
      ? html`Paste the path from the name of the folder on, such as ${nameText(`${folders[0]?.name ?? 'FOLDER'}/PATH`)}.`
      : html`Did you mean <a href="${base_path}/find?${String(new URLSearchParams({ path: meant }))}">${nameText(meant)}</a>?`
  return html`<p class="verdict warn">${is_outside ? 'Outside' : 'No such folder'}</p>
<p>${capital(why)}. ${next}</p>
${search}`
}

/**
 * The first file that has the name or part of a path, also one that was deleted; without `next` it
 * is the only one.
 */
function filesCalled(
  query: string,
  { config }: PageTools,
  { viewer }: Visit,
): Promise<Found | undefined> {
  const { folders } = configFor(config, viewer)
  const wanted = { folders, query, limit: 1, sees: seenBy(viewer) }
  return withSearchView(config.state_dir, async (view) => {
    const present = await view?.search({ ...wanted, stages: [] })
    return present?.files.length === 0 ? view?.search({ ...wanted, stages }) : present
  })
}

function placesCalled(name: string, { config }: PageTools, { viewer }: Visit): Promise<Place[]> {
  const { folders } = configFor(config, viewer)
  return askingPaths((paths) => placesAtTop(name, folders, paths))
}
