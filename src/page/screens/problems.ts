import type { HttpApp } from '../../base/net/http-server-app.ts'
import { counted, formatAmount, formatCount } from '../../base/text/format.ts'
import { isUnusable } from '../../domain/asset.ts'
import { excludeLine } from '../../domain/file.ts'
import { refusedTypeIn } from '../../domain/file-type.ts'
import { excludeOfTypes } from '../../status/text/text.ts'
import type { StatusView } from '../../status/view.ts'
import { type Html, html, nameText, sentenceText, timeText } from '../html/html.ts'
import { actButton, type Frame, fileLink } from '../html/layout.ts'
import type { PageTools } from '../page-tools.ts'
import { ownStatus } from '../reads/own-status.ts'
import { get } from '../screen.ts'
import { max_group_files } from './acts.ts'
import { stageText, verdict } from './overview.ts'
import { scanProblems } from './scan-problems.ts'

/** All that needs attention, grouped by reason, and what Sluice tries again by itself. */
export function serveProblems(app: HttpApp, tools: PageTools): void {
  get(app, tools, '/problems', async ({ viewer, frame }) => {
    const status = await ownStatus(tools, viewer)
    const { problems, over_limit, retrying, folders } = status
    const acts = viewer.role === 'operator'
    const live = html`${verdict(status)}${problems.map((group) => groupOf(group, frame, acts))}
${over_limit.files > 0 && overLimit(over_limit, frame, acts)}
${folders.map((folder) => scanProblems(folder, frame.base_path))}
${retrying.map((group) => retryingOf(group, frame))}`
    return { title: 'Problems', live }
  })
}

type Group = StatusView['problems'][number]

function groupOf(group: Group, frame: Frame, acts: boolean): Html {
  const { stage, code, message, examples, ...amount } = group
  const type = refusedTypeIn(code)
  const rest = amount.files - examples.length
  return html`<h2>${formatAmount(amount)} ${stageText(stage)}: ${sentenceText(message)}</h2>
${acts && groupButton(group, type, frame)}
<ul>${examples.map(
    (place) =>
      html`<li>${fileLink(frame.base_path, place)} ${acts && type === undefined && actButton(frame, '/retry', 'Retry', { folder: place.folder, path: place.path, back: '/problems' })}</li>`,
  )}${rest > 0 && html`<li>and ${formatCount(rest)} more</li>`}</ul>
<p><a href="${frame.base_path}/files?state=${stage}">All files that are ${stageText(stage)}</a></p>
${acts && leaveOut(group)}`
}

/** One button for all files of this group, no others. Its number is what it does. */
function groupButton(
  { stage, code, message, reasons, files }: Group,
  type: string | undefined,
  frame: Frame,
): Html | undefined {
  const key = { stage, code, message: reasons > 1 ? '' : message, back: '/problems' }
  if (type !== undefined) {
    const may_accept = frame.viewer?.folders === 'all'
    return may_accept ? actButton(frame, '/group', 'Upload them all the same', key) : undefined
  }
  if (files < 2 || code === 'other') return undefined
  const some = files > max_group_files ? `${formatCount(max_group_files)} of these` : 'these'
  return actButton(frame, '/group', `Retry ${some} ${formatCount(files)}`, key)
}

/** How to leave out a type of which nothing could be read, or else these files alone. */
function leaveOut(group: Group): Html | undefined {
  const exclude = excludeOfTypes(group)
  if (exclude !== undefined)
    return html`<p>The service could read no file of this type. To leave all of them out, add to their folder in the configuration: <code>${exclude}</code></p>`
  if (!isUnusable(group.code)) return undefined
  const lines = group.examples.map(
    ({ path }) => html`<br><code>${sentenceText(excludeLine(path))}</code>`,
  )
  return html`<p>To leave such a file out, add its line to the <code>.sluiceignore</code> of its folder:${lines}</p>`
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
  return html`<h2>${counted(contents, 'upload')} tried again without you: ${sentenceText(message)}</h2>
<p>The next try is at ${timeText(next_try)}. Such as ${examples.map((place) => html`${fileLink(base_path, place)} `)}</p>`
}
