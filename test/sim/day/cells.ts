import { fault_forms, faultName } from './day.ts'

/**
 * States on the way to the service, which a fault can disturb. `ready` stands for every final
 * state.
 */
const content_states = [
  'wanted',
  'reserving',
  'reserved',
  'sent',
  'ingesting',
  'ready',
  'removing',
] as const
const run_states = ['due', 'planned', 'asking', 'asked', 'answered'] as const
const states = [
  ...content_states.map((state) => `content ${state}`),
  ...run_states.map((state) => `run ${state}`),
]

const rows = ['kill', ...fault_forms.map(faultName)]

/** Cells that cannot occur, with the reason. */
const impossible: Readonly<Record<string, string>> = {}

/** Counts how often a fault (row) was in force while a content or a run was in a state (column). */
export class Cells {
  readonly counts: Map<string, number>

  /** `counts`: counts of other tables, which are added. */
  constructor(counts: Iterable<readonly [string, number]> = []) {
    this.counts = new Map()
    for (const [cell, count] of counts) this.counts.set(cell, (this.counts.get(cell) ?? 0) + count)
  }

  add(row: string, state: string): void {
    const cell = cellOf(row, state)
    this.counts.set(cell, (this.counts.get(cell) ?? 0) + 1)
  }

  lines(): string[] {
    const head = ['', ...states.map((state) => state.replace(/^(content|run) /, ''))]
    const body = rows.map((row) => [
      row,
      ...states.map((state) => String(this.counts.get(cellOf(row, state)) ?? '·')),
    ])
    const table = [head, ...body].map((cells) =>
      cells.map((cell, index) => (index === 0 ? cell.padEnd(20) : cell.padStart(10))).join(''),
    )
    return [...table, `empty cells: ${this.#empty().join(', ') || 'none'}`]
  }

  /** Cells that can occur, and did not. */
  #empty(): string[] {
    const cells = rows.flatMap((row) => states.map((state) => cellOf(row, state)))
    return cells.filter((cell) => !this.counts.has(cell) && !(cell in impossible))
  }
}

function cellOf(row: string, state: string): string {
  return `${row} × ${state}`
}
