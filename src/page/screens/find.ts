import type { HttpApp } from '../../base/net/http-server-app.ts'
import type { Place } from '../../inspect/files/place.ts'
import { configFor, seenBy } from '../access/viewer.ts'
import { html, nameText } from '../html/html.ts'
import { max_path_chars } from '../html/layout.ts'
import type { PageTools } from '../page-tools.ts'
import { placeAsked } from '../reads/place-asked.ts'
import { withSearchView } from '../reads/search-files.ts'
import { get, type Visit } from '../screen.ts'
import { fileScreen } from './file.ts'

/** As users write a path of any machine: `/docs`, `~/docs`, `Z:\docs`, `\\server\docs`. */
const elsewhere = /^(?:\/|~\/|\\\\|[a-z]:[\\/]|[a-z]+:\/\/)/i

/** Is it in, and why not: for any path, from the box on every screen. A name is searched. */
export function serveFind(app: HttpApp, tools: PageTools): void {
  const { config, base_path } = tools
  get(app, tools, '/find', async (visit) => {
    const text = visit.query('path').trim().slice(0, max_path_chars)
    const place = await placeAsked(text, { config, viewer: visit.viewer })
    // It answers the question, also where the answer is that nothing is there.
    const is_outside = elsewhere.test(text)
    const is_name = text !== '' && !is_outside
    const meant = place ?? (is_name ? await onlyOneCalled(text, tools, visit) : undefined)
    if (meant) return { ...(await fileScreen(tools, visit, meant)), status: 200 }
    const q = is_outside ? text.split(/[/\\]/).at(-1)! : text
    const search = `/files?${new URLSearchParams({ q })}`
    const top = html`<p class="verdict warn">Outside</p>
<p>This path is in no folder that you may see. Sluice takes up no file from there, and has not looked whether there is one.</p>
<p><a href="${base_path}${search}">Search your folders for this name</a></p>`
    return { title: 'Is it in?', heading: nameText(text), top, to: is_outside ? undefined : search }
  })
}

/** The file, if the name or part of a path is that of one file alone. */
async function onlyOneCalled(
  query: string,
  { config }: PageTools,
  { viewer }: Visit,
): Promise<Place | undefined> {
  const { folders } = configFor(config, viewer)
  const wanted = { folders, query, stages: [], limit: 1, sees: seenBy(viewer) }
  const found = await withSearchView(config.state_dir, (view) => view?.search(wanted))
  return found?.next === undefined ? found?.files[0] : undefined
}
