import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { openSqlite } from '../../../src/base/files/sqlite.ts'
import { ledger_migrations } from '../../../src/ledger/file/ledger-file.ts'
import { ticket_migrations } from '../../../src/ledger/file/tickets.ts'
import type { RequestEntry, Stage } from '../../../src/service/observer.ts'
import { constantsEnv } from '../../rig/config-of.ts'
import { type Service, startService } from '../../rig/local-service.ts'
import { makeStore, makeTree, type TreeEntry } from '../../rig/tree.ts'
import { within } from '../../rig/waiting.ts'
import { filesOnDisk, md5Of } from '../rig/disk-truth.ts'

const sluice = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url))

/** The calls of one upload, as the log of requests names them. A list page reads many assets. */
const call_names: Record<string, string> = {
  'assets.create': 'create',
  put: 'put',
  'assets.complete': 'complete',
  'assets.read': 'read',
  'assets.list': 'read',
}
const stages: readonly Stage[] = ['begin', 'during', 'handled', 'end']

/** A call and a stage of it: `create handled`. */
export type KillPlace = string
/** Places in the order of the kills: the first ten have every call and every stage. */
export const kill_places: readonly KillPlace[] = [
  'create handled',
  'put during',
  'complete handled',
  'read handled',
  'create end',
  'put handled',
  'complete begin',
  'create begin',
  'put end',
  'complete end',
  'read begin',
  'put begin',
  'read end',
]

/** The kill happens at the n-th request at this place. */
export interface KillMoment {
  place: KillPlace
  nth: number
}

const connections = 4
const constants = {
  uploads: { small_file_bytes: 262_144, retry_first_ms: 10, max_retry_ms: 100 },
  follow: { first_ms: 20, max_ms: 200 },
}
/** Slots that one kill can cost at most: each of these may wait for its commit. */
export const max_in_flight = 16 * connections
/** Slots that a kill costs on average, far fewer than the maximum. */
export const usual_in_flight = 4 * connections
/** A pass over 300 files takes two seconds on a free machine. */
const max_pass_ms = 60_000

/**
 * 300 files: one in ten is a copy of another. Some are streamed, and the service stores them as
 * separate files.
 */
function manyFiles(count = 300): Record<string, TreeEntry> {
  const tree: Record<string, TreeEntry> = {}
  for (let index = 0; index < count; index++) {
    const number = index % 10 === 9 ? index - 9 : index
    const line = `file ${number} of many\n`
    tree[`docs/${index % 7}/file-${index}.txt`] = line.repeat(
      number % 30 === 3 ? 100_000 : 1 + (number % 50),
    )
  }
  return tree
}

/** A folder, a service, and the real program, which is started and killed. */
export class Siege {
  readonly service: Service
  readonly #base: string
  readonly #home: string
  readonly #project_id: string
  readonly #pending: KillMoment[] = []
  readonly #reached = new Map<KillPlace, number>()
  /** For each killed process: the place, and the slots that the ledger knew then. */
  readonly #deaths: { place: KillPlace; known: ReadonlySet<string> }[] = []
  readonly #life_of = new Map<RequestEntry, number>()
  #child: ChildProcess | undefined
  #struck: KillPlace | undefined
  #life = 0

  static async begin(): Promise<Siege> {
    const home = makeStore()
    return new Siege(home, await startService({ data_dir: join(home, 'service') }))
  }

