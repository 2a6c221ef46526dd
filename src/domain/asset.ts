import { ingest_failed } from './content.ts'
import type { ContentFact } from './fact.ts'

/** What the service says of an asset. Only `ready` is of use in a chat; `other` is a status nobody knows: still going. */
export interface AssetSaid {
  status: 'uploaded' | 'ingesting' | 'ready' | 'failed' | 'other'
  /** In the service's own word, for people. */
  raw_status: string
}

export type LossFact = Extract<ContentFact, { type: 'asset_missing' | 'asset_unready' | 'asset_failed' }>

/**
 * What became there of an asset that is ready here, by an answer about it alone: a list may be behind. `gone`: the service does
 * not know it, and a slot without bytes is as good as that. Undefined: it is ready there, too.
 */
export function lossOf(
  { content, asset_id }: { content: number; asset_id: string },
  said: AssetSaid | 'gone',
): LossFact | undefined {
  const of = { content, asset_id }
  if (said === 'gone') return { type: 'asset_missing', ...of }
  switch (said.status) {
    case 'ready':
      return undefined
    case 'failed': {
      const message = `the service had it ready and cannot use it any more (status ${said.raw_status}); it does not say why`
      return { type: 'asset_failed', ...of, error: { code: ingest_failed, message } }
    }
    case 'uploaded':
      return { type: 'asset_missing', ...of }
    default:
      return { type: 'asset_unready', ...of }
  }
}
