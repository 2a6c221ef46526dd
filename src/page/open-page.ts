import { chmodSync, lstatSync, readFileSync, rmSync, statSync } from 'node:fs'
import { closeServer, listen, listenOnSocket, type TlsKeys } from '../base/net/http-server.ts'
import { messageOf, SluiceError } from '../base/run/errors.ts'
import type { Clock } from '../base/time/time.ts'
import type { Config } from '../config/config.ts'
import { hostAndPort } from '../config/schema/schema-page.ts'
import { openPageStore } from './access/page-store.ts'
import { createPageApp } from './page-app.ts'
import type { PageLog } from './page-tools.ts'
import { createAsking } from './reads/asking.ts'

export interface OpenPage {
  /** The address for a browser on this machine, or the path of a socket. */
  address: string
  close(): Promise<void>
}

/** Time for running requests when the page closes; the next one opens at once. */
const close_grace_ms = 500

/** Serves the page for one configuration. Errors: `http.listen`, `page.tls`, `database.*`. */
export async function openPage({
  config,
  clock,
  log,
}: {
  config: Config
  clock: Clock
  log: PageLog
}): Promise<OpenPage> {
  const { base_url } = config.page
  const tls = tlsOf(config)
  const base_path = base_url === undefined ? '' : new URL(base_url).pathname.replace(/\/+$/, '')
  const store = openPageStore(config.state_dir, clock)
  try {
    const asking = createAsking({ config, store, clock })
    const app = await createPageApp({ config, store, clock, log, asking, base_path }, tls)
    await app.ready()
    const address = await listenOn(app.server, config.page.listen, tls ? 'https' : 'http')
    return {
      address: address.startsWith('/') ? address : `${address}${base_path}/`,
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

/** The certificate and key of the page; undefined without. Error `page.tls`. */
export function tlsOf({ page: { tls_cert, tls_key } }: Config): TlsKeys | undefined {
  return tls_cert === undefined ? undefined : { cert: pem(tls_cert), key: ownKey(tls_key!) }
}

async function listenOn(server: Parameters<typeof listen>[0], where: string, scheme: string): Promise<string> {
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

function ownKey(file: string): string {
  const key = pem(file)
  if ((statSync(file).mode & 0o077) === 0) return key
  const message = `group or others can read the key ${file}`
  throw new SluiceError({ code: 'page.tls', message, hint: `chmod 600 ${file}` })
}

function pem(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new SluiceError({
      code: 'page.tls',
      message: `the page cannot read ${file}: ${messageOf(error)}`,
      hint: 'check page.tls_cert and page.tls_key, and who may read them',
      cause: error,
    })
  }
}
