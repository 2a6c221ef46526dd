import { counted } from '../../base/text/format.ts'
import { system_clock } from '../../base/time/time.ts'
import type { Config } from '../../config/config.ts'
import { type ControlClient, connectControl } from '../../control/control-client.ts'
import { type Doubt, factsOfDoubt } from '../../control/control-verbs.ts'
import { ingest_failed, nothing_to_read } from '../../domain/asset.ts'
import type { Fact } from '../../domain/fact.ts'
import type { Difference, DifferenceKind } from '../../inspect/verify/verify-answer.ts'
import { besideOrAlone } from '../daemon/beside-or-alone.ts'
import { withLedger } from '../daemon/open.ts'
import type { FoundDifferences } from '../text/verify-text.ts'

const on_disk: readonly DifferenceKind[] = [
  'unknown_on_disk',
  'gone_from_disk',
  'changed_on_disk',
  'unreadable',
]
const lost_on_service: readonly DifferenceKind[] = [
  'missing_on_service',
  'failed_on_service',
  'not_ready_on_service',
]
/** Facts in one transaction. */
const facts_at_once = 1_000

/**
 * Folders to scan, losses and returned assets for the audit, and doubts, which neither of them
 * corrects.
 */
interface Work {
  folders: string[]
  lost: Difference[]
  returned: Difference[]
  doubts: Doubt[]
}

/**
 * Lets a daemon correct the differences. Without one, `record` writes them to the ledger for the
 * next pass; otherwise nothing changes. Returns a line for each thing that was done or is left.
 */
export async function takeUp(
  found: FoundDifferences,
  { config, record }: { config: Config; record: boolean },
): Promise<string[]> {
  const work = workOf(found)
  if (Object.values(work).every((part) => part.length === 0)) return []
  const { state_dir } = config
  if (record) {
    return besideOrAlone(state_dir, {
      beside: (control) => beside(work, control),
      alone: () => recorded(work, config),
    })
  }
  const control = await connectControl(state_dir)
  if (!control) return alone(work)
  return beside(work, control).finally(() => control.close())
}

function workOf(found: FoundDifferences): Work {
  const read_again = found
    .of('content_differs')
    .map(({ folder, path }): Doubt => ({ about: 'bytes', folder: folder!, path: path! }))
  const attached_again = found
    .of('label_missing')
    .map(({ content, label }): Doubt => ({ about: 'label', content: content!, label: label! }))
  return {
    folders: [...new Set(on_disk.flatMap((kind) => found.of(kind)).map(({ folder }) => folder!))],
    lost: lost_on_service.flatMap((kind) => found.of(kind)),
    returned: [...found.of('returned_on_service')],
    doubts: [...read_again, ...attached_again],
  }
}

async function beside(
  { folders, lost, returned, doubts }: Work,
  control: ControlClient,
): Promise<string[]> {
  for (const folder of folders) await control.rescan({ folder })
  if (lost.length + returned.length > 0) await control.audit()
  for (const doubt of doubts) await control.doubt(doubt)
  const { pid, mode } = control.presence
  const who = `the running daemon (process ${pid})`
  const records = `records what the service ${lost.length > 0 ? 'lost' : 'has again'}`
  const when =
    mode === 'run' ? `audits now, and ${records}` : 'leaves the audit to the next `sluice run`'
  return [
    ...(folders.length > 0 ? [`${who} scans now: ${folders.join(', ')}`] : []),
    ...(lost.length + returned.length > 0 ? [`${who} ${when}`] : []),
    ...doubtLines(doubts, `${who} does it now`),
  ]
}

async function recorded(
  { folders, lost, returned, doubts }: Work,
  config: Config,
): Promise<string[]> {
  const now_ms = system_clock.now_ms()
  const assets = [...lost, ...returned]
  const facts = [
    ...assets.flatMap(factsOfAudit),
    ...doubts.flatMap((doubt) => factsOfDoubt(doubt, now_ms)),
  ]
  await withLedger(config, async (ledger) => {
    for (let from = 0; from < facts.length; from += facts_at_once) {
      await ledger.record(facts.slice(from, from + facts_at_once))
    }
  })
  return [
    ...(lost.length > 0
      ? [`recorded: what the service lost, of ${counted(lost.length, 'asset')}`]
      : []),
    ...(returned.length > 0
      ? [`recorded: the service has ${counted(returned.length, 'asset')} again`]
      : []),
    ...doubtLines(doubts, 'recorded for the next pass'),
    ...(folders.length + doubts.length > 0 ? [`no daemon is running: ${sync_text}`] : []),
  ]
}

function alone({ folders, lost, returned, doubts }: Work): string[] {
  const recorded =
    '`sluice verify --record`, or a running daemon, also repairs what a scan cannot see'
  return [
    ...(folders.length > 0 ? [`no daemon is running: ${sync_text}`] : []),
    ...(lost.length + returned.length + doubts.length > 0 ? [recorded] : []),
  ]
}

const sync_text = '`sluice sync` takes up what is on disk'

function doubtLines(doubts: readonly Doubt[], what: string): string[] {
  const count = (about: Doubt['about']) => doubts.filter((doubt) => doubt.about === about).length
  const bytes = count('bytes')
  const labels = count('label')
  return [
    ...(bytes > 0 ? [`to be read again: ${counted(bytes, 'file')}; ${what}`] : []),
    ...(labels > 0 ? [`to be attached again: ${counted(labels, 'label')}; ${what}`] : []),
  ]
}

/** The facts that an audit would record for this difference. */
function factsOfAudit({ kind, content, asset_id, status, message }: Difference): Fact[] {
  if (content === undefined) return []
  const of = { content, ...(asset_id === undefined ? {} : { asset_id }) }
  switch (kind) {
    case 'missing_on_service':
      return [{ type: 'asset_missing', ...of }]
    case 'failed_on_service': {
      // A ready asset fails only if nothing of it was read.
      const code = status === 'ready' ? nothing_to_read : ingest_failed
      return [{ type: 'asset_failed', ...of, error: { code, message } }]
    }
    case 'not_ready_on_service':
      // The status `uploaded` means a slot that has no bytes. Its asset counts as missing.
      return [{ type: status === 'uploaded' ? 'asset_missing' : 'asset_unready', ...of }]
    case 'returned_on_service':
      return [{ type: 'asset_returned', content }]
    default:
      return []
  }
}
