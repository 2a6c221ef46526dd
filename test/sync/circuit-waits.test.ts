import { describe, expect, test } from 'vitest'
import { day_ms, minute_ms } from '../../src/base/time/time.ts'
import type { Ledger } from '../../src/ledger/ledger.ts'
import type { Failure } from '../../src/remote/outcome.ts'
import { type Circuits, createCircuits } from '../../src/sync/circuits.ts'
import type { SyncReport } from '../../src/sync/report.ts'
import { createBandwidth } from '../../src/sync/upload/bandwidth.ts'
import { Flights } from '../../src/sync/upload/flights.ts'
import { FakeClock } from '../rig/fake-clock.ts'

/**
 * The waits that no row of the ledger shows (test/ledger/waits has the others), and what each event
 * does to them. `x`: the event has nothing to do with it. docs/ledger.md says the same in words.
 */
const table = `
wait      | nothing | time | success | retry | token | address | project left | limits
api       | -       | ends | ends    | -     | -     | ends    | -            | x
blob      | -       | ends | ends    | -     | -     | ends    | -            | x
account   | -       | ends | ends    | -     | ends  | ends    | -            | x
project   | -       | ends | ends    | -     | -     | ends    | ends         | x
uploads   | -       | ends | ends    | -     | -     | ends    | ends         | x
labels    | -       | ends | ends    | ends  | -     | ends    | ends         | x
audit     | -       | ends | ends    | ends  | -     | ends    | ends         | x
bandwidth | -       | ends | x       | x     | x     | x       | x            | ends`

const project_id = 'project_a'

/** The failures that begin a wait, and the call that shows that it is over. */
const failures: Record<string, { failure: Omit<Failure, 'message'>; times?: number }> = {
  api: { failure: { about: 'network', call: 'read' }, times: 3 },
  blob: { failure: { about: 'network', call: 'put' }, times: 3 },
  account: { failure: { about: 'account', call: 'read', status: 401 } },
  project: { failure: { about: 'project', call: 'create', status: 404 } },
  uploads: { failure: { about: 'uploads', call: 'create', status: 402 }, times: 3 },
  labels: { failure: { about: 'right', call: 'attach', status: 403 } },
  audit: { failure: { about: 'right', call: 'list', status: 403 } },
}

class Rig {
  readonly clock = new FakeClock(Date.parse('2026-11-23T08:00'))
  circuits: Circuits = this.#open()
  readonly bandwidth = createBandwidth(this.clock)
  readonly flights = new Flights()

  #open(): Circuits {
    const ledger = { record: async () => {}, dueElsewhere: async () => true }
    return createCircuits({
      ledger: ledger as unknown as Ledger,
      clock: this.clock,
      report: { trouble: () => {}, fault: () => {} } as unknown as SyncReport,
      reloadToken: async () => false,
      onSlowDown: () => {},
      projects: [project_id],
      audited: [project_id],
    })
  }

  async replace(): Promise<void> {
    await this.circuits.retire()
    this.circuits = this.#open()
  }
}

const spans = [{ from_minute: 0, to_minute: 24 * 60 - 1, bytes_per_s: 1 }]
const events: Record<string, (rig: Rig, failure: Failure | undefined) => Promise<void> | void> = {
  nothing: () => {},
  time: (rig) => rig.clock.advance(2 * day_ms - minute_ms / 2),
  success: (rig, failure) => rig.circuits.succeeded(failure!.call, project_id),
  retry: (rig) => rig.circuits.retryRefused(),
  token: (rig) => rig.circuits.tokenChanged(),
  address: (rig) => rig.replace(),
  'project left': (rig) => rig.circuits.forgetProjectsExcept([]),
  limits: (rig) => rig.bandwidth.follow([]),
}

/** True if a call of this wait may begin. */
function goesOn({ circuits }: Rig, wait: string): boolean {
  const feature = ['labels', 'questions', 'audit'].find((name) => name === wait) as 'labels'
  const { limit, except_projects } = circuits.allowance(['api', 'blob'], feature)
  return limit > 0 && !except_projects.includes(project_id)
}

const [head, ...rows] = table
  .trim()
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()))
const cells = rows.flatMap(([wait, ...effects]) =>
  effects.map((effect, at) => ({ wait: wait!, event: head![at + 1]!, effect })),
)

describe('waits that no row shows, and the events that end them', () => {
  test('every wait and event is in the table', () => {
    expect(rows.map(([wait]) => wait)).toEqual([...Object.keys(failures), 'bandwidth'])
    expect(head!.slice(1)).toEqual(Object.keys(events))
    expect(cells).toHaveLength(8 * 8)
  })

  const of_circuits = cells.filter(({ wait, effect }) => wait !== 'bandwidth' && effect !== 'x')
  test.each(of_circuits)('$wait, $event: $effect', async ({ wait, event, effect }) => {
    const rig = new Rig()
    const { failure, times = 1 } = failures[wait]!
    const failed = { ...failure, message: 'it failed' } as Failure
    expect(goesOn(rig, wait)).toBe(true)
    for (let time = 0; time < times; time++) await rig.circuits.failed(failed, project_id)
    expect(goesOn(rig, wait)).toBe(false)
    await events[event]!(rig, failed)
    expect(goesOn(rig, wait) ? 'ends' : '-').toBe(effect)
  })

  const of_bandwidth = cells.filter(({ wait, effect }) => wait === 'bandwidth' && effect !== 'x')
  test.each(of_bandwidth)('$wait, $event: $effect', async ({ event, effect }) => {
    const rig = new Rig()
    rig.bandwidth.follow(spans)
    const stop = new AbortController()
    const body = rig.bandwidth.pace(
      { size: 1_000_000, bytes: new Uint8Array(1_000_000) },
      stop.signal,
    )
    let sent = 0
    const sending = (async () => {
      if (!('stream' in body)) return
      for await (const piece of body.stream) sent += piece.byteLength
    })()
    await rig.clock.advance(1)
    expect(sent).toBeLessThan(10)
    // The window ends a minute before midnight.
    if (event === 'time') await rig.clock.advance(16 * 60 * minute_ms - minute_ms)
    else await events[event]!(rig, undefined)
    await rig.clock.advance(2_000)
    expect(sent === 1_000_000 ? 'ends' : '-').toBe(effect)
    stop.abort()
    await rig.clock.advance(2_000)
    await sending
  })
})
