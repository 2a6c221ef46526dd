import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { hour_ms, minute_ms } from '../../../src/base/time/time.ts'
import { secretsOf } from '../../../src/config/secrets.ts'
import { mountUnresponsive } from '../../disk/unresponsive-mount.ts'
import { isNotRoot } from '../../rig/root-only.ts'
import { addToTree, makeTree } from '../../rig/tree.ts'
import { until } from '../../rig/waiting.ts'
import { openReceiver } from './receiver.ts'
import { Watched } from './rig.ts'

const is_not_root = isNotRoot('a full disk under the ledger')

/**
 * Each problem is caused by a real fault: the health reports it with its reason, and an alert goes
 * out. After the repair the problem is resolved, and an alert says so.
 */
describe('each problem is reported and resolved', { timeout: 90_000 }, () => {
  test('scan: the scans of a folder do not end', async () => {
    let broken = false
    const watched = await Watched.begin({
      has_receiver: true,
      folder: { rescan_interval_ms: '1h' },
      wrap_ledger: (ledger) => ({
        ...ledger,
        async differences(range) {
          if (broken) throw new Error('this page cannot be read')
          return ledger.differences(range)
        },
      }),
    })
    await watched.synced()
    await watched.green()
    broken = true
    watched.clock.skip(3 * hour_ms)
    expect(await watched.redAndReported('scan')).toMatchObject({
      about: 'docs',
      message: expect.stringContaining('of docs ended 3 h ago'),
    })
    broken = false
    watched.daemon.rescan()
    await watched.greenAndReported()
  })

  test('queue: the service reads a file forever', async () => {
    const watched = await Watched.begin({
      has_receiver: true,
      service: { ingest: { delay_ms: 10 * hour_ms } },
    })
    watched.daemon.rescan()
    await until('it is being read', () =>
      watched.service.assets(watched.project_id).some(({ status }) => status === 'ingesting'),
    )
    watched.clock.skip(5 * hour_ms)
    await watched.green()
    watched.clock.skip(2 * hour_ms)
    expect(await watched.redAndReported('queue')).toMatchObject({
      message: expect.stringContaining('docs/a.txt has waited for 7 h'),
    })
    await watched.skippingUntil(11 * hour_ms, 'it is read', () =>
      watched.service.assets(watched.project_id).some(({ status }) => status === 'ready'),
    )
    // The follower asks about a file that is read for this long every five minutes.
    await watched.greenAndReported({ after_ms: 6 * minute_ms })
  })

  test('folder: it is not mounted', async () => {
    const watched = await Watched.begin({ has_receiver: true })
    await watched.synced()
    renameSync(watched.docs, `${watched.docs}-away`)
    watched.clock.skip(minute_ms)
    await until('it is reported offline', () =>
      watched.log.some((line) => line.includes('is offline')),
    )
    await watched.green()
    watched.clock.skip(16 * minute_ms)
    expect(await watched.redAndReported('folder')).toMatchObject({ about: 'docs' })
    renameSync(`${watched.docs}-away`, watched.docs)
    watched.daemon.rescan()
    await watched.greenAndReported()
  })

  test('folder: its share does not respond; the others continue', async ({ skip }) => {
    const other = makeTree({ 'there.txt': 'there' })
    // A disk that answers needs less on a busy machine. The healthy folder must stay online.
    const scan = { answer_ms: 2_000 }
    const watched = await Watched.begin({
      has_receiver: true,
      health: { offline_ms: 0 },
      other,
      sections: { scan },
    })
    await watched.synced()
    await watched.green()
    const unmount = mountUnresponsive(watched.docs)
    if (!unmount)
      return skip(
        'a file system that nobody serves can be mounted by root alone, where there is FUSE',
      )
    watched.daemon.rescan()
    expect(await watched.redAndReported('folder')).toMatchObject({
      about: 'docs',
      message: expect.stringContaining('does not answer'),
    })
    addToTree(other, { 'new.txt': 'new' })
    await until(
      'the other folder goes on',
      () =>
        watched.service.assets(watched.project_id).filter(({ status }) => status === 'ready')
          .length === 3,
    )
    unmount()
    watched.daemon.rescan()
    await watched.greenAndReported()
  })

  test('account: the token is revoked', async () => {
    const watched = await Watched.begin({ has_receiver: true })
    await watched.synced()
    const { service } = watched
    service.tokens.revoke('watched')
    watched.write({ 'b.txt': 'b' })
    expect(await watched.redAndReported('account')).toMatchObject({ about: 'the token' })
    await watched.daemon.reload(watched.config(), secretsOf(service.tokens.create('new').token))
    await watched.greenAndReported()
  })

  test('project: the service does not know it', async () => {
    const watched = await Watched.begin({ has_receiver: true })
    await watched.synced()
    await watched.green()
    await watched.reload({ folder: { project_id: 'project_0000000000zzzzzzzzzz' } })
    expect(await watched.redAndReported('project')).toMatchObject({
      about: 'project_0000000000zzzzzzzzzz',
    })
    await watched.reload({ folder: {} })
    await watched.greenAndReported()
  })

  test('service: it is offline for longer than an update takes', async () => {
    const watched = await Watched.begin({ has_receiver: true })
    await watched.synced()
    watched.service.injectFaults({ down: true })
    watched.write({ 'b.txt': 'b', 'c.txt': 'c', 'd.txt': 'd' })
    await until('it is noticed', () => watched.log.some((line) => line.includes('"about":"api"')))
    await watched.green()
    watched.clock.skip(16 * minute_ms)
    expect(await watched.redAndReported('service')).toMatchObject({ about: 'the service' })
    watched.service.injectFaults({ down: false })
    await watched.greenAndReported({ after_ms: 6 * minute_ms })
  })

  test('audit: the service is offline for days', async () => {
    const watched = await Watched.begin({ has_receiver: true })
    await watched.synced()
    await watched.green()
    watched.service.injectFaults({ failures: [{ route: 'assets.list', status: 503 }] })
    // A late round gets its full time, and this one begins now.
    watched.clock.skip(10 * minute_ms)
    await until('the list is asked for', () =>
      watched.service.requestLog.some(({ status }) => status === 503),
    )
    watched.clock.skip(50 * hour_ms)
    expect(await watched.redAndReported('audit')).toMatchObject({ about: watched.project_id })
    watched.service.injectFaults({ failures: [] })
    await watched.greenAndReported({ after_ms: hour_ms })
  })

  test('assets: another user empties the project', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 130 }, (_, at) => [`${at}.txt`, `text ${at}`]),
    )
    const watched = await Watched.begin({ has_receiver: true, tree: files })
    const { service, project_id, daemon } = watched
    const audit = () => daemon.ledger.record([{ type: 'audit_wanted' }])
    await watched.synced()
    await watched.green()
    for (const { asset_id } of service.assets(project_id)) await service.removeAsset(asset_id)
    await audit()
    expect(await watched.redAndReported('assets')).toMatchObject({
      about: project_id,
      message: expect.stringContaining('130 of 130 files are gone'),
      hint: expect.stringContaining('sluice retry FOLDER'),
    })
    await audit()
    await until('the next round is over', async () =>
      (await daemon.ledger.audits()).every(({ round, running }) => round > 1 && !running),
    )
    await watched.redAndReported('assets')
    await daemon.ledger.record([{ type: 'retried', folder: 'docs', path: '' }])
    await watched.greenAndReported()
  })

  test('assets: the user confirms the deletion', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 130 }, (_, at) => [`${at}.txt`, `text ${at}`]),
    )
    const watched = await Watched.begin({ has_receiver: true, tree: files })
    const { service, project_id, daemon } = watched
    await watched.synced()
    for (const { asset_id } of service.assets(project_id)) await service.removeAsset(asset_id)
    await daemon.ledger.record([{ type: 'audit_wanted' }])
    await watched.redAndReported('assets')
    await daemon.ledger.record([{ type: 'accepted', folder: 'docs', path: '' }])
    await watched.greenAndReported()
    await daemon.idle()
    expect(service.assets(project_id).filter(({ status }) => status === 'ready')).toEqual([])
  })

  test('progress: the ledger hangs, and the alert goes out all the same', async () => {
    let hung: Promise<void> | undefined
    const watched = await Watched.begin({
      has_receiver: true,
      wrap_ledger: (ledger) => ({
        ...ledger,
        async record(facts) {
          await hung
          await ledger.record(facts)
        },
      }),
    })
    await watched.synced()
    await watched.green()
    let go = () => {}
    hung = new Promise((resolve) => {
      go = resolve
    })
    onTestFinished(go)
    watched.write({ 'b.txt': 'b' })
    let is_red = false
    await watched.skippingUntil(minute_ms, 'it is noticed', () => {
      void watched.broken().then((broken) => {
        is_red = broken.includes('progress')
      })
      return is_red
    })
    expect(await watched.redAndReported('progress')).toMatchObject({
      message: expect.stringContaining(': the ledger'),
    })
    expect((await watched.get('/healthz')).status).toBe(503)
    go()
    await watched.greenAndReported()
    expect((await watched.get('/healthz')).status).toBe(200)
  })

  const prompt = {
    name: 'digest',
    cron: '0 * * * *',
    timezone: 'UTC',
    prompt: 'When does the lease end? {{files}}',
    intelligence: 'fast',
    scope: { folders: ['docs'] },
    first_run: 'all',
    wait_for_files: '1m',
  }
  const asking = { first_ms: 20, max_ms: 200, deliver_first_ms: 20, max_deliver_ms: 200 }

  test('prompt: its answer fails, and the next one does not', async () => {
    const watched = await Watched.begin({
      has_receiver: true,
      sections: { prompts: [prompt], asking },
    })
    await watched.synced()
    await watched.green()
    watched.service.injectFaults({ failed_answers: 10 })
    watched.tick()
    expect(await watched.redAndReported('prompt')).toMatchObject({
      message: expect.stringContaining('the last run of digest failed'),
    })
    watched.service.injectFaults({ failed_answers: 0 })
    watched.tick()
    await watched.greenAndReported()
  })

  test('prompt: its time passes and no run begins', async () => {
    const watched = await Watched.begin({
      has_receiver: true,
      sections: { prompts: [prompt], asking },
    })
    await watched.synced()
    watched.service.injectFaults({ failures: [{ route: 'chats.start', status: 503 }] })
    watched.tick()
    await until('it is asked', () =>
      watched.service.requestLog.some(({ place }) => place === 'chats.start'),
    )
    watched.clock.skip(25 * minute_ms)
    expect(await watched.redAndReported('prompt')).toMatchObject({ about: 'digest' })
    watched.service.injectFaults({ failures: [] })
    watched.tick()
    await watched.greenAndReported()
  })

  test('delivery: the receiver goes offline and comes back', async () => {
    const { url, received, state } = await openReceiver()
    const deliver = [{ name: 'hook', webhook: { url } }]
    const watched = await Watched.begin({
      has_receiver: true,
      sections: { prompts: [{ ...prompt, deliver }], asking },
    })
    await watched.synced()
    state.status = 410
    watched.tick()
    expect(await watched.redAndReported('delivery')).toMatchObject({
      about: 'digest/hook',
      hint: expect.stringContaining('sluice prompts deliver 1'),
    })
    state.status = 200
    watched.write({ 'b.txt': 'The boat is red.' })
    await watched.synced()
    watched.tick()
    await until('the next report arrives', () => received.length === 2)
    await watched.greenAndReported()
  })

  test.skipIf(is_not_root)('disk and ledger: the disk under the ledger is full', async () => {
    const watched = await Watched.begin({
      has_receiver: true,
      small_disk: '16m',
      health: { disk_free_bytes: '1MB' },
    })
    await watched.synced()
    await watched.green()
    const filler = join(watched.home, 'filler')
    try {
      writeFileSync(filler, Buffer.alloc(20_000_000))
    } catch {
      // The disk must be full for this test.
    }
    expect(await watched.redAndReported('disk')).toMatchObject({ about: 'state_dir' })
    watched.write(
      Object.fromEntries(
        Array.from({ length: 400 }, (_, at) => [`${at}/${'long name '.repeat(15)}.txt`, `${at}`]),
      ),
    )
    watched.daemon.rescan()
    expect(await watched.redAndReported('ledger')).toMatchObject({ about: 'ledger' })
    rmSync(filler)
    await watched.greenAndReported()
  })
})
