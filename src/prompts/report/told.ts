import { basename } from 'node:path'
import { mentionsOf } from '../../base/text/mentions.ts'
import type { RunAsset, RunTurn } from '../../domain/run.ts'
import type { SourceRead } from '../../domain/source-read.ts'
import { type Fate, fateOf } from '../plan/covered.ts'

/** A file that a run asked about, and what is known of it once the answer is there. */
export interface ToldFile extends RunAsset {
  /** Undefined: the service does not say what it read. */
  read: SourceRead['read'] | undefined
  /** Where in the file it read; empty if it does not say it. */
  places: readonly string[]
  /** Why not all of it was read, as a clause. */
  why: string | undefined
  /** True if an answer of the run has its file name, alone or at the end of a path. */
  is_named: boolean
  /** What the written run makes of it. */
  fate: Fate
}

/**
 * The files of a run in the order in which it asked about them. A service that says what it read
 * for a turn did not read a file of that turn that it does not list (C-26).
 */
export function toldFiles({
  assets,
  turns,
  empty,
}: {
  assets: readonly RunAsset[]
  turns: readonly Pick<RunTurn, 'answer' | 'sources'>[]
  /** Why the run is empty; undefined if it is not. */
  empty?: string | undefined
}): ToldFile[] {
  const answers = turns.map(({ answer = '' }) => answer).join('\n')
  const sources_of = turns.map(({ sources }) => {
    return sources && new Map(sources.map((source) => [source.asset_id, source]))
  })
  return assets.map((asset) => {
    const listed = sources_of[asset.turn]
    const { read = listed && 'not', places = [], why } = listed?.get(asset.asset_id) ?? unlisted
    return {
      ...asset,
      read,
      places,
      why,
      is_named: mentionsOf(answers, basename(asset.name)).length > 0,
      fate: fateOf(asset, read, empty !== undefined),
    }
  })
}

const unlisted: Partial<SourceRead> = {}
