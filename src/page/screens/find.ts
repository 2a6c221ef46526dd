import { askingPaths } from '../../base/files/ask-paths.ts'
import type { HttpApp } from '../../base/net/http-server-app.ts'
import { noPlace, pathFault, withoutQuotes } from '../../inspect/files/no-place.ts'
import { configFor, seenBy } from '../access/viewer.ts'
import { capital, type Html, html, nameText } from '../html/html.ts'
import { fileLink, type Screen } from '../html/layout.ts'
import type { PageTools } from '../page-tools.ts'
import { isElsewhere, pathAsked } from '../reads/path-asked.ts'
import { placeAsked } from '../reads/place-asked.ts'
import { type Called, placesCalled } from '../reads/places-called.ts'
import { get, type Visit } from '../screen.ts'
import { fileScreen } from './file.ts'

/** Characters of a long text in the heading. */
const max_shown = 200
/** Places that one answer names. */
const max_named = 20

/** Is it in, and why not: for any path, from the box on every screen. A name is searched. */
export function serveFind(app: HttpApp, tools: PageTools): void {
  get(app, tools, '/find', async (visit) => {
    const text = withoutQuotes(visit.query('path'))
    const fault = pathFault(pathAsked(text))
    if (fault !== undefined)
      return answer(text, html`<p class="verdict bad">No path</p><p>${capital(fault)}.</p>`)
    const place = await placeAsked(text, { config: tools.config, viewer: visit.viewer })
    const is_outside = isElsewhere(text)
    const is_name = place === undefined && text !== '' && !is_outside
    const called = is_name ? await calledIn(text, tools, visit) : undefined
    const meant = place ?? (called?.total === 1 ? called.places[0] : undefined)
    // It answers the question, also where the answer is that nothing is there.
    if (meant) return { ...(await fileScreen(tools, visit, meant)), status: 200 }
    if (called?.from_disk) return answer(text, severalHtml(text, called, tools))
    const top = noPlaceHtml(text, is_outside, tools, visit)
    if (is_outside || (top && called?.total === 0)) return answer(text, top)
    return { ...answer(text, top), to: searchFor(text, called?.are_gone ? { state: 'gone' } : {}) }
  })
}

function answer(text: string, top: Html | undefined): Screen {
  const shown = text.length > max_shown ? `${text.slice(0, max_shown)}…` : text
  return { title: 'Is it in?', heading: nameText(shown), top }
}

function searchFor(q: string, more: { state?: 'gone' } = {}): string {
  return `/files?${new URLSearchParams({ q, ...more })}`
}

function severalHtml(text: string, { places, total }: Called, { base_path }: PageTools): Html {
  const more =
    total > places.length &&
    html`<p><a href="${base_path}${searchFor(text)}">Search your folders for this name</a></p>`
  return html`<p class="verdict warn">Several</p>
<p>More than one file or directory in your folders has this name. Which one do you mean?</p>
<ul>${places.map((place) => html`<li>${fileLink(base_path, place)}</li>`)}</ul>${more}`
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

function calledIn(text: string, { config }: PageTools, { viewer }: Visit): Promise<Called> {
  const { folders, state_dir } = configFor(config, viewer)
  const over = { folders, state_dir, limit: max_named, counts: false, sees: seenBy(viewer) }
  return placesCalled(text, over, askingPaths)
}
