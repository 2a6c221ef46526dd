import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { isoTime, minute_ms, system_clock } from '../../../src/base/time/time.ts'
import { api_errors, type ErrorCode } from '../../../src/contract/errors.ts'
import { assetCreate } from '../../../src/contract/messages/messages-assets.ts'
import type { Container } from './azurite.ts'

export const fixture_token = `pat_${'AzureSecret'.repeat(2)}0123456789`
export const fixture_project = 'project_azureazureazureazure'

export interface FixtureAsset {
  asset_id: string
  filename: string
  mime_type: string
  declared_md5: string | undefined
  /** The properties that the store reported at complete; undefined before. */
  stored: { size: number; md5: string; content_type: string } | undefined
  status: 'uploaded' | 'ingesting' | 'ready'
  created_at: string
}

/** The ticket in the answer for a slot, which a test may damage. */
export interface WireTicket {
  upload_url: string
  upload_headers: Record<string, string>
}

/**
 * Just enough of the interface for uploads, in front of a real object store. Each slot is a blob
 * with the name of its asset.
 */
export interface FixtureApi {
  readonly origin: string
  /** In the order in which they were made. */
  readonly assets: readonly FixtureAsset[]
  /** Changes to the tickets of the next slots, one each. */
  readonly spoil: ((ticket: WireTicket, asset_id: string) => void)[]
  /** Every ticket that was sent, damaged or not. */
  readonly tickets: readonly (WireTicket & { asset_id: string })[]
  close(): Promise<void>
}

const ticket_lifetime_ms = 10 * minute_ms

interface Reply {
  status: number
  body: unknown
}

class Refusal extends Error {
  readonly code: ErrorCode
  constructor(code: ErrorCode) {
    super(code)
    this.code = code
  }
}

export async function startFixtureApi(store: Container, blob_origin: string): Promise<FixtureApi> {
  const desk = new Desk(store, blob_origin)
  const server = createServer((incoming, response) => {
    answer(desk, incoming).then(
      (reply) => send(response, reply),
      (error: unknown) => send(response, refusalOf(error)),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    assets: desk.assets,
    spoil: desk.spoil,
    tickets: desk.tickets,
    async close() {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

async function answer(desk: Desk, incoming: IncomingMessage): Promise<Reply> {
  if (incoming.headers['x-api-key'] !== fixture_token) throw new Refusal('publicapi.auth.invalid')
  if (incoming.headers['x-project-id'] !== fixture_project)
    throw new Refusal('publicapi.tenancy.project.not_found')
  const { pathname, searchParams } = new URL(incoming.url ?? '', 'http://fixture')
  const body = await text(incoming)
  const [, version, group, asset_id, verb, ...rest] = pathname.split('/')
  if (version !== 'v1' || group !== 'assets' || rest.length > 0)
    throw new Refusal('publicapi.route.not_found')
  const call = [incoming.method, asset_id && '{id}', verb].filter(Boolean).join(' ')
  if (call === 'POST') return desk.create(JSON.parse(body))
  if (call === 'GET') return desk.list(searchParams)
  if (call === 'GET {id}') return desk.read(asset_id!)
  if (call === 'POST {id} complete') return desk.complete(asset_id!)
  throw new Refusal('publicapi.route.not_found')
}

class Desk {
  readonly assets: FixtureAsset[] = []
  readonly spoil: FixtureApi['spoil'] = []
  readonly tickets: (WireTicket & { asset_id: string })[] = []
  readonly #store: Container
  readonly #blob_origin: string

  constructor(store: Container, blob_origin: string) {
    this.#store = store
    this.#blob_origin = blob_origin
  }

  create(body: unknown): Reply {
    const { filename, mime_type, md5 } = assetCreate.parse(body)
    const known = this.assets.find(({ stored }) => stored !== undefined && stored.md5 === md5)
    if (known)
      return {
        status: 200,
        body: { asset_id: known.asset_id, already_exists: true, status: this.#statusOf(known) },
      }
    const asset_id = `asset_${String(this.assets.length).padStart(20, '0')}`
    const created_at = isoTime(system_clock.now_ms())
    this.assets.push({
      asset_id,
      filename,
      mime_type,
      declared_md5: md5,
      stored: undefined,
      status: 'uploaded',
      created_at,
    })

    const expires_at_ms = system_clock.now_ms() + ticket_lifetime_ms
    const upload_url = this.#blob_origin + this.#store.mint(asset_id, expires_at_ms)
    const of_content =
      md5 === undefined ? {} : { 'content-md5': Buffer.from(md5, 'hex').toString('base64') }
    const upload_headers = {
      'x-ms-blob-type': 'BlockBlob',
      'content-type': mime_type,
      ...of_content,
    }
    const ticket: WireTicket = { upload_url, upload_headers }
    this.spoil.shift()?.(ticket, asset_id)
    this.tickets.push({ ...ticket, asset_id })
    const slot = {
      asset_id,
      already_exists: false,
      upload_method: 'PUT',
      expires_at: isoTime(expires_at_ms),
    }
    return { status: 201, body: { ...slot, ...ticket } }
  }

  async complete(asset_id: string): Promise<Reply> {
    const asset = this.#find(asset_id)
    if (!asset.stored) {
      const stored = await this.#store.stat(asset_id)
      if (!stored) throw new Refusal('publicapi.asset.complete.bytes_missing')
      const { declared_md5 = stored.md5 } = asset
      if (stored.md5 !== declared_md5) throw new Refusal('publicapi.asset.complete.md5_differs')
      asset.stored = stored
      asset.status = 'ingesting'
    }
    return { status: 200, body: recordOf(asset, asset.status) }
  }

  read(asset_id: string): Reply {
    const asset = this.#find(asset_id)
    return { status: 200, body: recordOf(asset, this.#statusOf(asset)) }
  }

  /** Newest first, which is the order of the ids. */
  list(query: URLSearchParams): Reply {
    const limit = Number(query.get('limit') ?? 25)
    const after_id = query.get('after_id')
    const behind = this.assets
      .toReversed()
      .filter(({ asset_id }) => after_id === null || asset_id < after_id)
    const data = behind
      .slice(0, limit)
      .map((asset) => ({ ...recordOf(asset, this.#statusOf(asset)), labels: [] }))
    const ids =
      data.length === 0 ? {} : { first_id: data[0]!.asset_id, last_id: data.at(-1)!.asset_id }
    return { status: 200, body: { data, has_more: behind.length > limit, ...ids } }
  }

  /** The first check of an ingesting asset returns `ingesting`, and the next one `ready`. */
  #statusOf(asset: FixtureAsset): FixtureAsset['status'] {
    const { status } = asset
    if (status === 'ingesting') asset.status = 'ready'
    return status
  }

  #find(asset_id: string): FixtureAsset {
    const asset = this.assets.find((candidate) => candidate.asset_id === asset_id)
    if (!asset) throw new Refusal('publicapi.asset.not_found')
    return asset
  }
}

function recordOf(
  { asset_id, filename, mime_type, stored, created_at }: FixtureAsset,
  status: FixtureAsset['status'],
) {
  return { asset_id, status, filename, mime_type, size_in_bytes: stored?.size ?? 0, created_at }
}

function refusalOf(error: unknown): Reply {
  const code = error instanceof Refusal ? error.code : 'publicapi.internal.failed'
  const [status] = api_errors[code]
  return { status, body: { code, humane: String(error), statusCode: status } }
}

function send(response: ServerResponse, { status, body }: Reply): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
