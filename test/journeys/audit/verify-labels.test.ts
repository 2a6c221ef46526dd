import { expect, test } from 'vitest'
import { begin, localJourneys } from '../rig/harness.ts'
import { namesOf, verified } from './verified.ts'

const folders = { docs: { labels: ['team', 'from sluice'] } }
const tree = { 'docs/a.txt': 'a', 'docs/b.txt': 'b' }

localJourneys('verify compares labels beside a daemon', (profile) => {
  test('a label that is attached while the list is read is not missing', async () => {
    const journey = await begin({
      profile,
      folders,
      tree,
      config: { follow: { list_from: 1_000 } },
    })
    const attach = journey.hold('begin', 'assets.attach_label')
    await attach.reached()
    const list = journey.hold('handled', 'assets.list')
    const comparing = verified(journey, { full: false })
    await list.reached()
    attach.release()
    await journey.idle()
    expect(journey.assets().every(({ labels }) => labels.length === 2)).toBe(true)
    list.release()
    const { differences, summary } = await comparing
    expect(namesOf(differences)).toEqual([])
    expect(summary.complete).toBe(true)
  })

  test('a label that a user removed is missing', async () => {
    const journey = await begin({ profile, folders, tree })
    await journey.until(
      'each has its labels',
      () => journey.assets().filter(({ labels }) => labels.length === 2).length === 2,
    )
    await journey.idle()
    const { asset_id } = journey.file('docs/b.txt')!
    const labels = (await journey.call('GET', '/v1/labels')).body.data as {
      label_id: string
      name: string
    }[]
    const { label_id } = labels.find(({ name }) => name === 'team')!
    await journey.call('DELETE', `/v1/assets/${asset_id}/labels/${label_id}`)
    expect(namesOf((await verified(journey, { full: false })).differences)).toEqual([
      'label_missing docs/b.txt',
    ])
  })
})
