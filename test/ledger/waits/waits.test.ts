import { describe, expect, test } from 'vitest'
import { hour_ms } from '../../../src/base/time/time.ts'
import { isEndedBy, type WaitName, wait_of_file } from '../../../src/ledger/rows/waits.ts'
import { openPassView } from '../../../src/ledger/views/view-pass.ts'
import { Bench } from '../fixture.ts'
import { sqlite_factory } from '../sqlite-factory.ts'
import { events, goesOn, type Waiting, waiting } from './waiting.ts'

/**
 * What each event does to each wait: it `ends` the wait, or leaves it (`-`). `x` is a cell that
 * cannot be; `impossible` has the reason. docs/ledger.md says the same in words.
 */
const table = `
wait               | nothing | folder back | reload | renamed | project | limits | scan asked | retry | resume | accept | new bytes | time | restart
refused            | -       | -           | -      | -       | ends    | -      | -          | ends  | -      | -      | ends      | -    | -
removed_on_service | -       | -           | -      | -       | ends    | -      | -          | ends  | -      | -      | ends      | -    | -
resting_type       | -       | -           | -      | -       | ends    | -      | -          | ends  | -      | ends   | -         | ends | -
refused_type       | -       | -           | -      | -       | ends    | -      | -          | -     | -      | ends   | -         | ends | -
unproven_type      | -       | -           | -      | -       | ends    | -      | -          | ends  | -      | ends   | -         | ends | -
out_of_reach       | -       | ends        | -      | ends    | ends    | -      | -          | -     | -      | -      | x         | -    | -
failed             | -       | -           | -      | -       | ends    | -      | -          | ends  | -      | -      | ends      | ends | -
min_resend         | -       | -           | -      | ends    | ends    | ends   | -          | ends  | -      | -      | -         | ends | -
untried            | -       | -           | -      | -       | ends    | -      | -          | ends  | -      | -      | ends      | ends | -
slot_lost          | -       | -           | -      | -       | ends    | -      | -          | ends  | -      | -      | ends      | ends | -
reading            | -       | -           | -      | -       | ends    | -      | -          | ends  | -      | -      | ends      | ends | -
removing           | -       | -           | -      | -       | ends    | -      | -          | ends  | -      | -      | ends      | ends | -
removal_grace      | -       | -           | -      | -       | -       | -      | -          | -     | -      | -      | ends      | ends | -
label_deferred     | -       | -           | -      | -       | ends    | -      | -          | ends  | -      | -      | ends      | ends | -
unreadable         | -       | ends        | ends   | x       | ends    | -      | ends       | ends  | -      | -      | ends      | ends | ends
outside            | -       | ends        | ends   | x       | ends    | -      | ends       | ends  | -      | -      | ends      | ends | ends
changing           | -       | -           | -      | x       | ends    | -      | -          | ends  | -      | -      | ends      | ends | -
check_out_of_reach | -       | ends        | -      | x       | ends    | -      | -          | -     | -      | -      | x         | -    | -
settling           | -       | -           | -      | x       | -       | -      | -          | -     | -      | -      | ends      | ends | -
upload_limit       | -       | -           | -      | -       | -       | -      | -          | -     | -      | ends   | -         | -    | -
before_start       | -       | -           | -      | x       | ends    | -      | -          | -     | -      | ends   | ends      | -    | -
pause              | -       | -           | -      | -       | -       | -      | -          | -     | ends   | -      | -         | ends | -
daily_limit        | -       | -           | -      | -       | -       | ends   | -          | -     | -      | -      | -         | ends | -`

const impossible: Record<string, string> = {
  renamed: 'the new name has no row for the path: its first scan checks the file',
  'new bytes': 'nothing is recorded of files in an offline folder',
}

const [head, ...rows] = table
  .trim()
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()))
const columns = head!.slice(1) as (keyof typeof events)[]
const cells = rows.flatMap(([wait, ...effects]) =>
  effects.map((effect, index) => ({ wait: wait!, event: columns[index]!, effect })),
)

