import { formatCount } from '../../base/format.ts'
import { type Check, findings } from './check.ts'
import type { DoctorTools } from './doctor-tools.ts'

/** Folders that say so have what no file needs removed on the service: does the service do that, and is it ours to remove? */
export function checkRemovals({ config, ledger }: DoctorTools): Check[] {
  const folders = config.folders.filter(
    ({ on_delete, on_change }) => on_delete === 'remove' || on_change === 'remove_old',
  )
  if (folders.length === 0 || ledger === undefined) return []
  const { ok, warning } = findings('removals', folders.map(({ name }) => name).join(', '))
  const refused = ledger.removals().refusals.map(({ project_id, code, message }) => {
    const hint = 'it is asked again once a day; on_delete: keep and on_change: keep say what is the case anyway'
    const text = `the service does not remove assets, so they are kept: ${message} [${code}]`
    return findings('removals', project_id).warning(text, hint)
  })
  const { ours, others } = ledger.ownership()
  if (others > ours) {
    const text = `${formatCount(others)} of ${formatCount(ours + others)} assets were there before this ledger sent them (a rebuilt one made none): they are never removed`
    return [...refused, warning(text, 'old versions of those are removed by hand, in the assistant')]
  }
  return refused.length > 0 ? refused : [ok('what no file needs any more is removed on the service')]
}
