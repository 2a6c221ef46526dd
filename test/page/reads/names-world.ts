import fc from 'fast-check'
import { expect } from 'vitest'
import type { Sqlite } from '../../../src/base/files/sqlite.ts'
import { openLedger } from '../../../src/ledger/open-ledger.ts'
import type { Arrival } from '../../../src/ledger/prompt-work.ts'
import { openPageStore } from '../../../src/page/access/page-store.ts'
import type { Viewer } from '../../../src/page/access/viewer.ts'
import { Cursors } from '../../../src/page/mcp/cursors.ts'
import { agent_tools } from '../../../src/page/mcp/tools.ts'
import { createPageApp } from '../../../src/page/page-app.ts'
import { Asking } from '../../../src/page/reads/asking.ts'
import { withOwnRuns } from '../../../src/page/reads/own-runs.ts'
import { filesInScope } from '../../../src/prompts/ask/ask-scope.ts'
import { withArrivalsView } from '../../../src/status/with-view.ts'
import { PromptBench } from '../../ledger/contract/prompts/prompt-bench.ts'
import { Bench, project_id, ticketFor } from '../../ledger/fixture.ts'
import { inspectSqlite } from '../../ledger/inspect-sqlite.ts'
import { configOf } from '../../rig/config-of.ts'
import { makeTree } from '../../rig/tree.ts'

export const names = ['open', 'minutes', 'secret'] as const
export type Folder = (typeof names)[number]
export type Mode = 'path' | 'base'

/** What the service really shows for an asset, and the folder that it comes from, if any. */
interface Shown {
  text: string
  origin: Folder | 'elsewhere'
}

export interface Told extends Shown {
  file: string
  asset_id: string
}

/** A ledger with three folders, and the service as the test knows it. */
export class World {
  readonly memory = makeTree()
  readonly bench = new Bench({
    memory: () => this.memory,
    open: async ({ limits, clock }) => ({
      ledger: await openLedger({ state_dir: this.memory, limits, clock }),
      inspector: inspectSqlite(this.memory),
    }),
  })
  readonly prompts = new PromptBench(this.bench)
  /** By asset id. */
  readonly shown = new Map<string, Shown>()
  /** By run: what its report may tell. */
  readonly reports = new Map<number, Told[]>()
  /** All files that there are or were, by place. */
  readonly files = new Map<string, { folder: Folder; path: string }>()
  readonly modes: Readonly<Record<Folder, Mode>>

  constructor(modes: Readonly<Record<Folder, Mode>>) {
    this.modes = modes
  }

  async open(): Promise<this> {
    await this.bench.open()
    for (const name of names) await this.bench.online(name, { upload_name: this.modes[name] })
    await this.prompts.configure(...names.map((name) => ({ name, first_run: 'all' as const })))
    return this
  }

  nameOf(folder: Folder, path: string): string {
    return this.modes[folder] === 'path' ? `${folder}/${path}` : path.split('/').at(-1)!
  }

  /** A file gets these bytes. Their asset is made, or found under a name of another user. */
  async write(folder: Folder, path: string, text: string, how: How) {
    const { bench } = this
    const content = await bench.settle(folder, path, text)
    this.files.set(`${folder}/${path}`, { folder, path })
    if (bench.see.stateOf(content) !== 'wanted') return
    if (how === 'refused' || how === 'deferred' || how === 'held')
      return this.#fail(content, this.nameOf(folder, path), how)
    const asset_id = `asset_${String(++bench.assets).padStart(20, '0')}`
    const own: Shown = { text: this.nameOf(folder, path), origin: folder }
    const shown =
      how === 'found' ? { text: `elsewhere/${text}`, origin: 'elsewhere' as const } : own
    this.shown.set(asset_id, shown)
    await bench.record({ type: 'slot_intended', content })
    if (how === 'found') await bench.record({ type: 'asset_found', content, asset_id })
    else {
      const name = how === 'made' ? { text: own.text, folder } : undefined
      const ticket = ticketFor(asset_id)
      await bench.record({ type: 'slot_reserved', content, asset_id, ticket, given_name: name })
      await bench.record({ type: 'bytes_accepted', content })
      await bench.record({ type: 'ingest_started', content, not_before_ms: 0 })
    }
    const shown_name = how === 'unknown' ? undefined : shown.text
    await bench.record({ type: 'asset_ready', content, shown_name })
  }

