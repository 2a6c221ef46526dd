import { describe, expect, test } from 'vitest'
import { type AssetSaid, lossOf } from '../../src/domain/asset.ts'

const said = (status: AssetSaid['status'], raw_status: string = status): AssetSaid => ({
  status,
  raw_status,
})
const asset = { content: 7, asset_id: 'asset_7' }

describe('a ready asset, by the answer of the service about it', () => {
  test.each([
    ['it is ready there, too', said('ready'), undefined],
    ['it is not known there', 'gone', 'asset_missing'],
    ['it is a slot without bytes there', said('uploaded'), 'asset_missing'],
    ['it is read again', said('ingesting'), 'asset_unready'],
    ['its status is unknown', said('other', 'indexing'), 'asset_unready'],
    ['it cannot be used', said('failed'), 'asset_failed'],
  ] as const)('%s', (_, answer, type) => {
    expect(lossOf(asset, answer)?.type).toBe(type)
  })

  test('a failure without a reason says so, without the word of the wire', () => {
    expect(lossOf(asset, said('failed', 'FAILED'))).toMatchObject({
      ...asset,
      error: { code: 'ingest_failed' },
    })
    expect(JSON.stringify(lossOf(asset, said('failed', 'FAILED')))).toContain(
      'cannot read it any more, and does not say why',
    )
  })
})
