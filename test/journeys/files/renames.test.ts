import { expect, test } from 'vitest'
import { md5Of } from '../rig/disk-truth.ts'
import { begin, fullOrPart, localJourneys } from '../rig/harness.ts'

localJourneys('renames send nothing', (profile) => {
  test('a file, within the folder and to another one of the same project', async () => {
    const folders = { docs: {}, more: {} }
    const journey = await begin({
      profile,
      folders,
      tree: { 'docs/a.txt': 'text a', 'more/b.txt': 'text b' },
    })
    await journey.allReady()
    const before = journey.cost()
    const { asset_id } = journey.file('docs/a.txt')!

    journey.move('docs/a.txt', 'docs/deep/renamed.txt')
    await journey.stage('docs/deep/renamed.txt', 'ready')
    await journey.stage('docs/a.txt', 'gone')
    journey.move('docs/deep/renamed.txt', 'more/moved.txt')
    await journey.stage('more/moved.txt', 'ready')
    await journey.stage('docs/deep/renamed.txt', 'gone')
    await journey.idle()
    expect(journey.file('more/moved.txt')).toMatchObject({ asset_id, md5: md5Of('text a') })
    expect(journey.cost()).toEqual(before)
  })

  test('a large folder', async () => {
    const files = fullOrPart(1_000, 200)
    const numbers = Array.from({ length: files }, (_, index) => `${index % 10}/${index}.txt`)
    const tree = Object.fromEntries(numbers.map((name) => [`docs/old/${name}`, `text of ${name}`]))
    const journey = await begin({ profile, tree, config: { uploads: { concurrency: 16 } } })
    await journey.allReady()
    expect(journey.cost()).toEqual({ creates: files, puts: files })

    journey.move('docs/old', 'docs/new name')
    await journey.until('every file is ready at its new place', () => {
      const stages = journey.stages()
      return numbers.every(
        (name) =>
          stages[`docs/new name/${name}`] === 'ready' && stages[`docs/old/${name}`] === 'gone',
      )
    })
    await journey.idle()
    expect(journey.cost()).toEqual({ creates: files, puts: files })
    expect(journey.assets()).toHaveLength(files)
  })

  test('a swap of two files while the daemon is down', async () => {
    const journey = await begin({
      profile,
      tree: { 'docs/a.txt': 'text a', 'docs/b.txt': 'text bb' },
    })
    await journey.allReady()
    await journey.stop()
    journey.move('docs/a.txt', 'docs/c.txt')
    journey.move('docs/b.txt', 'docs/a.txt')
    journey.move('docs/c.txt', 'docs/b.txt')
    await journey.start()
    await journey.allReady()
    expect(journey.file('docs/a.txt')?.md5).toBe(md5Of('text bb'))
    expect(journey.cost()).toEqual({ creates: 2, puts: 2 })
  })
})
