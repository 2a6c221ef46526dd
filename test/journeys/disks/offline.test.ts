import { expect, test } from 'vitest'
import { begin, localJourneys } from '../rig/harness.ts'

const names = Array.from({ length: 15 }, (_, index) => `docs/${index % 3}/${index}.txt`)
const tree = Object.fromEntries(names.map((name) => [name, `text of ${name}`]))
const all_ready = Object.fromEntries(names.map((name) => [name, 'ready']))

localJourneys('an offline folder loses nothing', (profile) => {
  test('a folder is renamed and renamed back', async () => {
    const journey = await begin({ profile, tree })
    await journey.allReady()
    const before = journey.cost()
    journey.move('docs', 'elsewhere')
    journey.daemon.rescan('docs')
    await journey.until('it is offline', () => journey.folder()?.offline_reason !== null)
    expect(journey.stages()).toEqual(all_ready)

    journey.move('elsewhere', 'docs')
    journey.daemon.rescan('docs')
    await journey.until('it is back', () => journey.folder()?.offline_reason === null)
    journey.write({ 'docs/new.txt': 'came after it was back' })
    await journey.stage('docs/new.txt', 'ready')
    await journey.idle()
    expect(journey.stages()).toEqual({ ...all_ready, 'docs/new.txt': 'ready' })
    expect(journey.cost()).toEqual({ creates: before.creates + 1, puts: before.puts + 1 })
  })

  test('another directory replaces the folder, then the folder is back: it continues by itself, soon', async () => {
    const journey = await begin({ profile, tree })
    await journey.allReady()
    const before = journey.cost()
    journey.write({ 'aside/': '', 'other/another.txt': 'not of this folder' })
    journey.move('docs', 'aside/docs')
    await journey.until('it is offline', () => journey.folder()?.offline_reason !== null)
    journey.move('other', 'docs')
    await journey.until(
      'it is compared',
      () => journey.folder()?.offline_reason?.includes('another disk') ?? false,
    )
    await journey.until(
      'and waits',
      () => journey.folder()?.offline_reason?.includes('0 of 15') ?? false,
    )
    expect(journey.stages()).toEqual(all_ready)

    journey.move('docs', 'other')
    journey.move('aside/docs', 'docs')
    await journey.until('it is back', () => journey.folder()?.offline_reason === null)
    journey.write({ 'docs/new.txt': 'came after it was back' })
    await journey.stage('docs/new.txt', 'ready')
    expect(journey.cost()).toEqual({ creates: before.creates + 1, puts: before.puts + 1 })
  })

  test('a mount point is empty because nothing is mounted, then full again', async () => {
    const journey = await begin({ profile, tree })
    await journey.allReady()
    const before = journey.cost()
    journey.write({ 'aside/': '' })
    for (const part of ['0', '1', '2']) journey.move(`docs/${part}`, `aside/${part}`)
    journey.daemon.rescan('docs')
    await journey.until('it is offline', () => journey.folder()?.offline_reason !== null)
    expect(journey.stages()).toEqual(all_ready)
    for (const part of ['0', '1', '2']) journey.move(`aside/${part}`, `docs/${part}`)
    journey.daemon.rescan('docs')
    await journey.until('it is back', () => journey.folder()?.offline_reason === null)
    await journey.idle()
    expect(journey.stages()).toEqual(all_ready)
    expect(journey.cost()).toEqual(before)
  })

  for (const files of [1, 9]) {
    test(`an empty directory in place of a folder of ${files}: no file counts as deleted, no asset is removed`, async () => {
      const few = names.slice(0, files)
      const journey = await begin({
        profile,
        tree: Object.fromEntries(few.map((name) => [name, tree[name]!])),
        folders: { docs: { on_delete: 'remove', delete_grace_ms: '1s' } },
      })
      await journey.allReady()
      journey.write({ 'other/': '' })
      journey.move('docs', 'elsewhere')
      journey.move('other', 'docs')
      journey.daemon.rescan('docs')
      await journey.until(
        'it waits',
        () => journey.folder()?.offline_reason?.includes(`0 of ${files}`) ?? false,
      )
      await journey.idle()
      expect(journey.stages()).toEqual(Object.fromEntries(few.map((name) => [name, 'ready'])))
      expect(journey.requests('assets.delete')).toEqual([])
      journey.move('docs', 'other')
      journey.move('elsewhere', 'docs')
      journey.daemon.rescan('docs')
      await journey.until('it is back', () => journey.folder()?.offline_reason === null)
      await journey.allReady()
      expect(journey.cost()).toEqual({ creates: files, puts: files })
    })
  }

  test('a folder of a few files that is emptied in place needs no acknowledgement', async () => {
    const few = names.slice(0, 9)
    const journey = await begin({
      profile,
      tree: Object.fromEntries(few.map((name) => [name, tree[name]!])),
    })
    await journey.allReady()
    const md5s = journey.assets().map(({ md5 }) => md5!)
    for (const part of ['0', '1', '2']) journey.remove(`docs/${part}`)
    await journey.until('every file is gone', () =>
      journey.files().every(({ stage }) => stage === 'gone'),
    )
    await journey.idle()
    expect(journey.folder()?.offline_reason).toBeNull()
    journey.ends({ also_there: md5s })
  })

  test('a folder that a user emptied needs an acknowledgement', async () => {
    const journey = await begin({ profile, tree })
    await journey.allReady()
    const md5s = journey.assets().map(({ md5 }) => md5!)
    for (const part of ['0', '1', '2']) journey.remove(`docs/${part}`)
    journey.daemon.rescan('docs')
    // A scan that was under way may ask first. The check of the root asks again, about an empty
    // one.
    await journey.until(
      'it waits',
      () => journey.folder()?.offline_reason?.startsWith('it is empty') === true,
    )
    expect(journey.stages()).toEqual(all_ready)

    await journey.record({ type: 'accepted', folder: 'docs', path: '' })
    journey.daemon.rescan('docs')
    await journey.until('every file is gone', () =>
      journey.files().every(({ stage }) => stage === 'gone'),
    )
    expect(journey.folder()?.offline_reason).toBeNull()
    await journey.idle()

    // The acknowledgement was about the files missing then, not about later ones.
    const newer = Object.fromEntries(
      names.map((name) => [name.replace('docs', 'docs/new'), `newer text of ${name}`]),
    )
    journey.write(newer)
    await journey.allReady()
    journey.move('docs/new', 'aside')
    await journey.until('it waits again', () => journey.folder()?.offline_reason !== null)
    expect(journey.stages()).toMatchObject(
      Object.fromEntries(Object.keys(newer).map((name) => [name, 'ready'])),
    )
    journey.move('aside', 'docs/new')
    await journey.until('it is back', () => journey.folder()?.offline_reason === null)
    await journey.idle()
    journey.ends({ also_there: md5s })
  })

  test('an acknowledgement for the upload limit does not apply to files that disappear later', async () => {
    const journey = await begin({ profile, tree })
    await journey.allReady()
    await journey.record({ type: 'accepted', folder: 'docs', path: '' })
    for (const part of ['0', '1', '2']) journey.move(`docs/${part}`, `aside/${part}`)
    journey.daemon.rescan('docs')
    await journey.until('it waits', () => journey.folder()?.offline_reason !== null)
    expect(journey.stages()).toEqual(all_ready)
    for (const part of ['0', '1', '2']) journey.move(`aside/${part}`, `docs/${part}`)
    await journey.until('it is back', () => journey.folder()?.offline_reason === null)
    await journey.idle()
  })

  for (const watch of ['chokidar', 'native']) {
    test(`most files are deleted while the watcher runs (${watch}): the folder waits as after a scan`, async () => {
      const parts = Array.from({ length: 10 }, (_, index) => `docs/${index}`)
      const files = parts.flatMap((part) =>
        Array.from({ length: 6 }, (_, index) => `${part}/${index}.txt`),
      )
      const journey = await begin({
        profile,
        tree: Object.fromEntries(files.map((name) => [name, `text of ${name}`])),
        folders: { docs: { watch } },
        config: { scan: { missing_files: 20 } },
      })
      await journey.allReady()
      const before = journey.cost()
      for (const part of parts.slice(1)) journey.move(part, part.replace('docs', 'aside'))
      await journey.until('it waits', () =>
        /6 of \d+ files found: waiting/.test(journey.folder()?.offline_reason ?? ''),
      )
      const gone = journey.files().filter(({ stage }) => stage === 'gone')
      expect(gone.length).toBeLessThan(files.length / 2)
      for (const part of parts.slice(1)) journey.move(part.replace('docs', 'aside'), part)
      await journey.until('it is back', () => journey.folder()?.offline_reason === null)
      await journey.allReady()
      await journey.idle()
      expect(journey.cost()).toEqual(before)
    })
  }

  test('a folder is offline when the daemon starts', async () => {
    const journey = await begin({ profile, tree })
    await journey.allReady()
    await journey.stop()
    journey.move('docs', 'elsewhere')
    await journey.start()
    await journey.until('it is offline', () => journey.folder()?.offline_reason !== null)
    expect(journey.stages()).toEqual(all_ready)
    journey.move('elsewhere', 'docs')
    journey.daemon.rescan('docs')
    await journey.until('it is back', () => journey.folder()?.offline_reason === null)
    await journey.idle()
    expect(journey.cost()).toEqual({ creates: names.length, puts: names.length })
  })

  test('a folder is offline while its files wait to be sent', async () => {
    const journey = await begin({ profile, tree: { 'docs/first.txt': 'first' } })
    await journey.allReady()
    journey.service.injectFaults({ failures: [{ status: 503 }] })
    journey.write(tree)
    await journey.until('all are known', () => names.every((name) => journey.file(name)?.md5))
    journey.move('docs', 'elsewhere')
    journey.daemon.rescan('docs')
    await journey.until('it is offline', () => journey.folder()?.offline_reason !== null)
    journey.service.injectFaults({ failures: [] })
    journey.move('elsewhere', 'docs')
    journey.daemon.rescan('docs')
    await journey.until('it is back', () => journey.folder()?.offline_reason === null)
    await journey.allReady()
    expect(journey.requests('put')).toHaveLength(names.length + 1)
  })
})
