import { filePath } from '../../domain/file.ts'
import { max_path_chars } from '../../inspect/files/no-place.ts'
import type { Viewer } from '../access/viewer.ts'
import { assetPath } from '../assets.ts'
import { type Html, html, nameText, sentenceText, timeText } from './html.ts'

export interface Screen {
  title: string
  /** The title as it stands on the page, where it has more than text. */
  heading?: Html
  /** Forms and other parts that a refresh must not replace. */
  top?: Html | undefined
  /** The part that a refresh replaces every five seconds. Absent: the page does not refresh. */
  live?: Html | undefined
  /** True: `live` is complete, or takes long to make. Then no refresh follows this one. */
  is_settled?: boolean
  /** Default 200. */
  status?: number
  /** A message about the last act. */
  said?: string | undefined
  /** The path of another screen to show instead. */
  to?: string | undefined
}

export interface Frame {
  /** Path before each link, such as `/sluice`, or an empty text. */
  base_path: string
  /** Undefined before the sign-in. */
  viewer: Viewer | undefined
  /** Token of the session for forms. */
  csrf: string
  /** This page's own path with its query. */
  here: string
  now_ms: number
}

const sections = [
  ['/', 'Overview'],
  ['/files', 'Files'],
  ['/problems', 'Problems'],
  ['/prompts', 'Reports'],
  ['/ask', 'Ask'],
  ['/about', 'About'],
] as const

// htmx must neither evaluate text nor add a style element: the policy of the page allows neither.
// Names of files must not stay in the browser's store after the sign-out: it keeps no history. A
// refresh without an answer for ten seconds counts as failed.
const htmx_config =
  '{"includeIndicatorStyles":false,"allowEval":false,"selfRequestsOnly":true,"historyCacheSize":0,"timeout":10000,"refreshOnHistoryMiss":true}'

/** A whole document. Without script it is complete, and shows the state when it was loaded. */
export function documentOf(
  { title, heading, top, live, is_settled, said }: Screen,
  frame: Frame,
): Html {
  const { base_path, here, now_ms } = frame
  const asset = (name: string) => `${base_path}${assetPath(name)}`
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="htmx-config" content="${htmx_config}">
<title>${title} · Sluice</title>
<link rel="stylesheet" href="${asset('page.css')}">
<link rel="icon" href="${asset('icon.svg')}">
<script src="${asset('htmx.min.js')}" defer></script>
<script src="${asset('page.js')}" defer></script>
</head>
<body>
<a class="unseen" href="#main">Skip to the content</a>
${header(frame)}
<div id="lost" role="alert" hidden>This page could not be refreshed. What it shows may be old. <a href="${here}">Load it again</a></div>
<main id="main">
<h1${here === `${base_path}/` && html` class="unseen"`}>${heading ?? title}</h1>
${said !== undefined && html`<p class="said" role="status">${sentenceText(said)}</p>`}
${top}
${live && html`<div id="live"${!is_settled && html` hx-get="${here}" hx-trigger="every 5s" hx-select="#live" hx-swap="outerHTML"`}>${live}</div>`}
</main>
<footer><p>As of <span id="as-of">${timeText(now_ms, 'second')}</span>${live && !is_settled && html`<noscript> · <a href="${here}">Load again</a></noscript>`}</p></footer>
</body>
</html>
`
}

function header({ base_path, viewer, csrf, here }: Frame): Html {
  // A file and a run have addresses of their own.
  const at = here
    .slice(base_path.length)
    .split(/[?#]/)[0]!
    .replace(/^\/runs\//, '/prompts/')
    .replace(/^\/fi(le|nd)$/, '/files')
  const isHere = (path: string) =>
    path === '/' ? at === '/' : at === path || at.startsWith(`${path}/`)
  return html`<header>
<a class="brand" href="${base_path}/">Sluice</a>
${
  viewer &&
  html`<nav aria-label="Sections"><ul>${sections.map(
    ([path, name]) =>
      html`<li><a href="${base_path}${path}"${isHere(path) && html` aria-current="page"`}>${name}</a></li>`,
  )}</ul></nav>
<form class="find" role="search" aria-label="Is it in, and why not?" action="${base_path}/find"><input type="search" name="path" maxlength="${max_path_chars}" aria-label="A path or a name" placeholder="Is it in? Path or name" required><button>Find</button></form>
<form class="who" method="post" action="${base_path}/sign-out"><input type="hidden" name="_csrf" value="${csrf}">
<span>${nameText(viewer.name)}${viewer.name !== viewer.role && ` (${viewer.role})`}</span>${viewer.by !== 'proxy' && html`<button>Sign out</button>`}</form>`
}
</header>`
}

/** A link to the page of a file. */
export function fileLink(
  base_path: string,
  place: { folder: string; path: string },
  words = `${place.folder}/${place.path}`,
): Html {
  return html`<a href="${base_path}${filePath(place)}">${nameText(words)}</a>`
}

/** The same for FOLDER/PATH, as reports and answers name a file. */
export function namedFileLink(base_path: string, name: string, words = name): Html {
  const at = name.indexOf('/')
  return fileLink(base_path, { folder: name.slice(0, at), path: name.slice(at + 1) }, words)
}

/** A form with one button that does something. `fields` are sent with it. */
export function actButton(
  { base_path, csrf }: Pick<Frame, 'base_path' | 'csrf'>,
  action: string,
  words: string,
  fields: Record<string, string> = {},
): Html {
  const hidden = Object.entries({ ...fields, _csrf: csrf })
  return html`<form class="act" method="post" action="${base_path}${action}">${hidden.map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}<button>${words}</button></form>`
}

/** A table. On narrow screens each row is a block, and each cell names its column. */
export function table(
  caption: string,
  columns: readonly string[],
  rows: readonly (readonly (Html | string)[])[],
): Html {
  const cellOf = (cell: Html | string, at: number) =>
    html`<td role="cell" data-column="${columns[at]}"><div>${cell}</div></td>`
  // The roles stay when the style sheet makes blocks of the rows.
  return html`<table role="table">
<caption>${caption}</caption>
<thead role="rowgroup"><tr role="row">${columns.map((name) => html`<th role="columnheader" scope="col">${name}</th>`)}</tr></thead>
<tbody role="rowgroup">${rows.map((cells) => html`<tr role="row">${cells.map(cellOf)}</tr>\n`)}</tbody>
</table>`
}