  private constructor(home: string, service: Service) {
    this.#home = home
    this.#base = makeTree(manyFiles())
    this.service = service
    this.#project_id = service.projects.create('killed').project_id
    this.#writeConfig()
    for (const stage of stages) service.on(stage, (entry) => this.#observe(stage, entry))
  }

  /** Number of requests at each place. */
  reached(): ReadonlyMap<KillPlace, number> {
    return this.#reached
  }

  requests(place: RequestEntry['place']): number {
    return this.service.requestLog.filter((entry) => entry.place === place).length
  }

  /**
   * Starts the program again and again until it ends by itself; returns the moments that did not
   * come.
   */
  async run(moments: readonly KillMoment[] = []): Promise<KillMoment[]> {
    this.#pending.push(...moments)
    for (;;) {
      this.#struck = undefined
      const output = await within('the program', this.#live(), max_pass_ms)
      const struck = this.#struck as KillPlace | undefined
      if (struck === undefined) {
        expect(this.#child?.exitCode, `the program ended by itself and said: ${output}`).toBe(0)
        return this.#pending.splice(0)
      }
      this.#deaths.push({ place: struck, known: this.#knownAssets() })
      await this.#hearTheDead()
      this.#life++
    }
  }

  /** Every file on the disk exists exactly once on the service, with the same bytes. */
  expectWhole(): void {
    const whole = this.service.assets(this.#project_id).filter(({ bare }) => !bare)
    const on_disk = [...new Set(filesOnDisk(this.#base).values())].sort()
    expect(whole.filter(({ status }) => status !== 'ready')).toEqual([])
    expect(whole.map(({ md5 }) => md5).sort()).toEqual(on_disk)
    expect(whole.map(({ asset_id }) => md5Of(this.service.readBlob(asset_id))).sort()).toEqual(
      on_disk,
    )
    expect(this.service.blobFaults).toEqual({ count: 0, reasons: [] })
  }

  /**
   * The kills, and the slots that each of them cost. A slot without bytes must have been on its way
   * from the service when the process died. The next life must fill every slot that the ledger
   * knew.
   */
  kills(): { place: KillPlace; slots_lost: number }[] {
    const kills = this.#deaths.map(({ place }) => ({ place, slots_lost: 0 }))
    for (const { asset_id, bare } of this.service.assets(this.#project_id)) {
      if (!bare) continue
      const made = this.service.requestLog.find(
        (entry) => entry.place === 'assets.create' && entry.asset_id === asset_id,
      )
      const life = made && this.#life_of.get(made)
      const death = life === undefined ? undefined : this.#deaths[life]
      expect(death, `${asset_id} was left bare by a life that was not killed`).toBeDefined()
      expect(death?.known.has(asset_id), `the ledger knew ${asset_id} when the process died`).toBe(
        false,
      )
      kills[life!]!.slots_lost++
    }
    return kills
  }

  contents(): number {
    return new Set(filesOnDisk(this.#base).values()).size
  }

  async close(): Promise<void> {
    if (this.#child?.exitCode === null && this.#child.signalCode === null) {
      this.#child.kill('SIGKILL')
      await once(this.#child, 'exit')
    }
    await this.service.close()
  }

  #writeConfig(): void {
    const token_file = join(this.#home, 'token')
    writeFileSync(token_file, this.service.tokens.create('killed').token, { mode: 0o600 })
    // JSON is also YAML.
    const config = {
      service: { base_url: this.service.api, project_id: this.#project_id, token_file },
      state_dir: join(this.#home, 'state'),
      folders: [{ name: 'docs', path: join(this.#base, 'docs'), settle_ms: 50 }],
      uploads: { concurrency: connections },
    }
    writeFileSync(join(this.#home, 'sluice.yaml'), JSON.stringify(config))
  }

  /**
   * Sockets may still hold requests of the dead process. The service reads them within a turn or
   * two of the event loop.
   */
  async #hearTheDead(): Promise<void> {
    for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve))
  }

  /** Runs the program once; returns its output. */
  async #live(): Promise<string> {
    const words = ['sync', '--config', join(this.#home, 'sluice.yaml')]
    const env = { PATH: process.env.PATH, HOME: this.#home, ...constantsEnv(constants) }
    const child = spawn(process.execPath, [sluice, ...words], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#child = child
    const output: Buffer[] = []
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (bytes: Buffer) => output.push(bytes))
    await once(child, 'close')
    return Buffer.concat(output).toString()
  }

  async #observe(stage: Stage, entry: RequestEntry): Promise<void> {
    if (stage === 'begin') this.#life_of.set(entry, this.#life)
    const call = call_names[entry.place]
    if (call === undefined) return
    const here = `${call} ${stage}`
    const count = (this.#reached.get(here) ?? 0) + 1
    this.#reached.set(here, count)
    if (this.#struck !== undefined) return
    const due = this.#pending.findIndex((moment) => moment.place === here && moment.nth <= count)
    if (due < 0) return
    this.#pending.splice(due, 1)
    await this.#strike(here)
  }

  /** Holds the request until the process is gone, so that it dies exactly here. */
  async #strike(place: KillPlace): Promise<void> {
    const child = this.#child
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    this.#struck = place
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }

  /** Reads copies: opening the files of a killed process would change them. */
  #knownAssets(): Set<string> {
    const folder = makeStore()
    const read = (name: string, migrations: typeof ledger_migrations, sql: string): string[] => {
      for (const suffix of ['', '-wal']) {
        const file = join(this.#home, 'state', name + suffix)
        if (existsSync(file)) copyFileSync(file, join(folder, name + suffix))
      }
      const database = openSqlite({ file: join(folder, name), migrations, synchronous: 'NORMAL' })
      try {
        return database.prepare(sql).pluck().all() as string[]
      } finally {
        database.close()
      }
    }
    return new Set([
      ...read(
        'ledger.db',
        ledger_migrations,
        'SELECT asset_id FROM contents WHERE asset_id IS NOT NULL',
      ),
      ...read('tickets.db', ticket_migrations, 'SELECT asset_id FROM tickets'),
    ])
  }
}
