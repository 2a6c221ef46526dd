import { chmodSync, lstatSync, rmSync } from 'node:fs'
import { Server as TlsServer } from 'node:tls'
import { isDeepStrictEqual } from 'node:util'
import { askingPaths } from '../base/files/ask-paths.ts'
import { closeServer, listen, listenOnSocket, type TlsKeys } from '../base/net/http-server.ts'
import type { Clock } from '../base/time/time.ts'
import type { Config } from '../config/config.ts'
import { hostAndPort } from '../config/listen.ts'
import { readPageKeys } from '../config/page-keys.ts'
import { openPageStore } from './access/page-store.ts'
import { createPageApp } from './page-app.ts'
import type { PageLog } from './page-tools.ts'
import { Asking } from './reads/asking.ts'

type PageOptions = { config: Config; clock: Clock; log: PageLog }

export interface OpenPage {
  /** The address for a browser on this machine, or the path of a socket. */
  address: string
  /**
   * Takes over another configuration, and certificates that were renewed, without a break. False:
   * the page must be opened anew for it. Error `page.tls`: only the certificate stays as it was.
   */
  takeOver(newer: Config): Promise<boolean>
  close(): Promise<void>
}

/** Time for running requests when the page closes; the next one opens at once. */
const close_grace_ms = 500

/** Serves the page for one configuration. Errors: `http.listen`, `page.tls`, `database.*`. */
export async function openPage({ config: first, clock, log }: PageOptions): Promise<OpenPage> {
  // The screens keep this object, whose sections change with the configuration.
  const config = { ...first }
  const { base_url } = config.page
  let tls = await askPageKeys(config)
  const base_path = base_url === undefined ? '' : new URL(base_url).pathname.replace(/\/+$/, '')
  const store = openPageStore(config.state_dir, clock)
  try {
    const asking = new Asking({ config, store, clock })
    const app = await createPageApp({ config, store, clock, log, asking, base_path }, tls)
    await app.ready()
    const address = await listenOn(app.server, config.page.listen, tls ? 'https' : 'http')
    asking.endOpen()
    return {
      address: address.startsWith('/') ? address : `${address}${base_path}/`,
      async takeOver(newer) {
        if (fixedPart(newer) !== fixedPart(config)) return false
        Object.assign(config, newer)
        const keys = await askPageKeys(newer)
        if (!keys || isDeepStrictEqual(keys, tls)) return true
        if (app.server instanceof TlsServer) app.server.setSecureContext(keys)
        tls = keys
        log({ level: 'info', message: 'the page serves a renewed certificate' })
        return true
      },
      async close() {
        await closeServer(app.server, close_grace_ms)
        await app.close()
        store.close()
      },
    }
  } catch (error) {
    store.close()
    throw error
  }
}

/** As `readPageKeys`. A disk that does not answer must not stop the page. */
export function askPageKeys({ page }: Config): Promise<TlsKeys | undefined> {
  return askingPaths((paths) => readPageKeys(page, paths))
}

/** The settings that a running page cannot change. `readers_ask` is read for each question. */
function fixedPart({ page, state_dir }: Config): string {
  return JSON.stringify([state_dir, { ...page, readers_ask: 0 }])
}

async function listenOn(
  server: Parameters<typeof listen>[0],
  where: string,
  scheme: string,
): Promise<string> {
  const place = hostAndPort(where)
  if (place) {
    const port = await listen(server, place.host.replace(/^\[|\]$/g, ''), place.port)
    return `${scheme}://${place.host}:${port}`
  }
  const socket = where.slice('unix:'.length)
  // A killed daemon leaves its socket; the lock of the ledger says that no other one runs.
  if (lstatSync(socket, { throwIfNoEntry: false })?.isSocket()) rmSync(socket)
  await listenOnSocket(server, socket)
  // For a proxy in the group of the socket's directory. Its rights say who else may connect.
  chmodSync(socket, 0o660)
  return socket
}
