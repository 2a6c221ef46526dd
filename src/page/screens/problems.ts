import type { HttpApp } from '../../base/net/http-server-app.ts'
import { formatAmount } from '../../base/text/format.ts'
import { excludeSetting } from '../../status/text/text.ts'
import type { StatusView } from '../../status/view.ts'
import { type Html, html, nameText } from '../html/html.ts'
import { actButton, type Frame } from '../html/layout.ts'
import type { PageTools } from '../page-tools.ts'
import { ownStatus } from '../reads/own-status.ts'
import { get } from '../screen.ts'
import { stageText } from './overview.ts'

/** Files that need somebody, grouped by reason. */
export function serveProblems(app: HttpApp, tools: PageTools): void {
  get(app, tools, '/problems', async ({ viewer, frame }) => {
    const { problems } = await ownStatus(tools, viewer)
    const acts = viewer.role === 'operator'
    const live =
      problems.length === 0
        ? html`<p class="verdict good">No file needs somebody.</p>`
        : html`${problems.map((group) => groupOf(group, frame, acts))}`
    return { title: 'Problems', live }
  })
}

function groupOf(group: StatusView['problems'][number], frame: Frame, acts: boolean): Html {
  const { stage, message, examples } = group
  const exclude = excludeSetting(examples.map(({ path }) => path))
  return html`<h2>${formatAmount(group)} ${stageText(stage)}: ${message}</h2>
<ul>${examples.map(
    ({ folder, path }) =>
      html`<li>${nameText(`${folder}/${path}`)} ${acts && actButton(frame, '/retry', 'Retry', { folder, path, back: '/problems' })}</li>`,
  )}</ul>
${exclude !== undefined && html`<p>To leave such files out, add to their folder in the configuration: <code>${exclude}</code></p>`}`
}
