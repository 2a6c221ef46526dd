import type { Amount } from '../ledger/view-folders.ts'
import { type FolderPlan, noAmount, type Reason, type Staying } from './plan-answer.ts'

/** A few names show what is meant. */
const most_examples = 3
/** Kinds of files have few extensions; a folder of random names has as many as files, which tell nothing. */
const most_types = 1_000
/** Longer ones are no extensions. */
const longest_extension = 16

/** Amounts by extension. */
export class TypeTally {
  readonly #amounts = new Map<string, Amount>()

  add(path: string, bytes: number): void {
    const extension = extensionOf(path)
    const key = this.#amounts.has(extension) || this.#amounts.size < most_types ? extension : ''
    const amount = this.#amounts.get(key) ?? noAmount()
    count(amount, bytes)
    this.#amounts.set(key, amount)
  }

  /** Most files first. */
  sorted(): (Amount & { extension: string })[] {
    return [...this.#amounts]
      .map(([extension, amount]) => ({ extension, ...amount }))
      .sort((a, b) => b.files - a.files || (a.extension < b.extension ? -1 : 1))
  }
}

/** Adds up one folder; the types are those of all folders. */
export class Tally {
  readonly #types: TypeTally
  readonly #goes_up = noAmount()
  readonly #stays = new Map<Reason, Staying>()

  constructor(types: TypeTally) {
    this.#types = types
  }

  goesUp(path: string, bytes: number): void {
    count(this.#goes_up, bytes)
    this.#types.add(path, bytes)
  }

  stays(reason: Reason, path: string, bytes: number): void {
    const group = this.#stays.get(reason) ?? { reason, ...noAmount(), examples: [] }
    count(group, bytes)
    if (group.examples.length < most_examples) group.examples.push(path)
    this.#stays.set(reason, group)
  }

  amounts(): Pick<FolderPlan, 'would_go_up' | 'stays'> {
    return { would_go_up: this.#goes_up, stays: [...this.#stays.values()].sort((a, b) => b.files - a.files) }
  }
}

export function count(amount: Amount, bytes: number): void {
  amount.files += 1
  amount.bytes += bytes
}

/**
 * In small letters and without its dot; '' for a name that has none.
 *
 * @internal
 */
export function extensionOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const dot = name.lastIndexOf('.')
  if (dot <= 0 || dot === name.length - 1 || name.length - dot - 1 > longest_extension) return ''
  return name.slice(dot + 1).toLowerCase()
}
