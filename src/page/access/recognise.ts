import type { HttpRequest } from '../../base/net/http-server-app.ts'
import type { Clock } from '../../base/time/time.ts'
import type { Config } from '../../config/config.ts'
import { createClientNames, createProxyCheck } from './guard.ts'
import { type PageStore, viewerOf } from './page-store.ts'
import { createSlowDown } from './slow-down.ts'
import type { Viewer } from './viewer.ts'

/** The content of a session: the user who signed in. `by_link` is a one-time link, whose user is an operator. */
export interface SignedIn {
  user?: string | undefined
  by_link?: boolean | undefined
}

/** A user of the daemon's account. */
export const local_operator: Viewer = { name: 'operator', role: 'operator', folders: 'all', by: 'link' }

/**
 * Who sends a request: the user that a listed proxy names, else that of the session, else that of a
 * token. Roles and folders are read each time, so a change holds from the next request on. Error
 * `page.slow_down` for wrong tokens.
 */
export function createRecognition(config: Config, store: PageStore, clock: Clock) {
  const proxied = createProxyCheck(config.page)
  const clientOf = createClientNames(config.page)
  const slowDown = createSlowDown(clock)

  return async (request: HttpRequest, session: SignedIn): Promise<Viewer | undefined> => {
    const named = proxied(request)
    if (named) return byProxy(named)
    if (session.by_link) return local_operator
    const user = session.user === undefined ? undefined : store.user(session.user)
    if (user) return viewerOf(user, 'password')
    const token = tokenIn(request.headers.authorization)
    const owner = token === undefined ? undefined : store.userOfToken(token)
    if (owner) return viewerOf(owner, 'token')
    // A right token always counts: else one wrong agent behind a proxy would lock out the others.
    if (token !== undefined) await slowDown([clientOf(request) ?? 'proxy'], async () => false)
    return undefined
  }

  /** A user with rows of their own, else the first of their groups that has one. */
  function byProxy({ user, groups }: { user: string; groups: string[] }): Viewer | undefined {
    // A name that looks like a group must not become one.
    const own = user.startsWith(group_prefix) ? undefined : store.user(user)
    const known = own ?? groups.map((group) => store.user(`${group_prefix}${group}`)).find((group) => group)
    return known && viewerOf({ ...known, name: user }, 'proxy')
  }
}

export const group_prefix = 'group:'

/** The token of `Bearer`. */
export function bearerIn(authorization = ''): string | undefined {
  const [scheme, value] = authorization.split(' ', 2)
  return scheme?.toLowerCase() === 'bearer' ? value : undefined
}

/** The token of `Bearer`, or the password of `Basic`, which feed readers can send. */
function tokenIn(authorization = ''): string | undefined {
  const [scheme, value = ''] = authorization.split(' ', 2)
  if (scheme?.toLowerCase() !== 'basic') return bearerIn(authorization)
  return Buffer.from(value, 'base64')
    .toString('utf8')
    .replace(/^[^:]*:/, '')
}
