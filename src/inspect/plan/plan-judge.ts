import type { FolderConfig } from '../../config/config.ts'
import { type FileStat, isBeforeStart, sameStat } from '../../domain/file.ts'
import type { ComparedFile } from '../../ledger/views/view-comparison.ts'
import type { Reason } from './plan-answer.ts'

/**
 * Judges by its stat why a file that no rule ignores is not sent; undefined: it is sent unless its
 * bytes are known. Pure. The rules are those of intake. Before the first scan of a folder, "now"
 * counts as its time.
 */
export function judge(of: {
  folder: Pick<FolderConfig, 'max_file_bytes' | 'start'>
  stat: FileStat
  known: ComparedFile | undefined
  now_ms: number
  first_scan_done: boolean
}): Reason | undefined {
  const { folder, stat, known, now_ms, first_scan_done } = of
  if (stat.size === 0) return 'empty'
  if (stat.size > folder.max_file_bytes) return 'too_large'
  if (known !== undefined && sameStat(known.stat, stat)) return standing(known)
  // Files that the first scan skipped stay skipped until their bytes change. Later files are wanted
  // at any age.
  if (known !== undefined || first_scan_done) return undefined
  return isBeforeStart(folder.start, stat, now_ms) ? 'before_start' : undefined
}

function standing({ stage, reason }: ComparedFile): Reason | undefined {
  switch (stage) {
    case 'ready':
    case 'refused':
    case 'removed_on_service':
      return stage
    case 'settling':
    case 'waiting':
    case 'sending':
    case 'ingesting':
      return 'underway'
    case 'skipped':
      return reason === 'before_start' ? 'before_start' : undefined
    case 'blocked':
      return reason === 'brake' || reason === 'changing' ? reason : 'unreadable'
    case 'gone':
      return undefined
  }
}
