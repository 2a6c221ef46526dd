import { hash } from 'node:crypto'
import { networkOf } from '../../base/net/connection-places.ts'
import type { HttpApp, HttpReply, HttpRequest } from '../../base/net/http-server-app.ts'
import { isLoopbackAddress } from '../../base/net/loopback.ts'
import { escaped } from '../../base/text/escaped.ts'
import { zonedText } from '../../base/time/time.ts'
import { checkRate, limitRequests } from '../limits.ts'
import type { Parts } from '../parts.ts'

/**
 * Requests of this page per minute, of one address and of all; a sixth of them at once. A team
 * opens it some ten times. It slows down a program that guesses links, or that keeps the disk busy,
 * and leaves room for others.
 */
const requests_per_minute = 120
const requests_of_all_per_minute = 1_200

const style =
  'body{font:1.1em/1.5 sans-serif;max-width:40em;margin:3em auto;padding:0 1em}div{margin:1em 0}code{overflow-wrap:anywhere}'
const style_hash = `'sha256-${hash('sha256', style, 'base64')}'`

const page_headers = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'content-security-policy': `default-src 'none'; style-src ${style_hash}; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
}

/**
 * The page of an invitation: GET and HEAD change nothing, since mail scanners open links, too. POST
 * accepts and shows the token once. It needs no script and no key, and works under any path.
 */
export function serveInvitations(
  app: HttpApp,
  { administration, commits, origins, clock, settings }: Parts,
): void {
  const waitFor = limitRequests(requests_per_minute, () => clock.monotonic_ms())
  const waitForAll = limitRequests(requests_of_all_per_minute, () => clock.monotonic_ms())
  const { invitationOf, accept } = administration.members

  const handler = async (request: HttpRequest, reply: HttpReply): Promise<HttpReply> => {
    checkRate(
      reply,
      waitFor(addressOf(request, settings.public_url !== undefined)) ?? waitForAll(0),
    )
    const { secret } = request.params as { secret: string }
    const invitation = invitationOf(secret)
    const is_form = request.method === 'POST'
    const accepted = is_form ? await commits.write(() => accept(secret)) : undefined
    if (invitation === undefined || (is_form && accepted === undefined)) {
      // Every link that is not valid gets this same page, so that a guess shows nothing.
      return send(reply, 404, 'This invitation cannot be used', [
        'It was used already, it has expired, or a newer one has replaced it.',
        'Ask the person who invited you for a new one.',
      ])
    }
    const { name, email, role, expires_at_ms, invitation_id, is_member } = invitation
    if (accepted === undefined && !is_member) {
      return send(reply, 200, `Invitation to ${escaped(name)}`, [
        `You, ${escaped(email)}, are invited to the project <b>${escaped(name)}</b> with the role ${role}.`,
        '<form method="post"><button>Accept, and show my token</button></form>',
        `The token is shown only once. This link works once, until ${zonedText(expires_at_ms)}.`,
      ])
    }
    if (accepted?.token === undefined) {
      return send(reply, 200, `You are a member of ${escaped(name)}`, [
        'You are a user of this service already: the token that you have reaches the project, unless it is limited to others.',
        'If it does not, ask the administrator for a token.',
      ])
    }
    return send(reply, 200, `You are a member of ${escaped(name)}`, [
      `Your token, which is shown only now: <code>${accepted.token}</code>`,
      'Keep it where only you can read it: whoever has it can act as you.',
      `<code>sluice init</code> asks for it, and for this address: <code>${escaped(origins.api)}</code>`,
      `If you lose it, ask the administrator to revoke <code>${invitation_id}</code> and to make a new one.`,
    ])
  }

  const method = ['GET', 'HEAD', 'POST']
  app.route({ method, url: '/invitations/:secret', config: { is_page: true } as object, handler })
}

/** The address of the client. A proxy on this machine (there is a public address) names it last. */
function addressOf({ headers, socket: { remoteAddress = '' } }: HttpRequest, has_proxy: boolean) {
  const is_proxy = has_proxy && isLoopbackAddress(remoteAddress)
  const named = is_proxy ? String(headers['x-forwarded-for'] ?? '').split(',') : []
  return networkOf(named.at(-1)?.trim() || remoteAddress)
}

function send(
  reply: HttpReply,
  status: number,
  title: string,
  parts: readonly string[],
): HttpReply {
  const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>`
  const body = [`<h1>${title}</h1>`, ...parts.map((part) => `<div>${part}</div>`)].join('\n')
  // No other origin may read a page that has a token.
  reply.removeHeader('access-control-allow-origin')
  const html = `<!doctype html>\n<html lang="en">${head}<style>${style}</style>\n${body}\n</html>\n`
  return reply.code(status).headers(page_headers).send(html)
}
