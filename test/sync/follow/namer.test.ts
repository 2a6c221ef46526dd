import { expect, onTestFinished, test } from 'vitest'
import { unwatched } from '../../../src/base/run/heartbeat.ts'
import { minute_ms, second_ms } from '../../../src/base/time/time.ts'
import { openLedger } from '../../../src/ledger/open-ledger.ts'
import type { Remote } from '../../../src/remote/remote.ts'
import { createCircuits } from '../../../src/sync/circuits.ts'
import { startNamer } from '../../../src/sync/follow/namer.ts'
import type { SyncReport } from '../../../src/sync/report.ts'
import { PromptBench } from '../../ledger/contract/prompts/prompt-bench.ts'
import { Bench, project_id, ticketFor } from '../../ledger/fixture.ts'
import { inspectSqlite } from '../../ledger/inspect-sqlite.ts'
import { makeTree } from '../../rig/tree.ts'

const silent = new Proxy({}, { get: () => () => {} }) as SyncReport

/** A ledger with a folder, and a namer that renames assets of a service with these names. */
async function begin() {
  const memory = makeTree()
  const bench = new Bench({
    memory: () => memory,
    open: async ({ limits, clock }) => ({
      ledger: await openLedger({ state_dir: memory, limits, clock }),
      inspector: inspectSqlite(memory),
    }),
  })
  await bench.open('docs')
  onTestFinished(() => bench.close())
  const { clock, ledger } = bench
  /** By asset id. */
  const names = new Map<string, string>()
  const renamed: { to: string; at_ms: number }[] = []
  const remote = {
    readAsset: async (_project: string, asset_id: string) => {
      return { ok: true, value: { status: 'ready', shown_name: names.get(asset_id) } }
    },
    renameAsset: async (_project: string, asset_id: string, to: string) => {
      names.set(asset_id, to)
      renamed.push({ to, at_ms: clock.now_ms() })
      return { ok: true, value: to }
    },
  } as unknown as Remote

  /** Brings a file in, then moves it. */
  async function moved(from: string, to: string): Promise<void> {
    const content = await bench.settle('docs', from, `text of ${from}`)
    const asset_id = `asset_${String(++bench.assets).padStart(20, '0')}`
    const given_name = { text: `docs/${from}`, folder: 'docs' }
    names.set(asset_id, given_name.text)
    await bench.record({ type: 'slot_intended', content })
    const ticket = ticketFor(asset_id)
    await bench.record({ type: 'slot_reserved', content, asset_id, ticket, given_name })
    await bench.record({ type: 'bytes_accepted', content })
    await bench.record({ type: 'ingest_started', content, not_before_ms: 0 })
    await bench.record({ type: 'asset_ready', content, shown_name: given_name.text })
    await bench.settle('docs', to, `text of ${from}`)
    await bench.gone('docs', from)
  }

  function start(): void {
    const circuits = createCircuits({
      ledger,
      clock,
      report: silent,
      reloadToken: async () => false,
      onSlowDown: () => {},
      projects: [project_id],
    })
    const soft = new AbortController()
    const tools = { ledger, remote, circuits, clock, report: silent, heartbeats: unwatched }
    const { worker } = startNamer(tools, { soft: soft.signal })
    ledger.onWork(() => worker.wake())
    onTestFinished(() => {
      soft.abort()
      return worker.ended
    })
  }
  /** Moves the clock on in steps, between which the thread of the ledger answers. */
  async function pass(ms: number): Promise<void> {
    const until_ms = clock.now_ms() + ms
    await clock.runUntil(() => clock.now_ms() >= until_ms)
  }
  return { bench, clock, moved, start, pass, renamed }
}

test('at most 60 assets a minute get a name', async () => {
  const { clock, moved, start, renamed } = await begin()
  for (let at = 0; at < 70; at++) await moved(`old/${at}.txt`, `new/${at}.txt`)
  start()
  await clock.runUntil(() => renamed.length === 70)
  for (const { at_ms } of renamed) {
    const within = renamed.filter((other) => other.at_ms >= at_ms)
    const a_minute = within.filter((other) => other.at_ms < at_ms + minute_ms)
    expect(a_minute.length).toBeLessThanOrEqual(60)
  }
})

test('a name waits behind all uploads', async () => {
  const { bench, clock, moved, start, pass, renamed } = await begin()
  await moved('old.txt', 'new.txt')
  const content = await bench.settle('docs', 'to send.txt', 'not there yet')
  start()
  await pass(30 * second_ms)
  expect(renamed).toEqual([])
  await bench.makeReady(content)
  await clock.runUntil(() => renamed.length > 0)
  expect(renamed[0]!.to).toBe('docs/new.txt')
})

test('a name waits while a run is asked about its asset', async () => {
  const { bench, clock, moved, start, pass, renamed } = await begin()
  const prompts = new PromptBench(bench)
  await prompts.configure({ name: 'docs', first_run: 'all' as const })
  await moved('old.txt', 'new.txt')
  const found = await prompts.arrivals(['docs'], { prompt: 'docs', only_fresh: false })
  const run = await prompts.due('docs')
  await prompts.plan(run, found, { coverage: JSON.stringify({ folders: [{ name: 'docs' }] }) })
  start()
  await pass(3 * minute_ms)
  expect(renamed).toEqual([])
  await bench.record(
    { type: 'turn_intended', run, body: '{"prompt":"what is new?"}' },
    { type: 'turn_asked', run, chat_id: `chat_${run}`, message_id: `message_${run}` },
    { type: 'turn_answered', run, answer: 'nothing much' },
  )
  await prompts.write(run)
  await clock.runUntil(() => renamed.length > 0)
  expect(renamed[0]!.to).toBe('docs/new.txt')
})
