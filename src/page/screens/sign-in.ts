import { leftSignal } from '../../base/net/http-server.ts'
import type { HttpApp } from '../../base/net/http-server-app.ts'
import { SluiceError } from '../../base/run/errors.ts'
import { createClientNames } from '../access/guard.ts'
import { isPassword } from '../access/passwords.ts'
import { SlowDown } from '../access/slow-down.ts'
import { html } from '../html/html.ts'
import { signInScreen } from '../html/sign-in-form.ts'
import type { PageTools } from '../page-tools.ts'
import { sendScreen } from '../screen.ts'

/** Sign-in by password, by a one-time link, and sign-out. */
export function serveSignIn(app: HttpApp, tools: PageTools): void {
  servePasswords(app, tools)
  serveLinks(app, tools)
  app.post('/sign-out', async (request, reply) => {
    await request.session.destroy()
    return reply.redirect(`${tools.base_path}/`, 303)
  })
}

function servePasswords(app: HttpApp, tools: PageTools): void {
  const { store, base_path, clock, log } = tools
  const slow_down = new SlowDown(clock)
  const clientOf = createClientNames(tools.config.page)

  app.post('/sign-in', async (request, reply) => {
    const { name = '', password = '', next = '' } = (request.body ?? {}) as Record<string, unknown>
    if (
      typeof name !== 'string' ||
      typeof password !== 'string' ||
      name.length > 255 ||
      password.length > 1_024
    )
      throw new SluiceError({ code: 'http.body_invalid', message: 'name and password are needed' })
    const user = store.user(name)
    const { client, shared } = clientOf(request)
    const names = [...shared, `name ${name}`]
    const left = leftSignal(reply.raw)
    // Without a user the check takes as long, so the time does not show which names exist.
    const is_right = await slow_down.attempt({ client, shared: names, left }, () =>
      isPassword(password, user?.password),
    )
    if (!is_right || !user) {
      log({
        level: 'warn',
        message: 'a sign-in to the page had a wrong name or password',
        fields: { address: client ?? request.socket.remoteAddress },
      })
      return sendScreen(
        request,
        reply,
        tools,
        signInScreen(tools, ownPath(next, base_path), 'Name or password is wrong.'),
      )
    }
    await request.session.regenerate()
    request.session.user = user.name
    return reply.redirect(ownPath(next, base_path), 303)
  })
}

const used_link =
  'This link was used already, or it is too old. On this machine, `sluice page` prints a new one.'

function serveLinks(app: HttpApp, tools: PageTools): void {
  const { store, base_path } = tools

  // A form, because programs that follow links in chats and mail would use the link up.
  app.get('/link/:link', async (request, reply) => {
    const { link } = request.params as { link: string }
    if (!store.isOpenLink(link))
      return sendScreen(request, reply, tools, signInScreen(tools, `${base_path}/`, used_link))
    const top = html`<p>This link signs you in as the operator of this Sluice. It works once.</p>
<form method="post" action="${base_path}/link"><input type="hidden" name="link" value="${link}"><button autofocus>Sign in</button></form>`
    return sendScreen(request, reply, tools, { title: 'Sign in', top })
  })

  app.post('/link', async (request, reply) => {
    const { link } = (request.body ?? {}) as Record<string, unknown>
    // Too long to be guessed. A limit for wrong links would only lock others out.
    if (!store.useLink(String(link)))
      return sendScreen(request, reply, tools, signInScreen(tools, `${base_path}/`, used_link))
    await request.session.regenerate()
    request.session.by_link = true
    return reply.redirect(`${base_path}/`, 303)
  })
}

/** A path of this page, whatever the form says: a sign-in must not lead to another site. */
function ownPath(next: unknown, base_path: string): string {
  const home = `${base_path}/`
  if (typeof next !== 'string' || !next.startsWith(home) || /^\/[/\\]/.test(next)) return home
  // biome-ignore lint/suspicious/noControlCharactersInRegex: browsers leave these out of addresses
  return /[\u0000-\u001f\\]/.test(next) ? home : next
}
