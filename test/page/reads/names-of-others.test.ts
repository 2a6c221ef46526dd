import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { openLedger } from '../../../src/ledger/open-ledger.ts'
import type { Arrival } from '../../../src/ledger/prompt-work.ts'
import type { Viewer } from '../../../src/page/access/viewer.ts'
import { withOwnRuns } from '../../../src/page/reads/own-runs.ts'
import { filesInScope } from '../../../src/prompts/ask/ask-scope.ts'
import { withArrivalsView } from '../../../src/status/with-view.ts'
import { PromptBench } from '../../ledger/contract/prompts/prompt-bench.ts'
import { Bench, project_id, ticketFor } from '../../ledger/fixture.ts'
import { inspectSqlite } from '../../ledger/inspect-sqlite.ts'
import { makeTree } from '../../rig/tree.ts'

const names = ['open', 'minutes', 'secret'] as const
type Folder = (typeof names)[number]
type Mode = 'path' | 'base'

/** What the service really shows for an asset, and the folder that it comes from, if any. */
interface Shown {
  text: string
  origin: Folder | 'elsewhere'
}

interface Told extends Shown {
  file: string
}

/** A ledger with three folders, and the service as the test knows it. */
class World {
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
  async write(folder: Folder, path: string, text: string, how: 'made' | 'found' | 'unknown') {
    const { bench } = this
    const content = await bench.settle(folder, path, text)
    if (bench.see.stateOf(content) !== 'wanted') return
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
    const coverage = JSON.stringify({ folders: [{ name: prompt }] })
    await this.prompts.plan(run, found, { coverage })
    await this.bench.record(
      { type: 'turn_intended', run, body: '{"prompt":"what is new?"}' },
      { type: 'turn_asked', run, chat_id: `chat_${run}`, message_id: `message_${run}` },
      { type: 'turn_answered', run, answer: 'nothing much' },
    )
    await this.prompts.write(run)
    const told = found.map((file) => this.told(file))
    this.reports.set(run, told)
  }

  told({ asset_id, folder, path }: Pick<Arrival, 'asset_id' | 'folder' | 'path'>): Told {
    return { ...this.shown.get(asset_id)!, file: `${folder}/${path}` }
  }

  /** Files that a question of this reader is about. */
  scopeOf(sees: readonly Folder[]) {
    const wanted = { folders: [...sees], paths: [], within_ms: undefined, sees }
    return withArrivalsView(this.memory, (view) => filesInScope(wanted, view, 0))
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

const no_scope = { folders: [], labels: [], chats: [], concepts: [], projects: [], views: [] }

/** True if this name tells nothing of a folder that the reader does not see. */
function isTheirs({ text, origin, file }: Told, sees: readonly Folder[]): boolean {
  return sees.some((folder) => folder === origin) || file === text || file.endsWith(`/${text}`)
}

const folder = fc.constantFrom(...names)
const path = fc.constantFrom('a.txt', 'b.txt', 'sub/a.txt')
const text = fc.constantFrom('one', 'two', 'three')
const how = fc.constantFrom('made' as const, 'made' as const, 'found' as const, 'unknown' as const)
const answer = fc.constantFrom('done' as const, 'done' as const, 'lost' as const, 'undone' as const)
const act = fc.oneof(
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
type Act = typeof act extends fc.Arbitrary<infer Value> ? Value : never

async function play(world: World, acts: readonly Act[]): Promise<void> {
  /** Bytes by place. */
  const disk = new Map<string, string>()
  for (const each of acts) {
    if (each.do === 'report') await world.report(each.folder)
    else if (each.do === 'rename') await world.rename(each.answer)
    else if (each.do === 'write') {
      disk.set(`${each.folder}/${each.path}`, each.text)
      await world.write(each.folder, each.path, each.text, each.how)
    } else {
      const place = `${each.folder}/${each.path}`
      const bytes = disk.get(place)
      if (bytes === undefined) continue
      disk.delete(place)
      await world.bench.gone(each.folder, each.path)
      if (each.do === 'remove') continue
      disk.set(`${each.to}/moved/${each.path}`, bytes)
      await world.write(each.to, `moved/${each.path}`, bytes, 'made')
    }
  }
}

/** How often each answer came, so that the property is seen to try both. */
const seen = { asked: 0, left_out: 0, shown: 0, hidden: 0 }

test('property: no reader is asked over, or shown a report over, a name of a folder that they do not see', async () => {
  const modes = fc.record({
    open: fc.constantFrom<Mode>('path', 'base'),
    minutes: fc.constant<Mode>('path'),
    secret: fc.constantFrom<Mode>('path', 'base'),
  })
  const readers = fc.subarray([...names], { minLength: 1 })
  await fc.assert(
    fc.asyncProperty(
      modes,
      fc.array(act, { minLength: 8, maxLength: 25 }),
      fc.array(readers, { minLength: 2, maxLength: 3 }),
      async (by_folder, acts, all) => {
        const world = await new World(by_folder).open()
        try {
          await play(world, acts)
          for (const sees of all) {
            const { files, left_out } = await world.scopeOf(sees)
            for (const file of files) expect(isTheirs(world.told(file), sees)).toBe(true)
            const shown = await world.reportsOf(sees)
            for (const run of shown)
              for (const told of world.reports.get(run)!) expect(isTheirs(told, sees)).toBe(true)
            seen.asked += files.length
            seen.left_out += left_out
            seen.shown += shown.length
            seen.hidden += [...world.reports].length - shown.length
          }
        } finally {
          await world.bench.close()
        }
      },
    ),
    { numRuns: 40 },
  )
})

afterAll(() => {
  for (const [what, times] of Object.entries(seen)) expect(times, what).toBeGreaterThan(20)
})
