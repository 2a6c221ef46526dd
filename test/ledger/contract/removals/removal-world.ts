import { expect } from 'vitest'
import { hour_ms, minute_ms } from '../../../../src/base/time/time.ts'
import type { Fact, FolderFact } from '../../../../src/domain/fact.ts'
import type { RemoveWork, SendWork } from '../../../../src/ledger/ledger.ts'
import { type Bench, md5Of, nothing_seen, statOf, ticketFor } from '../../fixture.ts'

export const grace_ms = hour_ms

interface Asset {
  md5: string
  ours: boolean
}

/** How an upload or a removal ends for its worker. */
export type Ending = 'well' | 'crash before' | 'crash after' | 'answer lost'

/**
 * Two folders of one project on a disk, a service that knows md5s, and a ledger between them. A
 * worker can die before and after each step. Every step is checked for what must never happen.
 */
export class RemovalWorld {
  readonly #bench: Bench
  readonly #folders: readonly [string, string]
  readonly #project_id: string
  readonly #disk = new Map<string, string>()
  /** The text that the ledger recorded last for each path. */
  readonly #recorded = new Map<string, string>()
  /**
   * Paths that the ledger knows as changed without their new bytes. The bytes can be the old ones
   * again.
   */
  readonly #noticed = new Set<string>()
  readonly #assets = new Map<string, Asset>()
  #made = 0
  removed = 0

  constructor(bench: Bench, run: number) {
    this.#bench = bench
    this.#folders = [`left ${run}`, `right ${run}`]
    this.#project_id = `project_${String(run).padStart(20, '0')}`
    // Another user uploaded this asset.
    this.#assets.set(`asset_foreign_${run}`, { md5: md5Of(this.#own('foreign')), ours: false })
  }

  async begin(policies: readonly Partial<FolderFact>[]): Promise<void> {
    for (const [index, folder] of this.#folders.entries()) {
      const policy = { delete_grace_ms: grace_ms, ...policies[index] }
      await this.#bench.online(folder, { project_id: this.#project_id, ...policy })
    }
  }

  write(path: string, text: string): void {
    this.#disk.set(path, text)
  }

  delete(path: string): void {
    this.#disk.delete(path)
  }

  move(from: string, to: string): void {
    this.copy(from, to)
    if (from !== to) this.#disk.delete(from)
  }

  copy(from: string, to: string): void {
    const text = this.#disk.get(from)
    if (text !== undefined) this.#disk.set(to, text)
  }

