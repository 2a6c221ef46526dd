import { createTwoFilesPatch } from 'diff'

/** What is compared of a run. */
export interface ComparedRun {
  /** For people: `weekly-digest@2026-11-23T08:00+01:00`. */
  name: string
  answer: string
  assets: readonly { asset_id: string; name: string }[]
}

export interface RunDifference {
  /** Unified, three lines around each change; empty where the answers are the same. */
  patch: string
  /** Assets that only the second has, by their names; and only the first. */
  added: string[]
  removed: string[]
}

export function differenceOf(before: ComparedRun, after: ComparedRun): RunDifference {
  const same = before.answer === after.answer
  const patch = same ? '' : createTwoFilesPatch(before.name, after.name, ended(before.answer), ended(after.answer))
  return {
    // The package begins with a line of `=`, which no reader of unified diffs needs.
    patch: patch.replace(/^=+\n/, ''),
    added: onlyIn(after, before),
    removed: onlyIn(before, after),
  }
}

/** With a line break at its end: whether an answer has one is nobody's difference. */
function ended(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`
}

function onlyIn(one: ComparedRun, other: ComparedRun): string[] {
  const known = new Set(other.assets.map(({ asset_id }) => asset_id))
  return one.assets.filter(({ asset_id }) => !known.has(asset_id)).map(({ name }) => name)
}