describe('waits and the events that end them', { timeout: 60_000 }, () => {
  test('every wait, event and cell is in the table', () => {
    expect(rows.map(([wait]) => wait)).toEqual(Object.keys(waiting))
    expect(columns).toEqual(Object.keys(events))
    expect(cells).toHaveLength(23 * 13)
    const left_out = cells.filter(({ effect }) => effect === 'x')
    expect(left_out).toHaveLength(8)
    for (const { event } of left_out) expect(impossible).toHaveProperty([event])
    // `held` has the files of `upload_limit` and `before_start`; no wait holds `turn`.
    const names = [...wait_of_file.matchAll(/THEN '(\w+)'/g)].map(([, name]) => name)
    const known = names.filter((wait) => wait !== 'turn' && wait !== 'held')
    expect(Object.keys(waiting)).toEqual(expect.arrayContaining(known))
  })

  /** What `sluice retry` names for a file that waits so, where it is not the name of the wait. */
  const named: Record<string, string | undefined> = {
    slot_lost: 'untried',
    upload_limit: 'held',
    before_start: 'held',
    pause: 'turn',
    daily_limit: 'turn',
    removal_grace: undefined,
    label_deferred: undefined,
  }

  test.each(Object.keys(waiting))('a retry names the wait of a file: %s', async (wait) => {
    const one: Waiting = waiting[wait as keyof typeof waiting]
    const bench = new Bench(sqlite_factory, one.limits ?? {})
    try {
      await bench.open('docs')
      await one.begin(bench)
      const view = openPassView(bench.memory)
      const fact = { type: 'retried', folder: 'docs', path: 'a.gz' } as const
      const name = wait in named ? named[wait] : wait
      const files = name === undefined ? [] : [{ wait: name, files: 1 }]
      expect(view.waitsAt(fact, bench.clock.now_ms())).toMatchObject(files)
      const is_ended = name !== undefined && isEndedBy('retried', name as WaitName)
      expect(view.reachedBy(fact, bench.clock.now_ms()).files).toBe(is_ended ? 1 : 0)
      view.close()
    } finally {
      await bench.close()
    }
  })

  test.each([
    ['failed', 'out_of_reach'],
    ['unproven_type', 'out_of_reach'],
    ['refused', 'refused'],
    ['reading', 'reading'],
    ['settling', 'check_out_of_reach'],
  ] as const)('%s in a folder that goes offline: a retry names %s', async (wait, name) => {
    const one: Waiting = waiting[wait]
    const bench = new Bench(sqlite_factory, one.limits ?? {})
    try {
      await bench.open('docs')
      await one.begin(bench)
      await bench.record({ type: 'folder_offline', folder: 'docs', reason: 'unmounted' })
      await bench.clock.advance(2 * hour_ms)
      for (const { content } of await bench.sendable()) bench.free(content)
      await bench.ledger.claimToCheck(10)
      const view = openPassView(bench.memory)
      const fact = { type: 'retried', folder: 'docs', path: 'a.gz' } as const
      expect(view.waitsAt(fact, bench.clock.now_ms())).toMatchObject([{ wait: name, files: 1 }])
      const is_ended = isEndedBy('retried', name)
      expect(view.reachedBy(fact, bench.clock.now_ms()).files).toBe(is_ended ? 1 : 0)
      view.close()
    } finally {
      await bench.close()
    }
  })

  const possible = cells.filter(({ effect }) => effect !== 'x')
  test.each(possible)('$wait, $event: $effect', async ({ wait, event, effect }) => {
    const one: Waiting = waiting[wait as keyof typeof waiting]
    const bench = new Bench(sqlite_factory, one.limits ?? {})
    try {
      await bench.open('docs')
      await one.begin(bench)
      await events[event](bench)
      expect((await goesOn(bench, one.claim)) ? 'ends' : '-').toBe(effect)
    } finally {
      await bench.close()
    }
  })
})
