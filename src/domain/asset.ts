import { ingest_failed } from './content.ts'
import type { ContentFact } from './fact.ts'

/** An asset as reported. Only `ready` is usable in a chat. `other`: unknown, still in progress. */
export interface AssetSaid {
  status: 'uploaded' | 'ingesting' | 'ready' | 'failed' | 'other'
  /** The service's own word, to show to users. */
  raw_status: string
}

export type LossFact = Extract<ContentFact, { type: 'asset_missing' | 'asset_unready' | 'asset_failed' }>

/**
 * What happened on the service to an asset that is ready here. Only an answer about this asset
 * counts, because a list may be outdated. `gone`: the service does not know it. A slot without
 * bytes counts as gone too. Undefined if it is ready there as well.
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
