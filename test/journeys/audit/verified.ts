import { type Clock, system_clock } from '../../../src/base/time/time.ts'
import { openSecrets } from '../../../src/config/secrets.ts'
import { startExaminer } from '../../../src/disk/read/examiner.ts'
import { type VerifySummary, verify } from '../../../src/inspect/verify/verify.ts'
import type { Difference, VerifyOptions } from '../../../src/inspect/verify/verify-answer.ts'
import { openLedgerView } from '../../../src/ledger/views/view.ts'
import { openRemote } from '../../../src/remote/open-remote.ts'
import type { Journey } from '../rig/harness.ts'
import type { ConfigChange } from '../rig/quick-config.ts'

export interface VerifyWish extends Pick<VerifyOptions, 'full' | 'folders' | 'onProgress'> {
  clock?: Clock
  change?: ConfigChange
}

/** The differences that `sluice verify` finds, with or without a daemon beside it. */
export async function verified(
  journey: Journey,
  { clock = system_clock, change = {}, ...options }: VerifyWish,
): Promise<{ summary: VerifySummary; differences: Difference[] }> {
  const config = journey.config(change)
  const { secrets } = openSecrets(config, {})
  const view = openLedgerView(config.state_dir)
  const remote = await openRemote(config, () => secrets.token(), clock)
  const examiner = startExaminer({ threads: 1 })
  const differences: Difference[] = []
  try {
    const { signal } = new AbortController()
    const onDifference = (difference: Difference) => void differences.push(difference)
    const summary = await verify({
      ...options,
      config,
      view,
      remote,
      examiner,
      clock,
      signal,
      onDifference,
    })
    return { summary, differences }
  } finally {
    await Promise.all([examiner.close(), remote.close()])
    view.close()
  }
}

/**
 * One line for each as `kind name`: the asset's id for a difference with the service, else the
 * file's name.
 */
export function namesOf(differences: readonly Difference[]): string[] {
  return differences
    .map(({ kind, folder, path, asset_id }) =>
      kind.endsWith('_on_service') ? `${kind} ${asset_id}` : `${kind} ${folder}/${path}`,
    )
    .sort()
}