  /** The service, or the ledger, speaks of the file whose bytes were tried. */
  async #fail(content: number, name: string, how: 'refused' | 'deferred' | 'held'): Promise<void> {
    const error = { code: 'publicapi.odd', message: `${name} is odd` }
    const about = `fact:content ${content}`
    if (how === 'held') await this.bench.record({ type: 'trouble_began', about, error })
    else if (how === 'refused') await this.bench.record({ type: 'content_refused', content, error })
    else await this.bench.record({ type: 'deferred', content, not_before_ms: 0, error })
  }

  /** Gives the names that are due. An answer may be lost, before or after its effect. */
  async rename(how: 'done' | 'lost' | 'undone'): Promise<void> {
    const { work } = await this.bench.ledger.claimToName(10, { except_projects: [] })
    for (const { content, asset_id, wanted, names: held } of work) {
      const shown = this.shown.get(asset_id)!
      const is_ours = held.some(({ text, folder: by }) => text === shown.text && by !== undefined)
      const settled = { type: 'asset_named' as const, content }
      if (!wanted || wanted.text === shown.text || !is_ours)
        await this.bench.record({ ...settled, shown_name: shown.text, tried: shown.text })
      else {
        await this.bench.record({ type: 'name_intended', content, given_name: wanted })
        if (how !== 'undone')
          this.shown.set(asset_id, { text: wanted.text, origin: wanted.folder as Folder })
        if (how === 'done')
          await this.bench.record({ ...settled, shown_name: wanted.text, tried: wanted.text })
      }
      this.bench.ledger.release('name', [content])
    }
  }

  async report(prompt: Folder): Promise<void> {
    const found = await this.prompts.arrivals([prompt], { prompt, only_fresh: false })
    const run = await this.prompts.due(prompt)
    const none = { total: 0, files: [] }
    const states = { refused: none, moving: none, on_the_way: none, blocked: none, removed: none }
    const counts = { ready: found.length, taken: found.length, left_for_next: 0 }
    const folders = [{ name: prompt }]
    const coverage = JSON.stringify({ ...counts, ...states, left_are: 'left out', folders })
    await this.prompts.plan(run, found, { coverage })
    await this.bench.record(
      { type: 'turn_intended', run, body: '{"prompt":"what is new?"}' },
      { type: 'turn_asked', run, chat_id: `chat_${run}`, message_id: `message_${run}` },
    )
    const told = found.map((file) => this.told(file))
    const answer = `Read ${told.map((file) => file.text).join(' and ')}.`
    await this.bench.record({ type: 'turn_answered', run, answer })
    await this.prompts.write(run)
    this.reports.set(run, told)
  }

  told({ asset_id, folder, path }: Pick<Arrival, 'asset_id' | 'folder' | 'path'>): Told {
    return { ...this.shown.get(asset_id)!, file: `${folder}/${path}`, asset_id }
  }

  /** Files that a question of this reader is about. */
  scopeOf(sees: readonly Folder[]) {
    const wanted = { folders: [...sees], paths: [], within_ms: undefined, sees }
    return withArrivalsView(this.memory, (view) => filesInScope(wanted, view, 0))
  }

  /**
   * All that the page and the tools of agents show to this reader, by address or tool. The
   * questions were asked by an earlier version, about the same files as the reports.
   */
  async shownTo(folders: readonly Folder[]): Promise<Map<string, string>> {
    const config = configOf({
      service: { base_url: 'http://127.0.0.1:1', project_id, token_file: '/t' },
      state_dir: this.memory,
      folders: names.map((name) => ({ name, path: `/data/${name}` })),
      prompts: names.map((name) => ({ ...prompt, name, scope: { folders: [name] } })),
      page: { listen: '127.0.0.1:0' },
    })
    const { clock } = this.bench
    const store = openPageStore(this.memory, clock)
    store.putUser({ name: 'ada', role: 'reader', folders: [...folders] })
    const questions = this.#askAsBefore(store.database)
    const asking = new Asking({ config, store, clock })
    const log = () => {}
    const app = await createPageApp({ config, store, clock, log, asking, base_path: '' }, undefined)
    const authorization = `Bearer ${store.makeToken('ada')}`
    const own = [...this.files.values()].filter(({ folder }) => folders.includes(folder))
    const pages = [
      ...['/', '/problems', '/files', '/files?state=refused', '/prompts', '/ask', '/about'],
      ...own.map((file) => `/file?${new URLSearchParams(file)}`),
      ...names.flatMap((name) => [`/prompts/${name}`, `/prompts/${name}/feed.xml`]),
      ...[...this.reports.keys()].flatMap((run) => [`/runs/${run}`, `/runs/${run}/report.md`]),
      ...questions.map((id) => `/ask/${id}`),
    ]
    const shown = new Map<string, string>()
    try {
      for (const url of pages) {
        const answer = await app.inject({ url, headers: { host: 'localhost', authorization } })
        expect(answer.statusCode, url).toBeLessThan(500)
        // A page may repeat the address that it was asked for.
        shown.set(url, answer.body.replaceAll(url, ''))
      }
      const agent = {
        tools: { config, clock, log },
        viewer: { name: 'ada', role: 'reader', folders, by: 'token' } as const,
        ask: () => Promise.reject(new Error('no daemon')),
        stopped: new AbortController().signal,
        progress: () => {},
        cursors: new Cursors([]),
      }
      const calls = [
        ...own.map((file) => ['why_not', { file: `${file.folder}/${file.path}` }] as const),
        ...own.map((file) => ['is_it_in', { file: `${file.folder}/${file.path}` }] as const),
        ...own.map((file) => ['fetch', { id: `${file.folder}/${file.path}` }] as const),
        ...own.map((file) => ['search', { query: `the ${file.path} of all` }] as const),
        ['status', {}] as const,
        ['search_files', { states: ['refused', 'waiting', 'ready', 'gone'] }] as const,
        ['what_arrived_since', { since: '7d' }] as const,
        ...names.map((name) => ['last_report', { prompt: name }] as const),
      ]
      for (const [name, given] of calls) {
        const tool = agent_tools.find((each) => each.name === name)!
        const answer = await tool.run(tool.input.parse(given), agent).catch(String)
        shown.set(`${name} ${JSON.stringify(given)}`, JSON.stringify(answer))
      }
    } finally {
      await app.close()
      store.close()
    }
    return shown
  }

  /** Questions over the files of each report, and answers that tell what the service shows. */
  #askAsBefore(database: Sqlite): number[] {
    const insert = database.prepare(
      'INSERT INTO questions (user, asked_ms, wish, over, answer) VALUES (?, ?, ?, ?, ?)',
    )
    return [...this.reports.values()].map((told) => {
      const folders = [...new Set(told.map(({ file }) => file.split('/')[0]!))]
      const wish = { question: 'What is new?', folders, path: '', label: '' }
      const answer = {
        chat_id: 'chat_1',
        answer: told.map((file) => `As **${file.text}** says.`).join(' '),
        note: null,
        sources: told.map(({ file: name, asset_id }) => ({ name, asset_id, is_named: true })),
      }
      const values = [wish, folders, answer].map((value) => JSON.stringify(value))
      const at_ms = this.bench.clock.now_ms()
      return Number(insert.run('ada', at_ms, ...values).lastInsertRowid)
    })
  }

  /** Ids of the reports that this reader is shown. */
  async reportsOf(folders: readonly Folder[]): Promise<number[]> {
    const config = {
      state_dir: this.memory,
      folders: names.map((name) => ({ name, path: `/data/${name}`, project_id })),
    }
    const prompts = names.map((name) => ({ name, scope: { ...no_scope, folders: [name] } }))
    const viewer: Viewer = { name: 'ada', role: 'reader', folders, by: 'password' }
    const tools = { config: { ...config, prompts } } as unknown as Parameters<typeof withOwnRuns>[0]
    return withOwnRuns(tools, viewer, ({ config: own, history }) =>
      own.prompts.flatMap(({ name }) => history(name, 0, 1_000).map(({ run }) => run)),
    )
  }
}

