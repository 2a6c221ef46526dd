import { onTestFinished } from 'vitest'
import { type Clock, system_clock } from '../../src/base/time/time.ts'
import { serveControl } from '../../src/cli/daemon/daemon-verbs.ts'
import type { Config } from '../../src/config/config.ts'
import { openPageStore, type PageStore, type PageUser } from '../../src/page/access/page-store.ts'
import { hashPassword } from '../../src/page/access/passwords.ts'
import { openPage } from '../../src/page/open-page.ts'
import type { PageNote } from '../../src/page/page-tools.ts'
import { begin } from '../journeys/rig/harness.ts'
import type { JourneyOptions } from '../journeys/rig/journey-options.ts'

export interface Answer {
  status: number
  headers: Headers
  text: string
}

/** A daemon with its control socket, and the page of its configuration. */
export async function beginPage(
  options: Partial<JourneyOptions> & { page?: Partial<Config['page']>; page_clock?: Clock } = {},
) {
  const { page, page_clock: clock = system_clock, ...rest } = options
  const journey = await begin({
    profile: 'default',
    tree: { 'docs/plan.txt': 'the plan' },
    ...rest,
  })
  await journey.allReady()
  const control = await serveControl(journey.daemon, 'run')
  const config: Config = {
    ...journey.config(),
    page: { ...journey.config().page, listen: '127.0.0.1:0', ...page },
  }
  const notes: PageNote[] = []
  const log = (note: PageNote) => void notes.push(note)
  let opened = await openPage({ config, clock, log })
  const address = opened.address.replace(/\/$/, '')
  const store = openPageStore(config.state_dir, clock)
  onTestFinished(async () => {
    await opened.close()
    store.close()
    await control.close()
  })
  /** Serves it again after `stop`, at the same address. */
  const start = async () => {
    opened = await openPage({
      config: { ...config, page: { ...config.page, listen: new URL(address).host } },
      clock,
      log,
    })
  }
  return { journey, config, store, notes, address, stop: () => opened.close(), start }
}

/**
 * A check of the usual cost takes 0.3 s of a core. The hash names its cost, so a cheap one is
 * checked the same way.
 */
const cheap = { N: 1024, r: 8, p: 1 }

export async function addUser(
  store: PageStore,
  user: PageUser & { password: string },
): Promise<void> {
  store.putUser({ ...user, password: await hashPassword(user.password, cheap) })
}

/** A browser without script: it keeps cookies, follows no link by itself, and sends forms. */
export class Browser {
  readonly address: string
  readonly #cookies = new Map<string, string>()
  #page = ''
  /** Sent with each request. */
  readonly headers: Record<string, string> = { accept: 'text/html,*/*;q=0.8' }

  constructor(address: string) {
    this.address = address
  }

  get cookie(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  async get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    const answer = await this.#request(path, { headers })
    this.#page = answer.text
    return answer
  }

  /** Sends a form of the page that was read last, with its hidden token. */
  async post(
    path: string,
    fields: Record<string, string> = {},
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const token = /name="_csrf" value="([^"]*)"/.exec(this.#page)?.[1]
    const body = new URLSearchParams({
      ...(token === undefined ? {} : { _csrf: token }),
      ...fields,
    })
    const form = {
      origin: new URL(this.address).origin,
      'content-type': 'application/x-www-form-urlencoded',
    }
    return this.#request(path, {
      method: 'POST',
      body: body.toString(),
      headers: { ...form, ...headers },
    })
  }

  async signIn(name: string, password: string): Promise<Answer> {
    return this.post('/sign-in', { name, password, next: '/' })
  }

  async useLink(store: PageStore): Promise<Answer> {
    return this.post('/link', { link: store.makeLink() })
  }

  async #request(
    path: string,
    options: RequestInit & { headers: Record<string, string> },
  ): Promise<Answer> {
    const headers = {
      ...(this.cookie && { cookie: this.cookie }),
      ...this.headers,
      ...options.headers,
    }
    const response = await fetch(`${this.address}${path}`, {
      redirect: 'manual',
      ...options,
      headers,
    })
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (/expires=Thu, 01 Jan 1970/i.test(line)) this.#cookies.delete(name!)
      else this.#cookies.set(name!, value!)
    }
    return { status: response.status, headers: response.headers, text: await response.text() }
  }
}
