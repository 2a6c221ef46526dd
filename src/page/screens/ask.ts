import type { HttpApp } from '../../base/net/http-server-app.ts'
import { counted, formatSpan } from '../../base/text/format.ts'
import { day_ms, second_ms } from '../../base/time/time.ts'
import { leftOutText } from '../../prompts/ask/ask-scope.ts'
import { isUnread, readText, toldText } from '../../prompts/report/told.ts'
import { configFor, type Viewer } from '../access/viewer.ts'
import {
  type Html,
  html,
  markdownText,
  nameText,
  sentenceText,
  timeText,
  withLinks,
} from '../html/html.ts'
import { type Frame, namedFileLink } from '../html/layout.ts'
import { linksTo } from '../html/run-document.ts'
import type { PageTools } from '../page-tools.ts'
import type { Asked, AskWish } from '../reads/question-rows.ts'
import { act, get } from '../screen.ts'

const spans: Record<string, number> = {
  'a day': day_ms,
  'a week': 7 * day_ms,
  'a month': 30 * day_ms,
}
/** Sources in one list. */
const max_sources = 50

/** A question over folders, a path, a label or what is new; the answer with its sources. */
export function serveAsk(app: HttpApp, tools: PageTools): void {
  const { asking, base_path } = tools

  get(app, tools, '/ask', async ({ viewer, frame, query }) => {
    const before = asking.list(viewer)
    const top = html`<p>The assistant answers from the files that are in. Narrow it down to some of them, or leave the rest empty.</p>
${askForm(tools, viewer, frame, { folder: query('folder'), path: query('path'), question: query('question') })}
${
  before.length > 0 &&
  html`<h2>Your questions</h2><ul>${before.map(
    ({ id, asked_ms, wish }) =>
      html`<li><a href="${base_path}/ask/${id}">${wish.question}</a> ${timeText(asked_ms)}</li>`,
  )}</ul>`
}`
    return { title: 'Ask', top }
  })

  act(app, tools, '/ask', {
    role: 'reader',
    async run({ viewer, field }) {
      const folder = field('folder')
      const after = Number(field('after'))
      const wish: AskWish = {
        question: field('question'),
        folders: folder === '' ? [] : [folder],
        path: field('path').trim(),
        label: field('label').trim(),
        within_ms: Object.hasOwn(spans, field('since')) ? spans[field('since')] : undefined,
        after: Number.isSafeInteger(after) && after > 0 ? after : undefined,
      }
      return { to: `/ask/${await asking.begin(viewer, wish)}` }
    },
  })

  get(app, tools, '/ask/:id', async ({ viewer, frame, param }) => {
    const asked = await asking.one(viewer, Number(param('id')))
    const { wish, answer, error } = asked
    const asks_on =
      answer &&
      html`<h2>Ask on</h2>${askForm(tools, viewer, frame, { folder: wish.folders[0] ?? '', path: wish.path, after: asked.id })}`
    if (answer || error !== undefined)
      return {
        title: wish.question,
        live: html`${answerOf(asked, base_path)}${asks_on}`,
        is_settled: true,
      }
    return {
      title: wish.question,
      live: html`<p class="verdict">Asked ${timeText(asked.asked_ms)}. The assistant is reading, for ${formatSpan(asked.asked_ms, Math.max(frame.now_ms, asked.asked_ms + second_ms))} now; this takes seconds to minutes.</p>`,
    }
  })
}

function askForm(
  { config, base_path }: PageTools,
  viewer: Viewer,
  { csrf }: Frame,
  given: { folder: string; path: string; question?: string; after?: number },
): Html {
  const folders = configFor(config, viewer).folders
  const option = (value: string, words: string) =>
    html`<option value="${value}"${value === given.folder && html` selected`}>${words}</option>`
  return html`<form method="post" action="${base_path}/ask" class="ask"><input type="hidden" name="_csrf" value="${csrf}">
<input type="hidden" name="after" value="${given.after}">
<label>Question <textarea name="question" rows="3" maxlength="4000" required>${given.question}</textarea></label>
<div class="line"><label>Folder <select name="folder">${option('', viewer.folders === 'all' ? 'everything' : 'all of mine')}${folders.map(({ name }) => option(name, name))}</select></label>
<label>Came in within <select name="since"><option value="">any time</option>${Object.keys(spans).map((span) => html`<option>${span}</option>`)}</select></label>
<label>Path <input name="path" value="${given.path}" placeholder="contracts/*.pdf"></label>
${viewer.folders === 'all' && html`<label>Label <input name="label"></label>`}
<button>Ask</button></div></form>`
}

function answerOf({ wish, answer, error, asked_ms }: Asked, base_path: string): Html {
  if (!answer)
    return html`<p class="bad" role="alert">${error}</p><p><a href="${base_path}/ask">Ask again</a></p>`
  // Of a question over everything only the named files are known, which are deleted.
  const is_all_known = answer.sources.some(({ is_deleted = false }) => !is_deleted)
  const named = answer.sources.filter(({ is_named }) => is_named)
  const others = answer.sources.filter(({ is_named }) => !is_named)
  return html`<p class="soft">Asked ${timeText(asked_ms)}${wish.path !== '' && html` over ${nameText(wish.path)}`}${leftOutText(answer)}</p>
<article>${withLinks(markdownText(answer.answer), linksTo(answer.sources, base_path))}</article>
${typeof answer.note === 'string' && html`<p class="soft">Note: ${answer.note}</p>`}
${is_all_known && html`<p class="soft">Asked about ${counted(answer.sources.length, 'file')}: ${toldText(answer.sources)}.</p>`}
${sourceList(is_all_known ? 'Files that the answer names' : 'Deleted files that the answer names', named, base_path)}
${sourceList('Files of which not all was read', others.filter(isUnread), base_path)}
${
  named.length > 0 &&
  sourceList(
    'Other files that it was asked over',
    others.filter((file) => !isUnread(file)),
    base_path,
  )
}`
}

type Source = NonNullable<Asked['answer']>['sources'][number]

/** More sources would bury the answer. */
function sourceList(title: string, files: readonly Source[], base_path: string): Html | undefined {
  if (files.length === 0) return undefined
  const rows = files.slice(0, max_sources).map((file) => {
    const read = readText(file)
    return html`<li>${namedFileLink(base_path, file.name)}${file.is_deleted && ' (deleted on disk)'}${read !== undefined && html`: ${sentenceText(read)}`}</li>`
  })
  const more = files.length - rows.length
  return html`<h2>${title}</h2><ul>${rows}</ul>${more > 0 && html`<p class="soft">and ${more} more</p>`}`
}
