import { leftSignal } from '../../base/net/http-server.ts'
import type { HttpReply, HttpRequest } from '../../base/net/http-server-app.ts'
import { SluiceError } from '../../base/run/errors.ts'
import { printable, shellWord } from '../../base/text/format.ts'
import type { Clock } from '../../base/time/time.ts'
import type { Config } from '../../config/config.ts'
import { createClientNames, createProxyCheck } from './guard.ts'
import { type PageStore, type PageUser, token_prefix, viewerOf } from './page-store.ts'
import { SlowDown } from './slow-down.ts'
import type { Viewer } from './viewer.ts'

/** A `stranger` is a name that a proxy gives and the page does not know. */
type Recognised = { viewer?: Viewer; stranger?: string }

/** A user of the daemon's account. */
export const local_operator: Viewer = {
  name: 'operator',
  role: 'operator',
  folders: 'all',
  by: 'link',
}

/**
 * Who sends a request: the user that a listed proxy names, else that of the session, else that of a
 * token. Roles and folders are read each time, so a change holds from the next request on. Error
 * `page.slow_down` for wrong tokens.
 */
export function createRecognition(config: Config, store: PageStore, clock: Clock) {
  const proxied = createProxyCheck(config.page)
  const clientOf = createClientNames(config.page)
  const slow_down = new SlowDown(clock)

  return async (request: HttpRequest, { raw }: HttpReply): Promise<Recognised> => {
    const { session } = request
    const named = proxied(request)
    if (named) return byProxy(named)
    if (session.by_link) return { viewer: local_operator }
    const user = session.user === undefined ? undefined : store.user(session.user)
    if (user) return { viewer: viewerOf(user, 'password') }
    const token = tokenIn(request.headers.authorization)
    const owner = token === undefined ? undefined : store.userOfToken(token)
    if (owner) return { viewer: viewerOf(owner, 'token') }
    // A right token always counts: else one wrong agent behind a proxy would lock out the others.
    // What is no token of the page is not counted, for a proxy may ask for a password of its own.
    if (token?.startsWith(token_prefix))
      await slow_down.attempt({ ...clientOf(request), left: leftSignal(raw) }, async () => false)
    return {}
  }

  /**
   * A user with a row of their own, else the folders of all of their groups. They are an operator
   * only if no group adds folders to those in which a group makes them one.
   */
  function byProxy({ user, groups }: { user: string; groups: string[] }): Recognised {
    // A name in the form of a group must not become one.
    const own = user.startsWith(group_prefix) ? undefined : store.user(user)
    const known = own
      ? [own]
      : groups.flatMap((group) => store.user(`${group_prefix}${group}`) ?? [])
    if (known.length === 0) return { stranger: user }
    const folders = foldersOf(known)
    const operated = foldersOf(known.filter((each) => each.role === 'operator'))
    const has_all =
      operated === 'all' || (folders !== 'all' && folders.every((name) => operated.includes(name)))
    const role = has_all && operated.length > 0 ? 'operator' : 'reader'
    return { viewer: { name: user, role, folders, by: 'proxy' } }
  }
}

function foldersOf(users: readonly PageUser[]): PageUser['folders'] {
  return users.some(({ folders }) => folders === 'all')
    ? 'all'
    : users.flatMap(({ folders }) => folders)
}

export function unknownUser(name: string): SluiceError {
  const message = `you are signed in as ${printable(name)}, but this page does not know you`
  // The usual command would allow a whole group in.
  if (name.startsWith(group_prefix)) {
    const hint = `no user can be called ${group_prefix}…: ask your administrator for another name`
    return new SluiceError({ code: 'page.no_user', message, hint })
  }
  const hint = `your administrator lets you in by \`sluice page user add ${printable(shellWord(name))}\``
  return new SluiceError({ code: 'page.no_user', message, hint })
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