  /**
   * Records all differences between the disk and the ledger, except in folders that are offline.
   */
  async scan(): Promise<void> {
    const began_ms = this.#bench.clock.now_ms()
    await this.#bench.clock.advance(minute_ms)
    const online = (await this.#bench.ledger.folders())
      .filter((state) => state.online)
      .map(({ name }) => name)
    for (const path of new Set([
      ...this.#disk.keys(),
      ...this.#recorded.keys(),
      ...this.#noticed,
    ])) {
      const [folder, name] = this.#placeOf(path)
      if (!online.includes(folder)) continue
      const text = this.#disk.get(path)
      const was_noticed = this.#noticed.delete(path)
      if (text === this.#recorded.get(path) && !was_noticed) continue
      if (text === undefined) await this.#bench.record({ type: 'file_gone', folder, path: name })
      else await this.#bench.record(this.#settled(folder, name, text))
      if (text === undefined) this.#recorded.delete(path)
      else this.#recorded.set(path, text)
    }
    for (const folder of this.#folders.filter((name) => online.includes(name))) {
      await this.#bench.record({ type: 'scan_finished', folder, began_ms, summary: nothing_seen })
    }
  }

  /** Records that files changed, before their bytes are known. */
  async notice(): Promise<void> {
    const online = (await this.#bench.ledger.folders())
      .filter((state) => state.online)
      .map(({ name }) => name)
    for (const [path, text] of this.#disk) {
      const [folder, name] = this.#placeOf(path)
      if (!online.includes(folder) || text === this.#recorded.get(path)) continue
      const stat = statOf(this.#own(text).length)
      await this.#bench.record({
        type: 'file_seen',
        folder,
        path: name,
        stat,
        not_before_ms: this.#bench.clock.now_ms(),
      })
      this.#noticed.add(path)
    }
  }

  /** Changes the configuration of a folder. A new root holds the same files. */
  async configure(side: 0 | 1, change: Partial<FolderFact>): Promise<void> {
    const state = (await this.#bench.ledger.folders()).find(
      ({ name }) => name === this.#folders[side],
    )
    await this.#bench.configure(this.#folders[side], {
      project_id: this.#project_id,
      delete_grace_ms: grace_ms,
      ...change,
    })
    if (state?.online)
      await this.#bench.record({ type: 'folder_online', folder: this.#folders[side], device: 5n })
  }

  async offline(side: 0 | 1): Promise<void> {
    await this.#bench.record({
      type: 'folder_offline',
      folder: this.#folders[side],
      reason: 'missing',
    })
  }

  async backOnline(): Promise<void> {
    for (const folder of this.#folders)
      await this.#bench.record({ type: 'folder_online', folder, device: 5n })
  }

  pass(ms: number): Promise<void> {
    return this.#bench.clock.advance(ms)
  }

  crash(): Promise<void> {
    return this.#bench.reopen()
  }

  async upload(ending: Ending): Promise<void> {
    for (const work of await this.#bench.sendable()) {
      if (ending === 'crash before') return this.crash()
      const { content } = work
      this.#bench.free(content)
      if (work.state === 'wanted') await this.#bench.record({ type: 'slot_intended', content })
      const known = work.state === 'reserved' ? undefined : this.#assetOf(work.md5)
      if (known !== undefined) {
        await this.#bench.record(
          { type: 'asset_found', content, asset_id: known },
          { type: 'asset_ready', content },
        )
        continue
      }
      if (work.state !== 'reserved') {
        const asset_id = this.#make(work)
        await this.#bench.record({
          type: 'slot_reserved',
          content,
          asset_id,
          ticket: ticketFor(asset_id),
        })
      }
      if (ending === 'crash after') return this.crash()
      await this.#bench.record(
        ...in_the_end.map((type) => ({ type, content, not_before_ms: 0 }) as Fact),
      )
    }
  }

  async remove(ending: Ending): Promise<void> {
    const { work } = await this.#bench.ledger.claimToRemove(100, { except_projects: [] })
    for (const { content } of work) this.#bench.free(content)
    for (const item of work) if (item.is_fresh) this.#mayBeMeant(item)
    for (const { content, asset_id, is_doubted } of work) {
      if (ending === 'crash before') return this.crash()
      if (is_doubted && this.#assets.has(asset_id)) {
        await this.#bench.record({
          type: 'asset_kept',
          content,
          not_before_ms: this.#bench.clock.now_ms(),
        })
        continue
      }
      expect(this.#assets.get(asset_id)?.ours, 'only what we made').not.toBe(false)
      if (this.#assets.delete(asset_id)) this.removed++
      if (ending === 'crash after') return this.crash()
      const not_before_ms = this.#bench.clock.now_ms() + minute_ms
      const error = { code: 'network.timeout', message: 'no answer' }
      if (ending === 'answer lost') {
        await this.#bench.record({ type: 'removal_deferred', content, not_before_ms, error })
      } else await this.#bench.record({ type: 'asset_removed', content })
    }
  }

  async scanAndUpload(ending: Ending): Promise<void> {
    await this.scan()
    await this.upload(ending)
  }

  /** The grace period ends, everything is scanned, and removals are made. */
  async later(ending: Ending): Promise<void> {
    await this.pass(grace_ms + minute_ms)
    await this.scan()
    await this.remove(ending)
  }

  /** Every file that the ledger calls ready has its asset on the service. */
  check(): void {
    for (const [path, text] of this.#recorded) {
      const content = this.#bench.see.content(md5Of(this.#own(text)), this.#project_id)
      if (content?.state === 'ready')
        expect(this.#assets.has(content.asset_id!), `${path} is without its asset`).toBe(true)
    }
  }

  /** Records, sends and removes everything; then every file has its asset. */
  async settle(): Promise<void> {
    await this.backOnline()
    for (let round = 0; round < 6; round++) {
      await this.scan()
      await this.upload('well')
      await this.pass(2 * grace_ms)
      await this.remove('well')
    }
    for (const [path, text] of this.#disk) {
      const content = this.#bench.see.content(md5Of(this.#own(text)), this.#project_id)
      expect(content?.state, path).toBe('ready')
    }
    this.check()
  }

  /** Returns whether the service has this text. */
  has(text: string): boolean {
    return this.#assetOf(md5Of(this.#own(text))) !== undefined
  }

  /**
   * When a removal starts, no path holds the bytes, and the service has the version that replaced
   * them.
   */
  #mayBeMeant({ asset_id, name }: RemoveWork): void {
    const asset = this.#assets.get(asset_id)
    expect(asset, `${name}: it is still there`).toBeDefined()
    const held = [...this.#recorded.values()].map((text) => md5Of(this.#own(text)))
    expect(held, `${name}: a path holds it`).not.toContain(asset!.md5)
    const now = this.#recorded.get(this.#pathOf(name))
    if (now !== undefined) expect(this.has(now), `${name}: what took its place is there`).toBe(true)
  }

  #settled(folder: string, path: string, text: string): Fact {
    const own = this.#own(text)
    return { type: 'file_settled', folder, path, stat: statOf(own.length), md5: md5Of(own) }
  }

  #make({ md5 }: SendWork): string {
    const asset_id = `asset_${this.#project_id.slice(8)}_${++this.#made}`
    this.#assets.set(asset_id, { md5, ours: true })
    return asset_id
  }

  #assetOf(md5: string): string | undefined {
    return [...this.#assets].find(([, asset]) => asset.md5 === md5)?.[0]
  }

  /** Runs share a ledger, but no bytes. */
  #own(text: string): string {
    return `${text} of ${this.#project_id}`
  }

  #placeOf(path: string): [folder: string, name: string] {
    return [this.#folders[path.startsWith('left/') ? 0 : 1], path.slice(path.indexOf('/') + 1)]
  }

  #pathOf(name: string): string {
    const side = name.startsWith(this.#folders[0]) ? 'left' : 'right'
    return `${side}/${name.slice(name.indexOf('/') + 1)}`
  }
}

const in_the_end = ['bytes_accepted', 'ingest_started', 'asset_ready'] as const
