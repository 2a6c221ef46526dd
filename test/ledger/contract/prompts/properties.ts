import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { RunFact } from '../../../../src/domain/run.ts'
import { Bench, type LedgerFactory, md5Of } from '../../fixture.ts'
import { PromptBench, run_fault } from './prompt-bench.ts'

const step = fc.record({
  what: fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom('arrives', 'was there', 'copied', 'renamed', 'gone') },
    { weight: 4, arbitrary: fc.constantFrom('due', 'planned', 'written', 'skipped', 'failed') },
    { weight: 1, arbitrary: fc.constantFrom('reopened', 'removed', 'scanned') },
  ),
  path: fc.constantFrom('a', 'b', 'sub/c'),
  to: fc.constantFrom('d', 'e', 'sub/f'),
  text: fc.constantFrom('one', 'two', 'three', 'four'),
  prompt: fc.constantFrom('begun', 'all'),
  max: fc.integer({ min: 1, max: 3 }),
})
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

/** The expected state, kept beside the ledger in plain sets. */
class World {
  readonly #bench: Bench
  readonly #prompts: PromptBench
  readonly #folder: string
  readonly present = new Map<string, string>()
  /** Every path so far. */
  readonly paths = new Set<string>()
  readonly ready = new Set<string>()
  readonly arrived: string[] = []
  /** The members of `arrived` that lay in the folder before Sluice watched it. */
  readonly there = new Set<string>()
  is_scanned = false
  readonly covered = { begun: [] as string[], all: [] as string[] }
  /** The open run of each prompt, and the texts of its plan. */
  readonly open = new Map<string, { run: number; texts: string[]; is_planned: boolean }>()

  constructor(bench: Bench, folder: string) {
    this.#bench = bench
    this.#prompts = new PromptBench(bench)
    this.#folder = folder
  }

  name(prompt: string): string {
    return `${prompt} ${this.#folder}`
  }

  async do({ what, path, to, text, prompt, max }: Step): Promise<void> {
    switch (what) {
      case 'arrives':
        return this.#hold(path, text)
      case 'was there':
        return this.#hold(path, text, true)
      case 'scanned':
        this.is_scanned = true
        return this.#bench.scanned(this.#folder)
      case 'copied':
      case 'renamed': {
        const held = this.present.get(path)
        if (held === undefined) return
        if (what === 'renamed') await this.#gone(path)
        return this.#hold(to, held)
      }
      case 'gone':
        return this.#gone(path)
      case 'removed': {
        const content = this.ready.has(text) ? this.#content(text) : undefined
        if (content === undefined) return
        this.ready.delete(text)
        return this.#bench.record({ type: 'asset_missing', content })
      }
      case 'reopened':
        return this.#bench.reopen()
      default:
        return this.#run(what, prompt as 'begun' | 'all', max)
    }
  }

  async #run(what: string, prompt: 'begun' | 'all', max: number): Promise<void> {
    const open = this.open.get(prompt)
    if (!open) {
      if (what !== 'due') return
      this.open.set(prompt, {
        run: await this.#prompts.due(this.name(prompt)),
        texts: [],
        is_planned: false,
      })
    } else if (what === 'planned') await this.#plan(open, prompt, max)
    else if (what === 'written') {
      if (!open.is_planned) return
      await this.#prompts.answer(open.run)
      await this.#prompts.write(open.run)
      this.covered[prompt].push(...open.texts)
      this.open.delete(prompt)
    } else if (what === 'skipped' || what === 'failed') {
      const { run } = open
      const end: RunFact =
        what === 'skipped'
          ? { type: 'run_skipped', run, why: '' }
          : { type: 'run_failed', run, error: run_fault }
      await this.#bench.record(end)
      this.open.delete(prompt)
    }
  }

  async #plan(
    open: { run: number; texts: string[]; is_planned: boolean },
    prompt: string,
    max: number,
  ) {
    const seen = new Set<number>()
    const found = await this.#arrivals(prompt)
    const assets = found
      .filter(({ content }) => !seen.has(content) && seen.add(content))
      .slice(0, max)
    await this.#prompts.plan(open.run, assets)
    open.is_planned = true
    open.texts = assets.map(({ md5 }) => md5)
  }

  #arrivals(prompt: string) {
    return this.#prompts.arrivals([this.#folder], {
      prompt: this.name(prompt),
      only_come: prompt === 'begun',
    })
  }

  async #hold(path: string, text: string, is_old = false): Promise<void> {
    const is_first_scan = !this.is_scanned && !this.paths.has(path)
    this.present.set(path, text)
    this.paths.add(path)
    const settle = is_old ? this.#bench.settleOld : this.#bench.settle
    const content = await settle.call(this.#bench, this.#folder, path, this.#own(text))
    if (is_old && is_first_scan && !this.arrived.includes(text)) this.there.add(text)
    if (this.ready.has(text)) return
    await this.#bench.record({
      type: 'content_wanted_again',
      content,
      not_before_ms: this.#bench.clock.now_ms(),
    })
    await this.#bench.makeReady(content)
    this.ready.add(text)
    if (!this.arrived.includes(text)) this.arrived.push(text)
  }

  async #gone(path: string): Promise<void> {
    this.present.delete(path)
    await this.#bench.gone(this.#folder, path)
  }

  #content(text: string): number | undefined {
    return this.#bench.see.content(md5Of(this.#own(text)))?.id
  }

  #own(text: string): string {
    return `${text} ${this.#folder}`
  }

  /**
   * The fresh contents in order of arrival. `old` was there before the prompt `begun`, others
   * before Sluice watched the folder.
   */
  expectedFresh(prompt: 'begun' | 'all'): string[] {
    const held = new Set(this.present.values())
    return this.arrived
      .filter(
        (text) =>
          (prompt === 'all' || (text !== 'old' && !this.there.has(text))) &&
          held.has(text) &&
          this.ready.has(text),
      )
      .map((text) => md5Of(this.#own(text)))
      .filter((md5) => !this.covered[prompt].includes(md5))
  }

  async fresh(prompt: string): Promise<string[]> {
    const found = await this.#arrivals(prompt)
    return [...new Set(found.map(({ md5 }) => md5))]
  }

  async begin(): Promise<void> {
    await this.#bench.online(this.#folder)
    await this.#hold('old', 'old')
    await this.#prompts.configure(
      { name: this.name('begun') },
      { name: this.name('all'), first_run: 'all' },
    )
  }
}

export function promptPropertyContract(factory: LedgerFactory): void {
  test('after any history: covered and fresh contents are all that became ready, nothing is covered twice, and only written runs cover', async () => {
    const bench = await new Bench(factory).open()
    let history = 0
    const property = fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const world = new World(bench, `docs ${++history}`)
      await world.begin()
      for (const one of steps) {
        await world.do(one)
        for (const prompt of ['begun', 'all'] as const) {
          expect(await world.fresh(prompt), one.what).toEqual(world.expectedFresh(prompt))
          expect(new Set(world.covered[prompt]).size).toBe(world.covered[prompt].length)
        }
      }
    })
    try {
      await fc.assert(property, { numRuns: 25 })
    } finally {
      await bench.close()
    }
  })
}
