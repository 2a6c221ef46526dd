import { mkdirSync, readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Ledger } from '../../../src/ledger/ledger.ts'
import { MovingClock } from '../../rig/moving-clock.ts'
import { makeTree } from '../../rig/tree.ts'
import { begin, fullOrPart, localJourneys } from '../rig/harness.ts'

const two = { 'docs/a.txt': 'a', 'notes/b.txt': 'b' }
/** A streamed file that is sent in pieces, so that a test can hold its upload in the middle. */
const large = { 'docs/large.txt': 'a line of a large text\n'.repeat(150_000) }

localJourneys('another configuration without a restart', (profile) => {
  test('a folder is added, changed and removed', async () => {
    const journey = await begin(
      { profile, tree: two, folders: { docs: {}, notes: {} } },
      'not started',
    )
    await journey.start({ folders: { docs: {} } })
    await journey.idle()
    expect(journey.stages()).toEqual({ 'docs/a.txt': 'ready' })
    expect(await journey.reload()).toEqual({ changes: ['1 folder added'], at_next_start: [] })
    await journey.stage('notes/b.txt', 'ready')
    journey.write({ 'notes/late.txt': 'watched, too' })
    await journey.stage('notes/late.txt', 'ready')

    const narrow = { docs: {}, notes: { include: ['*.md'] } }
    expect((await journey.reload({ folders: narrow })).changes).toEqual(['1 folder changed'])
    journey.write({ 'notes/left-out.txt': 'not any more', 'notes/c.md': 'c' })
    await journey.stage('notes/c.md', 'ready')
    await journey.idle()
    expect(journey.file('notes/left-out.txt')).toBeUndefined()

    expect((await journey.reload({ folders: { docs: {} } })).changes).toEqual(['1 folder removed'])
    journey.write({ 'notes/unseen.md': 'unseen', 'docs/d.txt': 'd' })
    await journey.stage('docs/d.txt', 'ready')
    await journey.idle()
    expect(journey.file('notes/unseen.md')).toBeUndefined()
    await journey.reload()
    await journey.allReady()
  })

  test('an unchanged folder is not scanned, and keeps its watcher', async () => {
    const journey = await begin({ profile, tree: two, folders: { docs: {}, notes: {} } })
    await journey.idle()
    const before = [journey.folder('docs'), journey.folder('notes')]
    await journey.reload({
      folders: { docs: {}, notes: { settle_ms: 150 } },
      uploads: { concurrency: 2 },
    })
    await journey.until('the changed one is scanned', () => {
      return journey.folder('notes')?.scan_ended_ms !== before[1]?.scan_ended_ms
    })
    await journey.idle()
    expect(journey.folder('docs')).toEqual(before[0])
    journey.write({ 'docs/new.txt': 'the watcher is still there' })
    await journey.stage('docs/new.txt', 'ready')
    expect(journey.folder('docs')?.scan_ended_ms).toBe(before[0]?.scan_ended_ms)
  })

  test('daily limit and log level', async () => {
    const journey = await begin({
      profile,
      tree: { 'docs/a.txt': 'aaaa' },
      config: { uploads: { max_bytes_per_day: 5 } },
    })
    await journey.allReady()
    journey.write({ 'docs/b.txt': 'bbbb' })
    await journey.stage('docs/b.txt', 'wanted')
    await journey.idle()
    expect(journey.file('docs/b.txt')?.stage).not.toBe('ready')
    expect((await journey.reload({ uploads: { max_bytes_per_day: 'off' } })).changes).toEqual([
      'uploads changed',
    ])
    await journey.allReady()
  })

  test('the token changes during an upload, which ends with the new one', async () => {
    const journey = await begin({ profile, tree: large })
    const put = journey.hold('begin', 'put')
    await put.reached()
    journey.giveToken('rotated')
    expect(await journey.reload()).toEqual({ changes: ['token changed'], at_next_start: [] })
    journey.service.tokens.revoke('daemon')
    put.release()
    await journey.allReady()
    expect(journey.cost()).toEqual({ creates: 1, puts: 1 })
    expect(journey.service.requestLog.filter(({ status }) => status === 401)).toEqual([])
    expect(journey.log().filter((line) => line.includes('account'))).toEqual([])
    expect(journey.troubles()).toEqual([])
  })

  test.each([
    ['of the old address', 'localhost'],
    ['with the old token', '127.0.0.1'],
  ])(
    'a late failure %s does not stop calls with the present configuration',
    async (_what, host) => {
      const clock = new MovingClock()
      const journey = await begin({ profile, tree: { 'docs/a.txt': 'a' }, clock })
      await journey.allReady()
      const create = journey.hold('begin', 'assets.create')
      journey.write({ 'docs/b.txt': 'held' })
      await create.reached()
      journey.giveToken('rotated')
      await journey.reload({
        service: { base_url: journey.service.api.replace('127.0.0.1', host) },
      })
      journey.service.tokens.revoke('daemon')
      clock.skip(5_000)
      create.release()
      await journey.allReady()
      expect(journey.service.requestLog.filter(({ status }) => status === 401)).toHaveLength(1)
      expect(journey.log().filter((line) => line.includes('account'))).toEqual([])
      expect(journey.troubles()).toEqual([])
    },
  )

  test('an upload that began under the old configuration finishes, and does not begin again under the new one', async () => {
    const journey = await begin({ profile, tree: large })
    const put = journey.hold('begin', 'put')
    await put.reached()
    for (const concurrency of [1, 2, 3]) await journey.reload({ uploads: { concurrency } })
    journey.write({ 'docs/small.txt': 'goes by the new one meanwhile' })
    await journey.stage('docs/small.txt', 'ready')
    put.release()
    await journey.allReady()
    expect(journey.cost()).toEqual({ creates: 2, puts: 2 })
  })

  test('a new prompt is asked, a removed one is not', async () => {
    const reports = makeTree()
    const journey = await begin({ profile, tree: { 'docs/a.txt': 'The lease ends in May.' } })
    await journey.idle()
    const digest = {
      name: 'digest',
      cron: '0 0 1 1 *',
      timezone: 'UTC',
      prompt: 'When does the lease end?',
      scope: { folders: ['docs'] },
      first_run: 'all',
      deliver: [{ file: { dir: reports, name: '{{name}}.md' } }],
    }
    expect((await journey.reload({ prompts: [digest] })).changes).toEqual(['1 prompt added'])
    await journey.record({ type: 'run_due', prompt: 'digest', due_ms: Date.now(), cause: 'user' })
    await journey.until('the report is written', () => readdirSync(reports).includes('digest.md'))
    expect((await journey.reload()).changes).toEqual(['1 prompt removed'])
    await journey.record({ type: 'run_due', prompt: 'digest', due_ms: Date.now(), cause: 'user' })
    await journey.idle()
    expect(journey.requests('chats.start')).toHaveLength(1)
  })

  test('an invalid configuration changes nothing', async () => {
    const journey = await begin(
      { profile, tree: two, folders: { docs: {}, notes: {} } },
      'not started',
    )
    await journey.start({ folders: { docs: {} } })
    await journey.idle()
    const config = journey.config()
    const other_place = { ...config, state_dir: `${config.state_dir}-other` }
    const secrets = { token: () => 'unused', source: 'test', reload: async () => false }
    await expect(journey.daemon.reload(other_place, secrets)).rejects.toMatchObject({
      code: 'config.needs_restart',
    })
    const ca_file = journey.at('docs/a.txt')
    await expect(journey.reload({ service: { ca_file } })).rejects.toMatchObject({
      code: 'config.ca_file',
    })
    expect(journey.daemon.config.folders.map(({ name }) => name)).toEqual(['docs'])
    journey.write({ 'docs/c.txt': 'c' })
    await journey.stage('docs/c.txt', 'ready')
    expect(journey.folder('notes')).toBeUndefined()
  })

  test('a configuration that cannot be recorded changes nothing', async () => {
    let is_full = false
    const wrap_ledger = (ledger: Ledger): Ledger => ({
      ...ledger,
      async record(facts) {
        if (is_full && facts.some(({ type }) => type === 'folders_removed_except'))
          throw new Error('no room')
        await ledger.record(facts)
      },
    })
    const journey = await begin(
      { profile, tree: two, folders: { docs: {}, notes: {} }, wrap_ledger },
      'not started',
    )
    await journey.start({ folders: { docs: {} } })
    await journey.idle()
    is_full = true
    await expect(journey.reload({ folders: { notes: {} } })).rejects.toThrow('no room')
    is_full = false
    journey.write({ 'docs/c.txt': 'c' })
    await journey.stage('docs/c.txt', 'ready')
    expect(journey.folder('notes')).toBeUndefined()
  })

  test('a recorded config stays in force if the steps after it fail', async () => {
    let is_full = false
    const refuse = () => {
      if (is_full) throw new Error('no room')
    }
    const wrap_ledger = (ledger: Ledger): Ledger => ({
      ...ledger,
      async record(facts) {
        if (facts.some(({ type }) => type === 'trouble_ended')) refuse()
        await ledger.record(facts)
      },
      async setLimits(limits) {
        await ledger.setLimits(limits)
        refuse()
      },
    })
    const journey = await begin(
      { profile, tree: two, folders: { docs: {}, notes: {} }, wrap_ledger },
      'not started',
    )
    await journey.start({ folders: { docs: {} } })
    await journey.idle()
    journey.service.tokens.revoke('daemon')
    journey.write({ 'docs/c.txt': 'c' })
    await journey.until('the token is refused', () => journey.troubles().length > 0)
    is_full = true
    journey.giveToken('renewed')
    const base_url = journey.service.api.replace('127.0.0.1', 'localhost')
    const { changes } = await journey.reload({ service: { base_url } })
    expect(changes).toEqual(expect.arrayContaining(['1 folder added', 'service changed']))
    is_full = false
    expect(journey.daemon.config.folders.map(({ name }) => name)).toEqual(['docs', 'notes'])
    await journey.stage('notes/b.txt', 'ready')
    journey.write({ 'notes/late.txt': 'watched, too' })
    await journey.allReady()
    expect(
      journey.log().filter((line) => line.includes('the end of a reload: no room')),
    ).not.toEqual([])
  })

  test('ten reloads while files arrive: each file is uploaded once, and none is lost', async () => {
    const files = fullOrPart(300, 120)
    const names = Array.from(
      { length: files },
      (_, index) => `${index % 2 ? 'docs' : 'notes'}/${index % 7}/${index}.txt`,
    )
    const tree = Object.fromEntries(names.map((name) => [name, `the text of ${name}`]))
    const journey = await begin({ profile, tree, folders: { docs: {}, notes: {} } })
    for (let time = 1; time <= 10; time++) {
      const ready = () => journey.files().filter(({ stage }) => stage === 'ready').length
      // At most half: the files of the other folder are not uploaded while it is offline.
      await journey.until('some more are in', () => ready() >= (time * files) / 21)
      // Some configurations change or drop a folder: its running uploads must be neither lost nor
      // sent twice.
      const folders = time % 3 === 0 ? { docs: {} } : { docs: { settle_ms: 100 + time }, notes: {} }
      await journey.reload({ folders, uploads: { concurrency: 1 + (time % 4) } })
    }
    await journey.reload()
    await journey.allReady()
    await journey.idle()
    expect(journey.cost().puts).toBe(files)
    expect(journey.cost().creates).toBe(files)
  })

  test('a stop in the middle of a reload, and of one that waits', async () => {
    const journey = await begin(
      { profile, tree: two, folders: { docs: {}, notes: {} } },
      'not started',
    )
    await journey.start({ folders: { docs: {} } })
    const reloads = [journey.reload(), journey.reload({ folders: { docs: {} } })].map((reload) =>
      reload.then(
        () => 'done',
        (error: { code?: string }) => error.code,
      ),
    )
    await journey.stop()
    for (const outcome of await Promise.all(reloads))
      expect(['done', 'reload.stopped', 'thread.ended']).toContain(outcome)
    await expect(journey.start()).resolves.toBeUndefined()
    await journey.allReady()
  })

  test('a folder gets another name during uploads: what was on its way goes on at once', async () => {
    const names = Array.from({ length: 30 }, (_, index) => `docs/${index}.txt`)
    const tree = Object.fromEntries(names.map((name) => [name, `the text of ${name}`]))
    let is_renamed = false
    let claims = 0
    const wrap_ledger = (ledger: Ledger): Ledger => ({
      ...ledger,
      async claimToSend(...query) {
        const claimed = await ledger.claimToSend(...query)
        if (is_renamed) claims++
        return claimed
      },
      async record(facts) {
        // The contents are claimed, and found out of reach, before their new paths are known.
        const is_new = (type: string) => type === 'file_settled' || type === 'files_found'
        if (is_renamed && facts.some(({ type }) => is_new(type)))
          await journey.until('they were claimed', () => claims > 1)
        await ledger.record(facts)
        is_renamed ||= facts.some(
          (fact) => fact.type === 'folders_removed_except' && fact.names.includes('papers'),
        )
      },
    })
    const config = { uploads: { concurrency: 2 } }
    const journey = await begin({ profile, tree, config, wrap_ledger })
    const create = journey.hold('begin', 'assets.create')
    await create.reached()
    journey.write({ papers: { link: 'docs' } })
    await journey.reload({ folders: { papers: { path: journey.at('docs') } } })
    create.release()
    await journey.until('all are ready by their new name', () => {
      return names.every((name) => journey.file(name.replace('docs', 'papers'))?.stage === 'ready')
    })
    expect(journey.cost()).toEqual({ creates: 30, puts: 30 })
  })

  test('a folder gets another project during uploads: its files go there at once', async () => {
    const names = Array.from({ length: 30 }, (_, index) => `docs/${index}.txt`)
    const tree = Object.fromEntries(names.map((name) => [name, `the text of ${name}`]))
    const uploads = { concurrency: 2, min_resend_s: 600 }
    const journey = await begin({ profile, tree, config: { uploads } })
    const ready = () => journey.files().filter(({ stage }) => stage === 'ready').length
    await journey.until('some are ready', () => ready() > 3)
    const other = journey.service.projects.create('other').project_id
    await journey.reload({ folders: { docs: { project_id: other } } })
    await journey.until('all are in the other project', () => {
      return journey.service.assets(other).filter(({ status }) => status === 'ready').length === 30
    })
    await journey.idle()
    journey.ends({ also_there: journey.assets().map(({ md5 }) => md5 ?? ''), left_out: names })
  })

  test('a folder that moves to another place', async () => {
    const journey = await begin({ profile, tree: { 'docs/a.txt': 'a' } })
    await journey.idle()
    mkdirSync(journey.at('docs/inner'))
    journey.write({ 'docs/inner/b.txt': 'b' })
    await journey.allReady()
    const path = journey.at('docs/inner')
    await journey.reload({ folders: { docs: { path } } })
    await journey.stage('docs/b.txt', 'ready')
    expect(journey.cost().puts).toBe(2)
    await journey.reload()
    await journey.allReady()
    expect(journey.cost().puts).toBe(2)
  })
})
