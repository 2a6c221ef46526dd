import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { md5Of } from '../../ledger/fixture.ts'
import { namesOf, verified } from '../audit/verified.ts'
import { begin, fullOrPart, type Journey, localJourneys } from '../rig/harness.ts'

const files = fullOrPart(1_000, 250)

const documents = ['a', 'b', 'c', 'd', 'e'].map((name) => `docs/${name}.txt`)

/** Settles for so long that the files are gone before that. */
const settle_ms = 2_500

function tempFiles(prefix: string): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: files }, (_, index) => [
      `docs/unpacked/${prefix}${index}.txt`,
      `temporary ${prefix} ${index}`,
    ]),
  )
}

/** A folder with five known documents. */
async function withDocuments(
  profile: 'default' | 'hosted',
  folder: Record<string, unknown>,
): Promise<Journey> {
  const tree = Object.fromEntries(documents.map((name) => [name, `the document ${name}`]))
  const journey = await begin({ profile, tree, folders: { docs: folder } })
  await journey.allReady()
  await journey.idle()
  return journey
}

const settling = (journey: Journey) =>
  journey.files().filter(({ name }) => name.startsWith('docs/unpacked/')).length

/** True if the folder was never offline, not even for a moment. */
function wasOnline(journey: Journey): boolean {
  return !journey.log().some((line) => line.includes('is offline'))
}

localJourneys('many files that live for a moment', (profile) => {
  test.each([
    { what: 'all seen, and then deleted', share: 1 },
    { what: 'deleted while they are found', share: 0.2 },
  ])('$what: the folder stays online, and a new document gets in', async ({ share }) => {
    const journey = await withDocuments(profile, { settle_ms })
    journey.write(tempFiles('t'))
    await journey.until('they are seen', () => settling(journey) >= files * share)
    journey.remove('docs/unpacked')
    journey.write({ 'docs/new.txt': 'a new document' })
    await journey.until('they are forgotten', () => settling(journey) === 0)
    await journey.stage('docs/new.txt', 'ready')
    await journey.idle()
    expect(wasOnline(journey)).toBe(true)
    expect(journey.folder()).toMatchObject({ offline_reason: null })
    expect(readdirSync(journey.at('docs'))).toHaveLength(6)
  })

  test('after a restart the same: nothing is asked', async () => {
    const journey = await withDocuments(profile, { settle_ms })
    journey.write(tempFiles('t'))
    await journey.until('they are seen', () => settling(journey) === files)
    await journey.stop()
    journey.remove('docs/unpacked')
    await journey.start()
    await journey.until('they are forgotten', () => settling(journey) === 0)
    journey.write({ 'docs/new.txt': 'a new document' })
    await journey.stage('docs/new.txt', 'ready')
    expect(wasOnline(journey)).toBe(true)
  })

  test('empty files, and files that a rule leaves out, are no loss either', async () => {
    const journey = await withDocuments(profile, { settle_ms: 50, max_file_bytes: 50 })
    const tree = Object.fromEntries(
      Array.from({ length: files }, (_, index) => [
        `docs/unpacked/${index}.txt`,
        index % 2 === 0 ? '' : 'x'.repeat(51),
      ]),
    )
    journey.write(tree)
    await journey.until('they are skipped', () => settling(journey) === files)
    await journey.idle()
    journey.remove('docs/unpacked')
    await journey.until('they are forgotten', () => settling(journey) === 0)
    expect(wasOnline(journey)).toBe(true)
  })

  test('a folder that held little but such files may become empty', async () => {
    const tree = { 'docs/a.txt': 'a', 'docs/b.txt': 'b' }
    const journey = await begin({ profile, tree, folders: { docs: { settle_ms } } })
    await journey.allReady()
    journey.write(tempFiles('t'))
    await journey.until('they are seen', () => settling(journey) === files)
    for (const name of readdirSync(journey.at('docs'))) journey.remove(`docs/${name}`)
    await journey.stage('docs/a.txt', 'gone')
    await journey.stage('docs/b.txt', 'gone')
    await journey.until('they are forgotten', () => settling(journey) === 0)
    expect(wasOnline(journey)).toBe(true)
    journey.ends({ also_there: [md5Of('a'), md5Of('b')] })
  })

  test('verify finds the known files gone, and no folder offline', async () => {
    const journey = await withDocuments(profile, { settle_ms })
    journey.write(tempFiles('t'))
    await journey.until('they are seen', () => settling(journey) === files)
    await journey.stop()
    for (const name of readdirSync(journey.at('docs'))) journey.remove(`docs/${name}`)
    const { summary, differences } = await verified(journey, { full: false })
    expect(summary.folders).toMatchObject([{ name: 'docs', offline: null }])
    expect(namesOf(differences)).toEqual(
      expect.arrayContaining(documents.map((name) => `gone_from_disk ${name}`)),
    )
    journey.ends({ also_there: documents.map((name) => md5Of(`the document ${name}`)) })
  })
})
