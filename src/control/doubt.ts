import type { Fact } from '../domain/fact.ts'

/** What somebody found to be otherwise than the ledger has it, where no scan and no audit would: it is done anew. */
export type Doubt =
  /** Other bytes under the same size and times: they are read again. */
  | { about: 'bytes'; folder: string; path: string }
  /** A label that was attached is not there: it is attached again. `content` is the ledger's id. */
  | { about: 'label'; content: number; label: string }

export function factsOfDoubt(doubt: Doubt, now_ms: number): Fact[] {
  if (doubt.about === 'bytes') {
    const { folder, path } = doubt
    return [{ type: 'file_changed', folder, path, not_before_ms: now_ms }]
  }
  const { content, label } = doubt
  return [
    { type: 'label_detached', content, name: label },
    { type: 'labels_set_back', content, not_before_ms: now_ms },
  ]
}
