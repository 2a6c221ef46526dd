import type { AnswerError } from '../base/net/http-server.ts'
import { isSluiceError, toPlainError } from '../base/run/errors.ts'
import { scrubText } from '../base/text/scrub.ts'
import { html } from './html/html.ts'
import { documentOf, type Screen } from './html/layout.ts'
import type { PageTools } from './page-tools.ts'

const statuses: Record<string, number> = {
  'page.not_for_you': 403,
  'page.no_right': 403,
  'page.not_there': 404,
  'page.slow_down': 429,
  'page.asked_enough': 429,
  'page.question': 400,
  'http.path_unknown': 404,
  'http.method_wrong': 405,
  'http.body_too_large': 413,
  'http.media_type': 415,
  FST_CSRF_MISSING_SECRET: 403,
  FST_CSRF_INVALID_TOKEN: 403,
}

const titles: Record<number, string> = {
  403: 'Not allowed',
  404: 'Not found',
  429: 'Too many tries',
  500: 'This went wrong',
}

/** The screen that says an error. A fault of the program says nothing of its inside; the log does. */
export function errorScreen(error: unknown, { log }: Pick<PageTools, 'log'>): Screen & { status: number } {
  const { code, message, hint } = toPlainError(error)
  const is_ours = isSluiceError(error)
  const status = statuses[code] ?? (/^(usage|http|answer)\./.test(code) ? 400 : 500)
  if (status === 500) log({ level: 'error', message: 'the page could not answer a request', fields: { error } })
  const known = is_ours || status !== 500
  const words = known
    ? sentence(scrubText(message))
    : 'The page met a fault of its own. The log of the daemon says more.'
  const help = status === 403 && !is_ours ? 'Load the page again, and send the form once more.' : hint
  return {
    title: titles[status] ?? 'This is not possible',
    status,
    top: html`<p class="bad">${words}</p>${help !== undefined && html`<p>${sentence(scrubText(help))}</p>`}`,
  }
}

/** Answers errors outside screens: unknown paths, bodies that are too large, and the like. */
export function errorAnswers(tools: PageTools): AnswerError {
  return (error) => {
    const screen = errorScreen(error, tools)
    const { status } = screen
    const headers = { 'cache-control': 'no-store' }
    // Such an answer goes onto a bare socket, which expects JSON.
    if (isSluiceError(error, 'http.malformed')) return { status, body: toPlainError(error) }
    const frame = {
      base_path: tools.base_path,
      viewer: undefined,
      csrf: '',
      here: `${tools.base_path}/`,
      now_ms: tools.clock.now_ms(),
    }
    return { status, body: documentOf(screen, frame).text, headers }
  }
}

function sentence(text: string): string {
  const begun = text.charAt(0).toUpperCase() + text.slice(1)
  return /[.!?…]$/.test(begun) ? begun : `${begun}.`
}
