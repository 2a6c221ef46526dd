import type { Config } from '../config/config.ts'
import { connectControl } from '../control/control-client.ts'
import type { DifferenceKind } from '../inspect/verify-answer.ts'
import type { FoundDifferences } from './verify-text.ts'

const on_disk: readonly DifferenceKind[] = ['unknown_on_disk', 'gone_from_disk', 'changed_on_disk', 'unreadable']
const on_service: readonly DifferenceKind[] = [
  'missing_on_service',
  'failed_on_service',
  'not_ready_on_service',
  'returned_on_service',
]

/** Asks a daemon to take up what was found; answers what it was asked for, a line each, or what to do without one. */
export async function takeUp({ state_dir }: Config, found: FoundDifferences): Promise<string[]> {
  const folders = [...new Set(on_disk.flatMap((kind) => found.of(kind)).map(({ folder }) => folder!))]
  const has_audit = on_service.some((kind) => found.of(kind).length > 0)
  if (folders.length === 0 && !has_audit) return []
  const control = await connectControl(state_dir)
  if (!control) return alone(folders.length > 0, has_audit)
  try {
    for (const folder of folders) await control.rescan({ folder })
    if (has_audit) await control.audit()
  } finally {
    await control.close()
  }
  return [
    ...(folders.length > 0 ? [`the running daemon scans now: ${folders.join(', ')}`] : []),
    ...(has_audit ? ['the running daemon audits now, and notes what the service has lost'] : []),
  ]
}

function alone(has_disk: boolean, has_service: boolean): string[] {
  return [
    ...(has_disk ? ['no daemon is running: `sluice sync` takes up what is on disk'] : []),
    ...(has_service ? ['no daemon is running: `sluice run` audits, and notes what the service has lost'] : []),
  ]
}
