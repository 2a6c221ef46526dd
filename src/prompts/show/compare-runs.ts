import { createTwoFilesPatch } from 'diff'
import type { RunView } from '../../ledger/views/view-prompts.ts'
import { type Configured, runName } from './find-run.ts'
import { answerOf } from './run-answers.ts'

type ComparedRun = Pick<RunView, 'prompt' | 'due_ms' | 'turns' | 'planned_assets'>

export function differenceOf(before: ComparedRun, after: ComparedRun, config: Configured) {
  const one = answerOf(before)
  const other = answerOf(after)
  const names = [runName(before, config), runName(after, config)] as const
  const patch = one === other ? '' : createTwoFilesPatch(...names, ended(one), ended(other))
  return {
    /** Unified, three lines around each change; empty where the answers are the same. */
    // The package begins with a line of `=`, which no reader of unified diffs needs.
    patch: patch.replace(/^=+\n/, ''),
    /** Names of assets that only the second run has (`added`) or only the first (`removed`). */
    added: onlyIn(after, before),
    removed: onlyIn(before, after),
  }
}

/** Adds a line break at the end, because its absence is no difference. */
function ended(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`
}

function onlyIn(one: ComparedRun, other: ComparedRun): string[] {
  const known = new Set(other.planned_assets.map(({ asset_id }) => asset_id))
  return one.planned_assets.filter(({ asset_id }) => !known.has(asset_id)).map(({ name }) => name)
}
