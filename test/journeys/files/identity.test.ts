import { execFileSync } from 'node:child_process'
import { linkSync, lstatSync, renameSync } from 'node:fs'
import { expect, test } from 'vitest'
import { md5Of } from '../rig/disk-truth.ts'
import { begin, localJourneys } from '../rig/harness.ts'

localJourneys('the identity of a file', (profile) => {
  test('a new file with the inode of a deleted one is sent', async () => {
    const journey = await begin({ profile, tree: { 'docs/old.txt': 'old text' } })
    await journey.allReady()
    await journey.stop()
    const { ino } = lstatSync(journey.at('docs/old.txt'))
    journey.remove('docs/old.txt')
    journey.write({ 'docs/new.txt': 'new text' })
    // ext4 reuses the inode. On other file systems the rest still holds.
    const is_reused = lstatSync(journey.at('docs/new.txt')).ino === ino
    await journey.start()
    await journey.stage('docs/new.txt', 'ready')
    await journey.stage('docs/old.txt', 'gone')
    expect(journey.file('docs/new.txt')?.md5).toBe(md5Of('new text'))
    expect(journey.cost(), is_reused ? 'the inode was reused' : 'another inode').toEqual({
      creates: 2,
      puts: 2,
    })
    journey.ends({ also_there: [md5Of('old text')] })
  })

  test('hard links, and one name composed and decomposed', async () => {
    const composed = 'docs/caf\u00e9.txt'
    const decomposed = 'docs/caf\u0065\u0301.txt'
    const journey = await begin({
      profile,
      tree: { 'docs/a.txt': 'text', [composed]: 'one', [decomposed]: 'other' },
    })
    await journey.allReady()
    linkSync(journey.at('docs/a.txt'), journey.at('docs/b.txt'))
    journey.daemon.rescan('docs')
    await journey.stage('docs/b.txt', 'ready')
    await journey.stage('docs/a.txt', 'ready')
    await journey.idle()
    expect(journey.file('docs/b.txt')?.asset_id).toBe(journey.file('docs/a.txt')?.asset_id)
    expect([journey.file(composed)?.md5, journey.file(decomposed)?.md5]).toEqual([
      md5Of('one'),
      md5Of('other'),
    ])
    expect(journey.cost()).toEqual({ creates: 3, puts: 3 })
  })

  test('the same files with other inodes, as after a restore or on another disk: read again, none sent', async () => {
    const names = Array.from({ length: 40 }, (_, number) => `docs/${number % 4}/${number}.txt`)
    const journey = await begin({
      profile,
      tree: Object.fromEntries(names.map((name) => [name, `text of ${name}`])),
    })
    await journey.allReady()
    const before = journey.cost()
    await journey.stop()
    const inodes = names.map((name) => lstatSync(journey.at(name)).ino)
    execFileSync('cp', ['-a', journey.at('docs'), journey.at('copy')])
    renameSync(journey.at('docs'), journey.at('before'))
    renameSync(journey.at('copy'), journey.at('docs'))
    expect(names.map((name) => lstatSync(journey.at(name)).ino)).not.toEqual(inodes)
    await journey.start()
    await journey.allReady()
    await journey.idle()
    expect(journey.cost()).toEqual(before)
  })
})
