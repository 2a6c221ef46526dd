import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { createLog } from '../../../src/base/text/log.ts'
import { system_clock } from '../../../src/base/time/time.ts'
import { openSecrets } from '../../../src/config/secrets.ts'
import { startDaemon } from '../../../src/daemon/daemon.ts'
import type { Daemon } from '../../../src/daemon/running-daemon.ts'
import { type FileView, LedgerView } from '../../journeys/rig/ledger-view.ts'
import { quickConfig } from '../../journeys/rig/quick-config.ts'
import { makeStore } from '../../rig/tree.ts'
import { until, within } from '../../rig/waiting.ts'
import { type Azurite, type Container, startAzurite } from './azurite.ts'
import { type FixtureApi, fixture_project, fixture_token, startFixtureApi } from './fixture-api.ts'
import { type RecordedRequest, type RecordingHost, startRecordingHost } from './recording-host.ts'

/** undici adds these to each request, beside the headers of the ticket. */
const of_the_connection = ['host', 'connection', 'content-length']

/**
 * A store for the tests of a file. Each test has a listener in front of it and an API, and checks
 * in the end that no secret was sent.
 */
export class World {
  #azurite: Azurite | undefined
  #store: Container | undefined
  #host: RecordingHost | undefined
  #api: FixtureApi | undefined
  #journeys: AzureJourney[] = []

  /** Call it in the body of a test file. */
  static forThisFile(): World {
    const world = new World()
    beforeAll(async () => {
      world.#azurite = await startAzurite()
    })
    beforeEach(async () => {
      world.#store = await world.#azurite!.makeContainer()
      world.#host = await startRecordingHost(world.#azurite!.port)
      world.#api = await startFixtureApi(world.store, world.host.origin)
    })
    afterEach(async () => {
      for (const journey of world.#journeys.splice(0)) await journey.close()
      await world.#api?.close()
      await world.#host?.close()
    })
    afterAll(() => world.#azurite?.stop())
    return world
  }

  get store(): Container {
    return this.#store!
  }

  get host(): RecordingHost {
    return this.#host!
  }

  get api(): FixtureApi {
    return this.#api!
  }

  /** `base` holds the folder docs. */
  async begin(base: string): Promise<AzureJourney> {
    const journey = new AzureJourney(this, base)
    this.#journeys.push(journey)
    await journey.start()
    return journey
  }
}

/** The real daemon over a folder called docs. */
export class AzureJourney {
  readonly #world: World
  readonly #base: string
  readonly #home = makeStore()
  readonly #log: string[] = []
  #daemon: Daemon | undefined
  #view: LedgerView | undefined

  constructor(world: World, base: string) {
    this.#world = world
    this.#base = base
  }

  async start(): Promise<void> {
    const token_file = join(this.#home, 'token')
    writeFileSync(token_file, `${fixture_token}\n`, { mode: 0o600 })
    const service = { base_url: this.#world.api.origin, project_id: fixture_project, token_file }
    const places = { state_dir: join(this.#home, 'state'), base: this.#base, home: this.#home }
    const config = quickConfig(places, { service, folders: { docs: {} } })
    const log = createLog({
      level: 'trace',
      format: 'json',
      destination: { write: (text) => void this.#log.push(text) },
    })
    const { secrets } = openSecrets(config, {})
    this.#daemon = await within(
      'the start',
      startDaemon({ config, secrets, clock: system_clock, log, mode: 'run' }),
    )
    this.#view ??= new LedgerView(config.state_dir)
  }

  /** Ends the daemon in the middle of its work. */
  async abort(): Promise<void> {
    const daemon = this.#daemon
    this.#daemon = undefined
    if (daemon) await within('the abort', daemon.abort())
  }

  file(name: string): FileView | undefined {
    return this.#files().find((file) => file.name === `docs/${name}`)
  }

  async ready(name: string): Promise<FileView> {
    await this.until(`${name} is ready`, () => this.file(name)?.stage === 'ready')
    return this.file(name)!
  }

  async until(what: string, fact: () => boolean): Promise<void> {
    await until(what, fact, () => ({ files: this.#files(), log: this.#log.slice(-15) }))
  }

  async close(): Promise<void> {
    const daemon = this.#daemon
    this.#daemon = undefined
    if (daemon) await within('the stop', daemon.stop())
    this.#view?.close()
    const log = this.#log.join('')
    for (const secret of [fixture_token, ...signaturesOf(this.#world.api)])
      expect(log).not.toContain(secret)
    expect(this.#world.host.requests.length).toBeGreaterThan(0)
    expect(straysAt(this.#world)).toEqual([])
  }

  #files(): FileView[] {
    return this.#view?.files() ?? []
  }
}

/**
 * The differences between the requests at the blob host and the only allowed ones: an issued URL,
 * its exact headers, what a connection needs, and nothing else.
 */
export function straysAt({ host, api }: World): string[] {
  return host.requests.flatMap((request) => {
    const ticket = api.tickets.find(({ upload_url }) => upload_url === host.origin + request.path)
    if (!ticket) return ['a URL that was not handed out']
    const { upload_headers } = ticket
    const headers = headersOf(request)
    const added = Object.keys(headers).filter(
      (name) => !(name in upload_headers) && !of_the_connection.includes(name),
    )
    const changed = Object.keys(upload_headers).filter(
      (name) => headers[name] !== upload_headers[name],
    )
    const all = [request.path, ...request.raw_headers].join('\n').toLowerCase()
    const leaked = [fixture_token, fixture_project].filter((secret) =>
      all.includes(secret.toLowerCase()),
    )
    return [
      ...added.map((name) => `${name} was added`),
      ...changed.map((name) => `${name} is not as it was handed out`),
      ...leaked.map((secret) => `${secret.split(/[_]/)[0]} is given away`),
    ]
  })
}

export function headersOf({ raw_headers }: RecordedRequest): Record<string, string> {
  const pairs = raw_headers.flatMap((name, at) =>
    at % 2 === 0 ? [[name, raw_headers[at + 1]!] as const] : [],
  )
  return Object.fromEntries(pairs)
}

function signaturesOf({ tickets }: FixtureApi): string[] {
  return tickets.flatMap(({ upload_url }) => [
    new URL(upload_url).searchParams.get('sig')!,
    /sig=([^&]+)/.exec(upload_url)![1]!,
  ])
}
