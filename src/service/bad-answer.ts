import type { ServerResponse } from 'node:http'
import type { ErrorBody } from '../contract/envelope.ts'
import type { ErrorCode } from '../contract/error-codes.ts'
import type { Failure, Place } from './bad-days.ts'
import { sendXml } from './blob-answer.ts'

/** What a status most likely means when it comes by order. */
const codes: Record<number, ErrorCode> = {
  401: 'publicapi.auth.invalid',
  404: 'publicapi.tenancy.project.not_found',
  429: 'publicapi.rate.limited',
  500: 'publicapi.internal.failed',
}

const by_order = 'This answer was ordered by the bad days of the local service.'

/** Answers, or cuts the connection, as the failure says. */
export function sendFailure(response: ServerResponse, failure: Failure, place: Place): void {
  const { status, retry_after_s, body = 'error', drop_connection = false } = failure
  if (drop_connection) {
    response.socket?.destroy()
    return
  }
  const headers: Record<string, string> = retry_after_s === undefined ? {} : { 'retry-after': String(retry_after_s) }
  if (place === 'put' && body === 'error') {
    sendXml(response, status, 'ServerBusy', by_order, headers)
    return
  }
  const { type, text } = formOf(failure)
  if (type !== undefined) headers['content-type'] = type
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(text) })
  response.end(text)
}

function formOf({ status, body = 'error', code }: Failure): { type?: string; text: string } {
  switch (body) {
    case 'empty':
      return { text: '' }
    case 'html':
      return { type: 'text/html', text: `<!doctype html><title>${status}</title><h1>${by_order}</h1>` }
    case 'string':
      return { type: 'application/json', text: JSON.stringify(by_order) }
    case 'error': {
      const fallback = status >= 500 ? 'publicapi.service.unavailable' : 'publicapi.request.malformed'
      const error: ErrorBody = { code: code ?? codes[status] ?? fallback, humane: by_order, statusCode: status }
      return { type: 'application/json; charset=utf-8', text: JSON.stringify(error) }
    }
  }
}
