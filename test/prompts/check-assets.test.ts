import { expect, test } from 'vitest'
import { checkAssets } from '../../src/prompts/check-assets.ts'
import { openRunRig } from './answer-run-rig.ts'

test('more assets than are read singly: from pages of the list, those beyond its first ones singly', async () => {
  const rig = await openRunRig()
  const asset_ids: string[] = []
  for (let file = 0; file < 130; file++) asset_ids.push(await rig.bringIn(`${file}.md`))
  const gone = [asset_ids[0]!, asset_ids[129]!]
  for (const id of gone) await rig.service.removeAsset(id)
  const before = rig.service.requestLog.length
  const checked = await checkAssets(rig.project_id, asset_ids, rig.tools())
  expect(checked).toEqual({ ok: true, value: { gone: new Set(gone), not_ready: new Set() } })
  const places = rig.service.requestLog.slice(before).map(({ place }) => place)
  expect(places.filter((place) => place === 'assets.list').length).toBeGreaterThan(1)
  expect(places.filter((place) => place === 'assets.read').length).toBeLessThanOrEqual(20)
})
