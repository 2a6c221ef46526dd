import { expect, test } from 'vitest'
import { checkAssets } from '../../../src/prompts/plan/check-assets.ts'
import { setStatusThere } from '../../service/set-status.ts'
import { openRunRig, type RunRig } from '../ask/answer-run-rig.ts'

/** Adds this number of ready files; `content` is their position in the order of arrival, from 0. */
async function broughtIn(rig: RunRig, files: number) {
  const assets: { asset_id: string; content: number }[] = []
  for (let file = 0; file < files; file++)
    assets.push({ asset_id: await rig.bringIn(`${file}.md`), content: file })
  return assets
}

async function checked(rig: RunRig, assets: Parameters<typeof checkAssets>[1]) {
  const outcome = await checkAssets(rig.project_id, assets, rig.tools())
  if (!outcome.ok) throw new Error(outcome.failure.message)
  return [...outcome.value.lost.values()].map(({ type, content }) => [content, type])
}

test('more assets than are read singly: uses pages of the list, and reads assets beyond its first pages singly', async () => {
  const rig = await openRunRig()
  const assets = await broughtIn(rig, 130)
  for (const place of [0, 129]) await rig.service.removeAsset(assets[place]!.asset_id)
  const before = rig.service.requestLog.length
  expect(await checked(rig, assets)).toEqual([
    [0, 'asset_missing'],
    [129, 'asset_missing'],
  ])
  const places = rig.service.requestLog.slice(before).map(({ place }) => place)
  expect(places.filter((place) => place === 'assets.list').length).toBeGreaterThan(1)
  expect(places.filter((place) => place === 'assets.read').length).toBeLessThanOrEqual(20)
})

test('asks singly for an asset that the list does not call ready', async () => {
  const rig = await openRunRig()
  const assets = await broughtIn(rig, 25)
  setStatusThere(rig.service, assets[3]!.asset_id, 'failed')
  setStatusThere(rig.service, assets[4]!.asset_id, 'ingesting')
  setStatusThere(rig.service, assets[5]!.asset_id, 'ingesting')
  const takeOff = rig.service.on('end', ({ place }) => {
    if (place !== 'assets.list') return
    takeOff()
    setStatusThere(rig.service, assets[5]!.asset_id, 'ready')
  })
  const before = rig.service.requestLog.length
  expect(await checked(rig, assets)).toEqual([
    [3, 'asset_failed'],
    [4, 'asset_unready'],
  ])
  const places = rig.service.requestLog.slice(before).map(({ place }) => place)
  expect(places).toEqual(['assets.list', 'assets.read', 'assets.read', 'assets.read'])
})