const prompt = { cron: '0 8 * * 1', prompt: 'What is new?' }
const no_scope = { folders: [], labels: [], chats: [], concepts: [], projects: [], views: [] }

/** True if this name tells nothing of a folder that the reader does not see. */
export function isTheirs({ text, origin, file }: Told, sees: readonly Folder[]): boolean {
  return sees.some((folder) => folder === origin) || file === text || file.endsWith(`/${text}`)
}

const folder = fc.constantFrom(...names)
/** `only` becomes a name that no other folder has. */
const path = fc.constantFrom('a.txt', 'b.txt', 'sub/a.txt', 'only')
const text = fc.constantFrom('one', 'two', 'three')
export type How = 'made' | 'found' | 'unknown' | 'refused' | 'deferred' | 'held'
const how = fc.oneof(
  { weight: 5, arbitrary: fc.constant<How>('made') },
  { weight: 4, arbitrary: fc.constantFrom<How>('found', 'unknown') },
  { weight: 1, arbitrary: fc.constantFrom<How>('refused', 'deferred', 'held') },
)
const answer = fc.constantFrom('done' as const, 'done' as const, 'lost' as const, 'undone' as const)
export const act = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('write' as const), folder, path, text, how }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('remove' as const), folder, path }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('move' as const), folder, path, to: folder }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('report' as const), folder }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('rename' as const), answer }) },
)
export type Act = typeof act extends fc.Arbitrary<infer Value> ? Value : never

function pathIn({ folder, path }: { folder: Folder; path: string }): string {
  return path === 'only' ? `${only(folder)}.txt` : path
}

const only = (folder: Folder) => `only-${folder}`

export async function play(world: World, acts: readonly Act[]): Promise<void> {
  /** Bytes by place. */
  const disk = new Map<string, string>()
  for (const each of acts) {
    if (each.do === 'report') await world.report(each.folder)
    else if (each.do === 'rename') await world.rename(each.answer)
    else if (each.do === 'write') {
      const path = pathIn(each)
      disk.set(`${each.folder}/${path}`, each.text)
      await world.write(each.folder, path, each.text, each.how)
    } else {
      const place = `${each.folder}/${pathIn(each)}`
      const bytes = disk.get(place)
      if (bytes === undefined) continue
      disk.delete(place)
      await world.bench.gone(each.folder, pathIn(each))
      if (each.do === 'remove') continue
      disk.set(`${each.to}/moved/${each.path}`, bytes)
      await world.write(each.to, `moved/${each.path}`, bytes, 'made')
    }
  }
}

/** Texts that only name files of folders which this reader does not see. */
export function marksOfOthers(sees: readonly Folder[]): string[] {
  const hidden = names.filter((name) => !sees.includes(name))
  return hidden.flatMap((folder) => [`${folder}/`, only(folder)])
}
