import { expect, test } from 'vitest'
import { createLog } from '../../../src/base/text/log.ts'
import { hour_ms, minute_ms, second_ms } from '../../../src/base/time/time.ts'
import { exit_codes } from '../../../src/cli/exit-codes.ts'
import { printPassAnswer, printSummary } from '../../../src/cli/text/pass-summary.ts'
import { startDaemon } from '../../../src/daemon/daemon.ts'
import type { Fact } from '../../../src/domain/fact.ts'
import type { Ledger } from '../../../src/ledger/ledger.ts'
import { openHealthView } from '../../../src/ledger/views/view-health.ts'
import { capturedTerminal } from '../../cli/captured-terminal.ts'
import { md5Of } from '../../ledger/fixture.ts'
import { addToTree, makeTree } from '../../rig/tree.ts'
import { until } from '../../rig/waiting.ts'
import { Watched } from './rig.ts'

/** Changes facts on their way to the ledger, as a fault of a worker would. */
function changing(change: (fact: Fact) => Fact): (ledger: Ledger) => Ledger {
  return (ledger) => ({ ...ledger, record: (facts) => ledger.record(facts.map(change)) })
}

async function isReady(watched: Watched, text: string): Promise<void> {
  const isThere = () => {
    return watched.service
      .assets(watched.project_id)
      .some(({ md5, status }) => md5 === md5Of(text) && status === 'ready')
  }
  const state = () => [watched.service.assets(watched.project_id), watched.log.slice(-10)]
  await until(`${text} is ready`, isThere, state)
}

test('after a sleep of hours the daemon records its absence, and its health is good', {
  timeout: 60_000,
}, async () => {
  const watched = await Watched.begin()
  await watched.synced()
  await watched.green()
  const view = openHealthView(watched.state_dir)
  try {
    const from_ms = watched.clock.now_ms()
    watched.clock.jumpWall(2 * hour_ms)
    await until(
      'the absence is recorded',
      () => {
        return view.absences(watched.clock.now_ms()).some(({ to_ms }) => to_ms > from_ms + hour_ms)
      },
      () => watched.log.slice(-5),
    )
    expect(await watched.broken()).toEqual([])
  } finally {
    view.close()
  }
})

test('a file whose fact is refused is named, and does not stop the scan or other files', {
  timeout: 60_000,
}, async () => {
  let is_faulty = true
  const watched = await Watched.begin({
    tree: { 'a.txt': 'a', 'odd.txt': 'odd', 'z.txt': 'z' },
    wrap_ledger: changing((fact) => {
      if (!is_faulty || !('stat' in fact) || fact.path !== 'odd.txt') return fact
      return { ...fact, stat: { ...fact.stat!, size: 3.5 } } as Fact
    }),
  })
  await watched.red('record')
  await isReady(watched, 'a')
  await isReady(watched, 'z')
  expect(await watched.broken()).toEqual(['record'])
  const { problems } = await watched.verdict()
  expect(problems[0]).toMatchObject({ about: 'docs/odd.txt' })
  expect(JSON.parse((await watched.get('/readyz/folder/docs')).text)).toMatchObject({
    problems: [{ kind: 'record', about: 'docs/odd.txt' }],
  })
  is_faulty = false
  watched.daemon.rescan()
  await isReady(watched, 'odd')
  await watched.green()
})

test('an upload whose fact is refused rests, is named, and is tried again after half an hour', {
  timeout: 60_000,
}, async () => {
  let is_faulty = true
  let odd = 0
  const tries: string[] = []
  const watched = await Watched.begin({
    tree: {},
    wrap_ledger: changing((fact) => {
      if (fact.type === 'slot_reserved' && odd === 0) odd = fact.content
      if (!('content' in fact) || fact.content !== odd) return fact
      tries.push(fact.type)
      return is_faulty && fact.type === 'ingest_started'
        ? { ...fact, not_before_ms: fact.not_before_ms + 0.5 }
        : fact
    }),
  })
  watched.write({ 'odd.txt': 'odd' })
  watched.daemon.rescan()
  await watched.red('record')
  watched.write({ 'a.txt': 'a' })
  await isReady(watched, 'a')
  const problem = {
    kind: 'record',
    about: 'docs/odd.txt',
    message: expect.stringMatching(/^docs\/odd.txt: cannot record ingest_started: /),
  }
  expect((await watched.verdict()).problems).toMatchObject([problem])
  const of_folder = JSON.parse((await watched.get('/readyz/folder/docs')).text)
  expect(of_folder).toMatchObject({ problems: [problem] })
  expect(tries.filter((type) => type === 'ingest_started')).toHaveLength(1)
  is_faulty = false
  watched.clock.skip(31 * minute_ms)
  await isReady(watched, 'odd')
  await watched.green()
})

const withFraction = (fact: Fact) => ({ ...fact, note: 0.5 }) as unknown as Fact

/** Skips 12 s, a second at a time: in this time, a worker repeats a failed step six times. */
async function skip12s(watched: Watched): Promise<void> {
  for (let second = 0; second < 12; second++) {
    watched.clock.skip(second_ms)
    await new Promise((resolve) => setImmediate(resolve))
  }
  watched.write({ 'b.txt': 'b' })
  await isReady(watched, 'b')
}

