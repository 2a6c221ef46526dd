import { formatCount, formatDuration } from '../base/format.ts'
import type { FolderConfig } from '../config/config.ts'
import type { RemovalWait } from '../domain/removal.ts'
import type { ContentRow } from '../ledger/content-rows.ts'
import type { OlderVersion, PartingView } from '../ledger/view-removals.ts'

/** What becomes on the service of what a path held and no file holds any more. */
export function removalReasons(
  content: ContentRow | undefined,
  parting: PartingView | undefined,
  folder: FolderConfig,
  now_ms: number,
): string[] {
  if (content?.state === 'removing') return ['it is just being removed on the service']
  if (content?.state === 'abandoned') return ['it is not in the service']
  if (!parting) return ['what is in the service stays there: another file has the same bytes, or it never came in']
  if (parting.due_ms === undefined) return [`what is in the service stays there${whyKept(parting, folder)}`]
  const { why } = parting
  if (why === undefined) return ['it is removed on the service next']
  return [`it is to be removed on the service${waiting({ ...parting, why }, now_ms, folder)}`]
}

/** What becomes of the versions before the one that is there. */
export function olderVersionReasons(of: {
  older_versions: readonly OlderVersion[]
  folder: FolderConfig
  now_ms: number
}): string[] {
  const kept = of.older_versions.filter(({ due_ms }) => due_ms === undefined)
  const going = of.older_versions.filter(({ due_ms }) => due_ms !== undefined)
  const texts = going.map(({ why, ...version }) => {
    const when = why === undefined ? ' next' : waiting({ ...version, why }, of.now_ms, of.folder)
    return `an older version of it still answers, and is to be removed on the service${when}`
  })
  if (kept.length === 0) return texts
  const versions =
    kept.length === 1
      ? 'an older version of it still answers, and stays'
      : `${formatCount(kept.length)} older versions of it still answer, and stay`
  const why = kept.every(({ was_let_go }) => was_let_go) ? let_go : ': it is not ours, or came under another policy'
  return [`${versions} there${of.folder.on_change === 'keep' ? ' (on_change: keep)' : why}`, ...texts]
}

const let_go =
  ': it is of a time when the folder had another path, project or rules, and what goes with such a change is kept'

function whyKept({ is_ours, was_let_go }: PartingView, { on_delete }: FolderConfig): string {
  if (on_delete === 'keep') return ' (on_delete: keep)'
  if (!is_ours) return ': it was there before this ledger sent it, so it is not ours to remove'
  return was_let_go ? let_go : ': it was deleted under another policy'
}

interface Waiting extends Pick<PartingView, 'due_ms' | 'left_out'> {
  why: RemovalWait
}

function waiting({ why, due_ms = 0, left_out }: Waiting, now_ms: number, folder: FolderConfig): string {
  switch (why) {
    case 'grace':
      return ` in ${formatDuration(Math.max(0, due_ms - now_ms))}, unless it comes back (delete_grace_ms)`
    case 'replacement':
      return ' once what took its place is ready'
    case 'look':
      return (
        ' when every folder of its project is there and was looked at since, into all directories of known files (one that ' +
        'cannot be read, or that a disk covers, may hide it): it may have moved'
      )
    case 'twin':
      return ' when files of the same size have come to rest: it may be one of them'
    case 'left_out': {
      const which = left_out ? `${left_out.folder}/${left_out.path}` : 'sluice ls --state skipped'
      return `, and kept for now: a file that is left out has its size and may be it (${which}); it stays until each such file is gone or taken up`
    }
    case 'asked':
      return ' when the prompt that asks about it has its answer'
    case 'person':
      return `, with more than is removed by itself (removal.most_files); if that is right: sluice accept --removals ${folder.name}`
    case 'service':
      return `; the service would not, and is asked again in ${formatDuration(Math.max(0, due_ms - now_ms))}`
  }
}
