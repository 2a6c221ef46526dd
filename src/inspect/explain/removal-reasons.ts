import { formatCount, formatSpan } from '../../base/text/format.ts'
import type { FolderConfig } from '../../config/config.ts'
import type { ContentState } from '../../domain/content.ts'
import type { RemovalWait } from '../../domain/removal.ts'
import type { PartingView } from '../../ledger/views/view-removal-cases.ts'
import { type Case, step } from './case.ts'

/** The part of a content that the service has in each state, once no file holds it. */
const on_service: Record<ContentState, 'nothing' | 'refused' | 'removing' | 'bytes'> = {
  wanted: 'nothing',
  reserving: 'nothing',
  // A slot without bytes. No file is left to fill it.
  reserved: 'nothing',
  sent: 'bytes',
  ingesting: 'bytes',
  ready: 'bytes',
  refused: 'refused',
  type_refused: 'nothing',
  removed_on_service: 'nothing',
  abandoned: 'nothing',
  removing: 'removing',
}

/** Says what happens on the service to a content that no file holds any more. */
export function removalReasons(of: Case): string[] {
  const { story, parting, folder } = of
  const there = story?.content ? on_service[story.content.state] : 'nothing'
  if (there === 'removing') return ['it is just being removed on the service']
  if (there === 'refused')
    return ['the service did not accept it, so the assistant does not use it']
  if (there === 'nothing') return ['it is not in the service']
  if (!parting) return ['its content stays in the service: another file has the same bytes']
  if (parting.due_ms === undefined)
    return [`its content stays in the service${whyKept(parting, folder)}`]
  const { why } = parting
  if (why === undefined) return ['it is removed on the service next']
  return [`it is to be removed on the service${waiting({ ...parting, why }, of)}`]
}

/** Says what happens to earlier versions. */
export function olderVersionReasons(of: Case): string[] {
  const { older_versions, folder } = of
  const kept = older_versions.filter(({ due_ms }) => due_ms === undefined)
  const going = older_versions.filter(({ due_ms }) => due_ms !== undefined)
  const texts = going.map(({ why, ...version }) => {
    const when = why === undefined ? ' next' : waiting({ ...version, why }, of)
    return `an older version of it still answers, and is to be removed on the service${when}`
  })
  if (kept.length === 0) return texts
  const versions =
    kept.length === 1
      ? 'an older version of it still answers, and stays'
      : `${formatCount(kept.length)} older versions of it still answer, and stay`
  const why = kept.every(({ was_let_go }) => was_let_go)
    ? let_go
    : ': it is not ours, or came under another policy'
  return [`${versions} there${folder.on_change === 'keep' ? ' (on_change: keep)' : why}`, ...texts]
}

const let_go =
  ': it is of a time when the folder had another path, project or rules, and what goes with such a change is kept'

function whyKept({ is_ours, was_let_go }: PartingView, { on_delete }: FolderConfig): string {
  if (on_delete === 'keep') return ' (on_delete: keep)'
  if (!is_ours) return ': it was there before this ledger uploaded it, so it is not ours to remove'
  return was_let_go ? let_go : ': it was deleted under another policy'
}

type Waiting = Pick<PartingView, 'due_ms' | 'left_out'> & { why: RemovalWait }

function waiting({ why, due_ms = 0, left_out }: Waiting, of: Case): string {
  const { now_ms, folder } = of
  // No right clock shows a time that is long over: that is no time to wait.
  const soon = due_ms <= now_ms ? 'next' : `in ${formatSpan(now_ms, due_ms)}`
  switch (why) {
    case 'grace':
      return ` ${soon}, unless it comes back (delete_grace_ms)`
    case 'replacement':
      return ' once what took its place is ready'
    case 'scan':
      return (
        ' when every folder of its project is online and was scanned since, with all directories of known files (one that ' +
        'cannot be read, or that a disk covers, may hide it): it may have moved'
      )
    case 'twin':
      return ' when files of the same size are settled: it may be one of them'
    case 'left_out': {
      const which = left_out
        ? `${left_out.folder}/${left_out.path}`
        : step(of, 'sluice ls --state skipped')
      return `, and kept for now: a file that is left out has its size and may be it (${which}); it stays until each such file is gone or taken up`
    }
    case 'asked':
      return ' when the prompt that asks about it has its answer'
    case 'user':
      return `, with more files than Sluice removes without asking (removal.max_files); if that is right: ${step(of, `sluice accept --removals ${folder.name}`)}`
    case 'service':
      return `; the service refused, and is asked again ${soon}`
  }
}