test.each([
  ['a page of the audit', 'assets_listed'],
  ['the result of a single read', 'asset_missing'],
  ['the end of a scan', 'scan_finished'],
])(
  'the work that ends in %s is not repeated for half an hour',
  {
    timeout: 60_000,
  },
  async (_, type) => {
    let is_faulty = true
    let tries = 0
    const watched = await Watched.begin({
      sections: { audit: { round_hours: 1 } },
      wrap_ledger: changing((fact) => {
        if (fact.type !== type) return fact
        tries += 1
        return is_faulty ? withFraction(fact) : fact
      }),
    })
    await isReady(watched, 'a')
    if (type === 'asset_missing') {
      await watched.synced()
      await watched.removeThere('a')
    }
    watched.clock.skip(61 * second_ms)
    await watched.red('record')
    await skip12s(watched)
    expect(tries).toBe(1)
    is_faulty = false
    watched.clock.skip(31 * minute_ms)
    await watched.green()
    expect(tries).toBeGreaterThan(1)
  },
)

test.each([
  ['slot_intended', []],
  ['labels_intended', ['one']],
])(
  '%s of many contents, one refused: the work on the others goes on',
  {
    timeout: 60_000,
  },
  async (type, labels) => {
    let is_faulty = true
    let odd = 0
    const intents = new Map<number, number>()
    const texts = ['a', 'b', 'c', 'd']
    const watched = await Watched.begin({
      tree: Object.fromEntries(texts.map((text) => [`${text}.txt`, text])),
      wrap_ledger: (ledger) => ({
        ...ledger,
        record(facts) {
          const isOwn = (fact: Fact) => fact.type === type && !('names' in fact && !fact.names[0])
          const own = facts.flatMap((fact) =>
            isOwn(fact) && 'content' in fact ? [fact.content] : [],
          )
          if (own.length > 1) odd ||= own[0]!
          for (const content of own) intents.set(content, (intents.get(content) ?? 0) + 1)
          const isOdd = (fact: Fact) => isOwn(fact) && 'content' in fact && fact.content === odd
          return ledger.record(
            facts.map((fact) => (is_faulty && isOdd(fact) ? withFraction(fact) : fact)),
          )
        },
      }),
    })
    const isDone = () => {
      const assets = watched.service.assets(watched.project_id)
      return assets.filter(
        (asset) => asset.status === 'ready' && asset.labels.length === labels.length,
      ).length
    }
    if (labels.length > 0) {
      await watched.synced()
      await watched.reload({ folder: { labels } })
    }
    await until('the others are done', () => isDone() === 3)
    expect(await watched.broken()).toEqual(['record'])
    expect(intents.get(odd)).toBe(1)
    expect(watched.log.filter((line) => line.includes('"level":"error"'))).toHaveLength(1)
    is_faulty = false
    watched.clock.skip(31 * minute_ms)
    await until('the refused one is done', () => isDone() === 4)
  },
)

const oddFolder = (name: string) =>
  changing((fact) => {
    if (fact.type !== 'folder_configured' || fact.folder.name !== name) return fact
    return { ...fact, folder: { ...fact.folder, delete_grace_ms: 0.5 } } as Fact
  })

test('a start with a refused folder works on all others', { timeout: 60_000 }, async () => {
  const other = makeTree()
  addToTree(other, { 'b.txt': 'b' })
  const watched = await Watched.begin({ other, wrap_ledger: oddFolder('other') })
  await isReady(watched, 'a')
  expect((await watched.verdict()).problems).toMatchObject([{ kind: 'record', about: 'other' }])
  expect((await watched.get('/readyz/folder/docs')).status).toBe(200)
  expect((await watched.get('/readyz/folder/other')).status).toBe(503)
})

test('a reload with a refused folder puts all else in force', { timeout: 60_000 }, async () => {
  const other = makeTree()
  addToTree(other, { 'b.txt': 'b' })
  const watched = await Watched.begin({ wrap_ledger: oddFolder('other') })
  await isReady(watched, 'a')
  await watched.reload({ other, folder: { labels: ['one'] } })
  watched.write({ 'c.txt': 'c' })
  await isReady(watched, 'c')
  const labels = () => watched.service.assets(watched.project_id).map((asset) => asset.labels)
  await until('both have the label', () => labels().every(([label]) => label === 'one'))
  expect((await watched.verdict()).problems).toMatchObject([{ kind: 'record', about: 'other' }])
})

test.each([
  ['its configuration', (fact: Fact) => fact.type === 'folder_configured', 'docs'],
  ['the end of its scan', (fact: Fact) => fact.type === 'scan_finished', 'docs'],
  ['a new file', (fact: Fact) => 'path' in fact && fact.path === 'new.txt', 'docs/new.txt'],
])(
  'a single pass that cannot record %s names it, and does not say that all is ready',
  { timeout: 60_000 },
  async (_, isOdd, subject) => {
    const watched = await Watched.begin()
    await watched.synced()
    await watched.stop()
    watched.write({ 'new.txt': 'new' })
    const config = watched.config()
    const began_ms = watched.clock.now_ms()
    const pass = await startDaemon({
      config,
      secrets: watched.secrets,
      clock: watched.clock,
      log: createLog({ level: 'error', format: 'json', destination: { write: () => {} } }),
      mode: 'once',
      wrap_ledger: changing((fact) => (isOdd(fact) ? withFraction(fact) : fact)),
    })
    const drained = await pass.drained
    await pass.stop()
    expect(drained.why).toBe('done')
    const end = { names: ['docs'], began_ms, now_ms: watched.clock.now_ms() }
    const shown = capturedTerminal()
    expect(printSummary(config.state_dir, end, shown.terminal)).toBe(exit_codes.incomplete)
    expect(shown.out()).toMatch(new RegExp(`^incomplete ${subject}: .*cannot record `, 'm'))
    const json = capturedTerminal()
    expect(printPassAnswer(config, end, undefined, json.terminal)).toBe(exit_codes.incomplete)
    expect(JSON.parse(json.out())).toMatchObject({
      complete: false,
      troubles: [{ about: `fact:${subject}` }],
    })
  },
)
