import type { LabelFact } from '../domain/fact.ts'
import type { LabelWork } from '../ledger/ledger.ts'
import type { Outcome } from '../remote/outcome.ts'
import type { Remote } from '../remote/remote.ts'

/** One attach or detach of a label of an asset. */
export interface LabelCall {
  verb: 'attach' | 'detach'
  name: string
  /** Of a detach; undefined where the answer that named it was lost. */
  label_id: string | undefined
  /** An earlier call about this label has no recorded answer. */
  is_in_doubt: boolean
}

/**
 * The calls that bring the asset to the wanted labels. Attach first: a file that moves is never
 * without a label.
 */
export function labelCalls({ wanted, attached, in_doubt }: LabelWork): LabelCall[] {
  const ids = new Map(attached.map(({ name, label_id }) => [name, label_id]))
  const doubted = new Set(in_doubt)
  const call = (verb: LabelCall['verb'], name: string): LabelCall => {
    return { verb, name, label_id: ids.get(name), is_in_doubt: doubted.has(name) }
  }
  const missing = wanted.filter((name) => !ids.has(name) || doubted.has(name))
  const unwanted = [...new Set([...ids.keys(), ...in_doubt])].filter((name) => !wanted.includes(name))
  return [...missing.map((name) => call('attach', name)), ...unwanted.map((name) => call('detach', name))]
}

/** Makes the call. Its outcome is the fact to record. */
export async function makeLabelCall(
  { verb, name, label_id }: LabelCall,
  { content, project_id, asset_id }: LabelWork,
  remote: Remote,
): Promise<Outcome<LabelFact>> {
  if (verb === 'attach') {
    const outcome = await remote.attachLabel(project_id, asset_id, name)
    if (!outcome.ok) return outcome
    return { ok: true, value: { type: 'label_attached', content, name, label_id: outcome.value.label_id } }
  }
  const outcome = await detach(remote, project_id, asset_id, name, label_id)
  return outcome.ok ? { ok: true, value: { type: 'label_detached', content, name } } : outcome
}

async function detach(
  remote: Remote,
  project_id: string,
  asset_id: string,
  name: string,
  known_id: string | undefined,
): Promise<Outcome<void>> {
  if (known_id !== undefined) return remote.detachLabel(project_id, asset_id, known_id)
  const labels = await remote.listLabels(project_id)
  if (!labels.ok) return labels
  const label = labels.value.find((candidate) => candidate.name === name)
  // A label that the project does not have is on no asset.
  return label ? remote.detachLabel(project_id, asset_id, label.label_id) : { ok: true, value: undefined }
}

/**
 * Withdraws the intents of calls that the service surely did not act on, so that a label of this
 * name that a person attached is not taken for one of ours. An earlier call in doubt keeps its
 * intent.
 */
export function withdrawn({ content }: LabelWork, unsent: readonly LabelCall[]): LabelFact[] {
  const names = unsent.filter(({ is_in_doubt }) => !is_in_doubt).map(({ name }) => name)
  return names.length === 0 ? [] : [{ type: 'labels_unsent', content, names }]
}
