import { second_ms } from '../../base/time/time.ts'
import type { NameFact } from '../../domain/fact.ts'
import type { NameWork } from '../../ledger/ledger.ts'
import { type Failure, failureText } from '../../remote/outcome.ts'
import { type ClaimTools, type ClaimWorker, startClaimWorker } from '../claim-worker.ts'
import { deferName, judgeName } from './judge-name.ts'

/** One asset a second, so 60 a minute: a folder that was renamed must not keep the service busy. */
const pace_ms = second_ms

/**
 * Gives ready assets the names of their files after a move, behind all uploads. A refusal concerns
 * names alone, so no circuit learns of it.
 */
export function startNamer(tools: ClaimTools, { soft }: { soft: AbortSignal }): ClaimWorker {
  /** Failures in a row. A restart forgets them. */
  let tries = 0
  return startClaimWorker<NameWork, ClaimTools>(
    {
      name: 'namer',
      kind: 'name',
      max_claimed: 1,
      pace_ms,
      claim: tools.ledger.claimToName,
      async act([work], held) {
        tools.circuits.unused()
        const { ledger, circuits, clock, report } = held
        if (!work || soft.aborted || circuits.rests(work.project_id, ['api'])) return
        const outcome = await nameAsset(work, held)
        tries = 'type' in outcome ? 0 : tries + 1
        if ('type' in outcome) return ledger.record([outcome])
        await ledger.record([deferName(work.content, outcome, tries - 1, clock.now_ms())])
        report.later(`its name on the service: ${failureText(outcome)}`, work.name)
      },
    },
    tools,
    soft,
  )
}

/** Compares the name with that of the record, and changes it if it is still our own. */
async function nameAsset(
  work: NameWork,
  { ledger, remote, clock }: ClaimTools,
): Promise<NameFact | Failure> {
  const { content, project_id, asset_id, wanted } = work
  const read = await remote.readAsset(project_id, asset_id)
  if (!read.ok) return read.failure
  const verdict = judgeName(work, read.value, clock.now_ms())
  if (verdict !== 'rename') return verdict
  const given_name = wanted!
  await ledger.record([{ type: 'name_intended', content, given_name }])
  const renamed = await remote.renameAsset(project_id, asset_id, given_name.text)
  if (!renamed.ok) return renamed.failure
  const shown_name = renamed.value ?? given_name.text
  return { type: 'asset_named', content, shown_name, tried: given_name.text }
}
