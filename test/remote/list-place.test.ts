import { describe, expect, test } from 'vitest'
import { ListPlace, ofCursor, walkList } from '../../src/remote/list-place.ts'
import type { Failure, Outcome, Page } from '../../src/remote/outcome.ts'
import { Chance } from '../journeys/rig/chance.ts'

const refused: Failure = { about: 'attempt', call: 'list', status: 404, message: 'refused' }
const page_items = 10

/** A list whose items are removed while it is read. A removed item is no cursor any more. */
class ChangingList {
  items: string[]
  readonly asked: (string | undefined)[] = []
  /** Called before each page, with the number of pages asked before. */
  onPage: (page: number) => void = () => {}

  constructor(count: number) {
    this.items = Array.from({ length: count }, (_, at) => `item ${at}`)
  }

  readonly readPage = async (after_id: string | undefined): Promise<Outcome<Page<string>>> => {
    this.onPage(this.asked.length)
    this.asked.push(after_id)
    const at = after_id === undefined ? 0 : this.items.indexOf(after_id) + 1
    if (after_id !== undefined && at === 0) return { ok: false, failure: refused }
    const items = this.items.slice(at, at + page_items)
    const has_more = at + page_items < this.items.length
    return { ok: true, value: has_more ? { items, next: items.at(-1)! } : { items } }
  }

  async walk(max_pages = 1_000) {
    let read: string[] = []
    let failure: Failure | undefined
    let restarts = 0
    for await (const page of walkList(this.readPage, (item) => item, max_pages)) {
      if (!page.ok) {
        failure = page.failure
        break
      }
      if (page.value.is_anew) {
        read = []
        restarts += 1
      }
      read.push(...page.value.items)
    }
    return { read, failure, restarts }
  }
}

describe('A-37 a cursor that is refused', () => {
  test('is replaced by an earlier item, and no item comes twice', async () => {
    const list = new ChangingList(35)
    list.onPage = (page) => void (page === 1 && list.items.splice(7, 3))
    const { read, restarts } = await list.walk()
    expect(list.asked.slice(0, 4)).toEqual([undefined, 'item 9', 'item 8', 'item 7'])
    expect([read.length, new Set(read).size, restarts]).toEqual([35, 35, 0])
  })

  test('goes back over several pages in growing steps', async () => {
    const list = new ChangingList(400)
    list.onPage = (page) => void (page === 20 && list.items.splice(100, 100))
    const { read, restarts } = await list.walk()
    const steps = list.asked.slice(20, 29).map((id) => 199 - Number(id?.slice(5)))
    expect(steps).toEqual([0, 1, 2, 4, 8, 16, 32, 64, 128])
    expect([read.length, new Set(read).size, restarts]).toEqual([400, 400, 0])
  })

  test('begins the list anew if no earlier item is left', async () => {
    const list = new ChangingList(35)
    list.onPage = (page) => void (page === 1 && list.items.splice(0, 10))
    const { read, restarts } = await list.walk()
    expect([read.length, new Set(read).size, restarts]).toEqual([25, 25, 1])
  })

  test('ends the walk after three new beginnings, without blame for service or project', async () => {
    const list = new ChangingList(35)
    const firstOnly = async (after_id: string | undefined) =>
      after_id === undefined ? list.readPage(after_id) : { ok: false as const, failure: refused }
    const outcomes: Outcome<{ is_anew: boolean }>[] = []
    for await (const page of walkList(firstOnly, (item) => item, 1_000)) outcomes.push(page)
    expect(outcomes.map((page) => (page.ok ? page.value.is_anew : page.failure.about))).toEqual([
      false,
      true,
      true,
      true,
      'attempt',
    ])
  })

  test.each(Array.from({ length: 40 }, (_, seed) => seed))(
    'whatever is removed, all that stays is read once (seed %i)',
    async (seed) => {
      const chance = new Chance(seed)
      const list = new ChangingList(300)
      let removals = 0
      list.onPage = () => {
        if (removals >= 8 || !chance.oneIn(5)) return
        removals += 1
        list.items.splice(chance.below(list.items.length), chance.below(60))
      }
      const { read, failure } = await list.walk()
      if (failure) return expect(failure).toBe(refused)
      expect(new Set(read).size).toBe(read.length)
      expect(read).toEqual(expect.arrayContaining(list.items))
    },
  )
})

test.each([1, 2, 3, 7, 40, 700])('A-31 pages in a circle of %i end the walk', async (length) => {
  const list: string[] = []
  let pages = 0
  const readPage = async (after_id = 'item 0'): Promise<Outcome<Page<string>>> => {
    pages += 1
    const item = `item ${(Number(after_id.slice(5)) + 1) % length}`
    return { ok: true, value: { items: [item], next: item } }
  }
  for await (const page of walkList(readPage, (item) => item, 1_000_000))
    list.push(page.ok ? 'page' : page.failure.message)
  expect(list.at(-1)).toContain('lead in a circle')
  expect(pages).toBeLessThanOrEqual(4 * length + 4)
})

test('A-31 an unchanged list read many times with one place is no circle', () => {
  const place = new ListPlace(String)
  for (let round = 1; round <= 6; round++) {
    place.afterId(undefined)
    expect(place.take({ items: ['a'], next: 'a' }), `round ${round}`).toEqual(['a'])
    expect(place.afterId('a')).toBe('a')
    expect(place.take({ items: ['b'], next: 'b' }), `round ${round}`).toEqual(['b'])
    expect(place.afterId('b')).toBe('b')
    expect(place.take({ items: ['c'] }), `round ${round}`).toEqual(['c'])
  }
})

test('a walk ends after its maximum of pages', async () => {
  const list = new ChangingList(100)
  expect((await list.walk(3)).read).toHaveLength(30)
})

test('another fault ends the walk as it is', async () => {
  const failure: Failure = { about: 'later', call: 'list', status: 503, message: 'busy' }
  const pages: unknown[] = []
  for await (const page of walkList(async () => ({ ok: false, failure }), String, 9))
    pages.push(page)
  expect(pages).toEqual([{ ok: false, failure }])
  expect(new ListPlace(String).refused(failure)).toBe('unsaid')
})

test.each([
  [{ about: 'project', status: 404 }, 'attempt'],
  [{ about: 'project', status: 404, code: 'publicapi.tenancy.project.not_found' }, 'attempt'],
  [{ about: 'unknown_protocol', status: 400 }, 'attempt'],
  [{ about: 'project', status: 410 }, 'attempt'],
  [{ about: 'account', status: 401 }, 'account'],
  [{ about: 'network', status: 404 }, 'network'],
  [{ about: 'later', status: 429 }, 'later'],
] as const)('A-37 %j with a cursor is about: %s', (seen, about) => {
  const outcome = { ok: false, failure: { ...seen, call: 'list', message: '' } } as const
  expect(ofCursor(outcome, 'asset_1')).toMatchObject({ failure: { about } })
  expect(ofCursor(outcome, undefined)).toBe(outcome)
})
