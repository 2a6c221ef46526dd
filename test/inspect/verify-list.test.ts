import { expect, test } from 'vitest'
import {
  list_page,
  loseEndOfFirstPage,
  many,
  secondPage,
  three_pages,
  uploadedByAnother,
} from '../journeys/audit/audited.ts'
import { namesOf, verified } from '../journeys/audit/verified.ts'
import { md5Of } from '../journeys/rig/disk-truth.ts'
import { begin, type Journey, localJourneys } from '../journeys/rig/harness.ts'

const patient = { follow: { list_from: 1_000 } }
const shallow = { full: false }

function idOf(journey: Journey, name: string): string {
  return journey.file(name)!.asset_id!
}

/**
 * Two projects after the daemon has stopped. Equal bytes at docs/b.txt and more/b.txt are one asset
 * in each project.
 */
async function twoProjects(profile: Parameters<typeof begin>[0]['profile']) {
  const tree = { 'docs/a.txt': 'a', 'docs/b.txt': 'b', 'more/b.txt': 'b', 'more/c.txt': 'c' }
  const journey = await begin({ profile, tree, folders: { docs: {}, more: {} } }, 'not started')
  const { project_id: second } = journey.service.projects.create('second')
  const change = { folders: { docs: {}, more: { project_id: second } } }
  await journey.start(change)
  await journey.allReady()
  await journey.idle()
  await journey.stop()
  // The checks at the end are about the first project only.
  journey.ends({ left_out: ['more/b.txt', 'more/c.txt'] })
  return { journey, second, change }
}

localJourneys('verify with several projects', (profile) => {
  test('each has its own numbers; equal bytes in both are lost in the one where they were removed', async () => {
    const { journey, second, change } = await twoProjects(profile)
    const before = await verified(journey, { ...shallow, change })
    expect(before.differences).toEqual([])
    expect(before.summary.projects).toMatchObject([
      { project_id: journey.project_id, expected: 2, usable: 2, unknown: 0, fault: null },
      { project_id: second, expected: 2, usable: 2, unknown: 0, fault: null },
    ])
    const lost = idOf(journey, 'more/b.txt')
    expect(lost).not.toBe(idOf(journey, 'docs/b.txt'))
    expect(await journey.service.removeAsset(lost)).toBe(true)
    const { summary, differences } = await verified(journey, { ...shallow, change })
    expect(differences).toMatchObject([
      { kind: 'missing_on_service', folder: 'more', path: 'b.txt', asset_id: lost },
    ])
    expect(summary.projects).toMatchObject([
      { expected: 2, usable: 2 },
      { expected: 2, usable: 1 },
    ])
    expect(summary.complete).toBe(true)
  })

  test('a refused project does not stop the comparison of another', async () => {
    const { journey } = await twoProjects(profile)
    expect(await journey.service.removeAsset(idOf(journey, 'docs/a.txt'))).toBe(true)
    // The refused project comes after the other one, and before it.
    const folders = { docs: {}, more: { project_id: `project_${'9876543210'.repeat(2)}` } }
    for (const change of [{ folders }, { folders: { more: folders.more, docs: folders.docs } }]) {
      const { summary, differences } = await verified(journey, { ...shallow, change })
      expect(namesOf(differences)).toEqual([`missing_on_service ${idOf(journey, 'docs/a.txt')}`])
      const { project_id } = journey
      expect(summary.projects.find((project) => project.project_id === project_id)).toMatchObject({
        usable: 1,
        expected: 2,
      })
      expect(summary.projects.find((project) => project.project_id !== project_id)).toMatchObject({
        expected: 0,
        fault: { code: 'project.refused' },
      })
      expect(summary.complete).toBe(false)
    }
    journey.ends({ left_out: ['docs/a.txt', 'more/b.txt', 'more/c.txt'] })
  })
})

localJourneys('the place in the list is lost while verify reads it', (profile) => {
  async function lose(count: number) {
    const journey = await begin({ profile, tree: many(three_pages), config: patient, list_page })
    await journey.allReady()
    await journey.idle()
    await journey.stop()
    const second = secondPage(journey)
    const verifying = verified(journey, shallow)
    await second.reached
    const names = await loseEndOfFirstPage(journey, profile, count)
    second.goOn()
    journey.ends({ left_out: names })
    const missing = names.map((name) => `missing_on_service ${idOf(journey, name)}`).sort()
    return { journey, missing, ...(await verifying) }
  }

  test('continues at another cursor of the same page: reads nothing twice and compares the rest', async () => {
    const { journey, missing, summary, differences } = await lose(3)
    // Listed assets count as they were listed, even if they were removed later.
    expect(differences).toEqual([])
    expect(summary.projects).toMatchObject([{ expected: 29, usable: 29, unknown: 0, fault: null }])
    expect(journey.requests('assets.list').map(({ status }) => status)).toEqual([
      200, 400, 400, 400, 200, 200,
    ])
    const again = await verified(journey, shallow)
    expect(namesOf(again.differences)).toEqual(missing)
    expect(again.summary.projects).toMatchObject([{ expected: 29, usable: 26 }])
  })

  test('without another cursor: begins the list anew and compares the rest', async () => {
    const { journey, missing, summary, differences } = await lose(list_page)
    expect(namesOf(differences)).toEqual([])
    // The first page was read before its assets were removed.
    expect(summary.projects).toMatchObject([{ expected: 29, usable: 29, unknown: 0, fault: null }])
    expect(summary.complete).toBe(true)
    const again = await verified(journey, shallow)
    expect(namesOf(again.differences)).toEqual(missing)
  })

  test.each([
    ['a foreign code', 'foreign.asset.gone', 404],
    ['the code of a lost project', 'publicapi.tenancy.project.not_found', 404],
    ['no code', '', 400],
  ])(
    'A-37 a service that takes no cursor, with %s: reports it, calls nothing missing',
    async (_, code, status) => {
      const journey = await begin({ profile, tree: many(three_pages), config: patient, list_page })
      await journey.allReady()
      await journey.idle()
      await journey.stop()
      const failure = { route: 'assets.list', later_pages: true, status, code } as const
      journey.service.injectFaults({ failures: [failure] })
      const { summary, differences } = await verified(journey, shallow)
      expect(differences).toEqual([])
      expect(summary.projects).toMatchObject([{ unknown: 0, fault: { code: 'answer.list' } }])
      expect(summary.complete).toBe(false)
      // Four times the first page, each with its five earlier items.
      expect(journey.requests('assets.list').map((request) => request.status)).toEqual(
        Array(4)
          .fill([200, ...Array(5).fill(status)])
          .flat(),
      )
      journey.service.injectFaults({ failures: [] })
      const again = await verified(journey, shallow)
      expect(again.summary.projects).toMatchObject([{ expected: 29, usable: 29, fault: null }])
    },
  )

  test('A-37 unknown and returned assets of a list that began anew are reported once', async () => {
    const journey = await begin({ profile, tree: many(three_pages), config: patient, list_page })
    await journey.allReady()
    await journey.idle()
    await journey.stop()
    const foreign = await uploadedByAnother(journey, 'of another user')
    const failure = { route: 'assets.list', later_pages: true, status: 404, times: 5 } as const
    journey.service.injectFaults({ failures: [failure] })
    const { summary, differences } = await verified(journey, shallow)
    expect(namesOf(differences)).toEqual([`unknown_on_service ${foreign}`])
    expect(summary.projects).toMatchObject([{ expected: 29, usable: 29, unknown: 1, fault: null }])
    journey.ends({ also_there: [md5Of('of another user')] })
  })
})
