import type { AnswerError } from '../base/net/http-server.ts'
import { isSluiceError, type PlainError, toPlainError } from '../base/run/errors.ts'
import { scrubText } from '../base/text/scrub.ts'
import { capital, html } from './html/html.ts'
import type { Screen } from './html/layout.ts'
import type { PageTools } from './page-tools.ts'

const statuses: Record<string, number> = {
  'page.not_for_you': 403,
  'page.no_right': 403,
  'page.no_user': 403,
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

/**
 * What may be said of an error. A fault of the program says nothing of its inside; the log does.
 */
export function plainAnswer(
  error: unknown,
  { log, config }: Pick<PageTools, 'log' | 'config'>,
): PlainError & { status: number } {
  const { code, message, hint } = toPlainError(error)
  const status = statuses[code] ?? (/^(usage|http|answer)\./.test(code) ? 400 : 500)
  if (status === 500)
    log({ level: 'error', message: 'the page could not answer a request', fields: { error } })
  if (status === 500 && !isSluiceError(error))
    return {
      status,
      code: 'internal.unexpected',
      message: 'Sluice met a fault of its own: the log says more',
    }
  const shown = (text: string) =>
    scrubText(text.replaceAll(config.state_dir, 'the state directory'))
  return { status, code, message: shown(message), hint: hint && shown(hint) }
}

/** The screen that says an error. */
export function errorScreen(
  error: unknown,
  tools: Pick<PageTools, 'log' | 'config'>,
): Screen & { status: number } {
  const { status, message, hint } = plainAnswer(error, tools)
  const is_form = status === 403 && !isSluiceError(error)
  const [words, help] = is_form
    ? [
        'This form is too old, or of another session',
        'Load the page again, and send the form once more.',
      ]
    : [message, hint]
  return {
    title: titles[status] ?? 'This is not possible',
    status,
    top: html`<p class="bad">${sentence(words)}</p>${help !== undefined && html`<p>${sentence(help)}</p>`}`,
  }
}

/** Answers errors outside the path of the page, and what cannot be read as HTTP. */
export function errorAnswers(tools: PageTools): AnswerError {
  return (error) => {
    const { status, ...body } = plainAnswer(error, tools)
    return { status, body, headers: { 'cache-control': 'no-store' } }
  }
}

function sentence(text: string): string {
  return /[.!?…]$/.test(text) ? capital(text) : `${capital(text)}.`
}
