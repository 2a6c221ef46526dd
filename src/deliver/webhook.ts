import { createHmac } from 'node:crypto'
import type { HttpResponse } from '../base/net/http-client.ts'
import { programVersion } from '../base/run/process.ts'
import { renderTemplate } from '../base/text/template.ts'
import { day_ms, isoTime, second_ms } from '../base/time/time.ts'
import { slackBody, teamsBody } from './chat-bodies.ts'
import {
  type Delivered,
  type DeliveryTools,
  delivered,
  finalFault,
  laterFault,
  type Message,
  templateValues,
} from './message.ts'
import { outgoingUrl, readSecretFile, type WebhookTarget } from './target.ts'

/** The status alone decides. The body only explains it, so the wait for it is short. */
const max_body_ms = 5 * second_ms
/** Longest pause that a receiver can ask for. A longer one counts as this one. */
const max_retry_after_ms = day_ms

/** Returns most failures; throws `delivery.secret_file`, `template.*` and `network.*`. */
export async function deliverByWebhook(
  target: WebhookTarget,
  message: Message,
  { http, clock, signal }: DeliveryTools,
): Promise<Delivered> {
  const address =
    target.url ?? (await readSecretFile(target.url_file ?? '', 'the address of the webhook'))
  const url = outgoingUrl(address)
  if (!url) {
    const hint =
      'give one such as https://host/path, without a user and a password; http is for this machine only'
    return finalFault('delivery.address', 'its address cannot be used', hint)
  }
  const body = bodyOf(target.body, message)
  if (body === undefined) {
    const hint = 'put values between double quotes, without others around'
    return finalFault(
      'template.not_json',
      'its body is not JSON once its values are filled in',
      hint,
    )
  }
  const secret =
    target.secret_file === undefined
      ? undefined
      : await readSecretFile(target.secret_file, 'the signing secret')
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'user-agent': `sluice/${programVersion()}`,
    'idempotency-key': message.id,
    ...signatureHeaders(message.id, Math.floor(clock.now_ms() / second_ms), body, secret),
  }
  const answer = await http.request({ method: 'POST', url, headers, body, max_body_ms, signal })
  return outcomeOf(answer, url, clock.now_ms())
}

function bodyOf(body: WebhookTarget['body'], message: Message): string | undefined {
  if (body === 'slack') return slackBody(message)
  if (body === 'teams') return teamsBody(message)
  if (body === 'json') {
    const { id, subject, text, data, values, at_ms } = message
    return JSON.stringify({ id, at: isoTime(at_ms), subject, text, values, data })
  }
  const text = renderTemplate(body.template, templateValues(message), (value) =>
    JSON.stringify(value).slice(1, -1),
  )
  return isJson(text) ? text : undefined
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Standard Webhooks 1.0: with a secret, signs `id.timestamp.body`. Receivers refuse old times. */
function signatureHeaders(
  id: string,
  now_s: number,
  body: string,
  secret: string | undefined,
): Record<string, string> {
  const about = { 'webhook-id': id, 'webhook-timestamp': String(now_s) }
  if (secret === undefined) return about
  const key = secret.startsWith('whsec_')
    ? Buffer.from(secret.slice('whsec_'.length), 'base64')
    : Buffer.from(secret)
  const signature = createHmac('sha256', key).update(`${id}.${now_s}.${body}`).digest('base64')
  return { ...about, 'webhook-signature': `v1,${signature}` }
}

const again_statuses = [408, 425, 429]
/** A user can correct these at the receiver, so the report stays due. */
const mended_statuses = [401, 403, 404]

/** The remedy for statuses that say more than "refused". */
const hints: Record<number, string> = {
  401: 'check the address and the signing secret',
  403: 'check the address and the signing secret',
  404: 'check the address: the receiver may have deleted it',
  410: 'the receiver has deleted the address: make a new one',
  413: 'the message is too large for it: ask for a shorter report, or choose another delivery',
}

function outcomeOf({ status, headers, body }: HttpResponse, url: URL, now_ms: number): Delivered {
  if (status >= 200 && status < 300) return delivered
  const what = `${url.host} answered ${status}${reasonIn(body, url)}`
  if (status >= 500 || again_statuses.includes(status)) {
    const retry_after_ms = retryAfter_ms(headers['retry-after'], now_ms)
    const fault = laterFault('delivery.not_now', what)
    return retry_after_ms === undefined ? fault : { ...fault, retry_after_ms }
  }
  if (status >= 300 && status < 400) {
    const hint = 'Sluice follows no redirects: give the address that it leads to'
    return finalFault('delivery.redirected', what, hint)
  }
  const hint = hints[status] ?? 'check what the receiver accepts'
  const fault = mended_statuses.includes(status) ? laterFault : finalFault
  return fault('delivery.refused', what, hint)
}

/** One word such as Slack's `invalid_blocks`. Longer answers may repeat the secret path. */
function reasonIn(body: string, url: URL): string {
  const word = /^[a-z]+(_[a-z]+)+$/.test(body) && body.length <= 40 ? body : ''
  return word === '' || url.href.includes(word) ? '' : ` (${word})`
}

/** Parses Retry-After: seconds or a date (RFC 9110, 10.2.3). Undefined if absent or malformed. */
function retryAfter_ms(header: string | string[] | undefined, now_ms: number): number | undefined {
  if (typeof header !== 'string') return undefined
  const ms = /^\d+$/.test(header) ? Number(header) * second_ms : Date.parse(header) - now_ms
  return Number.isNaN(ms) ? undefined : Math.min(max_retry_after_ms, Math.max(0, ms))
}
