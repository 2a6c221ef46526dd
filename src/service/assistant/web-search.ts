import type { ProxyVariables } from '../../base/net/http-client.ts'
import { SluiceError } from '../../base/run/errors.ts'
import type { Clock } from '../../base/time/time.ts'
import { parseJson } from '../../contract/errors.ts'
import { max_passage_length } from '../ingest/passages/cut-line.ts'
import type { Quote } from './answer-text.ts'
import type { WebSearch } from './assistant-config.ts'
import { openOutsideHost } from './outside-host.ts'

export type Web = ReturnType<typeof openWebSearch>

/** Enough for a page of results. A larger answer is an error. */
const max_results_bytes = 4 * 1_048_576
/** Search engines use about a dozen words. The service sends no more words of a question. */
const max_words = 12

/** A client for any search engine that answers a GET with JSON (C-19). */
export function openWebSearch(
  settings: WebSearch,
  clock: Clock,
  connections: number,
  proxy?: ProxyVariables,
) {
  const { url, max_results } = settings
  const outside = openOutsideHost({
    ...settings,
    max_body_bytes: max_results_bytes,
    connections,
    proxy,
    clock,
  })

  return {
    /** Errors: `network.…`, `config.service`, `service.web_search`. */
    async search(words: readonly string[], signal: AbortSignal): Promise<Quote[]> {
      const query = encodeURIComponent(words.slice(0, max_words).join(' '))
      const found = new URL(url.replaceAll('{query}', query))
      const { status, body, truncated } = await outside.ask(
        { method: 'GET', url: found, headers: {} },
        signal,
      )
      if (status !== 200 || truncated)
        throw odd(
          `the web search answered with status ${status}${truncated ? ' and too many bytes' : ''}`,
        )
      return readResults(body, settings).slice(0, max_results)
    },
    close: () => outside.close(),
  }
}

function readResults(body: string, { items, title, link, text }: WebSearch): Quote[] {
  const results = at(parseJson(body), items)
  if (!Array.isArray(results)) throw odd(`the web search answered without a list called ${items}`)
  return results.flatMap((result) => {
    const words = at(result, text)
    if (typeof words !== 'string' || words.trim() === '') return []
    const source = [at(result, title), at(result, link)]
      .filter((part) => typeof part === 'string')
      .join(', ')
    return [{ source: source || 'web', text: words.trim().slice(0, max_passage_length) }]
  })
}

function at(value: unknown, path: string): unknown {
  let found = value
  for (const name of path.split('.')) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined
    found = (found as Record<string, unknown>)[name]
  }
  return found
}

function odd(message: string): SluiceError {
  return new SluiceError({ code: 'service.web_search', message })
}
