import type { HttpApp } from '../../base/net/http-server-app.ts'
import { counted, formatAmount, formatCount } from '../../base/text/format.ts'
import { refusedTypeIn } from '../../domain/file-type.ts'
import { sumOf } from '../../inspect/plan/plan-answer.ts'
import { excludeSetting } from '../../status/text/text.ts'
import type { StatusView } from '../../status/view.ts'
import { type Html, html, nameText, timeText } from '../html/html.ts'
import { actButton, type Frame, fileLink } from '../html/layout.ts'
import type { PageTools } from '../page-tools.ts'
import { ownStatus } from '../reads/own-status.ts'
import { get } from '../screen.ts'
import { stageText } from './overview.ts'

/** Files that need attention, grouped by reason, and those that Sluice tries again by itself. */
export function serveProblems(app: HttpApp, tools: PageTools): void {
  get(app, tools, '/problems', async ({ viewer, frame }) => {
    const { problems, over_limit, retrying } = await ownStatus(tools, viewer)
    const acts = viewer.role === 'operator'
    const groups = [
      ...problems.map((group) => groupOf(group, problems, frame, acts)),
      ...(over_limit.files > 0 ? [overLimit(over_limit, frame, acts)] : []),
    ]
    const live = html`${groups.length === 0 ? html`<p class="verdict good">No file needs attention.</p>` : groups}
${retrying.map((group) => retryingOf(group, frame))}`
    return { title: 'Problems', live }
  })
}

type Group = StatusView['problems'][number]

function groupOf(group: Group, all: readonly Group[], frame: Frame, acts: boolean): Html {
  const { stage, code, message, examples, ...amount } = group

  const exclude = excludeSetting(examples.map(({ path }) => path))
  const type = refusedTypeIn(code)
  // The button is about a code, whatever its reasons.
  const { files } = sumOf(all.filter((other) => other.stage === stage && other.code === code))
  const words =
    type === undefined ? `Retry these ${formatCount(files)}` : 'Upload them all the same'
  const is_useful =
    type === undefined ? files > 1 && code !== 'other' : frame.viewer?.folders === 'all'
  return html`<h2>${formatAmount(amount)} ${stageText(stage)}: ${nameText(message)}</h2>
${acts && is_useful && actButton(frame, '/group', words, { stage, code, back: '/problems' })}
<ul>${examples.map(
    (place) =>
      html`<li>${fileLink(frame.base_path, place)} ${acts && type === undefined && actButton(frame, '/retry', 'Retry', { folder: place.folder, path: place.path, back: '/problems' })}</li>`,
  )}</ul>
<p><a href="${frame.base_path}/files?state=${stage}">All files that are ${stageText(stage)}</a></p>
${acts && exclude !== undefined && html`<p>To leave such files out, add to their folder in the configuration: <code>${exclude}</code></p>`}`
}

function overLimit(
  { places, ...amount }: StatusView['over_limit'],
  frame: Frame,
  acts: boolean,
): Html {
  return html`<h2>${formatAmount(amount)} held back: more arrived than the upload limit allows</h2>
<ul>${places.map(({ folder, directory: path, ...part }) => {
    // For a whole folder it would also confirm that missing files were deleted.
    const command = path === '' && html`<code>sluice accept ${folder}</code>`
    const how =
      command || actButton(frame, '/accept', 'Upload them', { folder, path, back: '/problems' })
    return html`<li>${nameText(path === '' ? folder : `${folder}/${path}`)}: ${formatAmount(part)} ${acts && how}</li>`
  })}</ul>
<p><a href="${frame.base_path}/files?state=blocked">All files that are blocked</a></p>`
}

type Retrying = StatusView['retrying'][number]

function retryingOf(
  { message, contents, next_try, examples }: Retrying,
  { base_path }: Frame,
): Html {
  return html`<h2>${counted(contents, 'file')} tried again without you: ${nameText(message)}</h2>
<p>The next try is at ${timeText(next_try)}. Such as ${examples.map((place) => html`${fileLink(base_path, place)} `)}</p>`
}
